"""`topk-tune doctor`: what this machine has and lacks."""

from topk_tune.cli import listing
from topk_tune.cli import study_options as options


def doctor(storage: options.Storage = None, kind: listing.Format = "table") -> None:
    """Check Python, packages, kernels, Ray, disk, memory, data and tracking.

    The exit code is 1 if a check fails; what may be absent is said to be so.

    Example: topk-tune doctor
    """
    from topk_tune.commands.doctor import show_findings

    show_findings(storage, kind)
