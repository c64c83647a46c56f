"""`topk-tune doctor`: what this machine has and lacks."""

from dataclasses import asdict

from topk_tune.commands import listing
from topk_tune.commands.machine_checks import Finding, examine
from topk_tune.commands.terminal import console
from topk_tune.storage import Location


def show_findings(storage: str | None, kind: str) -> None:
    """Check everything; ends the program if something is not as it should be."""
    findings = []
    for finding in examine(Location.of(storage).root):
        findings.append(finding)
        if kind == listing.TABLE:  # a line at once: the next check may take its time
            _say(finding)
    listing.show(kind, [asdict(finding) for finding in findings], lambda: None)
    if not all(finding.ok for finding in findings if finding.needed):
        raise SystemExit(1)


def _say(finding: Finding) -> None:
    mark = "ok" if finding.ok else "not ok" if finding.needed else "absent"
    console.say(f"{mark:6}  {finding.what}: {finding.found}")
    if not finding.ok:
        console.say(f"        {finding.mend}")
