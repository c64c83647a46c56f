"""Reads and checks `mlflow.yaml`; MLflow's environment variables override it."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from topk_tune.plugins.names import one_of
from topk_tune.spaces.located import Located, parse_yaml, without_lines
from topk_tune.tracking.uris import absolute, is_http

FILE = "mlflow.yaml"
DATABASE = "sqlite:///mlflow.db"

_FIELDS = ("dataset", "study")

_OVERRULED = {
    "MLFLOW_TRACKING_URI": ("tracking_uri",),
    "MLFLOW_REGISTRY_URI": ("registry_uri",),
    "MLFLOW_EXPERIMENT_NAME": ("experiment",),
    "MLFLOW_DEFAULT_ARTIFACT_ROOT": ("artifact_root",),
    "MLFLOW_BACKEND_STORE_URI": ("server", "backend_store_uri"),
    "MLFLOW_ARTIFACTS_DESTINATION": ("server", "artifacts"),
    "MLFLOW_HOST": ("server", "host"),
    "MLFLOW_PORT": ("server", "port"),
    "MLFLOW_WORKERS": ("server", "workers"),
}
"""MLflow's environment variables and the keys that they override."""


class TrackingError(ValueError):
    """The tracking configuration is invalid, or a tracked study does not exist."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LogSettings(_Part):
    """What to log in addition to parameters, tags and final metrics."""

    loops: bool = True
    trial_files: bool = True
    study_plots: bool = True
    boosters: bool = True
    model: bool = True


class RetentionSettings(_Part):
    """When to delete studies."""

    days: float | None = Field(default=None, gt=0)


class ServerSettings(_Part):
    """The server that `topk-tune ui` starts."""

    host: str = "127.0.0.1"
    port: int = Field(default=5000, ge=1, le=65535)
    workers: int = Field(default=1, ge=1)
    backend_store_uri: str | None = None
    artifacts: str = "mlartifacts"

    @property
    def address(self) -> str:
        """The address of the server; one that listens on all interfaces is local too."""
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)
        return f"http://{host}:{self.port}"


class TrackingConfig(_Part):
    """The content of `mlflow.yaml`; the file in the project's folder explains each key."""

    tracking_uri: str = DATABASE
    registry_uri: str | None = None
    registered_model: str | None = None
    experiment: str = Field(default="topk-tune/{dataset}", min_length=1)
    artifact_root: str | None = "mlartifacts"
    log: LogSettings = LogSettings()
    retention: RetentionSettings = RetentionSettings()
    wait_seconds: float = Field(default=0.5, ge=0)
    finish_seconds: float = Field(default=30.0, ge=0)
    server: ServerSettings = ServerSettings()

    @field_validator("experiment", "registered_model")
    @classmethod
    def _template(cls, text: str | None) -> str | None:
        if text is not None:
            named(text, dataset="", study="")
        return text

    def served_at(self, port: int) -> "TrackingConfig":
        """The same configuration with another port of the server."""
        return self.model_copy(update={"server": self.server.model_copy(update={"port": port})})


def named(template: str, dataset: str, study: str) -> str:
    """Fill in the template of a name for a study; a path is reduced to its last part.

    >>> named("topk-tune/{dataset}", "data/mine.csv", "demo")
    'topk-tune/mine.csv'
    >>> named("{dataset}", "../..", "demo")
    'folder'
    """
    last = dataset.rstrip("/").rsplit("/", 1)[-1]
    if not last.strip("."):
        last = "folder"  # with "..", files would be written outside of their folder
    try:
        return template.format(dataset=last, study=study)
    except (KeyError, IndexError, ValueError, AttributeError):
        options = " and ".join(f"{{{name}}}" for name in _FIELDS)
        raise ValueError(f"only {options} are allowed in braces, but got {template!r}") from None


def read_config(
    folder: Path | None = None, environment: Mapping[str, str] = os.environ
) -> TrackingConfig:
    """Read `mlflow.yaml` of a folder, by default the current one; without a file, the defaults."""
    folder = folder or Path.cwd()
    path = folder / FILE
    content = Located({}, 1)
    if path.is_file():
        content = _parsed(path)
    try:
        config = TrackingConfig.model_validate(without_lines(content))
    except ValidationError as error:
        raise TrackingError("\n".join(_problem(e, content) for e in error.errors())) from None
    return _resolved(_overruled(config, environment), folder)


def _parsed(path: Path) -> Located:
    try:
        content, problems = parse_yaml(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise TrackingError(f"{FILE} must be readable UTF-8 text: {error}") from error
    if problems:
        raise TrackingError("\n".join(f"{FILE}:{line}: {problem}" for line, problem in problems))
    if content is None:
        return Located({}, 1)
    if not isinstance(content.value, dict):
        raise TrackingError(f"{FILE}:{content.line}: must be a mapping of keys to values")
    return content


def _problem(error: Any, content: Located) -> str:
    """A problem from pydantic with its line, without values, which may be passwords."""
    path = [str(part) for part in error["loc"]]
    where = f"{FILE}:{_line(content, path)}: {'.'.join(path)}"
    if error["type"] != "extra_forbidden":
        return f"{where}: {error['msg'].removeprefix('Value error, ')}"
    try:
        one_of("key", path[-1], _keys(path[:-1]))
    except ValueError as unknown:
        return f"{where}: {unknown}"
    return where


def _line(content: Located, path: list[str]) -> int:
    """The line of a key, or of the nearest enclosing key in the file."""
    for part in path:
        if not isinstance(content.value, dict) or part not in content.value:
            break
        content = content.value[part]
    return content.line


def _keys(path: list[str]) -> list[str]:
    part: type[BaseModel] = TrackingConfig
    for name in path:
        annotation = part.model_fields[name].annotation
        assert isinstance(annotation, type)
        part = annotation
    return list(part.model_fields)


def _resolved(config: TrackingConfig, folder: Path) -> TrackingConfig:
    """The configuration with absolute paths, which are the same in every process."""
    content = config.model_dump()
    content["tracking_uri"] = absolute(config.tracking_uri, folder)
    content["registry_uri"] = config.registry_uri and absolute(config.registry_uri, folder)
    content["artifact_root"] = config.artifact_root and _path(config.artifact_root, folder)
    server = content["server"]
    store = config.server.backend_store_uri or (
        DATABASE if is_http(config.tracking_uri) else config.tracking_uri
    )
    server["backend_store_uri"] = absolute(store, folder)
    server["artifacts"] = _path(config.server.artifacts, folder)
    return TrackingConfig.model_validate(content)


def _path(text: str, folder: Path) -> str:
    return text if "://" in text else os.path.abspath(folder / text)


def _overruled(config: TrackingConfig, environment: Mapping[str, str]) -> TrackingConfig:
    content = config.model_dump()
    for variable, keys in _OVERRULED.items():
        if environment.get(variable):
            part = content
            for key in keys[:-1]:
                part = part[key]
            part[keys[-1]] = environment[variable]
    try:
        return TrackingConfig.model_validate(content)
    except ValidationError as error:
        (first, *_) = error.errors()
        path = tuple(str(part) for part in first["loc"])
        variable = next(v for v, keys in _OVERRULED.items() if keys == path)
        raise TrackingError(f"${variable}: {first['msg'].removeprefix('Value error, ')}") from None
