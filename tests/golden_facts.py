"""What a version reads in golden files, as plain values: other versions have to read the same."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

from golden_cases import NAME, restored
from serving_cases import open_model, rows

import booster
from topk_tune.storage import Location
from topk_tune.study.config_file import read_export
from topk_tune.study.confirm import confirmations
from topk_tune.study.study import Study
from topk_tune.tracking import spool

STORAGES = ("journal", "sqlite")
BOOSTERS = ("booster-topada.npz", "booster-fullopt.npz")


def facts_of(golden: Path, scratch: Path) -> dict[str, Any]:
    """Everything that is read in the files of a folder; files are opened in another one."""
    return plain(
        {
            **{kind: study_facts(restored(golden, kind, fresh(scratch))) for kind in STORAGES},
            **{name: booster_facts(golden / name) for name in BOOSTERS},
            "spool": spool_facts(golden / "spool.jsonl"),
            "export": vars(read_export(golden / "best.yaml")),
            "served": served_facts(golden / "served", fresh(scratch)),
        }
    )


def study_facts(location: Location) -> dict[str, Any]:
    """The settings, trials, best and confirmations of a study."""
    study = Study.open(location, NAME)
    trials = [
        {
            "state": record.state,
            "value": record.value,
            "params": record.params,
            "config": record.config,
            "losses": [[r.metrics["shown_loss"] for r in run.reports] for run in record.runs],
        }
        for record in study.records()
    ]
    best = study.best()
    return {
        "objective": study.settings.objective,
        "dataset": study.settings.dataset,
        "fingerprint": study.settings.fingerprint,
        "space": study.space.to_dict(),
        "trials": trials,
        "best": best and best.number,
        "confirmed": [
            [each.trial, each.values if each.runs else None] for each in confirmations(study)
        ],
    }


def booster_facts(path: Path) -> dict[str, Any]:
    """What a booster says of some rows, and what it has learned."""
    loaded = booster.load(path)
    X, _ = rows(10)
    return {
        "rounds": loaded.rounds,
        "rankings": loaded.rank(X).tolist(),
        "scores": [[round(score, 9) for score in row] for row in loaded.scores(X).tolist()],
        "splits": loaded.counts["splits"],
    }


def spool_facts(path: Path) -> dict[str, int]:
    """How many entries there are of each kind."""
    return dict(Counter(type(line.entry).__name__ for line in spool.read(path)))


def served_facts(folder: Path, scratch: Path) -> dict[str, Any]:
    """What a model knows that is served again."""
    shutil.copytree(folder, scratch / "served")
    model = open_model(scratch / "served")
    X, _ = rows(10)
    return {
        "rounds": model.ranker.rounds,
        "replayed": model.replayed,
        "labels": list(model.labels),
        "open": len(model.rankings),
        "rankings": model.ranker.rank(X).tolist(),
    }


def fresh(folder: Path) -> Path:
    """A new folder in a folder."""
    made = folder / f"{len(list(folder.iterdir()))}"
    made.mkdir()
    return made


def plain(values: Any) -> dict[str, Any]:
    """Values as JSON has them."""
    found: dict[str, Any] = json.loads(json.dumps(values))
    return found
