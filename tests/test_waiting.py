"""What is said while no worker is ready: what changes, and after a while what can be done."""

import io
from pathlib import Path
from typing import Any

import pytest
from report_cases import made_records
from rich.console import Console
from tuning import Clock, FakeBackend, FakeResources, study, tune

from topk_tune.backends.base import Event, Wait
from topk_tune.backends.local import LocalBackend
from topk_tune.engine.events import Notice, StudyEnded, TrialEnded, TrialStarted, Waiting
from topk_tune.engine.stopping import StopOptions
from topk_tune.engine.waiting import Lookout
from topk_tune.study.confirm import confirm
from topk_tune.study.rows import tuning_rows
from topk_tune.terminal.count_view import CountView
from topk_tune.terminal.live import StudyView


class SlowBackend(FakeBackend):
    """Has no worker for some polls, and says another reason at each."""

    def __init__(self, polls: int) -> None:
        super().__init__()
        self._missing = polls

    def free(self) -> int:
        return 0 if self._missing else super().free()

    def waiting(self) -> Wait | None:
        return Wait(f"{self._missing} to come", "do something") if self._missing else None

    def poll(self, timeout: float) -> list[Event]:
        self._missing = max(0, self._missing - 1)
        return super().poll(timeout)


class Scripted(FakeBackend):
    """Waits for what a test says."""

    wait: Wait | None = None

    def waiting(self) -> Wait | None:
        return self.wait


def test_only_what_changes_is_said() -> None:
    backend, told = Scripted(), list[Notice]()
    lookout = Lookout(backend, told.append, Clock())
    for wait in (None, Wait("a"), Wait("a"), Wait("b"), None, None, Wait("b")):
        backend.wait = wait
        lookout.look()
    assert told == [Waiting("a"), Waiting("b"), Waiting(None), Waiting("b")]


def test_advice_is_given_once_and_only_if_it_takes_long() -> None:
    backend, told, clock = Scripted(), list[Notice](), Clock()
    lookout = Lookout(backend, told.append, clock)
    for now, reason in ((0, "a"), (59, "b"), (60, "b"), (61, "b"), (200, "c")):
        clock.now, backend.wait = now, Wait(reason, "do something")
        lookout.look()
    assert told == [Waiting("a"), Waiting("b"), Waiting("b", "do something"), Waiting("c")]
    backend.wait = None
    lookout.look()
    backend.wait = Wait("a", "do something")
    lookout.look()
    assert told[4:] == [Waiting(None), Waiting("a")]  # a minute begins anew


def test_a_study_tells_of_it_until_a_worker_is_ready(tmp_path: Path) -> None:
    made, notices = study(tmp_path), list[Notice]()
    tune(made.store, StopOptions(trials=1), SlowBackend(3), notices=notices)
    told = [n for n in notices if isinstance(n, Waiting | TrialStarted)]
    reasons = [n.reason if isinstance(n, Waiting) else "trial" for n in told]
    assert reasons == ["2 to come", "1 to come", None, "trial"]


def test_a_study_tells_of_it_before_it_starts_its_workers(tmp_path: Path) -> None:
    notices, heard = list[Notice](), list[int]()

    class Starting(SlowBackend):
        def start(self, rows: object) -> None:
            heard.append(len(notices))

    machines = FakeResources(made=Starting(1))
    study(tmp_path).run(StopOptions(trials=1), machines, observers=[notices.append])
    assert notices[0] == Waiting("1 to come")
    assert heard == [1]


def test_confirming_tells_of_it(tmp_path: Path) -> None:
    made, notices = study(tmp_path), list[Notice]()
    tune(made.store, StopOptions(trials=1))
    confirm(made, 1, 2, FakeResources(made=SlowBackend(2)), observers=[notices.append])
    assert notices == [Waiting("2 to come"), Waiting("1 to come"), Waiting(None)]


@pytest.mark.slow
def test_local_workers_start_until_one_is_ready(tmp_path: Path) -> None:
    made = study(tmp_path)
    backend = LocalBackend(1)
    backend.start(tuning_rows(made.data(), made.settings))
    try:
        assert backend.waiting() == Wait("waiting for workers to start")
        while not backend.free():
            backend.poll(0.1)
        assert backend.waiting() is None
    finally:
        backend.close()


def told_to(view: "StudyView | CountView") -> None:
    view.observe(Waiting("one"))
    view.observe(Waiting("two"))
    view.observe(Waiting("two", "do something"))
    view.observe(Waiting(None))


def test_where_there_is_no_terminal_it_is_a_line_each() -> None:
    out = io.StringIO()
    with StudyView(Console(file=out)) as view:
        told_to(view)
    assert out.getvalue().splitlines() == ["one", "two", "do something"]
    again = io.StringIO()
    with CountView(Console(file=again), "confirming") as counting:
        told_to(counting)
    assert again.getvalue().splitlines() == ["one", "two", "do something"]


def test_quiet_says_nothing_of_it() -> None:
    out = io.StringIO()
    with StudyView(Console(file=out), quiet=True) as view:
        told_to(view)
    with CountView(Console(file=out, quiet=True), "confirming") as counting:
        told_to(counting)
    assert out.getvalue() == ""


def frame(view: "StudyView | CountView") -> list[str]:
    """What a view draws."""
    console = Console(file=io.StringIO(), width=60)
    shown = view if isinstance(view, StudyView) else view.get_renderable()
    with console.capture() as captured:
        console.print(shown)
    return captured.get().splitlines()


@pytest.mark.parametrize("kind", [StudyView, CountView])
def test_a_terminal_has_it_as_a_note_that_goes_away(kind: "type[StudyView | CountView]") -> None:
    lasting = list[str]()

    class Terminal(Console):
        def print(self, *shown: Any, **options: Any) -> None:
            lasting.extend(text for text in shown if isinstance(text, str))
            super().print(*shown, **options)

    console = Terminal(file=io.StringIO(), force_terminal=True, width=60)
    with kind(console, "confirming") as view:
        view.observe(Waiting("waiting for a worker: " + "x" * 60))
        lines = frame(view)
        assert lines[-1].rstrip() == "waiting for a worker: " + "x" * 38
        view.observe(Waiting(None))
        assert len(frame(view)) < len(lines)
        view.observe(Waiting("two", "do something"))
    assert lasting == ["do something"]


def test_a_study_that_ends_waits_no_longer_and_shows_its_last_error() -> None:
    view = StudyView(Console(file=io.StringIO()), quiet=True)
    for record in made_records(12):
        view.observe(TrialEnded(record))
    view.observe(Waiting("waiting for a worker"))
    assert frame(view)[-1].rstrip() == "waiting for a worker"
    view.observe(StudyEnded("interrupted"))
    assert frame(view)[-1].startswith("trial 8 failed")
