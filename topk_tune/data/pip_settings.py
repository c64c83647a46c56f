"""The user's pip configuration, which defines where packages come from."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from topk_tune.data.errors import DataError

# In increasing priority, as for `pip download`; the environment overrides both.
_SECTIONS = ("global", "download")
_YES = {"1", "true", "yes", "on", "y", "t"}


@dataclass(frozen=True)
class PipSettings:
    """pip's settings about indexes; an empty `index_url` means the default index."""

    index_url: str = ""
    extra_index_urls: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    no_index: bool = False
    trusted_hosts: tuple[str, ...] = ()
    cert: str = ""
    proxy: str = ""


def read_pip_settings() -> PipSettings:
    """Read pip's configuration files and the variables PIP_*, as pip does."""
    options = _from_files() | _from_environment()

    def words(name: str) -> tuple[str, ...]:
        return tuple(options.get(name, "").split())

    return PipSettings(
        index_url=options.get("index-url", ""),
        extra_index_urls=words("extra-index-url"),
        find_links=tuple(_expand(link) for link in words("find-links")),
        no_index=options.get("no-index", "").lower() in _YES,
        trusted_hosts=words("trusted-host"),
        cert=options.get("cert", ""),
        proxy=options.get("proxy", ""),
    )


def _from_environment() -> dict[str, str]:
    # pip ignores empty variables.
    return {
        key.removeprefix("PIP_").lower().replace("_", "-"): value
        for key, value in os.environ.items()
        if key.startswith("PIP_") and value
    }


def _from_files() -> dict[str, str]:
    """Ask pip, which knows the locations and the priority of its files on every system."""
    if importlib.util.find_spec("pip") is None:  # some environments do not have it
        return {}
    command = [sys.executable, "-m", "pip", "config", "list", "--disable-pip-version-check"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise DataError(f"pip cannot read its configuration: {answer.stderr.strip()}")
    return _parse(answer.stdout)


def _parse(listing: str) -> dict[str, str]:
    """Read lines such as `global.index-url='...'`."""
    sections: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    for line in listing.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.partition(".")
        if section in sections and value:
            sections[section][name] = str(ast.literal_eval(value))
    return {name: value for section in _SECTIONS for name, value in sections[section].items()}


def _expand(link: str) -> str:
    return link if "://" in link else str(Path(link).expanduser())
