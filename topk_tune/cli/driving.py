"""From the options of a command to a study that runs, and what is said around it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from topk_tune.cli.study_options import pairs, seconds
from topk_tune.cli.terminal import console

if TYPE_CHECKING:  # the commands import these when they run
    from topk_tune.backends.resources import Machines
    from topk_tune.data import Dataset
    from topk_tune.engine.loop import Limits
    from topk_tune.engine.stopping import StopRule
    from topk_tune.study.study import Study
    from topk_tune.tracking import TrackingConfig

INTERRUPTED = 130


def machines(
    backend: str,
    workers: int | None,
    address: str | None,
    cpus: float,
    memory: float | None,
    labels: list[str] | None,
) -> "Machines":
    """Where trials run, which must be there."""
    from topk_tune.backends.resources import BackendName, Machines
    from topk_tune.plugins.names import one_of_literal

    found = Machines(
        backend=one_of_literal("backend", backend, BackendName),
        workers=workers,
        address=address,
        cpus=cpus,
        memory=None if memory is None else int(memory * 1e9),
        labels=pairs("--node-label", labels),
    )
    found.check()
    return found


def limits(trial_timeout: str | None, retries: int) -> "Limits":
    """What a trial may take."""
    from topk_tune.engine.loop import Limits

    return Limits(seconds("--trial-timeout", trial_timeout), retries)


def stop_rule(
    study: "Study",
    trials: str | None,
    done: int,
    timeout: str | None,
    target: float | None,
    patience: int | None,
) -> "StopRule":
    """The limits of a resumed study: those of its last run, unless others are given."""
    from topk_tune.engine.stopping import StopRule

    budget: dict[str, Any] = study.budget
    if trials is not None:
        budget["trials"] = _count(trials, done)
    if target is not None:
        budget["target"] = target
    if patience is not None:
        budget["patience"] = patience
    return StopRule(seconds=seconds("--timeout", timeout), **budget)


def drive(
    study: "Study",
    stop: "StopRule",
    machines: "Machines",
    limits: "Limits",
    tracking: "TrackingConfig | None",
    data: "Dataset | None" = None,
    baselines: bool = False,
) -> None:
    """Run a study with everything around it; ends the program if it was interrupted."""
    from topk_tune.engine.loop import INTERRUPTED as INTERRUPTED_REASON
    from topk_tune.session import run_tracked
    from topk_tune.terminal.logs import logging_to

    view = console.study(study)
    logging = logging_to(console.log_of(study), console.debug)
    with logging as note, console.following("booster", "topk_tune"), view, terminable():
        try:
            reason = run_tracked(
                study, stop, machines, limits, [view.observe, note], tracking, data, baselines
            )
        except KeyboardInterrupt:  # before the first trial, or once more after the last
            reason = INTERRUPTED_REASON
    console.study_ends(study, reason)
    study.store.close()
    if reason == INTERRUPTED_REASON:
        raise SystemExit(INTERRUPTED)


def tracking(wanted: bool) -> "TrackingConfig | None":
    """How studies are tracked: what mlflow.yaml says, unless tracking was declined."""
    from topk_tune.tracking import read_config

    return read_config() if wanted else None


def _count(trials: str, done: int) -> int:
    """A number of trials in all, or +N for N more than are done."""
    digits = trials.removeprefix("+")
    if not digits.isdecimal() or int(digits) < 1:
        raise ValueError(f"--trials must be a number such as 50 or +50, but got {trials!r}")
    return int(digits) + (done if trials.startswith("+") else 0)


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end a command as Ctrl-C does: what is finished is written.

    What is ignored stays ignored: `nohup` means that it goes on when the terminal is closed.
    """

    def interrupt(signal_number: int, frame: object) -> None:
        if signal_number == signal.SIGHUP:
            # A terminal that is closed says so, and its shell says so again.
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
