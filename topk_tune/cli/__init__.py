"""The command `topk-tune`."""

from topk_tune.cli.app import main

__all__ = ["main"]
