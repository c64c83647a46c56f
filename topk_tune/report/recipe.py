"""The information for repeating a study."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import yaml

from topk_tune.provenance.commands import study_command, study_inputs
from topk_tune.provenance.facts import commit, facts, versions
from topk_tune.report.content import Content


def recipe(content: Content) -> dict[str, str]:
    """The command, the seeds and the versions, by name."""
    settings, made_with = content.settings, _made_with()
    seeds = range(settings.seed, settings.seed + settings.seeds)
    held = sorted({seed for each in content.confirmed for seed in each.held.seeds})
    fresh = sorted({seed for each in content.confirmed for seed in each.seeds})
    found = {
        "command": study_command(settings, content.budget or len(content.records) or None),
        "seed of the study": str(settings.seed),
        "seeds of each trial": _listed(seeds),
        "seeds of the new ranking": _listed(held),
        "seeds of confirmations": _listed(fresh),
        "data set": settings.dataset,
        "fingerprint of the data": settings.fingerprint,
        "versions that wrote this report": versions(made_with),
        "git commit that wrote this report": commit(made_with),
    }
    return {name: value for name, value in found.items() if value}


def files(content: Content) -> dict[str, str]:
    """The files that the command reads and the settings, as YAML by file name."""
    settings = content.settings.model_dump(mode="json", exclude={"space"})
    contents = {**study_inputs(content.settings), "settings.yaml": settings}
    return {name: as_yaml(each) for name, each in contents.items()}


def as_yaml(values: Mapping[str, Any]) -> str:
    """A mapping as YAML, in its own order."""
    options: dict[str, Any] = {"default_flow_style": None, "width": 100, "allow_unicode": True}
    return str(yaml.safe_dump(dict(values), sort_keys=False, **options))


@cache
def _made_with() -> Mapping[str, str]:
    """The facts of this process, for which git is asked."""
    return facts()


def _listed(seeds: Any) -> str:
    """Seeds as a text; long lists are shortened to a range."""
    numbers = list(seeds)
    if len(numbers) > 12:
        return f"{numbers[0]} to {numbers[-1]} ({len(numbers)} seeds)"
    return ", ".join(map(str, numbers))
