"""`topk-tune doctor`: what this machine has and lacks."""

from topk_tune.cli import study_options as options
from topk_tune.cli.terminal import console


def doctor(storage: options.Storage = None) -> None:
    """Check Python, packages, kernels, Ray, disk, memory, data and tracking.

    Exit code 1 if something is not as it should be.

    Example: topk-tune doctor
    """
    from topk_tune.doctor import examine
    from topk_tune.storage import Location

    wrong = False
    for finding in examine(Location.of(storage).root):
        wrong = wrong or not finding.ok
        mark = "ok    " if finding.ok else "not ok"
        console.say(f"{mark}  {finding.what}: {finding.found}")
        if not finding.ok:
            console.say(f"        {finding.mend}")
    if wrong:
        raise SystemExit(1)
