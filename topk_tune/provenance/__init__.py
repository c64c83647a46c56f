"""Provenance: versions, commit, processor, and the command that repeats a result."""
