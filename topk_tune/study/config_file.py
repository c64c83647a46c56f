"""Reads a configuration file that `topk-tune export` wrote."""

from pathlib import Path
from typing import Any

import yaml

_LARGEST = 2**20


def read_config(path: Path) -> dict[str, Any]:
    """Return the configuration in a YAML or JSON file."""
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
    return config
