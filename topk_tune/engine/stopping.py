"""The limits of a study: one field and one function each."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from topk_tune.plugins.options import check_options, option, options_of, seconds

if TYPE_CHECKING:  # the command line lists the limits without loading NumPy
    from topk_tune.records.trials import TrialRecord

DEFAULT_TRIALS = 50
"""The number of trials of a study without a limit."""


class Progress(NamedTuple):
    """The progress of a run.

    Parameters
    ----------
    finished
        The finished trials in the order they ended, of earlier runs too.
    elapsed
        The seconds of this run.
    earlier
        The numbers of the trials that earlier runs have finished.
    """

    finished: "Sequence[TrialRecord]"
    elapsed: float
    earlier: Container[int] = ()


class Limit(NamedTuple):
    """When a limit is reached, and whether it also applies when the study is resumed."""

    reason: Callable[[Any, Progress], str | None]
    kept: bool = True


def _trials(limit: int, so_far: Progress) -> str | None:
    return f"all {limit} trials are done" if len(so_far.finished) >= limit else None


def _timeout(limit: float, so_far: Progress) -> str | None:
    return f"the time limit of {limit:g} s is reached" if so_far.elapsed >= limit else None


def _target(limit: float, so_far: Progress) -> str | None:
    from topk_tune.records.trials import ranked

    reached = any(r.key <= (0.0, r.objective.signed(limit)) for r in ranked(so_far.finished))
    return f"the target of {limit:g} is reached" if reached else None


def _patience(limit: int, so_far: Progress) -> str | None:
    from topk_tune.records.trials import ranked

    finished, best = so_far.finished, ranked(so_far.finished)
    since = len(finished) - 1 - finished.index(best[0]) if best else 0
    return f"no improvement in {limit} trials" if since >= limit else None


def _settled(limit: int, so_far: Progress) -> str | None:
    from topk_tune.engine.settled import why_settled

    return why_settled(limit, so_far.finished)


def _failures(limit: int, so_far: Progress) -> str | None:
    # Of this run only: who resumes a study may have mended what made trials fail.
    last = so_far.finished[-limit:]
    if len(last) < limit or any(
        record.state != "failed" or record.number in so_far.earlier for record in last
    ):
        return None
    return f"the last {limit} trials failed; the last error: {last[-1].error}"


@dataclass(frozen=True)
class StopOptions:
    """The limits of a study; the first one reached ends it.

    To add a limit, add a field and a function that returns the reason to stop, or None.
    """

    trials: int | None = option(
        None, "Stop after N trials in total, including earlier ones.", above=0, more=Limit(_trials)
    )
    timeout: float | None = option(
        None,
        "Stop this run after a time, from start-up to report: seconds, or 90s, 30m, 8h.",
        above=0,
        type=str | None,
        parse=seconds,
        more=Limit(_timeout, kept=False),
    )
    target: float | None = option(
        None, "Stop when a trial is at least as good as this value.", more=Limit(_target)
    )
    patience: int | None = option(
        None, "Stop after N trials without improvement.", above=0, more=Limit(_patience)
    )
    settled: int | None = option(
        None,
        "Stop when N more trials are expected to gain less than seeds differ.",
        above=0,
        more=Limit(_settled),
    )
    failures: int = option(
        10, "Stop after N failed trials in a row.", above=0, more=Limit(_failures)
    )

    def __post_init__(self) -> None:
        check_options(self)

    def room(self, finished: int, running: int) -> bool:
        """Whether one more trial may start."""
        return self.trials is None or finished + running < self.trials

    def reason(
        self, finished: "Sequence[TrialRecord]", elapsed: float, earlier: Container[int] = ()
    ) -> str | None:
        """Return the reason to stop now, or None; see `Progress`."""
        return next(self._reached(Progress(finished, elapsed, earlier)), ("", None))[1]

    def going_on(self, finished: "Sequence[TrialRecord]", given: Container[str]) -> "StopOptions":
        """Return the limits without those that were reached already and are not given again."""
        reached = [name for name, _ in self._reached(Progress(finished, 0.0)) if name not in given]
        defaults: dict[str, Any] = {each.name: each.default for each in fields(self)}
        return replace(self, **{name: defaults[name] for name in reached})

    def _reached(self, so_far: Progress) -> Iterator[tuple[str, str]]:
        for name, one in options_of(self).items():
            limit = getattr(self, name)
            found = None if limit is None else one.more.reason(limit, so_far)
            if found is not None:
                yield name, str(found)

    def or_default(self) -> "StopOptions":
        """Return the same limits, with a default number of trials if nothing ends the study."""
        optional = [each.name for each in fields(self) if each.default is None]
        if any(getattr(self, name) is not None for name in optional):
            return self
        return replace(self, trials=DEFAULT_TRIALS)

    def kept(self) -> dict[str, Any]:
        """Return the limits that apply when the study is resumed, by name."""
        return {
            name: getattr(self, name) for name, one in options_of(self).items() if one.more.kept
        }

    @classmethod
    def resumed(cls, kept: Mapping[str, Any], changes: Mapping[str, Any]) -> "StopOptions":
        """Return the limits of the last run, updated with `changes`.

        Unknown limits, stored by a later version, are ignored.
        """
        known = {name: value for name, value in kept.items() if name in options_of(cls)}
        return cls(**{**known, **changes})
