"""Keeps the rows of a study that come from memory."""

import os
from dataclasses import replace
from pathlib import Path

from topk_tune.data.archive import write_archive
from topk_tune.data.logs.memory import write_copy
from topk_tune.storage import Location
from topk_tune.storage.store import check_new
from topk_tune.study.plan import Plan


def with_copy(plan: Plan, location: Location) -> Plan:
    """Write the rows into the folder of a new study; return the plan with that file as data set.

    Without a copy, nobody could resume or confirm the study after the program has ended.
    """
    settings = plan.settings
    check_new(location, settings.name)
    folder = Path(os.path.abspath(location.folder(settings.name)))
    folder.mkdir(parents=True, exist_ok=True)
    # Named after its content, so that it never replaces that of another study.
    name = f"data-{settings.fingerprint[:12]}"
    if plan.data.is_log:
        path = folder / f"{name}.parquet"
        update = {"dataset": str(path), "split": write_copy(plan.data, path)}
    else:
        path = folder / f"{name}.npz"
        write_archive(plan.data, path)
        update = {"dataset": str(path)}
    return replace(plan, settings=settings.model_copy(update=update))
