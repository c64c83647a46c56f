"""What every sampler must do."""

from typing import Any

from optuna.trial import FrozenTrial

from booster.checks import demand
from topk_tune.engine.proposer import Proposer
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import SeedRun, TrialRecord
from topk_tune.spaces import Choice, Fixed, Float, Int, Space
from topk_tune.training.trial import LoopReport

_TRIALS = 14
_RESUMED_AFTER = 8

_SPACE = Space(
    {
        "algorithm": Fixed("topada"),
        "loops": Fixed(2),
        "n_learners": Int(1, 8),
        "rho": Float(0.05, 0.3, step=0.05),
        "weight_cap": Choice([None, 1, 10]),
    }
)

Config = dict[str, Any]


def check_sampler(name: str, space: Space | None = None) -> None:
    """Check that a sampler stays inside the space and depends on finished trials and turn alone.

    Parameters
    ----------
    name
        As `--sampler` takes it: a name, or MODULE:CLASS.
    space
        Where to search, if it must be a space of a certain kind.
    """
    space = space or _SPACE
    whole, frozen = _searched(_proposer(name, space), 0, space)
    for config in whole:
        demand(space.allows(config), f"{name} must stay inside the space, but chose {config}")
    again, _ = _searched(_proposer(name, space), 0, space)
    demand(
        whole == again,
        f"{name} must choose the same after the same trials: all that is random comes from its seed"
        f"; but got {_first_difference(whole, again)}",
    )
    resumed = _proposer(name, space)
    resumed.learn(frozen[:_RESUMED_AFTER])
    resumed.skip(whole[:_RESUMED_AFTER])
    rest, _ = _searched(resumed, _RESUMED_AFTER, space)
    demand(
        whole[_RESUMED_AFTER:] == rest,
        f"{name} must go on as if a study had not been interrupted: it is made anew for each turn, "
        f"and may keep nothing; but got {_first_difference(whole[_RESUMED_AFTER:], rest)}",
    )


def _proposer(name: str, space: Space) -> Proposer:
    settings = StudySettings(
        name="check",
        dataset="none",
        fingerprint="none",
        space=space.to_dict(),
        sampler=name,
        pruner="none",
    )
    return Proposer(settings, space)


def _searched(
    proposer: Proposer, start: int, space: Space
) -> tuple[list[Config], list[FrozenTrial]]:
    """The configurations that are asked for, each told before the next, and Optuna's trials."""
    configs, trials = [], []
    for turn in range(start, _TRIALS):
        asked = proposer.ask(str(turn))
        if asked is None:
            break
        trial, config = asked
        report = LoopReport(1, {"shown_loss": _loss(config, space)})
        record = TrialRecord(turn, "complete", config, (SeedRun(0, (report,)),))
        frozen = proposer.outcome(trial, record)
        frozen.datetime_complete = frozen.datetime_start  # as a storage does
        proposer.tell(trial, record)
        configs.append(config)
        trials.append(frozen)
    return configs, trials


def _loss(config: Config, space: Space) -> float:
    """A loss that depends on every parameter."""
    texts = [repr(config.get(name)) for name in space.parameters]
    return sum(i * sum(map(ord, text)) % 97 for i, text in enumerate(texts, 1)) / 97


def _first_difference(ones: list[Config], others: list[Config]) -> str:
    pairs = [(one, other) for one, other in zip(ones, others, strict=False) if one != other]
    one, other = pairs[0] if pairs else (f"{len(ones)} trials", f"{len(others)}")
    return f"{one}, then {other}"
