"""The table over several studies, in the layout of the paper's Table 5."""

import platform
import re
from pathlib import Path
from typing import Any

import pytest
from messages import raises, says
from report_cases import HOSTILE, made_confirmation
from tuning import space, study, tune

from topk_tune.engine.stopping import StopOptions
from topk_tune.export.parameter_table import choices, parameter_table
from topk_tune.markup.latex import text as latex_text
from topk_tune.records.trials import Confirmation
from topk_tune.spaces import Choice, Fixed, Float, Int
from topk_tune.study import confirm
from topk_tune.study.study import Study


def run_study(folder: Path, name: str, algorithm: str = "topada", **changes: Any) -> Study:
    """A study with four trials, without training."""
    others = {"gamma": Fixed(0.2)} if algorithm == "topopt" else {}
    searched = space(algorithm=Fixed(algorithm), rho=Float(0.05, 0.3, step=0.05), **others)
    made = study(folder, searched, name=name, **changes)
    tune(made.store, StopOptions(trials=4))
    return made


def confirm_trial(made: Study, number: int, *losses: float) -> Confirmation:
    """Note that a trial of a study was confirmed with these test losses."""
    config = made.records()[number].best_config
    confirmation = Confirmation(number, config, made_confirmation(number, losses).runs)
    confirm._keep(made, confirmation)
    return confirmation


def named(made: Study, **changes: Any) -> Study:
    """The same study as if it had been made with other settings."""
    return Study(made.store, made.settings.model_copy(update=changes))


def rows(markdown: str) -> list[list[str]]:
    """The cells of a table in Markdown, without its head."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines][2:]


def latex_rows(latex: str) -> list[list[str]]:
    body = latex.split("\\midrule\n")[1].split("\\bottomrule")[0]
    return [re.split(r"(?<!\\)&", line.strip().removesuffix(r"\\")) for line in body.splitlines()][
        :-1
    ]


def test_a_data_set_is_a_row_and_an_algorithm_a_part_of_each_cell(tmp_path: Path) -> None:
    opt, ada = run_study(tmp_path, "opt", "topopt"), run_study(tmp_path, "ada")
    yeast, emotions = {"dataset": "yeast"}, {"dataset": "emotions", "fingerprint": "f" * 64}
    made = [named(ada, **yeast), named(opt, **yeast), named(ada, **emotions)]
    found = rows(parameter_table(made, "md"))
    assert [row[0] for row in found] == ["Emotions", "Yeast"]  # in the paper's order
    best = {s.settings.name: s.best() for s in (opt, ada)}
    o, a = best["opt"], best["ada"]
    assert o is not None and a is not None
    assert found[1][1:] == [
        f"{o.config['n_learners']}/{a.config['n_learners']}",
        f"{o.config['rho']:.4g}/{a.config['rho']:.4g}",
        "0.2/-",
        f"{o.best_loop}/{a.best_loop}",
    ]
    assert found[0][1].startswith("-/")
    assert "in the format TopOpt/TopAda" in parameter_table(made, "md")


@pytest.mark.parametrize("kind", ["md", "latex"])
def test_every_parameter_that_was_searched_has_a_column(tmp_path: Path, kind: str) -> None:
    caps, nodes = Choice([None, 7.25]), Choice([31, 63])
    one = study(tmp_path, space(weight_cap=caps), name="one")
    two = study(tmp_path, space(max_nodes=nodes, k=Fixed(2)), name="two")
    for made in (one, two):
        tune(made.store, StopOptions(trials=4))
    text = parameter_table([one, named(two, dataset="other")], kind)
    head = next(line for line in text.splitlines() if "Dataset" in line)
    places = [head.index(name.replace("_", "\\_")) for name in ("Loops", "weight_cap", "max_nodes")]
    assert places == sorted(places)
    assert not any(name in head for name in ("algorithm", "| k", "& k"))
    first, second = (best_row(each, text) for each in ("synthetic", "other"))
    for made, row, name in ((one, first, "weight_cap"), (two, second, "max_nodes")):
        best = made.best()
        assert best is not None
        value = best.config[name]
        assert ("none" if value is None else f"{value:.4g}") in row


def best_row(start: str, text: str) -> list[str]:
    """The cells of the row that starts so."""
    line = next(each for each in text.splitlines() if each.strip(" |").startswith(start))
    return [cell.strip() for cell in re.split(r"[|&]", line.strip().removesuffix(r"\\"))]


def test_a_confirmed_configuration_wins_over_the_best_trial(tmp_path: Path) -> None:
    made = run_study(tmp_path, "s")
    best = made.best()
    assert best is not None
    other = next(r.number for r in made.records() if r.number != best.number)
    assert [c.trial for c in choices(made)] == [best.number]
    confirm_trial(made, other, 0.4, 0.5)
    (chosen,) = choices(made)
    assert (chosen.trial, chosen.score, chosen.seeds) == (other, 0.45, (1_000_000, 1_000_001))


def test_a_study_of_several_algorithms_fills_several_columns(tmp_path: Path) -> None:
    searched = space(algorithm=Choice(["topopt", "topada"]), n_learners=Int(1, 30))
    made = study(tmp_path, searched, name="both", sampler="random")
    tune(made.store, StopOptions(trials=8))
    assert {c.algorithm for c in choices(made)} == {"topopt", "topada"}
    (row,) = rows(parameter_table([made], "md"))
    assert row[1].count("/") == 1 and "-" not in row[1]


def test_of_two_studies_the_confirmed_or_else_the_better_one_is_taken(tmp_path: Path) -> None:
    one, other = run_study(tmp_path, "one"), run_study(tmp_path, "other", seed=7)
    better, worse = sorted([one, other], key=lambda s: s.best().value)  # type: ignore[union-attr]
    shown = rows(parameter_table([worse, better], "md"))
    assert shown == rows(parameter_table([better], "md")) != rows(parameter_table([worse], "md"))
    confirm_trial(worse, 0, 0.9, 0.9)
    assert rows(parameter_table([worse, better], "md")) == rows(parameter_table([worse], "md"))


def test_losses_on_different_rows_are_not_compared(tmp_path: Path) -> None:
    one, other = run_study(tmp_path, "one"), run_study(tmp_path, "other", holdout="tail:0.5")
    with raises(ValueError, "'one'", "'other'", "same rows"):
        parameter_table([one, other], "md")
    confirm_trial(other, 0, 0.5, 0.5)
    assert rows(parameter_table([one, other], "md")) == rows(parameter_table([other], "md"))


def test_a_study_without_a_trial_is_refused(tmp_path: Path) -> None:
    made = study(tmp_path)
    with raises(ValueError, "'s'", "no trial"):
        parameter_table([made], "latex")


@pytest.mark.parametrize("kind", ["md", "latex"])
def test_where_it_comes_from_is_inside(tmp_path: Path, kind: str) -> None:
    made = run_study(tmp_path, "s", seeds=2)
    confirm_trial(made, 0, 0.4, 0.5)
    text = parameter_table([made], kind)
    mark = "% " if kind == "latex" else "<!-- "
    (note,) = [line for line in text.splitlines() if line.startswith(f"{mark}Study s, trial 0")]
    says(note, "confirmed", "shown loss 0.4500 +- 0.0707", "test rows", 1000000, 1000001)
    says(note, "protocol validation", "random:0.25:0", "seeds 0 to 1")
    assert made.settings.fingerprint[:12] in note
    says(text, f"python {platform.python_version()}")


@pytest.mark.parametrize("hostile", [*HOSTILE, "a\n\\input{x}\n--> <b>", "[x] & \\\\ $y_1^2$ 5%"])
def test_hostile_names_stay_text(tmp_path: Path, hostile: str) -> None:
    made = named(run_study(tmp_path, "s"), dataset=hostile, labels=hostile)
    latex = parameter_table([made], "latex")
    before, _, table = latex.partition("\\begin{table}")
    assert all(line.startswith("%") for line in before.splitlines())
    ((cell, *others),) = latex_rows(latex)
    assert len(others) == 3
    assert len(table.splitlines()) == 12
    commands = set(re.findall(r"\\[A-Za-z]+", cell))
    assert commands <= {
        *(r"\textbackslash", r"\textasciitilde", r"\textasciicircum"),
        *(r"\textless", r"\textgreater", r"\textbar"),
    }
    markdown = parameter_table([made], "md")
    assert len(rows(markdown)) == 1
    after = markdown.partition("\n\n<!--")[2]
    assert after.count("-->") == after.count("<!--") + 1 == len(after.splitlines())
    for tag in ("<script", "<img", "<svg", "<b>"):
        assert tag not in markdown


def test_every_character_that_means_something_to_latex_is_escaped() -> None:
    assert latex_text("\\{}#$%&_^~") == (
        r"\textbackslash{}\{\}\#\$\%\&\_\textasciicircum{}\textasciitilde{}"
    )
    assert latex_text("[5pt] *") == "{[}5pt] {*}"  # after \\ they would be arguments
    assert latex_text("Größe ✓\u202e") == "Größe (U+2713)(U+202E)"
