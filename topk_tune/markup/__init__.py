"""Text and tables in Markdown and LaTeX."""
