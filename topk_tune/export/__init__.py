"""Exports: a configuration as YAML, tables as Markdown and LaTeX."""
