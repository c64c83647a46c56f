"""What is installed has one version with known hashes, and what runs elsewhere is named exactly."""

import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCKS = sorted((ROOT / "locks").glob("*.txt"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def requirements(path: Path) -> list[tuple[Requirement, list[str]]]:
    """The requirements of a file that pip reads, with their hashes."""
    text = re.sub(r"\\\n", " ", path.read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    parts = [line.partition("--hash=") for line in lines]
    return [(Requirement(head), re.findall(r"sha256:\w+", tail)) for head, _, tail in parts]


def versions(path: Path) -> dict[str, str]:
    return {canonicalize_name(each.name): str(each.specifier) for each, _ in requirements(path)}


def extras(line: Requirement, project: dict[str, list[str]]) -> list[Requirement]:
    """A requirement, or those of our own extras that it stands for."""
    if line.name != "topk-tune":
        return [line]
    named = [Requirement(each) for extra in line.extras for each in project[extra]]
    return [found for each in named for found in extras(each, project)]


def test_every_locked_package_has_hashes() -> None:
    assert [path.stem for path in LOCKS] == ["dev", "release"]
    for path in LOCKS:
        assert len(requirements(path)) > 10
        for each, hashes in requirements(path):
            assert str(each.specifier).startswith("=="), each
            assert hashes and all(len(one) == len("sha256:") + 64 for one in hashes), each


def test_locks_and_constraints_name_the_same_versions() -> None:
    constraints = versions(ROOT / "constraints.txt")
    assert versions(ROOT / "locks" / "dev.txt").items() <= constraints.items()
    assert not any(hashes for _, hashes in requirements(ROOT / "constraints.txt"))


def test_the_lock_file_has_all_that_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    locked = versions(ROOT / "locks" / "dev.txt")
    for line in map(Requirement, declared):
        for each in extras(line, project["optional-dependencies"]):
            version = locked[canonicalize_name(each.name)].removeprefix("==")
            assert each.specifier.contains(version, prereleases=True), each


def test_packages_come_from_where_the_user_says() -> None:
    """No address of an index, archive or repository is in the files that pip reads."""
    for path in [*LOCKS, ROOT / "constraints.txt"]:
        text = path.read_text(encoding="utf-8")
        assert "://" not in text and "--index" not in text and "--find-links" not in text


def steps(path: Path) -> list[dict[str, object]]:
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_name_the_commit_of_each_action(path: Path) -> None:
    used = [str(step["uses"]) for step in steps(path) if "uses" in step]
    assert used
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action) for action in used), used


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_may_only_read(path: Path) -> None:
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert content["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in content["jobs"].values())


def test_workflows_run_targets_that_exist_on_all_claimed_pythons() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = [str(step["run"]) for path in WORKFLOWS for step in steps(path) if "run" in step]
    targets = {word for line in commands for word in line.split()[1:] if "=" not in word}
    assert targets == {name for name in targets if f"\n{name}:" in makefile}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    claimed = [line.rpartition(" ")[2] for line in project["classifiers"] if ":: 3." in line]
    assert "{}.{}".format(*sys.version_info) in claimed
    for path in WORKFLOWS:
        jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
        tried = [job["strategy"]["matrix"]["python"] for job in jobs if "strategy" in job]
        assert tried and all(matrix == claimed for matrix in tried)
