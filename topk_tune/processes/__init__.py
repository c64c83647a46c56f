"""Processes that we start, and that end with us."""
