"""The commands that repeat a study or one of its trials, bit for bit."""

import shlex
from collections.abc import Iterator
from typing import Any

from topk_tune.records.settings import StudySettings

CONFIG_FILE = "config.yaml"
SPACE_FILE = "space.yaml"

_BESIDE = ("name", "fingerprint", "direction", "space", "first", "origins")
"""Settings that are in files, follow from data or metric, or may differ."""

_SCHEDULING = ("runtime_objective", "deterministic")
"""Settings that do not apply to a single trial."""

_FLAGS = {"runtime_objective": "--runtime"}
"""The options whose names differ from their settings."""

_EXACTLY = ("--like", "none")
"""First configurations are in files: those known when a command is repeated may be others."""


def study_inputs(settings: StudySettings) -> dict[str, dict[str, Any]]:
    """Return the input files of a study's command by name: its space and its first trials."""
    parameters = {}
    for entry in settings.space["parameters"]:
        rest = dict(entry)
        parameters[rest.pop("name")] = rest
    first = zip(_first_files(settings), settings.first, strict=True)
    return {
        SPACE_FILE: {"default": parameters},
        **{name: {"config": dict(config)} for name, config in first},
    }


def study_command(settings: StudySettings, trials: int | None) -> str:
    """Return the command that repeats the search, given the files of `study_inputs`."""
    words = [word for name in _first_files(settings) for word in ("--config", name)]
    words += [] if trials is None else ["--trials", str(trials)]
    return _run(settings, SPACE_FILE, words)


def trial_command(settings: StudySettings) -> str:
    """Return the command that repeats the training of a trial, given its configuration file.

    That file is a search space in which everything is fixed, so the training rows, the measuring
    rows and the seeds are those of the study.
    """
    search = {"sampler": "random", "pruner": "none", **dict.fromkeys(_SCHEDULING, False)}
    return _run(settings.model_copy(update=search), CONFIG_FILE, ["--trials", "1"])


def _first_files(settings: StudySettings) -> list[str]:
    return [f"first-{number}.yaml" for number in range(1, len(settings.first) + 1)]


def _run(settings: StudySettings, space: str, words: list[str]) -> str:
    return shlex.join(
        ["topk-tune", "run", *_options(settings), *_EXACTLY, "--space", space, *words]
    )


def _options(settings: StudySettings) -> Iterator[str]:
    """Yield every setting as an option of `run`."""
    for name, field in StudySettings.model_fields.items():
        value = getattr(settings, name)
        if name in _BESIDE or field.exclude or value is None or value is False:
            continue
        yield _FLAGS.get(name, f"--{name.replace('_', '-')}")
        if value is not True:
            yield str(value)
