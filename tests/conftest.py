"""What several test files share."""

from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]

# The first example of a property may compile kernels, so no example has a time limit of its own.
settings.register_profile("topk-tune", deadline=None)
settings.load_profile("topk-tune")


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
