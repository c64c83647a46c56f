"""What a person sees in a terminal, and where logs go."""
