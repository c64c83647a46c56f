"""The wheel in empty environments, from a package index: `make test-install`."""

import subprocess
from pathlib import Path

import pytest
from wheels import BOOSTER_ALONE, build_wheel, empty_environment, pip_in

pytestmark = [pytest.mark.installs, pytest.mark.timeout(1800)]

STUDY = "run --dataset synthetic:rows=100,m=4 --trials 2 --backend local --workers 1 --no-track"
DATABASE = "import sys; from sqlalchemy import create_engine; create_engine(sys.argv[1]).dialect"


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(root, tmp_path_factory.mktemp("wheel"))


def run(*command: str | Path, folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, text=True, capture_output=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


def test_boosters_alone(wheel: Path, root: Path, tmp_path: Path) -> None:
    python = empty_environment(tmp_path / "alone")
    pip_in(python, root, "--no-deps", str(wheel))
    pip_in(python, root, "numpy", "numba", "platformdirs")
    run(python, "-I", "-c", BOOSTER_ALONE, folder=tmp_path)


@pytest.mark.parametrize("extra", ["", "[postgres]", "[mysql]"])
def test_a_study_with_an_extra(wheel: Path, root: Path, extra: str, tmp_path: Path) -> None:
    python = empty_environment(tmp_path / "empty")
    pip_in(python, root, f"{wheel}{extra}")
    run(python, "-m", "pip", "check", folder=tmp_path)
    run(python.parent / "topk-tune", *STUDY.split(), folder=tmp_path)
    drivers = {"[postgres]": "postgresql+psycopg://host/db", "[mysql]": "mysql+pymysql://host/db"}
    if extra:
        run(python, "-I", "-c", DATABASE, drivers[extra], folder=tmp_path)
