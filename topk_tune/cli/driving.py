"""From the options of a command to a study that runs, and what is said around it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from topk_tune.cli.terminal import console

if TYPE_CHECKING:  # the commands import these when they run
    from topk_tune.study.plan import Plan
    from topk_tune.study.study import Study
    from topk_tune.tracking import TrackingConfig

INTERRUPTED = 130


def drive(
    study: "Study",
    plan: "Plan",
    tracking: "TrackingConfig | None",
    baselines: bool = False,
) -> None:
    """Run a study as planned, with everything around it; ends the program if it was interrupted."""
    from topk_tune.engine.loop import INTERRUPTED as INTERRUPTED_REASON
    from topk_tune.session import run_tracked
    from topk_tune.terminal.logs import logging_to

    view = console.study(study)
    logging = logging_to(console.log_of(study), console.debug)
    with logging as note, console.following("booster", "topk_tune"), view, terminable():
        try:
            reason = run_tracked(study, plan, [view.observe, note], tracking, baselines)
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


def trials_in_all(trials: str, study: "Study") -> int:
    """A number of trials in all, or +N for N more than a study has finished."""
    from topk_tune.records.trials import FINISHED

    digits = trials.removeprefix("+")
    if not digits.isdecimal() or int(digits) < 1:
        raise ValueError(f"--trials must be a number such as 50 or +50, but got {trials!r}")
    done = sum(record.state in FINISHED for record in study.records())
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
