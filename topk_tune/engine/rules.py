"""Rules of the search for the settings and limits of a study, checked when it is made or run."""

from topk_tune.engine.pruners import NEVER, PRUNERS, STEADY, WHOLE_RUNS
from topk_tune.engine.samplers import NO_BOUNDS, SAMPLERS
from topk_tune.engine.settled import LEAST_LOOPS, least_trials
from topk_tune.engine.stopping import StopOptions
from topk_tune.plugins.names import one_of
from topk_tune.records.settings import StudySettings
from topk_tune.training.metrics import METRICS, WHILE_LEARNING, every_metric, metric

# After the last seed there is nothing left to save. With fewer than four pairs before it, even the
# most extreme outcome of the test is not significant at 10%.
_LEAST_SEEDS = 5


def check(settings: StudySettings) -> None:
    """Raise a ValueError for unknown names, and for settings that cannot be combined."""
    _check_objective(settings)
    _check_sampler(settings)
    _check_pruner(settings)


def check_limits(stop: StopOptions, settings: StudySettings, loops: int) -> None:
    """Raise a ValueError for a limit that a study could never reach."""
    if stop.settled is None:
        return
    if settings.seeds == 1 and loops < LEAST_LOOPS:
        raise ValueError(
            f"settled compares seeds, or with one seed the last loops: it needs 2 seeds or "
            f"{LEAST_LOOPS} loops, but got 1 and {loops}"
        )
    least = least_trials(stop.settled)
    if stop.trials is not None and stop.trials <= least:
        raise ValueError(
            f"settled = {stop.settled} needs more than {least} trials, but got {stop.trials}"
        )


def _check_objective(settings: StudySettings) -> None:
    known = every_metric()  # workers compute them all, so a broken one would fail every trial
    chosen = metric(one_of("objective", settings.objective, METRICS))
    if settings.direction != chosen.direction:
        raise ValueError(
            f"the direction of {chosen.name} must be {chosen.direction}, "
            f"but got {settings.direction}"
        )
    if settings.protocol == "paper" and chosen.needs not in WHILE_LEARNING:
        options = ", ".join(each.name for each in known if each.needs in WHILE_LEARNING)
        raise ValueError(
            f"protocol paper learns from the rows that it measures with, so the objective must be "
            f"one of {options}, which can be measured while learning; but got {chosen.name}"
        )


def _check_sampler(settings: StudySettings) -> None:
    traits = SAMPLERS[SAMPLERS.named(settings.sampler)].traits
    if settings.exploration_cost is not None and NO_BOUNDS in traits:
        raise ValueError(
            f"sampler {settings.sampler} cannot handle bounds: exploration_cost needs another"
        )


def _check_pruner(settings: StudySettings) -> None:
    pruner = settings.pruner
    traits = PRUNERS[PRUNERS.named(pruner)].traits
    if WHOLE_RUNS in traits and settings.seeds < _LEAST_SEEDS:
        raise ValueError(
            f"pruner {pruner} compares seeds and needs at least {_LEAST_SEEDS} of them, "
            f"but got {settings.seeds}"
        )
    if settings.runtime_objective and NEVER not in traits:
        raise ValueError(
            "with runtime as a second objective nothing is pruned: the pruner must be "
            f"{_any_of(NEVER)}, but got {pruner}"
        )
    if settings.deterministic and STEADY not in traits:
        raise ValueError(
            f"pruner {pruner} may compare running trials, so its decisions depend on the "
            f"workers: deterministic needs one of {_any_of(STEADY)}"
        )


def _any_of(trait: str) -> str:
    return ", ".join(PRUNERS.with_trait(trait))
