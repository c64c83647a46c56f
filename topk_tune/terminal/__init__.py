"""Terminal output and logs."""
