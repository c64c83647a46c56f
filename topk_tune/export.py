"""The best configuration of a study, or all its trials, as text for files."""

import json
from importlib.metadata import version
from typing import Any

import yaml

from topk_tune.confirm import confirmations
from topk_tune.study import Study

FORMATS = ("yaml", "json", "csv")


def exported(study: Study, kind: str) -> str:
    """The export in one of `FORMATS`."""
    if kind == "csv":
        return str(study.dataframe().to_csv(index=False))
    content = best_config(study)
    if kind == "json":
        return json.dumps(content, indent=2) + "\n"
    return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True))


def best_config(study: Study) -> dict[str, Any]:
    """The best configuration with where it comes from: confirmed, or the best trial's."""
    confirmed, best = confirmations(study), study.best()
    if confirmed:
        config = confirmed[0].config
        found = {
            "trial": confirmed[0].trial,
            "confirmed": True,
            "test_loss": confirmed[0].loss,
            "test_spread": confirmed[0].spread,
            "seeds": [run.seed for run in confirmed[0].runs],
        }
    elif best is not None:
        config = best.best_config
        found = {"trial": best.number, "confirmed": False, "tuning_loss": best.loss}
    else:
        raise ValueError(f"study {study.settings.name!r} has no complete trial to export")
    settings = study.settings
    return {
        "config": config,
        "provenance": {
            "study": settings.name,
            **found,
            "dataset": settings.dataset,
            "fingerprint": settings.fingerprint,
            "protocol": settings.protocol,
            "holdout": settings.holdout if settings.protocol == "validation" else None,
            "study_seed": settings.seed,
            "trials": len(study.records()),
            "topk_tune": version("topk-tune"),
        },
    }
