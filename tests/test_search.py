"""Which configuration comes next, and which trials are given up."""

from collections.abc import Sequence
from concurrent.futures import Future
from importlib.util import find_spec
from typing import Any

import optuna
import pytest
from messages import raises
from tuning import report, settings, space

from topk_tune.engine import samplers
from topk_tune.engine.optuna_pruners import make_pruner
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.pruners import PAUSING, PRUNERS
from topk_tune.engine.running_trial import RunningTrial
from topk_tune.records.trials import SeedRun, TrialRecord
from topk_tune.spaces import Choice, Fixed, Float, Int, Space, read_space

SAMPLERS = [name for name in samplers.SAMPLERS if name != "gp" or find_spec("torch")]
SEARCHING = [name for name in SAMPLERS if name != "grid"]

MIXED = space(weight_cap=Choice([None, 1, 10]))
GRID = space(n_learners=Choice([1, 2]), rho=Float(0.1, 0.3, step=0.1))


def searching(searched: Space = MIXED, **changes: Any) -> Proposer:
    return Proposer(settings(searched, **changes), searched)


def record(number: int, config: dict[str, Any], loss: float) -> TrialRecord:
    return TrialRecord(number, "complete", config, (SeedRun(0, (report(1, loss),)),))


def loss_of(config: dict[str, Any]) -> float:
    return float(config["rho"] + 0.01 * config["n_learners"])


def evaluate(search: Proposer, numbers: Sequence[int]) -> list[optuna.trial.FrozenTrial]:
    """Ask for trials and tell how they did, one after another."""
    frozen = []
    for number in numbers:
        asked = search.ask(str(number))
        assert asked is not None
        trial, config = asked
        outcome = record(number, config, loss_of(config))
        frozen.append(search.outcome(trial, outcome))
        frozen[-1].datetime_complete = frozen[-1].datetime_start  # as the storage does
        search.tell(trial, outcome)
    return frozen


def params(trials: Sequence[optuna.trial.FrozenTrial]) -> list[dict[str, Any]]:
    return [trial.params for trial in trials]


@pytest.mark.parametrize("sampler", SEARCHING)
def test_every_choice_lies_in_the_space(sampler: str) -> None:
    for trial in evaluate(searching(sampler=sampler), range(15)):
        MIXED.contains({"algorithm": "topada", "loops": 6, **trial.params})


@pytest.mark.parametrize("sampler", SEARCHING)
def test_the_seed_decides(sampler: str) -> None:
    once, again = (params(evaluate(searching(sampler=sampler), range(12))) for _ in range(2))
    other = params(evaluate(searching(sampler=sampler, seed=1), range(12)))
    assert once == again
    assert once != other


@pytest.mark.parametrize("sampler", SEARCHING)
def test_a_search_that_is_taken_up_goes_on_as_if_it_had_not_stopped(sampler: str) -> None:
    whole = evaluate(searching(sampler=sampler), range(16))
    resumed = searching(sampler=sampler)
    resumed.learn(whole[:9])
    assert params(evaluate(resumed, range(9, 16))) == params(whole[9:])


@pytest.mark.parametrize("sampler", ["tpe", "random", "qmc"])
def test_trials_that_run_at_once_differ(sampler: str) -> None:
    search = searching(sampler=sampler)
    evaluate(search, range(12))
    asked = [search.ask(str(number)) for number in range(12, 20)]
    configs = [config for _, config in filter(None, asked)]
    assert len({repr(config) for config in configs}) == 8


def test_tpe_finds_the_better_corner() -> None:
    """Half of all random choices have rho below 0.175; of TPE's later ones most must."""
    later = evaluate(searching(sampler="tpe"), range(50))[30:]
    assert sum(trial.params["rho"] < 0.175 for trial in later) >= 15


def test_a_grid_is_walked_through_once() -> None:
    search = searching(GRID, sampler="grid")
    asked = [search.ask(str(number)) for number in range(7)]
    assert [config for _, config in asked[:6] if asked] == GRID.grid()
    assert asked[6] is None


def test_a_grid_leaves_out_what_was_tried() -> None:
    points = GRID.grid()
    search = searching(GRID, sampler="grid")
    search.skip([points[0], points[4]])
    asked = [search.ask(str(number)) for number in range(5)]
    assert [config for _, config in filter(None, asked)] == [points[i] for i in (1, 2, 3, 5)]


@pytest.mark.parametrize(("algorithm", "size"), [("topada", 200), ("topopt", 800)])
def test_the_grid_of_table_5(algorithm: str, size: int) -> None:
    table5 = read_space("table5").fixed(algorithm=algorithm)
    search = searching(table5, sampler="grid")
    configs = [asked[1] for number in range(size) if (asked := search.ask(str(number)))]
    assert configs == table5.grid()
    assert {round(config["rho"], 9) for config in configs} == {i / 100 for i in range(1, 11)}
    assert search.ask(str(size)) is None


def test_a_range_without_a_step_is_no_grid() -> None:
    with raises(ValueError, "rho:", "step", "grid"):
        searching(sampler="grid")


@pytest.mark.skipif(find_spec("torch") is not None, reason="PyTorch is installed")
def test_gp_says_what_it_needs() -> None:
    with pytest.raises(ValueError, match="sampler gp needs PyTorch, which is not installed"):
        searching(sampler="gp")


@pytest.mark.parametrize("pruner", sorted(set(PRUNERS) - set(PRUNERS.with_trait(PAUSING))))
def test_every_pruner_can_be_made_for_one_loop(pruner: str) -> None:
    assert isinstance(make_pruner(pruner, 1), optuna.pruners.BasePruner)


def prune_at(search: Proposer, seeds: Sequence[Sequence[float]]) -> tuple[int, int] | None:
    """Report losses loop by loop, seed by seed; returns the seed and loop at which to stop."""
    asked = search.ask(str(0))
    assert asked is not None
    trial, config = asked
    number: Future[int | None] = Future()
    number.set_result(trial.number)
    long = {**config, "loops": len(seeds[0])}
    run = RunningTrial(trial, long, tuple(range(len(seeds))), settings().goal, number)
    for repeat, losses in enumerate(seeds):
        for loop, loss in enumerate(losses, 1):
            run.add(repeat, report(loop, loss))
            if search.hopeless(run, repeat):
                return repeat, loop
    search.tell(trial, record(0, config, min(min(losses) for losses in seeds)))
    return None


GOOD, BAD = [0.3] * 6, [0.9] * 6


@pytest.mark.parametrize("pruner", ["median", "hyperband"])
def test_a_trial_that_is_much_worse_is_stopped_early(pruner: str) -> None:
    search = searching(pruner=pruner)
    for _ in range(12):
        assert prune_at(search, [GOOD]) is None
    stopped = prune_at(search, [BAD])
    assert stopped is not None
    assert stopped[1] < 6


def test_the_first_loops_and_the_first_trials_say_little() -> None:
    search = searching(pruner="median")
    for _ in range(4):
        prune_at(search, [GOOD])
    assert prune_at(search, [BAD]) is None
    assert prune_at(search, [[0.9, 0.9, 0.3, 0.3, 0.3, 0.3]]) is None


def test_without_a_pruner_nothing_is_stopped() -> None:
    search = searching(pruner="none")
    for _ in range(12):
        prune_at(search, [GOOD])
    assert prune_at(search, [BAD]) is None


def test_the_median_works_across_seeds() -> None:
    """A trial that is like the others on the first seed may be given up on the second."""
    search = searching(pruner="median", seeds=2)
    for _ in range(6):
        prune_at(search, [GOOD, GOOD])
    assert prune_at(search, [[0.1] * 6, GOOD]) is None
    stopped = prune_at(search, [[0.9] * 3, BAD])
    assert stopped is not None


def test_wilcoxon_pairs_the_seeds() -> None:
    search = searching(pruner="wilcoxon", seeds=8)
    assert prune_at(search, [[0.3 + 0.01 * i] for i in range(8)]) is None
    stopped = prune_at(search, [[0.5, 0.4 + 0.01 * i] for i in range(8)])
    assert stopped is not None
    assert stopped[1] == 2  # after a whole run, never within one
    assert prune_at(search, [[0.29 + 0.01 * i] for i in range(8)]) is None


def test_wilcoxon_needs_seeds() -> None:
    with pytest.raises(ValueError, match="at least 5 of them, but got 4"):
        searching(pruner="wilcoxon", seeds=4)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"runtime_objective": True, "pruner": "median"}, "the pruner must be none, but got"),
        ({"deterministic": True, "pruner": "asha"}, "needs one of median, wilcoxon, none"),
        ({"deterministic": True, "runtime_objective": True}, "runtime.*deterministic"),
        ({"name": "a/b"}, "a study's name must have 1 to 100 letters"),
        ({"seeds": 0}, "greater than or equal to 1"),
    ],
)
def test_settings_that_contradict_each_other(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        searching(**changes)


def test_a_space_that_was_widened_keeps_what_was_learned() -> None:
    narrow, wide = space(rho=Float(0.1, 0.2)), space(rho=Float(0.05, 0.3), k=Fixed(2))
    before = evaluate(searching(narrow), range(12))
    search = searching(wide)
    search.learn(before)
    assert len(evaluate(search, range(12, 30))) == 18


def drawn(search: Proposer, turns: Sequence[str], ahead: int) -> list[dict[str, Any]]:
    return [asked[1] for turn in turns if (asked := search.ask(turn, ahead))]


def test_many_choices_at_once_are_as_good_as_single_ones() -> None:
    """The optimum is at rho = 0.05 with one learner; draws at random are far from it on average."""
    for ahead in (1, 16):
        search = searching(space())
        evaluate(search, range(60))
        found = drawn(search, [f"later {number}" for number in range(48)], ahead)
        assert all(
            0.05 <= config["rho"] <= 0.3 and 1 <= config["n_learners"] <= 8 for config in found
        )
        assert len({config["rho"] for config in found}) == 48
        assert sum(map(loss_of, found)) / 48 < 0.16  # at random: 0.22


def test_many_choices_before_anything_is_known_are_random_and_in_the_space() -> None:
    search = searching(space(rho=Float(0.1, 0.3, step=0.1)))
    found = drawn(search, [str(number) for number in range(30)], 8)
    assert {round(config["rho"], 9) for config in found} == {0.1, 0.2, 0.3}
    assert {config["n_learners"] for config in found} <= set(range(1, 9))
    assert len({config["n_learners"] for config in found}) > 4


@pytest.mark.parametrize("sampler", ["tpe", "random", "grid", "qmc", "cmaes"])
def test_a_trial_is_recorded_with_the_decimals_that_it_is_run_with(sampler: str) -> None:
    searched = space(rho=Float(0.01, 0.1, step=0.01), n_learners=Int(1, 2))
    search = Proposer(settings(searched, sampler=sampler), searched)
    decimals = {round(0.01 * i, 2) for i in range(1, 11)}
    for turn in range(12):
        asked = search.ask(str(turn))
        assert asked is not None
        trial, config = asked
        assert trial.params["rho"] == config["rho"]
        assert config["rho"] in decimals
