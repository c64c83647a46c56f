"""What several test files share."""

import gc
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]

# The first example of a property may compile kernels, so no example has a time limit of its own.
settings.register_profile("topk-tune", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=30)  # for `make check`
settings.load_profile("topk-tune")

# What is imported and collected stays to the end: to look for garbage among it takes seconds.
gc.disable()

# A shell that runs the tests in the background has them ignore Ctrl-C, and all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
# So does `nohup` with SIGHUP. A handler is not passed on, and the tests themselves go on.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)


LONGEST = (
    "test_docs.py",
    "test_tracking_server.py",
    "test_data_paper.py",
    "test_cluster_nodes.py",
    "test_cluster_jobs.py",
    "test_kernels_rounds.py",
    "test_cluster_drivers.py",
    "test_second_package.py",
    "test_tracking_commands.py",
    "test_contract_observers.py",
    "test_import.py",
    "test_tuner_faults.py",
    "test_extending.py",
    "test_backends_memory.py",
    "test_cluster_waiting.py",
    "test_hostile_names.py",
    "test_tracking_disk.py",
    "test_reproduce.py",
    "test_tracking_wheel.py",
    "test_learners_study.py",
)
"""The files that take longest, in this order."""

PATIENCE = 900
"""Seconds after which a slow test hangs: a busy machine takes ten times as long as an idle one."""


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[Any], list[Any]]:
    """Look for examples in docstrings where there are some: not in the tests."""
    found = yield
    if not file_path.name.startswith("test_"):
        return found
    return [each for each in found if type(each) is pytest.Module]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the longest files, so that all processes end at about the same time.

    Slow tests also get more time than others.
    """
    places = {name: place for place, name in enumerate(LONGEST)}
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(PATIENCE))
    items.sort(key=lambda item: (places.get(item.path.name, len(places)), item.path not in slow))


def pytest_collection_finish() -> None:
    """Look for garbage from now on, among what the tests make."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the project."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the published data sets as arrays, which lies beside the project."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the published data sets are not in ../shared/data")
    return folder
