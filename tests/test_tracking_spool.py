"""The spool, how far it was sent, and the observer that appends to it."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from messages import says
from report_cases import made_confirmation
from tracking_cases import embedded, make_record, make_study

import booster
from topk_tune.engine import events
from topk_tune.records.trials import Confirmation
from topk_tune.study.context import Context
from topk_tune.study.kept_model import KeptModel
from topk_tune.tracking import entries, open_tracker, tracker
from topk_tune.tracking.jobs import Loops, Progress, coalesced, in_turns
from topk_tune.tracking.spool import NAME, Spool, read
from topk_tune.tracking.state import Sent, read_sent, write_sent
from topk_tune.training.baselines import Baseline
from topk_tune.training.objective import Objective


class NoWriter:
    """Stands in for the process that sends: everything stays in the spool."""

    alive, left = True, 0

    def __init__(self, *arguments: Any) -> None:
        self.started = arguments

    def finish(self, *_: object) -> int:
        return 0


@pytest.fixture
def no_writer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracker, "WriterProcess", NoWriter)


def kinds(path: Path) -> list[str]:
    return [entries.content(line.entry)["kind"] for line in read(path)]


def test_lines_come_back_in_order_from_any_place(tmp_path: Path) -> None:
    spool = Spool(tmp_path / NAME)
    for number in range(3):
        spool.append(entries.Running(number))
    lines = list(read(tmp_path / NAME))
    assert [line.entry.trials for line in lines] == [0, 1, 2]
    assert [line.entry.trials for line in read(tmp_path / NAME, lines[0].end)] == [1, 2]


def test_a_torn_line_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_bytes(b'{"kind":"a"}\n{"kind":"b"')
    assert kinds(path) == ["a"]  # the rest may still be on its way
    Spool(path).append(entries.Running(3))
    assert kinds(path) == ["a", "running"]


def test_a_full_disk_is_waited_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / NAME
    path.symlink_to("/dev/full")
    spool = Spool(path)
    spool.append(entries.Running(3))
    spool.append(entries.File(0, "a"))
    assert not spool.flush()
    path.unlink()
    spool.append(entries.File(None, "b"))
    assert kinds(path) == ["running", "file", "file"]
    assert len(caplog.records) == 1
    says(caplog.text, os.strerror(errno.ENOSPC))


def test_how_far_it_was_sent_is_known_for_each_server(tmp_path: Path) -> None:
    here, there = embedded(tmp_path / "a"), embedded(tmp_path / "b")
    write_sent(tmp_path, here, Sent(7, "1", "abc"))
    write_sent(tmp_path, there, Sent(5))
    assert read_sent(tmp_path, here) == Sent(7, "1", "abc")
    assert read_sent(tmp_path, there) == Sent(5)
    assert Sent(5).filed == 5  # by a version that sent files with figures
    write_sent(tmp_path, there, Sent(5, files=3))
    assert read_sent(tmp_path, there).filed == 3
    assert read_sent(tmp_path, embedded(tmp_path / "c")) == Sent()
    (tmp_path / "sent.json").write_text("{")
    assert read_sent(tmp_path, here) == Sent()


def test_finished_trials_make_their_loops_superfluous() -> None:
    record = make_record(0)
    report = record.runs[0].reports[0]
    jobs = coalesced(
        [
            entries.Begun(0, record.config, 1),
            entries.Begun(1, record.config, 1),
            entries.Loop.of(0, 0, report),
            entries.Loop.of(1, 0, report),
            entries.Trial.of(record, {"complete": 1}, record.value),
            entries.Loop.of(1, 0, report),
        ]
    )
    begun, loops, trial, progress = jobs
    assert isinstance(begun, entries.Begun) and begun.trial == 1
    assert isinstance(loops, Loops) and (loops.trial, len(loops.entries)) == (1, 2)
    assert isinstance(trial, entries.Trial) and trial.trial == 0
    assert progress == Progress([trial])


def test_a_record_survives_the_spool() -> None:
    record = make_record(3, "failed", seeds=2)
    entry = entries.Trial.of(record, {"failed": 1}, None)
    again = entries.read(json.loads(json.dumps(entries.content(entry))))
    assert again == entry
    assert again.record_for(Objective()) == record


def every_entry() -> list[entries.Entry]:
    record, confirmation = make_record(0), made_confirmation(0, [0.2, 0.3], held=[0.4, 0.5])
    context = Context(None, [Baseline("label frequency", 0.25, False)])
    return [
        entries.Study("1", {"name": "s"}, {"host": "h"}, None),
        entries.Running(None),
        entries.Begun(0, record.config, 1),
        entries.Loop.of(0, 0, record.runs[0].reports[0]),
        entries.Trial.of(record, {"complete": 1}, 0.3),
        entries.Ended("all done", False, [3]),
        entries.Confirmed.of(confirmation),
        entries.Ranked.of(confirmation),
        entries.Compared.of(context, ["beware"]),
        entries.File(None, "report.html"),
        entries.Booster(0, record.config, 7, "yeast", "/data"),
        entries.Model(0, "b.npz", ["a"], [[0.5]]),
    ]


def test_every_kind_of_entry_survives_the_spool_whatever_a_later_version_adds() -> None:
    assert {type(entry) for entry in every_entry()} == set(entries.KINDS.values())
    for entry in every_entry():
        line = json.loads(json.dumps(entries.content(entry)))
        assert entries.KINDS[line["kind"]] is type(entry)
        assert entries.read(line) == entries.read(line | {"of_a_later_version": 1}) == entry


@pytest.mark.parametrize(
    "line",
    [
        {"kind": "nonsense", "time": 1},
        {"kind": "file"},
        {"kind": "loop", "trial": 0, "repeat": 0, "loop": 1, "metrics": {}, "schema": 99},
        ["no", "entry"],
        3,
    ],
)
def test_what_is_no_entry_is_kept_with_the_reason(line: Any) -> None:
    found = entries.read(line)
    assert isinstance(found, entries.Unreadable) and found.reason
    assert entries.content(found) == line


@pytest.mark.usefixtures("no_writer")
def test_a_study_is_noted_and_counted_on_after_a_resume(tmp_path: Path) -> None:
    study, data = make_study(tmp_path)
    with open_tracker(study, embedded(tmp_path), data) as first:
        first.observe(events.StudyStarted("demo", 5, []))
        first.observe(events.TrialStarted(0, make_record(0).config, 1))
        first.observe(events.LoopDone(0, 0, make_record(0).runs[0].reports[0]))
        first.observe(events.TrialEnded(make_record(0)))
        first.observe(events.TrialStarted(1, make_record(1).config, 1))
        first.observe(events.StudyEnded("interrupted"))
    with open_tracker(study, embedded(tmp_path), data) as second:
        second.observe(events.TrialEnded(make_record(1)))
    path = first.folder / NAME
    run = ["running", "begin", "loop", "trial", "begin", "end"]
    assert kinds(path) == ["study", *run, "study", "trial"]
    found: list[Any] = [line.entry for line in read(path)]
    assert found[0].id == found[-2].id
    assert (found[6].killed, found[6].unfinished) == (True, [1])
    assert (found[-1].done, found[-1].best) == ({"complete": 2}, make_record(0).value)


@pytest.mark.usefixtures("no_writer")
def test_nothing_that_goes_wrong_here_reaches_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    study, data = make_study(tmp_path)
    with open_tracker(study, embedded(tmp_path), data) as one:
        monkeypatch.setattr(Spool, "append", lambda self, entry: 1 / 0)
        for number in range(3):
            one.observe(events.TrialEnded(make_record(number)))
    assert len([r for r in caplog.records if "skipped" in r.message]) == 1


@pytest.mark.usefixtures("no_writer")
def test_a_file_is_kept_as_it_was(tmp_path: Path) -> None:
    study, data = make_study(tmp_path)
    report = tmp_path / "report.html"
    report.write_text("one")
    with open_tracker(study, embedded(tmp_path), data) as one:
        one.add_file(report, folder="report")
    report.write_text("two")
    entry = list(read(one.folder / NAME))[-1].entry
    assert isinstance(entry, entries.File)
    assert (one.folder / entry.name).read_text() == "one"
    assert (Path(entry.name).name, entry.folder) == ("report.html", "report")


def test_no_process_and_no_server_is_no_reason_to_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*arguments: Any) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(tracker, "WriterProcess", refuse)
    study, data = make_study(tmp_path)
    with open_tracker(study, embedded(tmp_path), data) as one:
        one.observe(events.TrialEnded(make_record(0)))
    assert kinds(one.folder / NAME) == ["study", "trial"]
    assert "no more processes" in caplog.text


def test_trials_are_sent_together_and_what_belongs_to_a_trial_in_order() -> None:
    running, ended = entries.Running(3), entries.Ended("all done", False, [])
    begun = [entries.Begun(number, {}, 1) for number in range(2)]
    loops = Loops(0, [])
    trial = entries.Trial.of(make_record(2), {}, None)
    assert in_turns([running, begun[0], begun[1], loops, trial, ended, begun[1]]) == [
        [[running]],
        [[begun[0], loops], [begun[1]], [trial]],
        [[ended]],
        [[begun[1]]],
    ]


@pytest.mark.usefixtures("no_writer")
def test_a_file_without_room_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_room(*arguments: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    model = booster.TopAda(n_features=4, n_labels=3, n_learners=2, n_covariates=2, k=2)
    monkeypatch.setattr(tracker.shutil, "copyfile", no_room)
    monkeypatch.setattr(booster.TopAda, "save", no_room)
    found = Confirmation(0, dict(make_record(0).config), make_record(0).runs)
    study, data = make_study(tmp_path)
    with open_tracker(study, embedded(tmp_path), data) as one:
        one.add_file(tmp_path / "report.html")
        one.confirmed([found], KeptModel(model, seed=0, loss=0.5), data)
    assert kinds(one.folder / NAME) == ["study", "confirmed"]
    left_out = [r.getMessage() for r in caplog.records if "No space left" in r.getMessage()]
    assert [message.split()[1] for message in left_out] == ["report.html", "the"]
