"""Text and tables in the languages that documents are written in."""
