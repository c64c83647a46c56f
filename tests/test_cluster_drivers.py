"""Several drivers of one study in PostgreSQL, and a password that nobody gets to see."""

import csv
import os
from collections import Counter
from pathlib import Path

import pytest
from clusters import FRIGHTENING, Drivers
from databases import PASSWORD, files_with, postgresql, rows

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

SPACE = """\
default:
  algorithm: topada
  loops: 4
  n_learners: {type: int, low: 1, high: 8}
  rho: {type: float, low: 0.01, high: 0.3, log: true}
"""
DATA = "synthetic:rows=800,dim=10,m=6,cardinality=2"
TRIALS = 40


def test_two_drivers_share_a_study_in_postgresql(tmp_path: Path) -> None:
    """No trial twice and none lost; and the password of the database stays in the environment."""
    (tmp_path / "space.yaml").write_text(SPACE)
    drivers = Drivers(tmp_path)
    with postgresql() as url:
        environment = {**os.environ, "TOPK_TUNE_STORAGE": url}
        common = ("--trials", str(TRIALS), "--workers", "1", "--backend", "local")
        try:
            one = drivers.start(
                *("run", "--name", "shared", "--dataset", DATA, "--space", "space.yaml", *common),
                environment=environment,
            )
            first = one.stdout.readline()  # which it prints once the study is made
            two = drivers.start("resume", "shared", *common, environment=environment)
            told = [first, *(driver.communicate(timeout=120)[0] for driver in (one, two))]
            export = drivers.start("export", "shared", "--format", "csv", environment=environment)
            table = export.communicate()[0]
        finally:
            drivers.close()
        assert (one.returncode, two.returncode) == (0, 0), told
        trials = rows(url, "SELECT number, state FROM trials ORDER BY number")
        drove = rows(url, "SELECT value_json FROM trial_user_attributes WHERE key = 'driver'")

    # Two drivers that ask for the last trial in the same moment both get one.
    assert len(trials) in (TRIALS, TRIALS + 1)
    assert [number for number, _ in trials] == list(range(len(trials)))
    assert {state for _, state in trials} <= {"COMPLETE", "PRUNED"}
    share = Counter(drove)
    assert share.total() == len(trials)
    assert len(share) == 2
    assert min(share.values()) >= 3, share
    exported = list(csv.DictReader(table.splitlines()))
    assert [int(row["number"]) for row in exported] == list(range(len(trials)))
    assert {row["attempts"] for row in exported} == {"1"}

    output = "\n".join([*told, table])
    assert not [word for word in FRIGHTENING if word in output], output
    assert output.count("stopped: all") == 2
    assert PASSWORD not in output
    assert files_with(PASSWORD, tmp_path) == []
    assert (tmp_path / "mlflow.db").exists()  # it was among them
