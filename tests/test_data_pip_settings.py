"""The user's pip configuration, read as pip would read it."""

import os
from pathlib import Path

import pytest

from topk_tune.data import DataError, pip_settings
from topk_tune.data.index import _sources
from topk_tune.data.pip_settings import PipSettings, read_pip_settings

CONFIGURATION = """\
[global]
index-url = https://one.example/simple
extra-index-url =
    https://two.example/simple
    https://three.example/simple
trusted-host = two.example
cert = /somewhere/ca.pem
[download]
index-url = https://download.example/simple
[install]
index-url = https://install.example/simple
"""


@pytest.fixture
def configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    path = tmp_path / "pip.conf"
    path.write_text(CONFIGURATION)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(path))
    # The files of this machine would mix with the one above.
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return path


def test_files_count_in_the_order_of_pip(configuration: Path) -> None:
    settings = read_pip_settings()
    assert settings.index_url == "https://download.example/simple"
    assert settings.extra_index_urls[:2] == (
        "https://two.example/simple",
        "https://three.example/simple",
    )
    assert settings.trusted_hosts == ("two.example",)
    assert settings.cert == "/somewhere/ca.pem"
    assert not settings.no_index


def test_the_environment_comes_before_files(
    configuration: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://env.example/simple")
    monkeypatch.setenv("PIP_TRUSTED_HOST", "")  # empty, so passed over
    monkeypatch.setenv("PIP_FIND_LINKS", "~/wheels https://links.example/page")
    monkeypatch.setenv("PIP_NO_INDEX", "true")
    settings = read_pip_settings()
    assert settings.index_url == "https://env.example/simple"
    assert settings.trusted_hosts == ("two.example",)
    assert settings.find_links == (
        str(Path.home() / "wheels"),
        "https://links.example/page",
    )
    assert settings.no_index


def test_a_broken_configuration_is_said_to_be(configuration: Path) -> None:
    configuration.write_text("index-url without a section")
    with pytest.raises(DataError, match="pip cannot read its configuration"):
        read_pip_settings()


def test_an_environment_without_pip_has_its_variables(
    configuration: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pip_settings.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://env.example/simple")
    assert read_pip_settings() == PipSettings(extra_index_urls=("https://env.example/simple",))


def urls(settings: PipSettings) -> list[str]:
    from unearth import PackageFinder

    return [source["url"] for source in _sources(PackageFinder(), settings)]


def test_extra_indexes_come_after_the_usual_one() -> None:
    (usual,) = urls(PipSettings())
    extra = "https://extra.example/simple"
    assert urls(PipSettings(extra_index_urls=(extra,))) == [usual, extra]
    assert urls(PipSettings(index_url=extra)) == [extra]


def test_folders_come_first_and_missing_ones_are_passed_over(tmp_path: Path) -> None:
    links = (str(tmp_path), str(tmp_path / "missing"))
    settings = PipSettings(index_url="https://one.example/simple", find_links=links)
    assert urls(settings) == [str(tmp_path), "https://one.example/simple"]
    assert urls(PipSettings(find_links=links, no_index=True)) == [str(tmp_path)]
