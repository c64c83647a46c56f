"""Charts: what they show of a study, and that a page and a file show the same."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.colors import to_hex
from report_cases import HOSTILE, SPACE, made_content, made_record, made_records, made_settings
from tracking_cases import make_record, make_study

from topk_tune.charts import CHARTS, figures
from topk_tune.charts.confirmations import confirmations
from topk_tune.charts.curves import curve, curves, trial_curves
from topk_tune.charts.figure import Bars, Chart, Figure, Line, Marks, Parallel
from topk_tune.charts.history import history, improvements
from topk_tune.charts.importances import ENOUGH, importances, shares
from topk_tune.charts.looks import LEVELS, LOOKS, SERIES
from topk_tune.charts.parallel import parallel
from topk_tune.charts.pareto import pareto
from topk_tune.charts.png import sheet, write_figures
from topk_tune.charts.results import Results, value_of
from topk_tune.charts.sampling import drawn
from topk_tune.charts.scales import Numbers, Options, of_parameter, spanning
from topk_tune.charts.slices import slices
from topk_tune.charts.svg import picture
from topk_tune.records.trials import TrialRecord
from topk_tune.spaces import Choice, Fixed, Float, Int, Space
from topk_tune.tracking.files import study_plots
from topk_tune.training.objective import Objective

Kind = TypeVar("Kind")


def chart_of(figure: Figure) -> Chart:
    (chart,) = figure.charts
    assert isinstance(chart, Chart)
    return chart


def layers(figure: Figure, kind: type[Kind], role: str) -> list[Kind]:
    return [
        layer
        for layer in chart_of(figure).layers
        if isinstance(layer, kind) and layer.role == role  # type: ignore[attr-defined]
    ]


# What each shows


def test_history_has_every_trial_and_the_best_so_far() -> None:
    results = made_content(made_records(20))
    found = history(results)
    for state in ("complete", "pruned"):
        (marks,) = layers(found, Marks, state)
        wanted = {r.number: r.value for r in results.records if r.state == state}
        assert dict(zip(marks.x, marks.y, strict=True)) == wanted and list(marks.x) == marks.trials
    (best,) = layers(found, Line, "best")
    steps = improvements(results.records)
    assert best.y[-1] == results.ranked[0].value and len(best.y) == 2 * len(steps)
    for x, y in zip(best.x, best.y, strict=True):
        assert y in {record.value for record in steps if record.number <= x}


@pytest.mark.parametrize(("objective", "above"), [("ties", True), ("average_precision", False)])
def test_failed_trials_are_at_the_worse_end(objective: str, above: bool) -> None:
    found = history(made_content(made_records(20), settings=made_settings(objective=objective)))
    (failed,) = layers(found, Marks, "failed")
    others = [y for state in ("complete", "pruned") for y in layers(found, Marks, state)[0].y]
    assert failed.x == [8, 17]
    assert min(failed.y) > max(others) if above else max(failed.y) < min(others)


def test_improvements_fall_and_end_at_the_best() -> None:
    content = made_content(made_records(50))
    losses = [record.value or math.inf for record in improvements(content.records)]
    assert losses == sorted(losses, reverse=True)
    assert improvements(content.records)[-1] == content.best


def test_curve_is_one_standard_deviation_over_the_full_runs() -> None:
    record = made_record(1, seeds=5)
    found = curve(record)
    for loop in range(4):
        losses = [run.reports[loop].metrics["shown_loss"] for run in record.runs]
        assert found.mean[loop] == pytest.approx(np.mean(losses))
        assert found.high[loop] - found.low[loop] == pytest.approx(2 * np.std(losses, ddof=1))
    assert curve(made_record(1)).spread == [0.0] * 4


def test_curves_are_those_of_the_best_with_the_loop_that_counts() -> None:
    results = made_content(made_records(30, seeds=2))
    found = curves(results)
    for series, record in enumerate(results.ranked[:SERIES]):
        (line,) = layers(found, Line, f"series{series}")
        assert line.y == pytest.approx(record.curve) and line.trial == record.number
        (mark,) = layers(found, Marks, f"series{series}")
        assert (mark.x, mark.y) == ([record.best_loop], [pytest.approx(record.value)])
    assert not layers(found, Line, f"series{SERIES}")


def test_the_curves_of_a_trial_are_those_of_its_seeds_and_of_training() -> None:
    record = make_record(3, seeds=2)
    found = trial_curves(made_settings(), record)
    assert [line.y for line in layers(found, Line, "series0")] == [pytest.approx([0.43, 0.33])] * 2
    assert [line.y for line in layers(found, Line, "series1")] == [[0.5, 0.4]] * 2
    unmeasured = replace(record, runs=tuple(replace(run, reports=()) for run in record.runs))
    assert not trial_curves(made_settings(), unmeasured).charts


@pytest.mark.parametrize(("objective", "beside"), [("shown_loss", 1), ("rank_loss", 0)])
def test_training_loss_is_drawn_beside_losses_only(objective: str, beside: int) -> None:
    record = replace(make_record(0), objective=Objective.of(objective))
    found = trial_curves(made_settings(), record)
    assert len(layers(found, Line, "series0")) == len(record.runs) > 0
    assert len(layers(found, Line, "series1")) == beside * len(record.runs)


def test_front_is_what_no_trial_beats_in_both() -> None:
    content = made_content(made_records(40))
    for record in content.ranked:
        beaten = any(
            other.seconds <= record.seconds and other.value < record.value  # type: ignore[operator]
            for other in content.ranked
        )
        assert beaten != (record in content.front)
    assert 1 < len(content.front) < len(content.ranked)
    found = pareto(content)
    (line,), (rings,) = layers(found, Line, "front"), layers(found, Marks, "front")
    assert list(line.x) == [r.seconds for r in content.front] == sorted(line.x)
    assert rings.y == [r.value for r in content.front]
    (marks,) = layers(found, Marks, "complete")
    assert set(zip(marks.x, marks.y, strict=True)) == {(r.seconds, r.value) for r in content.ranked}


def test_importances_are_bars_as_long_as_the_shares() -> None:
    (bars,) = layers(importances(made_content(made_records(5))), Bars, "complete")
    assert dict(zip(bars.rows, bars.high, strict=True)) == {
        "rho": 0.7,
        "n_learners": 0.2,
        "exploration": 0.1,
        "weight_cap": 0.0,
    }
    assert importances(made_content([], importances={})).note.startswith(
        f"Importances need {ENOUGH} "
    )


@pytest.mark.parametrize("objective", ["shown_loss", "average_precision"])
def test_shares_find_the_parameter_that_the_best_have_in_common(objective: str) -> None:
    settings = made_settings(objective=objective)
    records = [_measured(number, objective) for number in range(60)]
    found = shares(settings, records)
    assert next(iter(found)) == "n_learners" and found["n_learners"] > 0.5
    assert sum(found.values()) == pytest.approx(1)
    assert shares(settings, records[: ENOUGH - 1]) == {}
    # One that the space no longer allows is left out.
    outside = replace(records[0], params={**records[0].params, "rho": 0.9})
    assert shares(settings, [*records[1:ENOUGH], outside]) == {}


def _measured(number: int, metric: str) -> TrialRecord:
    """A trial whose metric is best if it has few learners, and the same for all that have many."""
    record = made_record(number)
    learners = record.params["n_learners"]
    loss = min(learners, 40) / 100 + number / 1e6
    value = loss if metric == "shown_loss" else 1 - loss
    (run,) = record.runs
    reports = tuple(replace(each, metrics={metric: value}) for each in run.reports)
    goal = made_settings(objective=metric).goal
    return replace(record, runs=(replace(run, reports=reports),), objective=goal)


def test_parallel_lines_pass_through_the_values_of_their_trials() -> None:
    results = made_content(made_records(30))
    (chart,) = parallel(results).charts
    assert isinstance(chart, Parallel)
    assert [axis.title for axis in chart.axes] == [*results.searched, "shown loss"]
    for line, record in zip(chart.lines, results.ranked[::-1], strict=True):
        assert line.trial == record.number
        assert list(line.y) == [*(record.params[name] for name in results.searched), record.value]
    assert [line.role for line in chart.lines][-1] == "level0"


def test_parallel_lines_jump_over_what_a_trial_does_not_have() -> None:
    records = made_records(3)
    less = {name: value for name, value in records[0].params.items() if name != "rho"}
    (chart,) = parallel(made_content([replace(records[0], params=less), *records[1:]])).charts
    assert isinstance(chart, Parallel)
    (line,) = [line for line in chart.lines if line.trial == 0]
    assert list(line.x) == [0, 2, 3, 4]


def test_slices_show_each_trial_at_its_value_in_the_shade_of_its_rank() -> None:
    results = made_content(made_records(60))
    found = slices(results)
    assert [chart.x.title for chart in found.charts if isinstance(chart, Chart)] == [
        *results.searched
    ]
    for chart in found.charts:
        assert isinstance(chart, Chart)
        marks = [layer for layer in chart.layers if isinstance(layer, Marks)]
        assert [layer.role for layer in marks] == [f"level{i}" for i in reversed(range(LEVELS))]
        shown = {n: (x, y) for m in marks for n, x, y in zip(m.trials, m.x, m.y, strict=True)}
        wanted = {r.number: (r.params[chart.x.title], r.value) for r in results.ranked}
        assert shown == wanted
        assert max(marks[-1].y) <= min(marks[0].y)  # the first eighth is the best


def faded(record: TrialRecord) -> TrialRecord:
    """The same with exploration that fades: if it was pruned, it was before its last loop, and no
    shorter training is like it."""
    loops = record.config["loops"] * (2 if record.state == "pruned" else 1)
    return replace(record, config={**record.config, "schedule": "linear", "loops": loops})


def test_trials_that_were_stopped_and_have_no_rank_are_drawn_behind_the_others() -> None:
    results = made_content([faded(record) for record in made_records(30)])
    stopped = {record.number for record in results.records if record.state == "pruned"}
    assert stopped and not stopped & {record.number for record in results.ranked}
    (chart,) = parallel(results).charts
    assert isinstance(chart, Parallel)
    behind = chart.lines[: len(stopped)]
    assert {line.trial for line in behind} == stopped
    assert {line.role for line in behind} == {"pruned"}
    assert {line.role for line in chart.lines[len(stopped) :]}.isdisjoint({"pruned"})
    for each in slices(results).charts:
        assert isinstance(each, Chart)
        first = each.layers[0]
        assert isinstance(first, Marks) and set(first.trials) == stopped
        assert (first.role, first.shape) == ("pruned", "diamond")


def test_shares_count_stopped_trials_as_worse_than_those_that_went_on() -> None:
    """Whether a trial went on depends on its number of learners; its value does not."""
    settings, records = made_settings(), []
    for number in range(60):
        few = made_record(number).params["n_learners"] <= 20
        record = faded(made_record(number, "complete" if few else "pruned", loops=4 if few else 2))
        (run,) = record.runs
        reports = tuple(replace(each, metrics={"shown_loss": 0.3}) for each in run.reports)
        records.append(replace(record, runs=(replace(run, reports=reports),)))
    found = shares(settings, records)
    assert next(iter(found)) == "n_learners" and found["n_learners"] > 0.5


def test_confirmations_are_seeds_means_and_deviations() -> None:
    found = confirmations(made_content(made_records(5)))
    (seeds,), (means,) = layers(found, Marks, "complete"), layers(found, Marks, "mean")
    assert list(zip(seeds.x, seeds.y, seeds.trials, strict=True)) == [
        (0.25, "trial 0", 0),
        (0.27, "trial 0", 0),
        (0.31, "trial 1", 1),
        (0.35, "trial 1", 1),
    ]
    assert means.x == pytest.approx([0.26, 0.33])
    (bars,) = layers(found, Bars, "spread")
    assert np.subtract(bars.high, bars.low) == pytest.approx([2 * 0.02 / 2**0.5, 2 * 0.04 / 2**0.5])


def test_there_is_a_word_where_there_is_nothing_to_show() -> None:
    found = figures(made_content([made_record(0, "failed")], confirmed=(), importances={}))
    assert not any(figure.charts for figure in found.values())
    assert all(figure.note for figure in found.values())


def test_no_more_is_drawn_than_can_be_seen() -> None:
    records = made_records(50)
    assert drawn(records, 100) == records
    kept = drawn(records, 10)
    assert len(kept) == 10 and kept[0] == records[0] and kept == drawn(records, 10)
    assert [record.number for record in kept] == sorted({record.number for record in kept})
    states = {record.state for record in drawn(made_records(1000), 100)}
    assert states == {"complete", "pruned", "failed"}


# Scales


def test_scales_place_ends_and_ticks_within() -> None:
    scale = spanning([2.0, 6.0])
    assert 0 < scale.place(2.0) < scale.place(6.0) < 1
    assert [label for _, label in scale.ticks(5)] == ["2", "3", "4", "5", "6"]
    log = spanning([0.001, 1.0])
    assert log.log and [label for _, label in log.ticks(5)] == ["0.001", "0.01", "0.1", "1"]
    assert spanning([3.0, 3.0]).place(3.0) == 0.5


def test_scale_of_a_parameter_follows_its_kind() -> None:
    logarithmic = of_parameter(Float(0.01, 1.0, log=True), [0.01, 1.0])
    assert isinstance(logarithmic, Numbers) and logarithmic.place(0.1) == pytest.approx(0.5)
    choice = of_parameter(Choice([None, 1, False]), [None, 1, False])
    assert isinstance(choice, Options)
    assert [choice.place(value) for value in (None, 1, False)] == pytest.approx([1 / 6, 0.5, 5 / 6])
    # A space that was widened or narrowed leaves trials with values that it no longer has.
    assert of_parameter(Int(1, 5), [1, 9]).place(9) < 1
    assert of_parameter(Choice(["a"]), ["a", "gone"]).place("gone") == 0.75


# Drawing


@pytest.mark.parametrize("name", CHARTS)
def test_page_and_file_draw_the_same(name: str) -> None:
    """Every mark and line of a figure is at the same place in the same colour in both."""
    figure = CHARTS[name](made_content(made_records(40, seeds=2)))
    page = [_of_page(picture(chart)) for chart in figure.charts]
    file = _of_file(sheet(replace(figure, keys=())), len(figure.charts))
    assert sum(map(len, page)) > 0
    for ours, theirs in zip(page, file, strict=True):
        assert len(ours) == len(theirs)
        for (colour, points), (other, others) in zip(sorted(ours), sorted(theirs), strict=True):
            assert colour == other
            assert np.array(points) == pytest.approx(np.array(others), abs=0.051)


Drawn = tuple[str, Sequence[tuple[float, float]]]
"""A colour and the places of a line, or of a mark."""


def _of_page(markup: str) -> list[Drawn]:
    """The lines and dots of a picture on the page."""
    found: list[Drawn] = []
    for element in ElementTree.fromstring(markup):
        classes = element.attrib["class"].split()
        colour = LOOKS.get(classes[-1], LOOKS["ink"]).light
        if element.tag == "circle":
            found.append((colour, [(float(element.attrib["cx"]), float(element.attrib["cy"]))]))
        elif classes[0] == "line":
            steps = element.attrib["d"].replace("M", "").split("L")
            places = [tuple(map(float, step.split())) for step in steps]
            found.append((colour, [(x, y) for x, y in places]))
    return found


def _of_file(drawn_sheet: Any, charts: int) -> list[list[Drawn]]:
    """The same of what matplotlib draws: the first axes are those of the title."""
    return [
        [
            (to_hex(line.get_color()), points)
            for line in axes.lines
            if line.get_marker() in ("o", "None")
            for points in _places(line)
        ]
        for axes in drawn_sheet.axes[1 : 1 + charts]
    ]


def _places(line: Any) -> list[list[tuple[float, float]]]:
    points = [(float(x), float(y)) for x, y in line.get_xydata()]
    return [points] if line.get_marker() == "None" else [[point] for point in points]


@pytest.mark.slow
def test_files_take_hostile_names_as_text(tmp_path: Path) -> None:
    """All at once: most of the time goes to the files, whatever is in them."""
    named = {hostile: Float(0, 1) for hostile in HOSTILE}
    parameters = {**SPACE.parameters, **named, "$x_{$": Choice([*HOSTILE, "$"])}
    settings = made_settings().model_copy(update={"space": Space(parameters).to_dict()})
    values: Mapping[str, Any] = dict.fromkeys(HOSTILE, 0.5)
    records = [
        made_record(number, **values, **{"$x_{$": hostile})
        for number, hostile in enumerate(HOSTILE)
    ]
    shares = dict.fromkeys(HOSTILE, 1 / len(HOSTILE))
    found = figures(made_content(records, settings=settings, importances=shares))
    assert write_figures(tmp_path, found) == list(CHARTS)


def test_pictures_from_before_go(tmp_path: Path) -> None:
    (tmp_path / "curves.png").write_bytes(b"old")
    (tmp_path / "mine.png").write_bytes(b"kept")
    results = made_content([made_record(0, "failed")], confirmed=(), importances={})
    assert write_figures(tmp_path, figures(results)) == []
    assert [path.name for path in tmp_path.iterdir()] == ["mine.png"]


def test_mlflow_gets_all_charts_that_show_something(tmp_path: Path) -> None:
    study, _ = make_study(tmp_path)
    made = [make_record(number) for number in range(ENOUGH)]
    records = [replace(r, params={**r.params, "rho": 0.02 + r.number / 100}) for r in made]
    few, many = tmp_path / "few", tmp_path / "many"
    study_plots(few, study.settings, records[:2])
    study_plots(many, study.settings, [*records, make_record(18, "pruned")][::-1])
    always = {"history", "curves", "pareto", "parallel", "slice"}
    assert {path.stem for path in few.glob("*.svg")} == always
    assert {path.stem for path in many.glob("*.svg")} == always | {"importances"}
    for path in many.glob("*.svg"):
        assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize("count", [0, 1])
def test_mlflow_gets_none_while_there_is_nothing_to_compare(tmp_path: Path, count: int) -> None:
    study, _ = make_study(tmp_path)
    study_plots(tmp_path / "none", study.settings, [make_record(n) for n in range(count)])
    assert not (tmp_path / "none").exists()


def test_results_leave_out_trials_without_a_finite_value() -> None:
    (run,) = made_record(0).runs
    lost = replace(run.reports[-1], metrics={"shown_loss": math.inf})
    record = replace(made_record(0), runs=(replace(run, reports=(lost,)),))
    results = Results(made_settings(), [record, made_record(1)])
    assert [each.number for each in results.ranked] == [1]
    assert math.isinf(value_of(record))
    assert "loops" not in results.searched and isinstance(SPACE.parameters["loops"], Fixed)
