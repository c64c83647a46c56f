"""The parameters that several studies chose, in the layout of the paper's Table 5.

Each row is a data set, and a cell has the values of its algorithms, for example 50/60. The paper's
columns come first, then all other parameters that were searched.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from booster.plugins import PATH
from booster.protocol import REQUIRED, parameters_of
from booster.tables import ALGORITHMS
from topk_tune.data.catalog import PAPER
from topk_tune.export.typeset import latex, markdown
from topk_tune.markup import latex as tex
from topk_tune.provenance.facts import commit, facts, versions
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import ranked
from topk_tune.spaces import Fixed
from topk_tune.study.confirm import confirmations
from topk_tune.study.study import Study
from topk_tune.training.metrics import words

_LONGEST = 40
"""The most characters of a data set's name in the table; the comments have the full name."""

_COLUMNS = {
    "n_learners": ("# Weak Learners", r"\# Weak Learners"),
    "rho": ("ρ", r"$\rho$"),
    "gamma": ("γ", r"$\gamma$"),
    "loops": ("# Loops", r"\# Loops"),
}


@dataclass(frozen=True)
class Chosen:
    """The configuration that a study chose for an algorithm.

    Parameters
    ----------
    settings
        The settings of the study.
    trial
        The number of the trial that found it.
    config
        The configuration with the best number of loops.
    metric, score, spread
        With fresh seeds if it is confirmed: on the test rows, or on held-out rows if others of
        the study did better. Otherwise as the study measures.
    seeds
        The fresh seeds; empty if it is not confirmed.
    tested
        Whether it was tested with them.
    """

    settings: StudySettings
    trial: int
    config: Mapping[str, Any]
    metric: str
    score: float
    spread: float | None
    seeds: tuple[int, ...] = ()
    tested: bool = False

    @property
    def algorithm(self) -> str:
        """The name of its algorithm."""
        return str(self.config["algorithm"])

    def value(self, name: str) -> str:
        """Return a parameter as the table shows it; omitted ones have the booster's default."""
        if name in self.config and self.config[name] is None:
            return "none"
        value = self.config[name] if name in self.config else _default(self.algorithm, name)
        return f"{value:.4g}" if isinstance(value, float) else str("-" if value is None else value)

    @property
    def searched(self) -> list[str]:
        """The parameters that the study searched, in the order of its space."""
        return [
            each["name"] for each in self.settings.space["parameters"] if each["type"] != Fixed.kind
        ]


def parameter_table(studies: Sequence[Study], kind: str) -> str:
    """Return the table over some studies, as "md" or "latex"."""
    chosen = [each for study in studies for each in choices(study)]
    rows = _rows(chosen)
    tried = dict.fromkeys(name for row in rows.values() for name in row)
    algorithms = sorted(tried, key=lambda name: (*ALGORITHMS.own, name).index(name))
    names = _columns([each for row in rows.values() for each in row.values()])
    cells = [
        [_shown(dataset), *(_cell(row, algorithms, name) for name in names)]
        for (dataset, _), row in rows.items()
    ]
    order = "/".join(map(_title, algorithms))
    caption = f"Parameters of the algorithms in the format {order}"
    notes = [_made_with(), *map(_note, chosen)]
    if kind == "latex":
        head = ["Dataset", *(_COLUMNS[n][1] if n in _COLUMNS else tex.text(n) for n in names)]
        return latex(caption, "tab:hyperparameters", head, cells, notes)
    head = ["Dataset", *(_COLUMNS[n][0] if n in _COLUMNS else n for n in names)]
    return markdown(caption, head, cells, notes)


def _columns(chosen: Sequence[Chosen]) -> list[str]:
    """Return the parameters to show: those of the paper's table, then the others searched."""
    paper = [name for name in _COLUMNS if any(name in each.config for each in chosen)]
    searched = [name for each in chosen for name in each.searched if name != "algorithm"]
    return list(dict.fromkeys([*paper, *searched]))


def _title(algorithm: str) -> str:
    """Return the class name of an algorithm; its own name, if its package is not installed."""
    known = algorithm in ALGORITHMS
    return str(ALGORITHMS[algorithm].target).rpartition(PATH)[2] if known else algorithm


def _default(algorithm: str, name: str) -> Any:
    try:
        default = parameters_of(ALGORITHMS.load(algorithm)).get(name)
    except ValueError:  # its package is not installed
        return None
    return None if default is REQUIRED else default


def choices(study: Study) -> list[Chosen]:
    """Return the best configuration of each algorithm in a study: confirmed, or as found."""
    found: dict[str, Chosen] = {}
    for each in confirmations(study):
        tested = bool(each.runs)
        by = each if tested else each.held
        made = Chosen(
            settings=study.settings,
            trial=each.trial,
            config=each.config,
            metric=by.metric,
            score=by.value,
            spread=by.spread,
            seeds=tuple(by.seeds),
            tested=tested,
        )
        found.setdefault(made.algorithm, made)
    for record in ranked(study.records()):
        assert record.value is not None
        config, metric, spread = record.best_config, record.objective.metric, record.spread
        made = Chosen(study.settings, record.number, config, metric, record.value, spread)
        found.setdefault(made.algorithm, made)
    if not found:
        raise ValueError(f"study {study.settings.name!r} has no trial to export")
    return list(found.values())


def _rows(chosen: Iterable[Chosen]) -> dict[tuple[str, str], dict[str, Chosen]]:
    """Return the choices by data set, the paper's first, and by algorithm."""
    rows: dict[tuple[str, str], dict[str, Chosen]] = {}
    for each in chosen:
        row = rows.setdefault((each.settings.dataset, each.settings.fingerprint), {})
        other = row.get(each.algorithm)
        row[each.algorithm] = each if other is None else _better(other, each)
    order = list(PAPER)
    place = {key: order.index(key[0]) if key[0] in PAPER else len(order) for key in rows}
    return {key: rows[key] for key in sorted(rows, key=lambda key: place[key])}


def _better(one: Chosen, other: Chosen) -> Chosen:
    """Return the choice for a cell: the tested one, or the confirmed one, or the better one."""
    alike = bool(one.seeds) == bool(other.seeds) and one.tested == other.tested
    if alike and one.metric != other.metric:
        raise ValueError(
            f"studies {one.settings.name!r} and {other.settings.name!r} must have one objective to "
            f"say which {one.algorithm} is better, but got {one.metric} and {other.metric}"
        )
    if not (one.seeds or other.seeds) and _measure(one.settings) != _measure(other.settings):
        raise ValueError(
            f"studies {one.settings.name!r} and {other.settings.name!r} must be measured on the "
            f"same rows, or one of them confirmed, to say which {one.algorithm} is better"
        )
    return min(one, other, key=lambda each: (not each.tested, not each.seeds, _signed(each)))


def _signed(chosen: Chosen) -> float:
    return chosen.settings.goal.judged_by(chosen.metric).signed(chosen.score)


def _measure(settings: StudySettings) -> tuple[str, str | None]:
    return settings.protocol, settings.holdout if settings.protocol == "validation" else None


def _cell(row: Mapping[str, Chosen], algorithms: Sequence[str], name: str) -> str:
    return "/".join(row[a].value(name) if a in row else "-" for a in algorithms)


def _shown(dataset: str) -> str:
    """Return a data set's name in the paper, or the last part of a path."""
    own = dataset.rstrip("/").rpartition("/")[2]
    name = PAPER[dataset].title if dataset in PAPER else own
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 3]}..."


def _made_with() -> str:
    known = facts()
    return f"Written with {versions(known)}" + (
        f", commit {commit(known)}" if commit(known) else ""
    )


def _note(chosen: Chosen) -> str:
    """Return one line about the origin of a choice."""
    settings = chosen.settings
    spread = "" if chosen.spread is None else f" +- {chosen.spread:.4f}"
    metric = f"{words(chosen.metric)} {chosen.score:.4f}"
    if chosen.seeds:
        seeds = ", ".join(map(str, chosen.seeds))
        rows = "the test rows" if chosen.tested else "held-out training rows"
        found = f"confirmed, {metric}{spread} on {rows} with the seeds {seeds}"
    else:
        found = f"not confirmed, {metric}{spread} as the study measures"
    last = settings.seed + settings.seeds - 1
    seeds = f"seed {last}" if settings.seeds == 1 else f"seeds {settings.seed} to {last}"
    held = f", held out {settings.holdout}" if settings.protocol == "validation" else ""
    return (
        f"Study {settings.name}, trial {chosen.trial}: {found}; data set {settings.dataset} "
        f"({settings.fingerprint[:12]}), protocol {settings.protocol}{held}, {seeds}; "
        f"{json.dumps(dict(chosen.config))}"
    )
