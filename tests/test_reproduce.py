"""The paper's tables through the tuner: what is run, what is shown, and that nothing runs twice."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
import yaml
from messages import raises, says
from tuning import FakeBackend, FakeResources, train_in_this_process
from typer.testing import CliRunner

import search_spaces
from topk_tune.cli.app import app
from topk_tune.commands.reproduce import _baselines, _outcomes
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.settings import Protocol
from topk_tune.records.trials import Confirmation, SeedRun, TrialRecord
from topk_tune.reproduce import aims, effort, outcome_file, page, paper, tables, tuned
from topk_tune.reproduce.cells import COLUMNS, Cell, cells
from topk_tune.reproduce.effort import Effort
from topk_tune.reproduce.figures import drawn, exploring, price
from topk_tune.reproduce.first_configs import starts
from topk_tune.reproduce.outcome_file import StoredOutcome
from topk_tune.reproduce.outcomes import HOLDOUT, Bench, Outcome
from topk_tune.spaces import Fixed, Space
from topk_tune.storage import Location
from topk_tune.study.confirm import FRESH, FRESH_HELD, confirmations
from topk_tune.study.options import SearchOptions
from topk_tune.study.plan import make_plan
from topk_tune.study.study import Study
from topk_tune.tracking import TrackingConfig
from topk_tune.training.baselines import Baseline
from topk_tune.training.trial import LoopReport, TrialConfig

TINY = Effort(trials=2, seeds=1, finalists=2, fresh=2, loops=1)
YEAST = Cell("yeast", "topopt", "uniform")
MAKERS = [page.made_by("the command"), "another"]


@contextmanager
def little() -> Iterator[None]:
    """Little effort, and spaces of few learners, since a search starts with the most."""
    whole = Cell.space
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(effort, "effort", lambda algorithm, dataset, protocol, quick: TINY)
        patch.setattr(Cell, "space", lambda self, loops: whole(self, loops).fixed(n_learners=10))
        yield


def here() -> FakeResources:
    """Resources that really train, in this process."""
    return FakeResources(made=FakeBackend(1, train=None))


def bench(folder: Path) -> Bench:
    return Bench(Location(folder), here(), None)


def silent(done: int, total: int) -> None:
    pass


BESIDE = {"greedy_loss": 0.15, "shuffled/shown_loss": 0.16, "stream_loss": 0.5}
"""Of every outcome; none has a loss on frozen rows, as those of earlier versions have not."""


def outcome(cell: Cell, losses: list[float], protocol: Protocol = "validation") -> Outcome:
    config = {"algorithm": cell.algorithm, "loops": 7, "n_learners": 40, "rho": 0.123456, "k": 3}
    runs = tuple(
        SeedRun(seed, (LoopReport(7, {"shown_loss": loss} | BESIDE, 0.5, 10, 0, 0, 3_000_000),))
        for seed, loss in enumerate(losses)
    )
    return Outcome(cell, protocol, Confirmation(4, config, runs), 60)


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    """A cell that is done, and the folder of its studies."""
    folder = tmp_path_factory.mktemp("studies")
    with little():
        return folder, bench(folder).outcome(YEAST, "validation", TINY, silent)


@pytest.mark.slow
def test_a_cell_is_searched_ranked_anew_and_only_then_tested(worked: tuple[Path, Outcome]) -> None:
    folder, found = worked
    search = Study.open(Location(folder), "paper-yeast-topopt-uniform")
    assert search.settings.protocol == "validation"
    assert search.settings.objective == "shown_loss"
    assert search.space.parameters["exploration"].extremes == ("uniform",)
    assert search.settings.holdout == HOLDOUT
    assert [dict(r.config) for r in search.records()] == starts(YEAST, search.space)[:2]
    first, second = confirmations(search)
    assert first == found.confirmation
    assert first.seeds == [FRESH, FRESH + 1] and not second.seeds
    assert sorted(first.held.seeds) == sorted(second.held.seeds) == [FRESH_HELD, FRESH_HELD + 1]
    assert first.held.value <= second.held.value
    assert found.shown == first.metrics["shown_loss"]


@pytest.mark.slow
def test_what_is_done_is_not_done_again(
    worked: tuple[Path, Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, first = worked

    def refuse(*arguments: object, **named: object) -> None:
        raise AssertionError("a worker or MLflow was started")

    monkeypatch.setattr(FakeBackend, "start", refuse)
    monkeypatch.setattr("topk_tune.session.open_tracker", refuse)
    tracked = replace(bench(folder), tracking=TrackingConfig())
    with little():
        assert tracked.outcome(YEAST, "validation", TINY, silent) == first
        assert bench(folder).outcome(YEAST, "validation", TINY, silent) == first


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"objective": "greedy_loss"}, ["greedy_loss", "shown_loss"]),
        ({"rho": Fixed(0.123)}, ["search space"]),
    ],
)
def test_studies_that_are_after_something_else_are_not_taken_for_ours(
    tmp_path: Path, changes: dict[str, Any], facts: list[str]
) -> None:
    place, space = bench(tmp_path), YEAST.space(1)
    other = Space({**space.parameters, **{n: p for n, p in changes.items() if n == "rho"}})
    settings = {n: p for n, p in changes.items() if n == "objective"}
    search = SearchOptions(dataset="yeast", space=other, name="paper-s", **settings)
    plan = make_plan(search, StopOptions(), place.resources)
    Study.create(place.location, plan).store.close()
    with raises(ValueError, "study 'paper-s'", *facts, "--storage"):
        place.study("paper-s", "yeast", 1, silent, space=space)


def test_a_figure_of_runs_without_what_was_shown_is_refused() -> None:
    runs = (SeedRun(0, (LoopReport(1, {"greedy_loss": 0.2}),)),)
    record = TrialRecord(3, "complete", {"algorithm": "topopt", "loops": 1}, runs)
    with raises(ValueError, "trial 3", "stream_loss"):
        drawn.averages(record)


def figure_trial(number: int, config: dict[str, Any], streams: list[list[float]]) -> TrialRecord:
    """A trial of a figure with these averages of the stream, and what is shown after each loop."""
    runs = tuple(
        SeedRun(seed, tuple(
            LoopReport(n, {"stream_loss": mean, "shown_loss": mean / 2}, rounds=100 * n)
            for n, mean in enumerate(run, 1)
        ))
        for seed, run in enumerate(streams)
    )  # fmt: skip
    return TrialRecord(number, "complete", {"algorithm": "topopt", "loops": 2, **config}, runs)


def test_what_a_loop_shows_is_told_from_the_averages_over_the_stream() -> None:
    record = figure_trial(0, {}, [[0.4, 0.3], [0.2, 0.2]])
    assert exploring.while_training(record).mean == pytest.approx([0.3, 0.2])
    assert exploring.afterwards(record).mean == pytest.approx([0.15, 0.125])


def test_ways_to_explore_differ_in_nothing_else() -> None:
    for algorithm in ("topopt", "topada"):
        ways = exploring.ways(algorithm)
        ways.pop("paper")
        rest = [{n: v for n, v in way.items() if n not in EXPLORATION} for way in ways.values()]
        assert rest[0] == rest[1] == rest[2]
        assert len({(way["schedule"], way["rho"]) for way in ways.values()}) == 3
        for way in exploring.ways(algorithm).values():
            TrialConfig.of({"algorithm": algorithm, **way, "loops": 2}).booster(103, 14, 0, 10)


EXPLORATION = ("schedule", "rho", "rho_end")


def test_the_figure_of_exploration_holds_both_times() -> None:
    config = {"schedule": "constant", "rho": 0.03}
    ends = {"schedule": "geometric", "rho": 0.9, "rho_end": 0.002}
    found = {
        "topopt": {
            "constant": figure_trial(0, config, [[0.4, 0.3], [0.2, 0.2]]),
            "geometric": figure_trial(0, ends, [[0.5, 0.4], [0.5, 0.4]]),
        }
    }
    first, second = exploring.table(found).rows
    assert first[:2] == ["TopOpt", "constant, 0.03"]
    assert second[:2] == ["TopOpt", "geometric, 0.9 to 0.002"]
    assert second[2:] == ["0.500 ± 0.000", "0.300 ± 0.000", "0.400 ± 0.000", "0.250 ± 0.000",
                          "0.200 ± 0.000"]  # fmt: skip
    picture = exploring.chart(found)
    assert [chart.title for chart in picture.charts] == [
        "TopOpt, while training",
        "TopOpt, afterwards",
    ]
    assert [key.text for key in picture.keys] == ["constant", "geometric"]


def test_the_figure_of_the_price_has_a_row_for_each_size_of_the_feedback(tmp_path: Path) -> None:
    losses = {"frozen/shown_loss": 0.2, "greedy_loss": 0.2, "stream_loss": 0.4}
    found = {}
    for k in price.KS:
        runs = tuple(
            SeedRun(seed, (LoopReport(1, losses | {"shown_loss": 0.5 / k + seed / 100}),))
            for seed in range(2)
        )
        config = {"algorithm": "topopt", "loops": 9, "rho": 0.9, "gamma": 0.0312, "k": k}
        found[k] = Confirmation(1, config, runs)
    made = price.table(found)
    assert [row[:3] for row in made.rows] == [
        ["k = 2", "2 runs", "0.2550 ± 0.0071"],
        ["k = 3", "2 runs", "0.1717 ± 0.0071"],
        ["k = 5", "2 runs", "0.1050 ± 0.0071"],
        ["k = 14", "2 runs", "0.0407 ± 0.0071"],
    ]
    assert made.rows[0][-1] == "loops 9, rho 0.9, gamma 0.0312"
    written = page.write_drawn(tmp_path, drawn.Drawn(made, price.chart(found), "How."), "`it`")
    says(written.read_text(), "(figure3.svg)", "How.", "Made by `it`.", "k = 14")
    assert "on the test rows" in (tmp_path / "figure3.svg").read_text()


def test_an_outcome_is_kept_with_every_seed(worked: tuple[Path, Outcome], tmp_path: Path) -> None:
    _, found = worked
    path = tmp_path / "outcomes.jsonl"
    assert outcome_file.read(path) == []
    by_paper = StoredOutcome(outcome(YEAST, [0.1, 0.2], "paper"), "b")
    full = StoredOutcome(outcome(Cell("yeast", "fullopt", None), [0.3]), "c")
    for one in (
        by_paper,
        StoredOutcome(outcome(YEAST, [0.4]), "old"),
        full,
        StoredOutcome(found, "new"),
    ):
        outcome_file.keep(path, one)
    assert outcome_file.read(path) == [StoredOutcome(found, "new"), full, by_paper]
    outcome_file.keep(path, StoredOutcome(found, "newer"))  # the same, looked at once more
    assert outcome_file.read(path)[0].made == "new"
    path.write_text(path.read_text().replace('"trials"', '"trails"', 1))
    with raises(ValueError, "outcomes.jsonl:1", "topk-tune reproduce"):
        outcome_file.read(path)


def test_protocol_paper_is_searched_when_asked_for() -> None:
    class Done:
        def outcome(self, cell: Cell, protocol: Protocol, *how: object) -> Outcome:
            return outcome(cell, [0.2], protocol)

    def by_paper(asked: bool) -> int:
        found = list(_outcomes(Done(), ["table2"], ["yeast"], [], True, asked))
        assert len({each.cell for each in found}) == 6
        return sum(each.protocol == "paper" for each in found)

    assert (by_paper(asked=False), by_paper(asked=True)) == (0, 4)
    (only,) = _outcomes(Done(), ["table3"], ["yeast"], ["topada"], True, False)
    assert only.cell.algorithm == "topada"


@pytest.mark.parametrize("option", ["--paper-protocol", "--by-test"])
def test_protocol_paper_goes_by_its_former_name_too(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*arguments: Any) -> NoReturn:
        assert arguments[-1] is True
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("topk_tune.commands.reproduce._outcomes", asked)
    line = f"reproduce table1 --quick --dataset yeast --no-track {option}"
    assert CliRunner().invoke(app, line.split()).exit_code == 130


def test_a_table_needs_each_cell_once() -> None:
    wanted = cells(["table1", "table2", "table3"], ["yeast", "scene"])
    assert len(wanted) == len(set(wanted)) == 12
    assert [cell.dataset for cell in wanted] == ["yeast"] * 6 + ["scene"] * 6
    assert len({cell.study(p) for cell in wanted for p in ("validation", "paper")}) == 24


def test_protocol_paper_is_searched_for_table_1() -> None:
    chosen = [cell for cell in cells(list(COLUMNS), paper.DATASETS) if cell.paper_protocol]
    assert len(chosen) == 16
    assert {cell.exploration for cell in chosen} == {"uniform", None}


def test_every_cell_of_the_paper_has_a_space() -> None:
    for cell in cells(list(COLUMNS), paper.DATASETS):
        space = cell.space(5)
        assert space.largest("loops") == 5
        assert space.parameters["algorithm"].extremes == (cell.algorithm,)


@pytest.mark.parametrize("cell", cells(list(COLUMNS), paper.DATASETS), ids=str)
def test_a_search_starts_in_its_space(cell: Cell) -> None:
    space = cell.space(5)
    first = starts(cell, space)
    assert len({str(start) for start in first}) == len(first) >= 2
    for start in first:
        space.contains(start)
    assert first[0]["n_learners"] == space.largest("n_learners")


def test_a_search_starts_from_what_earlier_ones_found_for_its_cell() -> None:
    space = YEAST.space(5)
    fixed = {"algorithm": "topopt", "exploration": "uniform", "loops": 5}
    earlier = [search_spaces.tuned_parameters(name, "yeast") for name in ("topopt", "topopt-s")]
    assert starts(YEAST, space)[-2:] == [found | fixed for found in earlier]
    narrow = space.fixed(n_learners=10)
    assert {start["n_learners"] for start in starts(YEAST, narrow)} == {10}
    assert len(starts(YEAST, narrow.fixed(gamma=0.2))) > 0


def test_a_table_of_losses_holds_the_paper_beside_ours() -> None:
    outcomes = [
        outcome(YEAST, [0.20, 0.22]),
        outcome(YEAST, [0.18, 0.20], "paper"),
        outcome(Cell("mediamill", "topopt", "uniform"), [0.07, 0.07]),
    ]
    table = tables.losses("table1", "title", outcomes)
    beside = ["0.150", "0.160", "--", "0.500"]
    assert table.head[5:9] == ["greedy", "shuffled", "frozen", "stream"]
    assert table.rows == [
        ["Yeast", "TopOpt", "0.23", "0.210 ± 0.014", "-0.020", *beside, "0.190 ± 0.014"],
        ["Mediamill", "TopOpt", "--", "0.070 ± 0.000", "--", *beside, "--"],
    ]
    assert table.head[-1] == "protocol paper"


def test_what_was_never_measured_is_a_dash_and_not_another_loss() -> None:
    report = LoopReport(7, {"greedy_loss": 0.1}, 0.5)
    old = Outcome(YEAST, "validation", Confirmation(4, {}, (SeedRun(0, (report,)),)), 60)
    (row,) = tables.losses("table1", "title", [old]).rows
    assert row == ["Yeast", "TopOpt", "0.23", "--", "--", "0.100", "--", "--", "--"]
    assert tables.glance("table1", [old]).rows == [["TopOpt", "-- (0.23)"]]


def test_baselines_stand_beside_the_losses() -> None:
    frequency, trees = Baseline("label frequency", 0.21, False), Baseline("ExtraTrees", 0.164, True)
    table = tables.baselines({"yeast": [frequency, trees], "mediamill": [frequency]})
    assert table.rows == [
        ["label frequency", "", "0.210", "0.210"],
        ["ExtraTrees", "all labels", "0.164", "--"],
    ]


def test_baselines_are_fitted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fits: list[bool] = []

    def fit(rows: object, more: bool) -> list[Baseline]:
        fits.append(more)
        return [Baseline("label frequency", 0.21, False), Baseline("trees", 0.1, True)][: 1 + more]

    monkeypatch.setattr("topk_tune.commands.reproduce.fitted", fit)
    path = tmp_path / "baselines.json"
    assert _baselines(path, ["yeast"], more=False, known=True) == {}
    few = _baselines(path, ["yeast"], more=False, known=False)
    assert _baselines(path, ["yeast"], more=False, known=False) == few
    many = _baselines(path, ["yeast"], more=True, known=False)
    assert [each.name for each in many["yeast"]] == ["label frequency", "trees"]
    assert _baselines(path, ["yeast"], more=False, known=True) == many
    assert fits == [False, True]


def test_aims_are_reached_or_missed_by_a_figure() -> None:
    outcomes = [
        outcome(YEAST, [0.172, 0.174]),
        outcome(YEAST, [0.1, 0.1], "paper"),
        outcome(Cell("yeast", "topopt", "single-swap"), [0.1, 0.1]),
        outcome(Cell("scene", "topada", "uniform"), [0.0751, 0.0753]),
    ]
    made = aims.table(outcomes)
    cells = {(row[0], row[1]): row[2:] for row in made.rows}
    nothing = "--"
    assert cells["TopOpt", "aim"] == [nothing, nothing, "0.1730 (0.173): reached", nothing, nothing]
    assert cells["TopOpt", "far"][2] == "0.1730 (0.164): missed by 0.0090"
    assert cells["TopAda", "aim"][1] == "0.0752 (0.075): missed by 0.0002"
    assert ("FullAda", "far") not in cells


def test_makers_are_told_with_their_data_sets() -> None:
    scene = Cell("scene", "topopt", "uniform")
    kept = [
        StoredOutcome(outcome(YEAST, [0.2]), "a"),
        StoredOutcome(outcome(Cell("yeast", "fullopt", None), [0.2]), "a"),
        StoredOutcome(outcome(scene, [0.2]), "b"),
    ]
    assert outcome_file.makers(kept) == ["a (Yeast)", "b (Scene)"]


def test_other_tables() -> None:
    outcomes = [outcome(YEAST, [0.20, 0.22]), outcome(Cell("yeast", "fullopt", None), [0.1, 0.1])]
    spreads = tables.spreads("table3", "title", outcomes)
    assert spreads.rows == [["Yeast", "TopOpt", "0.23 ± 0.0054", "0.2100 ± 0.0141"]]
    runtimes = tables.runtimes("table4", "title", outcomes)
    assert runtimes.rows == [["Yeast", "TopOpt", "334", "0.50", "668", "40 x 7", "3.0"]]
    found = tables.parameters("table5", "title", outcomes)
    assert found.rows == [["Yeast", "TopOpt", "40 (30)", "0.123 (0.03)", "7 (10)", "--", ""]]


def test_the_losses_at_a_glance() -> None:
    outcomes = [
        outcome(YEAST, [0.20, 0.22]),
        outcome(YEAST, [0.1, 0.1], "paper"),
        outcome(Cell("mediamill", "topopt", "uniform"), [0.07, 0.07]),
        outcome(Cell("yeast", "fullopt", None), [0.18, 0.18]),
    ]
    table = tables.glance("table1", outcomes)
    assert table.head == ["", "Yeast", "Mediamill"]
    assert table.rows == [
        ["TopOpt", "0.210 (0.23)", "0.070 (--)"],
        ["FullOpt", "0.180 (0.18)", ""],
    ]


def test_a_page_says_how_it_was_made(tmp_path: Path) -> None:
    table = tables.losses("table1", "Losses", [outcome(YEAST, [0.2, 0.22])])
    text = page.write(tmp_path, table, [outcome(YEAST, [0.2, 0.22])], MAKERS).read_text()
    assert "| Yeast | TopOpt | 0.23 | 0.210 ± 0.014 | -0.020 | 0.150 |" in text
    for word in (
        "Made by `the command`;",
        "; by another.",
        "60 trials",
        "2 fresh",
        "numba",
        "seed 0",
    ):
        assert word in " ".join(text.split())
    assert "protocol paper" not in text
    both = [outcome(YEAST, [0.2, 0.22]), outcome(YEAST, [0.1, 0.1], "paper")]
    assert "protocol paper" in page.write(tmp_path, table, both, MAKERS).read_text()


def test_parameters_found_can_be_read_by_programs(tmp_path: Path) -> None:
    swaps = Cell("yeast", "topopt", "single-swap")
    outcomes = [
        outcome(YEAST, [0.20, 0.22]),
        outcome(YEAST, [0.1, 0.1], "paper"),
        outcome(swaps, [0.3, 0.3]),
    ]
    path = tuned.write(tmp_path, outcomes, MAKERS)
    picked = {"loops": 7, "n_learners": 40, "rho": 0.123456, "k": 3}
    assert yaml.safe_load(path.read_text()) == {
        "topopt": {"yeast": picked},
        "topopt-s": {"yeast": picked},
    }
    assert "# 0.2100 ± 0.0141, 2 seeds; 0.50 s" in path.read_text()
    says(path.read_text(), "`the command`")


@pytest.mark.parametrize("cell", cells(["table1"], paper.DATASETS), ids=str)
def test_the_tuned_parameters_lie_in_the_space_of_their_cell(cell: Cell) -> None:
    found = search_spaces.tuned_parameters(cell.title.lower(), cell.dataset)
    space = cell.space(found["loops"])
    space.contains({"algorithm": cell.algorithm, **found})
    data = paper.SUMMARIES[cell.dataset]
    TrialConfig.of({"algorithm": cell.algorithm, **found}).booster(
        data[2], data[3], seed=0, n_rows=1
    )


@pytest.mark.slow
@little()
def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    train_in_this_process(monkeypatch)
    options = ["--dataset", "yeast", "--quick"]
    earlier = StoredOutcome(outcome(Cell("scene", "topopt", "uniform"), [0.5]), "an earlier call")
    (tmp_path / "reproduced").mkdir()
    outcome_file.keep(tmp_path / "reproduced" / "quick-outcomes.jsonl", earlier)
    done = CliRunner().invoke(app, ["reproduce", "table3", *options, "--no-track"])
    assert done.exit_code == 0, done.output
    assert "0.23 ± 0.0054" in done.output
    written = (tmp_path / "reproduced" / "table3.md").read_text(encoding="utf-8")
    assert "| Scene | TopOpt |" in written and "| 0.5000 |" in written
    says(written, "an earlier call", "`topk-tune reproduce table3")

    monkeypatch.setattr(Bench, "outcome", None)  # nothing is worked on
    done = CliRunner().invoke(app, ["reproduce", "table4", *options, "--known", "--no-track"])
    assert done.exit_code == 0, done.output
    runtimes = (tmp_path / "reproduced" / "table4.md").read_text(encoding="utf-8")
    assert [f"| {name} | TopOpt |" in runtimes for name in ("Scene", "Yeast")] == [True, True]

    done = CliRunner().invoke(app, ["reproduce", "table6", *options, "--no-track"])
    assert "paper" not in done.output.split("The data sets")[1].split("written")[0], done.output

    done = CliRunner().invoke(app, ["reproduce", "figure1", *options, "--no-track"])
    assert done.exit_code == 0, done.output
    assert "<svg" in (tmp_path / "reproduced" / "figure1.svg").read_text()
    rows = [line.split() for line in done.output.splitlines() if line.startswith("k = ")]
    assert [row[2] for row in rows] == ["2", "3", "5", "7", "14"]
    losses = np.array([float(row[-3]) for row in rows])
    assert losses[-1] < losses[0]  # all labels shown teach more than two

    done = CliRunner().invoke(app, ["reproduce", "figure1", *options, "--known", "--no-track"])
    assert done.exit_code == 0 and "left as it is" in done.output, done.output


@pytest.mark.slow
@pytest.mark.parametrize("name", ["figure2", "figure3"])
def test_figures_of_our_own(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    train_in_this_process(monkeypatch)
    with little():
        line = f"reproduce {name} --quick --no-track --backend local"
        done = CliRunner().invoke(app, line.split())
    assert done.exit_code == 0, done.output
    assert "<svg" in (tmp_path / "reproduced" / f"{name}.svg").read_text()
    says((tmp_path / "reproduced" / f"{name}.md").read_text(), "Yeast", "topk-tune reproduce")


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        (["tabel1"], ["table 'tabel1'", "table1", "all"]),
        (["table1", "--dataset", "yeats"], ["data set 'yeats'", "yeast"]),
        (["table1", "--algorithm", "top"], ["algorithm 'top'", "topada"]),
    ],
)
def test_what_is_not_in_the_paper(arguments: list[str], facts: list[str]) -> None:
    done = CliRunner().invoke(app, ["reproduce", *arguments])
    assert done.exit_code != 0
    says(done.exception, *facts)
