"""The live view of a study, drawn for terminals of any width."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_cases import made_record, made_records
from rich.console import Console
from tuning import report

from topk_tune.backends.base import WorkerView
from topk_tune.engine.events import LoopDone, StudyEnded, StudyStarted, TrialEnded, TrialStarted
from topk_tune.engine.events import WorkersSeen as Workers
from topk_tune.terminal.live import StudyView

SEARCHED = ("n_learners", "rho", "exploration", "weight_cap")


def view_of(records: int, workers: int, seeds: int = 2, hosts: int = 1) -> StudyView:
    """The view of a study in the middle of its run."""
    view = StudyView(Console(file=io.StringIO()), SEARCHED)
    view.observe(StudyStarted("s", 50, []))
    for record in made_records(records, seeds):
        view.observe(TrialEnded(record))
    for number in range(records, records + workers):
        view.observe(TrialStarted(number, made_record(number).config, 1))
        view.observe(LoopDone(number, 1, report(3, 0.25)))
    seen = [WorkerView(f"worker {i}", f"node-{i % hosts}", records + i) for i in range(workers)]
    view.observe(Workers(seen))
    return view


def drawn(view: StudyView, width: int, encoding: str = "utf-8") -> list[str]:
    """The lines that a terminal would show."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    Console(file=stream, width=width, force_terminal=True, no_color=True).print(view)
    stream.flush()
    text = stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]
    return [_without_codes(line) for line in text.splitlines()]


def _without_codes(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line)


@pytest.mark.slow
@given(width=st.integers(34, 220), workers=st.integers(0, 20), seeds=st.integers(1, 3))
def test_no_line_is_wider_than_the_terminal(width: int, workers: int, seeds: int) -> None:
    lines = drawn(view_of(20, workers, seeds, hosts=3), width)
    assert max(map(len, lines)) <= width
    assert len(lines) <= 24  # the lines of the smallest terminal that is still in use


def test_it_tells_of_everything_at_100_columns() -> None:
    lines = drawn(view_of(12, 2), 100)
    text = "\n".join(lines)
    assert "12/50 trials" in lines[0]
    assert lines[1].strip() == "8 complete, 3 pruned, 1 failed"
    header = next(line for line in lines if "shown loss" in line)
    assert header.split() == ["shown", "loss", "spread", "loop", "time", *SEARCHED]
    assert sum(line.startswith("worker ") for line in lines) == 2
    assert "seed 2, 3/4" in text
    assert [line.split()[1] for line in lines if line.startswith("trial ")][:6] == [
        *("6", "7", "8", "9", "10", "11")
    ]
    assert lines[-1].startswith("trial 8 failed: ValueError: no such luck")


def test_a_narrow_terminal_has_what_matters_most() -> None:
    lines = drawn(view_of(12, 2), 40)
    header = next(line for line in lines if "shown loss" in line)
    assert header.split()[:2] == ["shown", "loss"] and "loop" in header
    assert "weight_cap" not in header


def test_ascii_is_enough() -> None:
    assert drawn(view_of(12, 2), 60, "ascii")


def test_workers_beyond_a_screen_are_counted() -> None:
    lines = drawn(view_of(3, 40, hosts=4), 100)
    assert sum(line.startswith("worker ") for line in lines) == 8
    assert any(line.startswith("32 more") for line in lines)
    assert "host" in next(line for line in lines if "shown loss" in line)


def test_a_worker_whose_trial_has_ended_is_idle() -> None:
    view = view_of(0, 1)
    view.observe(TrialEnded(made_record(0)))
    (line,) = [line for line in drawn(view, 100) if line.startswith("worker ")]
    assert line.split() == ["worker", "0", "idle"]
    view.observe(StudyEnded("all trials are done"))
    assert not [line for line in drawn(view, 100) if line.startswith("worker ")]


def test_without_a_number_of_trials_nothing_is_promised() -> None:
    view = StudyView(Console(file=io.StringIO()), SEARCHED)
    view.observe(StudyStarted("s", None, []))
    view.observe(TrialEnded(made_record(0)))
    first = drawn(view, 80)[0]
    assert "1 trials" in first and first.rstrip().endswith("so far")


@pytest.mark.parametrize(("quiet", "count"), [(False, 3), (True, 0)])
def test_where_there_is_no_terminal_a_trial_is_a_line(quiet: bool, count: int) -> None:
    out = io.StringIO()
    with StudyView(Console(file=out), SEARCHED, quiet) as view:
        for record in made_records(3):
            view.observe(TrialEnded(record))
    assert len(out.getvalue().splitlines()) == count
    assert "\x1b" not in out.getvalue()


def test_a_dumb_terminal_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    out = io.StringIO()
    with StudyView(Console(file=out, force_terminal=True), SEARCHED) as view:
        view.observe(TrialEnded(made_record(0)))
    assert out.getvalue().startswith("trial 0 complete")
    assert "\x1b[?25l" not in out.getvalue()
