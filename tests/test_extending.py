"""What a change touches: one of each kind is added to a copy of the project, in three files at
most, and works there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import additions_booster as booster
import additions_tuner as tuner
import pytest
from additions import Addition
from pages import text

PACKAGES = ("booster", "topk_tune", "search_spaces")

ADDITIONS = [
    *(booster.ALGORITHM, booster.LEARNER, booster.SCHEME, booster.SCHEDULE),
    *(tuner.METRIC, tuner.SAMPLER, tuner.PRUNER, tuner.READER),
    *(tuner.STOP_RULE, tuner.OPTION, tuner.BACKEND),
]

SPACE = """\
default:
  algorithm: topada
  loops: 3
  k: 2
  n_learners: {type: int, low: 1, high: 3}
"""


def add(addition: Addition, root: Path, copy: Path) -> set[str]:
    """Add something to a copy of the packages; returns the files that were touched."""
    for package in PACKAGES:  # with the bytecode, which holds for files as old as these
        shutil.copytree(root / package, copy / package)
    for path, content in addition.files.items():
        assert not (copy / path).exists()
        (copy / path).write_text(content, encoding="utf-8")
    for path, edits in addition.edits.items():
        content = (copy / path).read_text(encoding="utf-8")
        for old, new in edits:
            assert content.count(old) == 1, f"{path}: {old}"
            content = content.replace(old, new)
        (copy / path).write_text(content, encoding="utf-8")
    return {*addition.files, *addition.edits}


@pytest.mark.slow
@pytest.mark.parametrize("addition", ADDITIONS, ids=lambda each: each.kind)
def test_one_more_takes_three_files_at_most(addition: Addition, root: Path, tmp_path: Path) -> None:
    touched = add(addition, root, tmp_path)
    (tmp_path / "mine.yaml").write_text(SPACE, encoding="utf-8")
    assert len(touched) <= 3
    row = next(
        line for line in text("docs/extending.md").splitlines() if f"| {addition.kind} |" in line
    )
    for path in touched:
        assert path in row or f"{Path(path).parent}/NAME{Path(path).suffix}" in row
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), **(addition.environment or {})}
    done = subprocess.run(
        [sys.executable, "-c", addition.program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.stdout.endswith("works\n"), done.stdout + done.stderr
