"""The commands that repeat a study or one of its trials, bit for bit."""

import shlex
from typing import Any

from topk_tune.records.settings import StudySettings

CONFIG_FILE = "config.yaml"
SPACE_FILE = "space.yaml"


def study_inputs(settings: StudySettings) -> dict[str, dict[str, Any]]:
    """What the command of a study reads, by the names of the files: its space, its first trials."""
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
    """The command that searches again as a study did, with the files of `study_inputs`."""
    words = ["--sampler", settings.sampler, "--pruner", settings.pruner]
    for name in _first_files(settings):
        words += ["--config", name]
    words += [] if trials is None else ["--trials", str(trials)]
    words += ["--runtime"] if settings.runtime_objective else []
    words += ["--deterministic"] if settings.deterministic else []
    return _run(settings, SPACE_FILE, words)


def trial_command(settings: StudySettings) -> str:
    """The command that trains as a trial did, with the configuration of its run.

    That file is a search space in which everything is fixed, so the training rows, the measuring
    rows and the seeds are those of the study.
    """
    words = ["--sampler", "random", "--pruner", "none", "--trials", "1"]
    return _run(settings, CONFIG_FILE, words)


def _first_files(settings: StudySettings) -> list[str]:
    return [f"first-{number}.yaml" for number in range(1, len(settings.first) + 1)]


def _run(settings: StudySettings, space: str, words: list[str]) -> str:
    command = ["topk-tune", "run", "--dataset", settings.dataset, "--space", space, *words]
    command += ["--protocol", settings.protocol, "--holdout", settings.holdout]
    command += ["--objective", settings.objective]
    if settings.exploration_cost is not None:
        command += ["--exploration-cost", repr(settings.exploration_cost)]
    command += ["--seeds", str(settings.seeds), "--seed", str(settings.seed)]
    for option in ("labels", "split"):
        value = getattr(settings, option)
        command += [] if value is None else [f"--{option}", value]
    return shlex.join(command)
