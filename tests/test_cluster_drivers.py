"""Several drivers of one study in PostgreSQL, and a password that nobody gets to see."""

import csv
import os
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from clusters import FRIGHTENING, HANG, QUICK, drivers_in, ended
from databases import PASSWORD, files_with, postgresql, rows
from tracking_cases import new_database

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2 * HANG)]

TRIALS = 30
TRACKING = "log: {loops: false, study_plots: false}\n"
"""Numbers and pictures, which can hold no password, take most of the time."""


def test_two_drivers_share_a_study_in_postgresql(tmp_path: Path) -> None:
    """No trial twice, none lost, none too many; the password stays in the environment."""
    with postgresql() as url, drivers_in(tmp_path) as drivers:
        environment = {**os.environ, "TOPK_TUNE_STORAGE": url}
        (tmp_path / "mlflow.yaml").write_text(TRACKING, encoding="utf-8")
        new_database(tmp_path)
        common = ("--trials", str(TRIALS), "--workers", "1", "--backend", "local")
        make = (*QUICK, "--name", "shared", *common, "--track")
        one = drivers.start(*make, environment=environment)
        first = one.stdout.readline()  # which it prints once the study is made
        two = drivers.start("resume", "shared", *common, "--no-track", environment=environment)
        told = [first, ended(one), ended(two)]
        export = drivers.start("export", "shared", "--format", "csv", environment=environment)
        table = ended(export)
        assert (one.returncode, two.returncode) == (0, 0), told
        trials = rows(url, "SELECT number, state FROM trials ORDER BY number")
        drove = rows(
            url,
            "SELECT value_json FROM trial_user_attributes JOIN trials USING (trial_id) "
            f"WHERE key = 'driver' AND number < {TRIALS}",
        )

    assert [number for number, _ in trials] == list(range(len(trials)))
    assert {state for _, state in trials[:TRIALS]} <= {"COMPLETE", "PRUNED"}
    # When both ask for the last one in the same moment, the second trial waits for a resume.
    assert [state for _, state in trials[TRIALS:]] in ([], ["WAITING"])
    share = Counter(drove)
    assert share.total() == TRIALS
    assert len(share) == 2
    assert min(share.values()) >= 3, share
    exported = [row for row in csv.DictReader(table.splitlines()) if row["state"] != "waiting"]
    assert [int(row["number"]) for row in exported] == list(range(TRIALS))
    assert {row["attempts"] for row in exported} == {"1"}

    output = "\n".join([*told, table])
    assert not [word for word in FRIGHTENING if word in output], output
    assert output.count("stopped: all") == 2
    assert PASSWORD not in output
    assert files_with(PASSWORD, tmp_path) == []
    with closing(sqlite3.connect(tmp_path / "mlflow.db")) as tracked:  # it was among them
        assert tracked.execute("SELECT count(*) FROM runs").fetchone() > (1,)
