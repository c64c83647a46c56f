"""Exports the best configuration of a study, all its trials, or a table over studies, as text."""

import json
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import yaml

from topk_tune.export.parameter_table import parameter_table
from topk_tune.records.trials import Confirmation
from topk_tune.study.config_file import DATA
from topk_tune.study.confirm import confirmations
from topk_tune.study.confirmed_figures import UNTESTED_NOTE, spreads
from topk_tune.study.study import Study

TABLES = ("md", "latex")
FORMATS = ("yaml", "json", "csv", *TABLES)


def exported_together(studies: Sequence[Study], kind: str) -> str:
    """Return the export of studies in one of `FORMATS`; only those of `TABLES` take several."""
    if kind in TABLES:
        return parameter_table(studies, kind)
    if len(studies) != 1:
        raise ValueError(
            f"format {kind} must have one study, but got {len(studies)}; export several as "
            f"{' or '.join(TABLES)}"
        )
    return exported(studies[0], kind)


def exported(study: Study, kind: str) -> str:
    """Return the best configuration of a study as "yaml" or "json", or all trials as "csv"."""
    if kind == "csv":
        return str(study.dataframe().to_csv(index=False))
    content = best_config(study)
    if kind == "json":
        return json.dumps(content, indent=2) + "\n"
    return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True))


def _confirmed(first: Confirmation) -> dict[str, Any]:
    """Return the metrics of the best with fresh seeds, on held-out rows and on the test rows."""
    found: dict[str, Any] = {
        "trial": first.trial,
        "confirmed": bool(first.runs),
        **({} if first.runs else {"note": UNTESTED_NOTE}),
        "objective": first.objective.metric,
        "ranked_anew": bool(first.held),
    }
    if first.held:
        held = first.held
        found |= {f"held_out_{name}": value for name, value in held.metrics.items()}
        found |= {"held_out_spread": held.spread, "held_out_rows": first.holdout}
        found["held_out_seeds"] = held.seeds
    if first.runs:
        found |= {f"test_{name}": value for name, value in first.metrics.items()}
        found |= {"test_spread": first.spread, "test_spreads": spreads(first)}
    return {**found, "seeds": first.seeds}


def best_config(study: Study) -> dict[str, Any]:
    """Return the best configuration and its origin: a confirmation, or the best trial."""
    confirmed, best = confirmations(study), study.best()
    if confirmed:
        config, found = confirmed[0].config, _confirmed(confirmed[0])
    elif best is not None:
        config = best.best_config
        found = {
            "trial": best.number,
            "confirmed": False,
            "objective": best.objective.metric,
            **{f"tuning_{name}": value for name, value in best.metrics.items()},
        }
    else:
        raise ValueError(f"study {study.settings.name!r} has no trial to export")
    settings = study.settings
    return {
        "config": config,
        "data": {name: getattr(settings, name) for name in DATA},
        "provenance": {
            "study": settings.name,
            **found,
            "protocol": settings.protocol,
            "holdout": settings.holdout if settings.protocol == "validation" else None,
            "study_seed": settings.seed,
            "trials": len(study.records()),
            "topk_tune": version("topk-tune"),
        },
    }
