"""`topk-tune doctor`: what this machine has and lacks."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from topk_tune.cli import listing
from topk_tune.cli import study_options as options
from topk_tune.cli.terminal import console

if TYPE_CHECKING:
    from topk_tune.cli.machine_checks import Finding


def doctor(storage: options.Storage = None, kind: listing.Format = "table") -> None:
    """Check Python, packages, kernels, Ray, disk, memory, data and tracking.

    Exit code 1 if something is not as it should be.

    Example: topk-tune doctor
    """
    from topk_tune.cli.machine_checks import examine
    from topk_tune.storage import Location

    findings = []
    for finding in examine(Location.of(storage).root):
        findings.append(finding)
        if kind == listing.TABLE:  # a line at once: the next check may take its time
            _say(finding)
    listing.show(kind, [asdict(finding) for finding in findings], lambda: None)
    if not all(finding.ok for finding in findings):
        raise SystemExit(1)


def _say(finding: "Finding") -> None:
    mark = "ok    " if finding.ok else "not ok"
    console.say(f"{mark}  {finding.what}: {finding.found}")
    if not finding.ok:
        console.say(f"        {finding.mend}")
