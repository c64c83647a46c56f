"""What is known of a study and its trials, and the form in which it is stored."""
