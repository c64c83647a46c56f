"""Results to take away: a configuration as YAML, tables as Markdown and LaTeX."""
