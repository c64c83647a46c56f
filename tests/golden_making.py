"""Makes the golden files of this version: `python tests/golden_making.py`.

They go to `tests/golden/VERSION`, with `facts.json`, what this version reads in them. Each later
version has to read the same.
"""

import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import booster
import topk_tune

sys.path.insert(0, str(Path(__file__).parent))

from golden_cases import GOLDEN, NAME
from golden_facts import facts_of
from serving_cases import open_model, round_of, rows

DATASET = "synthetic:rows=80,dim=4,m=4,cardinality=2"
SPACE = """
default:
  algorithm: topada
  loops: 2
  n_learners: {type: int, low: 1, high: 3}
  rho: {type: float, low: 0.05, high: 0.3}
  weight_cap: {type: choice, options: [null, 10]}
"""
TRACKING = "tracking_uri: http://127.0.0.1:9\nfinish_seconds: 1\n"
"""By a server of MLflow that never answers, so that the spool stays as it is."""
ROUNDS = 20


def main() -> None:
    """Make the files in a folder of their own, and move them when all are there."""
    target = GOLDEN / topk_tune.__version__
    if target.exists():
        sys.exit(f"{target} is there already, and golden files are never made anew")
    with TemporaryDirectory() as name:
        made = Path(name) / "made"
        made.mkdir()
        make_studies(Path(name), made)
        make_boosters(made)
        make_served(made / "served")
        anonymise(made, name)
        facts = facts_of(made, Path(name))
        (made / "facts.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
        shutil.copytree(made, target)
    print(f"{target}: {sum(path.stat().st_size for path in target.rglob('*') if path.is_file())} B")


def make_studies(folder: Path, made: Path) -> None:
    """Make a study in a folder, with its spool and export, and one in SQLite, by our commands."""
    searched = f"--dataset {DATASET} --space space.yaml --seeds 2 --trials 4 --name {NAME}"
    where = "--backend local --workers 1"
    for place, storage in (("files", "studies"), ("database", "sqlite:///studies.db")):
        (folder / place).mkdir()
        (folder / place / "space.yaml").write_text(SPACE, encoding="utf-8")
        (folder / place / "mlflow.yaml").write_text(TRACKING, encoding="utf-8")
        command(folder / place, f"run {searched} {where} --like none --storage {storage}")
        command(folder / place, f"confirm {NAME} --top 2 --seeds 2 {where} --storage {storage}")
    command(folder / "files", f"export {NAME} -o {made}/best.yaml")
    study = folder / "files" / "studies" / NAME
    shutil.copyfile(study / "journal.log", made / "journal.log")
    shutil.copyfile(study / "tracking" / "spool.jsonl", made / "spool.jsonl")
    with closing(sqlite3.connect(folder / "database" / "studies.db")) as database:
        (made / "sqlite.sql").write_text("\n".join(database.iterdump()) + "\n", encoding="utf-8")


def make_boosters(made: Path) -> None:
    """Save a booster of dense rows and one of rows of mostly zeros, in mid-stream."""
    X, Y = rows(ROUNDS)
    small = {"n_features": X.shape[1], "n_labels": Y.shape[1], "n_learners": 2}
    dense = booster.TopAda(**small, exploration="single-swap", rho=0.3)
    dense.run(X, Y, loops=3)
    dense.predict(X[0])
    dense.save(made / "booster-topada.npz")
    binary = booster.FullOpt(**small, observer="binary")
    binary.run(X > 0, Y, loops=3)
    binary.save(made / "booster-fullopt.npz")


def make_served(folder: Path) -> None:
    """Leave what a served model leaves that was killed: a snapshot, a journal, an open ranking."""
    model = open_model(folder)
    X, Y = rows(ROUNDS)
    for x, y in zip(X[1:], Y[1:], strict=True):
        round_of(model, x, y)
    model.show(X[0])
    model.sync()
    model.files.lock.unlink()


def command(folder: Path, line: str) -> None:
    """Run a command of ours in a folder, without settings of the user."""
    ours = ("MLFLOW_", "TOPK_TUNE_", "RAY_")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    program = [Path(sys.executable).parent / "topk-tune", "--quiet", *line.split()]
    subprocess.run(program, cwd=folder, env=environment, check=True)


def anonymise(made: Path, folder: str) -> None:
    """Take the name of this machine and of our folder out of the studies."""
    for name in ("journal.log", "spool.jsonl", "sqlite.sql"):
        text = (made / name).read_text(encoding="utf-8").replace(folder, "/somewhere")
        text = re.sub(rf"\b{re.escape(socket.gethostname())}\b", "somewhere", text)
        (made / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
