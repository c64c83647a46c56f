"""Names, options and the kinds of plugins."""
