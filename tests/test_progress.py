"""The live view of a study, drawn for terminals of any width."""

import io
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import says
from report_cases import made_record, made_records
from rich.console import Console
from tuning import Clock, report

from topk_tune.backends.base import WorkerView
from topk_tune.engine.events import (
    LoopDone,
    Sending,
    StudyEnded,
    StudyStarted,
    TrialEnded,
    TrialPaused,
    TrialStarted,
    Waiting,
)
from topk_tune.engine.events import WorkersSeen as Workers
from topk_tune.records.trials import ranked
from topk_tune.records.wording import value_text
from topk_tune.terminal.count_view import CountView
from topk_tune.terminal.live import StudyView
from topk_tune.terminal.notes import Note
from topk_tune.terminal.time_left import TimeLeft

SEARCHED = ("n_learners", "rho", "exploration", "weight_cap")


EIGHT = (*SEARCHED, "least_probability", "step_scale", "n_covariates", "tie_threshold")
"""As many as the space of TopAda has."""


def view_of(
    records: int,
    workers: int,
    seeds: int = 2,
    hosts: int = 1,
    names: Sequence[str] = SEARCHED,
) -> StudyView:
    """The view of a study in the middle of its run."""
    view = StudyView(Console(file=io.StringIO()), names)
    view.observe(StudyStarted("s", 50, []))
    for record in made_records(records, seeds):
        more = {name: 0.5 for name in names if name not in SEARCHED}
        view.observe(TrialEnded(replace(record, config={**record.config, **more})))
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


def test_a_paused_trial_is_shown_when_it_pauses_and_only_then() -> None:
    said = io.StringIO()
    view = StudyView(Console(file=said, width=100), SEARCHED)
    view.observe(StudyStarted("s", 3, []))
    first, second = (replace(made_record(number), state="paused") for number in (0, 1))
    for record in (first, second):
        view.observe(TrialStarted(record.number, record.config, 1))
        view.observe(TrialPaused(record))
    assert "0 failed, 2 paused" in drawn(view, 100)[1]
    assert "2/3 trials" in drawn(view, 100)[0]
    view.observe(TrialStarted(1, second.config, 1))
    assert "1/3 trials" in drawn(view, 100)[0]
    view.observe(TrialEnded(made_record(1)))
    view.observe(TrialEnded(replace(first, state="pruned")))
    assert drawn(view, 100)[1].strip() == "1 complete, 1 pruned, 0 failed"
    lines = [line.split()[:3] for line in said.getvalue().splitlines() if "trial" in line]
    states = [["trial", "0", "paused:"], ["trial", "1", "paused:"], ["trial", "1", "complete:"]]
    assert lines == states


def test_a_narrow_terminal_has_what_matters_most() -> None:
    lines = drawn(view_of(12, 2), 40)
    header = next(line for line in lines if line.split()[:2] == ["shown", "loss"])
    assert "loop" in header
    assert "weight_cap" not in header


@pytest.mark.parametrize("width", [40, 60, 80])
def test_where_no_table_fits_the_best_is_a_block_of_all_that_is_searched(width: int) -> None:
    view = view_of(12, 2, names=EIGHT)
    lines = drawn(view, width)
    best = ranked(made_records(12, 2))[0]
    (first,) = [i for i, line in enumerate(lines) if line.startswith("best:")]
    words = " ".join(lines[first : lines.index("", first)]).split()
    assert words[:5] == ["best:", "trial", f"{best.number},", "shown", "loss"]
    at = {name: words[words.index(name) + 1] for name in SEARCHED}
    assert at == {name: value_text(best.config[name]) for name in SEARCHED}
    for name in EIGHT:
        assert words.count(name) == 1
        assert sum(name in line for line in lines) == 1  # none are left over in the table
    assert len(lines) <= 24


def test_ascii_is_enough() -> None:
    assert drawn(view_of(12, 2), 60, "ascii")


def test_workers_beyond_a_screen_are_counted() -> None:
    lines = drawn(view_of(3, 40, hosts=4), 100)
    shown = sum(line.startswith("worker ") for line in lines)
    assert 4 <= shown <= 8
    assert any(line.startswith(f"{40 - shown} more") for line in lines)
    assert "host" in next(line for line in lines if line.split()[:2] == ["shown", "loss"])


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


@pytest.mark.parametrize(("quiet", "count"), [(False, 9), (True, 0)])
def test_where_there_is_no_terminal_a_trial_is_a_line(quiet: bool, count: int) -> None:
    out = io.StringIO()
    with StudyView(Console(file=out, width=70), SEARCHED, quiet) as view:
        for record in made_records(9):
            view.observe(TrialEnded(record))
    lines = out.getvalue().splitlines()
    assert sum(line.startswith("trial ") for line in lines) == count
    assert "\x1b" not in out.getvalue()
    assert max(map(len, lines), default=0) <= 70
    text = " ".join(out.getvalue().split())
    assert "algorithm" not in text and "topada" not in text  # which all trials have
    assert ("n_learners" in text) == (not quiet)


def test_words_are_never_broken() -> None:
    out = io.StringIO()
    record = made_record(0, exploration="single-swap")
    with StudyView(Console(file=out, width=24), SEARCHED) as view:
        view.observe(TrialEnded(record))
    words = out.getvalue().split()
    for name in SEARCHED:
        assert {name, value_text(record.config[name])} <= {word.strip(",") for word in words}


def test_time_left_is_a_range_around_what_trials_took() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    assert left.text(10) is None  # nothing is known yet
    for number, took in enumerate([10.0, 12.0, 1.0, 9.0, 2.0, 11.0]):  # some were pruned
        left.start(number)
        clock.now += took
        left.end(number)
    low, high = left.seconds(10) or (0.0, 0.0)
    mean = 45 / 6
    assert 0 < low < 10 * mean < high < 10 * 12 + 60
    few_low, few_high = left.seconds(1) or (0.0, 0.0)
    assert few_low < mean < few_high < high
    says(left.text(10), "to", "left")


def test_trials_of_one_length_leave_little_doubt_and_share_workers() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    for turn in range(5):
        for worker in range(4):
            left.start(4 * turn + worker)
        clock.now += 10
        for worker in range(4):
            left.end(4 * turn + worker)
    low, high = left.seconds(40) or (0.0, 0.0)
    assert low == pytest.approx(100)
    assert high <= 110
    left.start(99)
    clock.now += 5
    assert (left.seconds(40) or (0.0, 0.0))[0] == pytest.approx((400 - 5) / 4)


def test_a_pause_is_not_part_of_a_trial() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    for number in range(3):
        left.start(number)
        clock.now += 4
        left.pause(number)
        clock.now += 100
        left.start(number)
        clock.now += 6
        left.end(number)
    assert left.seconds(2) == pytest.approx((20, 20))


def test_other_drivers_and_known_results_do_not_mislead() -> None:
    left = TimeLeft(Clock())
    for number in range(5):
        left.end(number)  # of another driver: who knows how long they took
    assert left.text(5) is None
    for number in range(5, 9):
        left.end(number, reused=True)
    assert left.seconds(5) == (0, 0)


def test_every_wait_has_a_name_and_seconds() -> None:
    view = StudyView(Console(file=io.StringIO()), SEARCHED)
    assert drawn(view, 80)[-1].strip()  # from the first moment on
    clock = Clock()
    note = Note(clock=clock)
    assert list(note.observe(Waiting("starting Ray"), shown=True)) == []
    clock.now += 7
    says(note.text, "starting Ray", 7)
    assert list(note.observe(Waiting(None), shown=True)) == []
    assert note.text == ""


def test_a_backlog_is_one_line_that_is_updated() -> None:
    note = Note()
    in_a_pipe = [said for left in (48, 40, 3) for said in note.observe(Sending(left), shown=False)]
    assert len(in_a_pipe) == 1
    says(in_a_pipe[0], 48)
    says(note.text, 3)
    assert list(Note().observe(Sending(48), shown=True)) == []


def test_counting_is_told_in_a_pipe_too() -> None:
    out = io.StringIO()
    with CountView(Console(file=out), "confirming") as view:
        for done in range(1, 101):
            view(done, 100)
    lines = out.getvalue().splitlines()
    assert 2 <= len(lines) <= 11
    says(lines[-1], "confirming", 100)


def test_a_dumb_terminal_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    out = io.StringIO()
    with StudyView(Console(file=out, force_terminal=True), SEARCHED) as view:
        view.observe(TrialEnded(made_record(0)))
    assert out.getvalue().startswith("trial 0 complete")
    assert "\x1b[?25l" not in out.getvalue()
