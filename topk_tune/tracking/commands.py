"""The commands that repeat a study or one of its trials, bit for bit."""

import shlex

from topk_tune.settings import StudySettings

CONFIG_FILE = "config.yaml"
SPACE_FILE = "space.yaml"


def study_command(settings: StudySettings, trials: int | None) -> str:
    """The command that searches again as a study did, with the space of its run."""
    words = ["--sampler", settings.sampler, "--pruner", settings.pruner]
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


def _run(settings: StudySettings, space: str, words: list[str]) -> str:
    command = ["topk-tune", "run", "--dataset", settings.dataset, "--space", space, *words]
    command += ["--protocol", settings.protocol, "--holdout", settings.holdout]
    command += ["--seeds", str(settings.seeds), "--seed", str(settings.seed)]
    for option in ("labels", "split"):
        value = getattr(settings, option)
        command += [] if value is None else [f"--{option}", value]
    return shlex.join(command)
