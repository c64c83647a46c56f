"""`topk-tune cluster`: clusters checked, started, looked at and ended."""

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

from topk_tune.cluster import Finding, check_cluster
from topk_tune.cluster.ending import end_cluster
from topk_tune.cluster.launcher import read_launcher
from topk_tune.cluster.nodes import listed, standing
from topk_tune.cluster.probing import probe
from topk_tune.cluster.shell import head_shell
from topk_tune.cluster.starting import start_cluster
from topk_tune.commands import listing
from topk_tune.commands.terminal import console


def check(file: Path, probe_machines: bool, storage: str | None, drivers: int, kind: str) -> None:
    """Check a cluster's file and services, and on request its machines."""
    findings = check_cluster(file, storage, drivers)
    if probe_machines:
        findings += probe(read_launcher(file))
    listing.show(kind, [asdict(finding) for finding in findings], lambda: _say(findings))
    _refuse(file, findings)
    console.say(f"next: topk-tune cluster up {_quoted(file)}")


def up(file: Path, restart: bool) -> None:
    """Start a cluster, or bring one that runs up to date."""
    findings = check_cluster(file)
    _say([finding for finding in findings if finding.problem])
    _refuse(file, findings)
    start_cluster(file, console.say, restart)
    console.say(f"next: topk-tune run --cluster {_quoted(file)} --name demo --trials 50")
    console.say(f"      topk-tune cluster status {_quoted(file)}")
    console.say(f"      topk-tune cluster down {_quoted(file)}")


def status(file: Path, kind: str) -> None:
    """Show the machines of a cluster."""
    now = standing(head_shell(read_launcher(file)))
    rows = listed(now)
    listing.show(kind, rows, lambda: _machines(rows))
    if now["trouble"]:
        console.error(f"the autoscaler on the head has ended: {now['trouble']}")


def down(file: Path) -> None:
    """End a cluster, and say what still runs."""
    ended = end_cluster(file, console.say)
    for machine in ended:
        left = f"still runs {', '.join(machine.left)}" if machine.left else "nothing runs"
        console.say(f"{machine.host}: {machine.problem or left}")
    bad = [machine.host for machine in ended if machine.problem or machine.left]
    if bad:
        raise RuntimeError(f"not everything has ended on {', '.join(bad)}")


def _quoted(file: Path) -> str:
    return shlex.quote(str(file))


def _refuse(file: Path, findings: list[Finding]) -> None:
    problems = sum(finding.problem is not None for finding in findings)
    if problems:
        raise ValueError(f"{file} is not ready: {problems} of {len(findings)} checks failed")


def _say(findings: list[Finding]) -> None:
    for finding in findings:
        console.say(f"{'no' if finding.problem else 'ok'}  {finding.what}")
        if finding.problem:
            console.say(f"      {finding.problem}")


def _machines(rows: list[dict[str, Any]]) -> None:
    cells = [[_cell(value) for value in row.values()] for row in rows]
    console.table(list(rows[0]), cells, left=4)


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.1f}" if isinstance(value, float) else str(value)
