"""Complete trials that are carried on to more loops, with the same bits."""

import signal
from pathlib import Path
from typing import Any

import pytest
from messages import says
from tuning import (
    FakeBackend,
    FakeResources,
    command,
    ended,
    loss_of,
    report,
    space,
    study,
    tune,
    wait_until,
)

from topk_tune.commands import studies
from topk_tune.engine.events import Notice
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.trials import SeedRun, TrialRecord
from topk_tune.spaces import Choice, Fixed, Float, Int, Space
from topk_tune.storage import Location
from topk_tune.study.extension import extend
from topk_tune.study.rows import tuning_rows
from topk_tune.study.study import Study
from topk_tune.training.training import run_trial
from topk_tune.training.trial import TrialConfig

LOOPS, MORE = 3, 7
FADING = {
    "schedule": Choice(["constant", "linear", "explore_first"]),
    "rho_end": Fixed(0.01, when={"schedule": ["linear", "explore_first"]}),
}


def small(**others: Any) -> Space:
    return space(loops=Fixed(LOOPS), n_learners=Int(1, 3), k=Fixed(2), **others)


def trained(made: Study, trials: int, workers: int = 1) -> None:
    """Run a study with real trainings in this process."""
    backend = FakeBackend(workers, None)
    made.run(StopOptions(trials=trials), FakeResources(made=backend))


def run_on(made: Study, backend: FakeBackend | None = None) -> None:
    stop = StopOptions(trials=len(made.records()))
    made.run(stop, FakeResources(made=backend or FakeBackend(1, None)))


def successors(made: Study, loops: int = MORE) -> list[TrialRecord]:
    return [record for record in made.records() if record.config["loops"] == loops]


def from_the_start(made: Study, record: TrialRecord) -> list[dict[str, Any]]:
    """What a training of a trial's configuration reports, all but the times."""
    rows = tuning_rows(made.data(), made.settings)
    found = []
    for seed in range(made.settings.seed, made.settings.seed + made.settings.seeds):
        found += run_trial(TrialConfig.of(record.config), seed, rows, made.settings.measure)
    return [_told(report.as_dict()) for report in found]


def _told(report: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in report.items() if name != "seconds"}


def bits(record: TrialRecord) -> list[dict[str, Any]]:
    return [_told(report.as_dict()) for run in record.runs for report in run.reports]


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [{}, {"pruner": "asha"}, {"seeds": 2, "pruner": "median"}, {"deterministic": True}],
    ids=str,
)
def test_they_have_the_bits_of_a_training_from_the_start(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    made = study(tmp_path, small(**FADING), seed=1, **changes)
    trained(made, 5)
    before = made.records()
    complete = [r for r in before if r.state == "complete"]
    extension = extend(made, MORE)
    fading = {r.number for r in complete if r.config["schedule"] == "linear"}
    assert {r.number for r in extension.others} == fading
    assert {r.number for r in extension.carried} == {r.number for r in complete} - fading
    run_on(extension.study)
    found = successors(extension.study)
    assert [r.config for r in found] == [{**r.config, "loops": MORE} for r in extension.carried]
    assert {r.state for r in found} == {"complete"}
    for record in found:
        assert bits(record) == from_the_start(made, record)
    assert extension.study.records()[: len(before)] == before


def test_all_are_carried_on_whatever_the_pruner_says(tmp_path: Path) -> None:
    made = study(tmp_path, small(), pruner="median", first=({**CONFIG, "rho": 0.1},))
    tune(made.store, StopOptions(trials=12))
    extension = extend(made, MORE)
    notices: list[Notice] = []
    backend = FakeBackend(3)
    tune(extension.study.store, StopOptions(trials=40), backend, notices=notices)
    found = successors(extension.study)[: len(extension.carried)]
    complete = [r for r in made.records() if r.config["loops"] == LOOPS and r.state == "complete"]
    assert len(found) == len(complete) > 3
    for record in found:
        assert record.state == "complete"
        first, rest = record.curve[:LOOPS], record.curve[LOOPS:]
        # The scripted losses depend on the loops of a configuration, so what is known can be told.
        assert first == [loss_of({**record.config, "loops": LOOPS}, 0, n + 1) for n in range(LOOPS)]
        assert rest == [loss_of(record.config, 0, n + 1) for n in range(LOOPS, MORE)]
    others = successors(extension.study)[len(found) :]
    assert "pruned" in {r.state for r in others}  # new trials have as many loops, and are pruned
    assert len(ended(notices)) == len(found) + len(others)


CONFIG = {"algorithm": "topada", "loops": LOOPS, "n_learners": 2, "k": 2}


def test_it_is_done_once(tmp_path: Path) -> None:
    made = study(tmp_path, small())
    tune(made.store, StopOptions(trials=4))
    again = extend(extend(made, MORE).study, MORE)
    assert len(again.study.records()) == 8
    tune(again.study.store, StopOptions(trials=8))
    assert len(extend(again.study, MORE).study.records()) == 8
    further = extend(again.study, 9)
    assert len(further.carried) == 4
    assert further.study.settings.space == small().fixed(loops=9).to_dict()


def test_what_is_missing_after_a_kill_is_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = study(tmp_path, small())
    tune(made.store, StopOptions(trials=4))
    begin, calls = made.store.begin, iter(range(2))

    def killed(*arguments: Any) -> int | None:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return begin(*arguments)

    monkeypatch.setattr(made.store, "begin", killed)
    with pytest.raises(KeyboardInterrupt):
        extend(made, MORE)
    monkeypatch.undo()
    made.store.close()
    again = Study.open(Location.of(str(tmp_path)), "s")
    again.store.drive()
    assert len(again.records()) == 6
    extended = extend(again, MORE).study
    tune(extended.store, StopOptions(trials=8))
    states = [(r.config["loops"], r.state) for r in extended.records()]
    assert states == [(LOOPS, "complete")] * 4 + [(MORE, "complete")] * 4


@pytest.mark.parametrize("schedule", ["constant", "linear"])
@pytest.mark.parametrize("pruner", ["none", "asha"])
def test_unfinished_trials_get_the_loops_too(tmp_path: Path, schedule: str, pruner: str) -> None:
    fading = {} if schedule == "constant" else {"schedule": Fixed(schedule), "rho_end": Fixed(0.01)}
    made = study(tmp_path, small(**fading), pruner=pruner)
    tune(made.store, StopOptions(trials=2))
    config = {**CONFIG, "rho": 0.1, **{name: each.value for name, each in fading.items()}}
    number = made.store.begin(config, {}, {})
    assert number is not None
    begun = SeedRun(0, (report(1, 0.124), report(2, 0.123)))
    made.store.pause(TrialRecord(number, "paused", config, (begun,)))
    made.store.close()
    again = Study.open(made.store.location, "s")
    again.store.drive()
    longer = again.space.fixed(loops=MORE)
    tune(again.with_space(longer).store, StopOptions(trials=3))
    record = again.records()[number]
    assert record.config == {**config, "loops": MORE}
    goes_on = pruner == "asha" and schedule == "constant"  # as a longer training would begin
    assert (record.curve[:2] == [0.124, 0.123]) == goes_on
    if goes_on or pruner == "none":
        assert (record.state, len(record.curve)) == ("complete", MORE)


def test_steps_of_seeds_move_with_the_loops(tmp_path: Path) -> None:
    made = study(tmp_path, small(), pruner="median", seeds=2)
    tune(made.store, StopOptions(trials=1))
    extended = extend(made, MORE).study
    (stored,), (record, _) = extended.store.finished(), extended.records()
    assert sorted(stored.intermediate_values) == [1, 2, 3, 4, 5, 6]
    proposer = Proposer(extended.settings, extended.space)
    moved = proposer.in_steps(stored, record).intermediate_values
    assert sorted(moved) == [1, 2, 3, MORE + 1, MORE + 2, MORE + 3]
    assert list(moved.values()) == list(stored.intermediate_values.values())


def test_what_cannot_be_extended_is_refused_before_anything_changes(tmp_path: Path) -> None:
    searched = study(tmp_path / "searched", space(loops=Int(1, 3)))
    tune(searched.store, StopOptions(trials=1))
    with pytest.raises(ValueError, match=r"fixed number of loops.*1 to 3"):
        extend(searched, MORE)
    made = study(tmp_path / "made", small())
    with pytest.raises(ValueError, match="0 complete ones"):
        extend(made, MORE)
    made.store.begin({**CONFIG, "rho": 0.1}, {}, {})
    with pytest.raises(ValueError, match=r"no running trials.*has 1"):
        extend(made, MORE)
    with pytest.raises(ValueError, match="more loops than its 3, but got 2"):
        extend(made, 2)
    fading = study(tmp_path / "fading", small(schedule=Fixed("linear"), rho_end=Fixed(0.01)))
    tune(fading.store, StopOptions(trials=2))
    with pytest.raises(ValueError, match="2 complete ones with fewer, of which 2 depend"):
        extend(fading, MORE)
    assert made.store.settings == made.settings
    assert fading.store.settings == fading.settings


def test_other_limits_are_refused() -> None:
    given: dict[str, Any] = {"dataset": None, "storage": None, "track": False, "baselines": False}
    with pytest.raises(ValueError, match="timeout and failures only, but got trials, patience"):
        studies.resume(
            *("s", "+5", {"patience": 3, "timeout": 9.0}, None, FakeResources()),
            extend_loops=MORE,
            **given,
        )


@pytest.mark.slow
def test_a_command_that_is_killed_goes_on(tmp_path: Path) -> None:
    long = 400
    made = study(tmp_path / "studies", small(rho=Float(0.05, 0.3)))
    trained(made, 3)
    made.store.close()
    options = ("--no-track", "--backend", "local", "--workers", "1")
    words = ("resume", "s", "--extend-loops", str(long), *options)
    process = command(*words, folder=tmp_path)

    def begun() -> bool:
        return any(r.state == "complete" for r in successors(_read(tmp_path), long))

    wait_until(begun, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert any(r.state != "complete" for r in successors(_read(tmp_path), long))
    again = command("resume", "s", *options, folder=tmp_path)
    out, _ = again.communicate(timeout=300)
    assert again.returncode == 0, out
    says(out, "all 6 trials are done")
    found = successors(_read(tmp_path), long)
    assert [r.state for r in found] == ["complete"] * 3
    for record in found:
        assert bits(record) == from_the_start(made, record)


def _read(folder: Path) -> Study:
    return Study.open(Location.of(str(folder / "studies")), "s")
