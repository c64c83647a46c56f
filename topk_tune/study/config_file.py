"""Reads a configuration file that `topk-tune export` wrote."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

_LARGEST = 2**20

DATA = ("dataset", "labels", "split", "k", "fingerprint")
"""The settings of a study that an export has about its data and feedback."""


@dataclass(frozen=True)
class Export:
    """An exported configuration.

    Parameters
    ----------
    config
        The configuration.
    data
        Which data it was found on, by the names in `DATA`; unknown ones are left out.
    """

    config: Mapping[str, Any]
    data: Mapping[str, Any] = field(default_factory=dict)


def read_config(path: Path) -> dict[str, Any]:
    """Return the configuration in a YAML or JSON file."""
    return dict(read_export(path).config)


def read_export(path: Path) -> Export:
    """Return the content of a YAML or JSON file."""
    if path.stat().st_size > _LARGEST:
        raise ValueError(f"{path}: a configuration must not be larger than 1 MB")
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path}: it must be YAML or JSON, but {reason}") from None
    config = content.get("config") if isinstance(content, dict) else None
    if not isinstance(config, dict) or not {"algorithm", "loops"} <= set(config):
        raise ValueError(
            f"{path}: it must have a `config` with algorithm, loops and the booster's parameters, "
            "as `topk-tune export` writes it"
        )
    return Export(config, _data(path, content))


def _data(path: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of the data; earlier versions wrote it with the provenance."""
    found = content.get("data", content.get("provenance")) or {}
    if not isinstance(found, dict):
        raise ValueError(f"{path}: `data` must be a mapping, but got {found!r}")
    known = {name: found[name] for name in DATA if found.get(name) is not None}
    for name, value in known.items():
        if name != "k" and not isinstance(value, str):
            raise ValueError(f"{path}: {name} of `data` must be text, but got {value!r}")
    return known
