"""What several test files share."""

import signal
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]

# The first example of a property may compile kernels, so no example has a time limit of its own.
settings.register_profile("topk-tune", deadline=None)
settings.load_profile("topk-tune")

# A shell that runs the tests in the background has them ignore Ctrl-C, and all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
# So does `nohup` with SIGHUP. A handler is not passed on, and the tests themselves go on.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, lest one process ends with a long one when others idle."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


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
