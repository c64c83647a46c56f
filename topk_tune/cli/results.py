"""`topk-tune status`, `confirm` and `export`: what came out of studies."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from topk_tune.cli import driving
from topk_tune.cli import study_options as options
from topk_tune.cli.terminal import console


def status(
    name: Annotated[str | None, typer.Argument(help="Name of a study (default: list all).")] = None,
    storage: options.Storage = None,
    last: Annotated[int, typer.Option(help="Trials to show, the latest.")] = 10,
) -> None:
    """Show how studies stand: trials done, best so far, what was confirmed.

    Example: topk-tune status demo
    """
    from topk_tune.confirm import confirmations
    from topk_tune.storage import Location
    from topk_tune.storage.store import names
    from topk_tune.study import Study

    location = Location.of(storage)
    if name is None:
        console.studies([Study.open(location, each) for each in names(location)], location.shown)
        return
    study = Study.open(location, name)
    console.status(study, last)
    console.confirmed(confirmations(study))


def confirm(
    name: options.Name,
    top: Annotated[int, typer.Option(min=1, help="How many of the best configurations.")] = 5,
    seeds: Annotated[int, typer.Option(min=2, help="Fresh seeds for each.")] = 10,
    storage: options.Storage = None,
    workers: options.Workers = None,
    backend: options.Backend = "ray",
    address: options.Address = None,
    cpus: options.Cpus = 1.0,
    memory: options.Memory = None,
    node_label: options.Labels = None,
    retries: options.Retries = 3,
    track: options.Track = True,
) -> None:
    """Train the best configurations on all training rows with fresh seeds, and test them.

    Example: topk-tune confirm demo --top 5 --seeds 10
    """
    from topk_tune.session import confirm_tracked
    from topk_tune.storage import Location
    from topk_tune.study import Study

    machines = driving.machines(backend, workers, address, cpus, memory, node_label)
    study = Study.open(Location.of(storage), name)
    study.store.drive()
    limits, tracking = driving.limits(None, retries), driving.tracking(track)
    with console.following("topk_tune"), console.counting("confirming") as done:
        confirmed = confirm_tracked(study, top, seeds, machines, limits, done, tracking)
    study.store.close()
    console.confirmed(confirmed)
    console.say(f"next: topk-tune export {name}   (the confirmed best as YAML)")


def export(
    name: options.Name,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write (default: the terminal).")
    ] = None,
    kind: Annotated[
        str, typer.Option("--format", help="yaml or json: the best; csv: all trials.")
    ] = "yaml",
    storage: options.Storage = None,
) -> None:
    """Write the best configuration, confirmed if there is one, or all trials.

    Example: topk-tune export demo -o best.yaml
    """
    from topk_tune.export import FORMATS, exported
    from topk_tune.naming import one_of
    from topk_tune.storage import Location
    from topk_tune.study import Study

    one_of("format", kind, FORMATS)
    text = exported(Study.open(Location.of(storage), name), kind)
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text, encoding="utf-8")
        console.say(f"written to {output}")
