"""The one console that all commands write to."""

from topk_tune.console import Console

console = Console()
