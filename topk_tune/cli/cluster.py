"""`topk-tune cluster`: clusters checked, started, looked at and ended."""

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topk_tune.cli import listing
from topk_tune.cli import study_options as options
from topk_tune.cli.terminal import console

if TYPE_CHECKING:
    from topk_tune.cluster import Finding

cluster_app = typer.Typer(help="Check, start and end clusters.", no_args_is_help=True)

LauncherFile = Annotated[Path, typer.Argument(help="File of Ray's cluster launcher.")]
_FILE = Path("cluster.yaml")


@cluster_app.command()
def check(
    file: LauncherFile = _FILE,
    probe: Annotated[
        bool, typer.Option("--probe", help="Ask the machines too, by SSH, what they have.")
    ] = False,
    storage: options.Storage = None,
    drivers: Annotated[int, typer.Option(min=1, help="Drivers of one study at a time.")] = 1,
    kind: listing.Format = "table",
) -> None:
    """Check a cluster's file, and that its services answer, before machines are started.

    Example: topk-tune cluster check cluster.yaml --probe
    """
    from topk_tune.cluster import check_cluster
    from topk_tune.cluster.launcher import read_launcher
    from topk_tune.cluster.probing import probe as probed

    findings = check_cluster(file, storage, drivers)
    if probe:
        findings += probed(read_launcher(file))
    listing.show(kind, [asdict(finding) for finding in findings], lambda: _say(findings))
    _refuse(file, findings)
    console.say(f"next: topk-tune cluster up {_quoted(file)}")


@cluster_app.command()
def up(
    file: LauncherFile = _FILE,
    restart: Annotated[
        bool, typer.Option("--restart", help="End a Ray that runs there first, with its jobs.")
    ] = False,
) -> None:
    """Start a cluster, or bring one that runs up to date, and say which machine is at what.

    Ctrl-C leaves the machines to themselves: the head goes on with setting up the others.

    Example: topk-tune cluster up cluster.yaml
    """
    from topk_tune.cluster import check_cluster
    from topk_tune.cluster.starting import start_cluster

    findings = check_cluster(file)
    _say([finding for finding in findings if finding.problem])
    _refuse(file, findings)
    start_cluster(file, console.say, restart)
    console.say(f"next: topk-tune run --cluster {_quoted(file)} --name demo --trials 50")
    console.say(f"      topk-tune cluster status {_quoted(file)}")
    console.say(f"      topk-tune cluster down {_quoted(file)}")


@cluster_app.command()
def status(file: LauncherFile = _FILE, kind: listing.Format = "table") -> None:
    """Show the machines of a cluster that are there, that come, and that failed to.

    Example: topk-tune cluster status cluster.yaml
    """
    from topk_tune.cluster.launcher import read_launcher
    from topk_tune.cluster.nodes import listed, standing
    from topk_tune.cluster.shell import head_shell

    now = standing(head_shell(read_launcher(file)))
    rows = listed(now)
    listing.show(kind, rows, lambda: _machines(rows))
    if now["trouble"]:
        console.error(f"the autoscaler on the head has ended: {now['trouble']}")


@cluster_app.command()
def down(file: LauncherFile = _FILE) -> None:
    """End a cluster: jobs, Ray and servers on every machine; says what still runs.

    Studies stay on the head; `cluster up` and `resume --cluster` go on with them.

    Example: topk-tune cluster down cluster.yaml
    """
    from topk_tune.cluster.ending import end_cluster

    ended = end_cluster(file, console.say)
    for machine in ended:
        left = f"still runs {', '.join(machine.left)}" if machine.left else "nothing runs"
        console.say(f"{machine.host}: {machine.problem or left}")
    bad = [machine.host for machine in ended if machine.problem or machine.left]
    if bad:
        raise RuntimeError(f"not everything has ended on {', '.join(bad)}")


def _quoted(file: Path) -> str:
    return shlex.quote(str(file))


def _refuse(file: Path, findings: "list[Finding]") -> None:
    problems = sum(finding.problem is not None for finding in findings)
    if problems:
        raise ValueError(f"{file} is not ready: {problems} of {len(findings)} checks failed")


def _say(findings: "list[Finding]") -> None:
    for finding in findings:
        console.say(f"{'no' if finding.problem else 'ok'}  {finding.what}")
        if finding.problem:
            console.say(f"      {finding.problem}")


def _machines(rows: list[dict[str, Any]]) -> None:
    cells = [[_cell(value) for value in row.values()] for row in rows]
    console.table(list(rows[0]), cells, left=4)


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.1f}" if isinstance(value, float) else str(value)
