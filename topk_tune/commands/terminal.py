"""The one console that all commands write to."""

from topk_tune.terminal.console import Console

console = Console()
