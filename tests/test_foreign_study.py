"""A whole study with what another package brings, in processes that know only its entry points."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from packages import SONGRANK, installed, with_packages

from topk_tune.storage import Location
from topk_tune.study.study import Study

BRINGS = {
    "topk_tune.metrics": {"hits": "songrank.metric:HITS"},
    "topk_tune.readers": {"jsonl": "songrank.reader:read_jsonl"},
}


def topk_tune(arguments: str, folder: Path) -> str:
    """Run the command in a folder, with the package installed."""
    done = subprocess.run(
        [str(Path(sys.executable).with_name("topk-tune")), *arguments.split()],
        cwd=folder,
        env=with_packages(folder / "site", SONGRANK),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_study_of_another_package_s_metric_reader_and_sampler(tmp_path: Path) -> None:
    installed(tmp_path / "site", "songrank", BRINGS)
    rng = np.random.default_rng(0)
    tempo = rng.normal(size=60)
    rows = [{"tempo": x, "label_sad": int(x < 0), "label_fast": int(x > 0.5)} for x in tempo]
    (tmp_path / "songs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "small.yaml").write_text(
        "default: {algorithm: topada, loops: 3, k: 2, n_learners: {type: int, low: 1, high: 4}}"
    )
    assert "songrank" in topk_tune("plugins readers", tmp_path)
    assert "label_sad" in topk_tune("data check songs.jsonl", tmp_path)
    topk_tune(
        "run --dataset songs.jsonl --objective hits --sampler songrank.sampler:HalfOfTheBest "
        "--space small.yaml --trials 4 --name s --backend local --workers 1 --no-track",
        tmp_path,
    )
    assert "hits" in topk_tune("export s --format yaml", tmp_path)
    rows = json.loads(topk_tune("status s --format json", tmp_path))
    assert len(rows) == 4 and all(0 <= row["hits"] <= 1 for row in rows)
    # Where the package is missing, the study can still be read.
    records = Study.open(Location.of(str(tmp_path / "studies")), "s").records()
    assert [record.metrics["hits"] for record in records] == [row["hits"] for row in rows]
