"""What comes with topk-tune: the wheel, the parameters of the paper, the Yeast data set."""

import io
import json
import os
import subprocess
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from wheels import BOOSTER_ALONE, build_archives, environment_with

import search_spaces
import topk_tune
from topk_tune import data

PACKAGES = {"booster", "topk_tune", "search_spaces"}


@pytest.fixture(scope="module")
def archives(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the source archive and the wheel of the checkout."""
    folder = tmp_path_factory.mktemp("archives")
    build_archives(root, folder)
    return folder


@pytest.fixture(scope="module")
def wheel(archives: Path) -> zipfile.ZipFile:
    (path,) = archives.glob("*.whl")
    return zipfile.ZipFile(path)


@pytest.mark.slow
def test_wheel_holds_the_three_packages_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    metadata = f"topk_tune-{topk_tune.__version__}.dist-info"
    assert tops == PACKAGES | {metadata}
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(wheel.namelist())


@pytest.mark.slow
def test_wheel_holds_every_file_of_the_packages(wheel: zipfile.ZipFile, root: Path) -> None:
    sources = {
        path.relative_to(root).as_posix()
        for package in PACKAGES
        for pattern in ("*.py", "*.yaml", "*.js", "*.css", "*.html")
        for path in (root / package).rglob(pattern)
    }
    assert {f"search_spaces/{name}" for name in search_spaces.names()} <= sources
    assert "topk_tune/report/scripts/main.js" in sources
    assert sources <= set(wheel.namelist())


@pytest.mark.slow
def test_wheel_declares_the_command_and_the_licence(wheel: zipfile.ZipFile) -> None:
    by_name = {Path(name).name: name for name in wheel.namelist() if ".dist-info/" in name}
    assert "topk-tune = topk_tune.cli:main" in wheel.read(by_name["entry_points.txt"]).decode()
    assert "License-Expression: BSD-3-Clause" in wheel.read(by_name["METADATA"]).decode()
    assert "LICENSE" in by_name


@pytest.mark.slow
def test_archives_have_the_same_bytes_wherever_they_are_built(
    archives: Path, tmp_path: Path
) -> None:
    """From the checkout, and from its source archive: other files around, times and folder."""
    first = {path.name: path.read_bytes() for path in archives.iterdir()}
    (name,) = (name for name in first if name.endswith(".tar.gz"))
    with tarfile.open(fileobj=io.BytesIO(first[name])) as archive:
        archive.extractall(tmp_path, filter="data")
    source = tmp_path / name.removesuffix(".tar.gz")
    for path in source.rglob("*"):
        os.utime(path, (1, 1))
    assert build_archives(source, tmp_path / "second") == first
    assert len(first) == 2


@pytest.mark.slow
def test_boosters_work_with_three_packages_alone(archives: Path, tmp_path: Path) -> None:
    (wheel,) = archives.glob("*.whl")
    needed = ("numpy", "numba", "llvmlite", "platformdirs")  # llvmlite is a part of numba
    python = environment_with(tmp_path / "alone", wheel, *needed)
    done = subprocess.run(
        [python, "-I", "-c", BOOSTER_ALONE], cwd=tmp_path, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    file, same, names = json.loads(done.stdout)
    assert Path(file).is_relative_to(tmp_path / "alone")
    assert same
    assert set(names) == {*needed, "topk-tune"}


def test_parameters_of_the_paper_join_defaults_and_data_set() -> None:
    assert search_spaces.paper_parameters("topopt", "m_reduced") == {
        "n_learners": 20,
        "rho": 0.04,
        "loops": 20,
        "k": 3,
        "exploration": "uniform",
        "n_covariates": 20,
        "gamma": 0.1,
    }


@pytest.mark.parametrize("dataset", ["emotions", "scene", "yeast", "mediamill", "m_reduced"])
def test_parameters_of_the_paper_are_complete(dataset: str) -> None:
    every = {"n_learners", "loops", "n_covariates"}
    top_k = every | {"rho", "k", "exploration"}
    assert set(search_spaces.paper_parameters("topopt", dataset)) == top_k | {"gamma"}
    assert set(search_spaces.paper_parameters("topada", dataset)) == top_k
    assert set(search_spaces.paper_parameters("fullopt", dataset)) == every | {"gamma"}
    assert set(search_spaces.paper_parameters("fullada", dataset)) == every


@pytest.mark.parametrize(
    ("algorithm", "dataset", "options"),
    [
        ("none", "yeast", "topopt, topada, fullopt, fullada"),
        ("topopt", "default", "emotions, scene, yeast, mediamill, m_reduced"),
    ],
)
def test_unknown_parameters_list_the_options(algorithm: str, dataset: str, options: str) -> None:
    with pytest.raises(ValueError, match=f"choose from {options}$"):
        search_spaces.paper_parameters(algorithm, dataset)


def test_only_the_files_of_the_package_are_read() -> None:
    with pytest.raises(ValueError, match=r"choose from best/datasets\.yaml, best/table5\.yaml"):
        search_spaces.load("../pyproject.toml")


def test_yeast_is_the_published_split_value_by_value(shared_data: Path) -> None:
    yeast = data.load("yeast")
    with np.load(shared_data / "yeast.npz") as published:
        for part in ("X_train", "Y_train", "X_test", "Y_test"):
            ours = getattr(yeast, part)
            assert ours.dtype == (np.float32 if part.startswith("X") else np.uint8)
            assert ours.flags.c_contiguous
            np.testing.assert_array_equal(ours, published[part], strict=True)


def test_yeast_names_its_columns() -> None:
    yeast = data.load("yeast")
    assert (yeast.n_features, yeast.feature_names[0]) == (yeast.X_test.shape[1], "Att1")
    assert (yeast.n_labels, yeast.label_names[-1]) == (yeast.Y_test.shape[1], "Class14")
