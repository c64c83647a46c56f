"""Logs: what a policy has shown, what was told, and how likely that was; see docs/logs.md."""
