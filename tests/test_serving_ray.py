"""`topk-tune serve --address`, as far as it needs no cluster.

`python -m benchmarks.serving_ray` serves on a cluster, and kills replicas and the command.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest
from messages import raises, says
from serving_cases import make_ranker, open_model, round_of, rows
from starlette.applications import Starlette

from topk_tune import cli
from topk_tune.serving.access import Access
from topk_tune.serving.ray_serve import _Replica
from topk_tune.serving.refusals import RefusedError

TOKEN = "a-token-of-some-length"


def test_without_ray_serve_the_package_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "ray.serve", None)
    make_ranker().save("songs.npz")
    with pytest.raises(SystemExit) as ended:
        cli.main(["serve", "songs.npz", "--address", "127.0.0.1:1"])
    assert ended.value.code == 2
    says(capsys.readouterr().err, "--address", "topk-tune[ray-serve]")
    assert not Path("serving").exists()


def test_a_replica_is_told_no_token() -> None:
    sent = pickle.dumps(Access(TOKEN))
    assert TOKEN.encode() not in sent
    access = pickle.loads(sent)
    access.check({"authorization": f"Bearer {TOKEN}"})
    with pytest.raises(RefusedError):
        access.check({"authorization": f"Bearer {TOKEN}x"})


def test_a_replica_knows_when_its_disk_has_failed_and_saves_at_its_end(tmp_path: Path) -> None:
    models = {"m": open_model(tmp_path)}
    X, Y = rows(1)
    round_of(models["m"], X[0], Y[0])
    replica = _Replica()
    replica.app = Starlette()
    replica.app.state.models = models
    replica.check_health()
    models["m"].failed = OSError("broken disk")
    with raises(OSError, "m", "broken disk"):
        replica.check_health()
    models["m"].failed = None
    replica.__del__()
    assert (tmp_path / "booster-000000000001.npz").exists()
    models.clear()  # nothing is left for the garbage collector to close
