"""One more of each kind that boosters name, as a developer would add it to the project."""

from __future__ import annotations

from additions import Addition

WITHOUT_COMPILING = {"NUMBA_DISABLE_JIT": "1"}
"""Changed kernels would be compiled anew, which takes a minute; plain Python reads them too."""

TABLES = "booster/tables.py"

ALGORITHM = Addition(
    "an algorithm",
    {
        "booster/careful_ada.py": '''
from dataclasses import dataclass

from booster.top_ada import TopAda


@dataclass(eq=False, kw_only=True)
class CarefulAda(TopAda):
    """TopAda that trusts no single observation too much."""

    def _make_rules(self, key):
        return super()._make_rules(key)._replace(least_probability=0.1)
''',
        "search_spaces/careful.yaml": "default: {algorithm: careful, loops: 1, n_learners: 2}\n",
    },
    {
        TABLES: [
            (
                '        Plugin("topada"',
                '        Plugin("careful", "booster.careful_ada:CarefulAda", "new"),\n'
                '        Plugin("topada"',
            )
        ]
    },
    """
import booster
from topk_tune.data import load
from topk_tune.spaces.schema import schema_text
from topk_tune.study.plan import choose_space
from topk_tune.training.training import run_trial
from topk_tune.training.trial import TrialConfig, test_rows, train_booster

data = load("synthetic:rows=100,m=6")
space = choose_space(None, "careful", "yeast")
space.check(data.n_features, data.n_labels)
config = space.grid()[0]
assert list(run_trial(TrialConfig.of(config), 0, test_rows(data), "read-only"))
assert "careful" in schema_text() and booster.CarefulAda.__name__ in booster.__all__
train_booster(config, 0, data).save("saved.npz")
assert type(booster.load("saved.npz")) is booster.CarefulAda
print("works")
""",
)

LEARNER = Addition(
    "a weak learner",
    {
        "booster/learners/constant.py": '''
class Constant:
    """Learns nothing."""

    n_nodes, n_attempts, nbytes, bounded_bytes = 1, 0, 100, 100

    def __init__(self, n_classes, covariates, **born):
        self.n_classes = n_classes

    def distribution(self, x):
        return [1 / self.n_classes] * self.n_classes

    def learn(self, x, label, weight):
        pass
'''
    },
    {
        TABLES: [
            (
                "        Plugin(\n            NATIVE,",
                '        Plugin("constant", "booster.learners.constant:Constant", "new"),\n'
                "        Plugin(\n            NATIVE,",
            )
        ]
    },
    """
from topk_tune.data import load
from topk_tune.spaces import Choice, Fixed, Space
from topk_tune.training.training import run_trial
from topk_tune.training.trial import TrialConfig, test_rows, why_unsaved

data = load("synthetic:rows=100,m=6")
named = {"algorithm": "topada", "loops": 1, "n_learners": 2, "learner": "constant"}
Space({name: Fixed(value) for name, value in named.items()}).check(5, 6)
(report,) = run_trial(TrialConfig.of(named), 0, test_rows(data), "read-only")
assert report.nodes == 2 and "constant" in why_unsaved(named)
print("works")
""",
)

SCHEME = Addition(
    "an exploration scheme",
    {},
    {
        TABLES: [
            (
                '        Plugin(\n            "single-swap",',
                '        Plugin("reverse", "booster.exploration:reverse", "last label first"),\n'
                '        Plugin(\n            "single-swap",',
            )
        ],
        "booster/exploration.py": [
            (
                "single_swap = Scheme(",
                "reverse = Scheme(\n"
                "    schemes.REVERSE, lambda m, k: np.full(3, 0.5), lambda m, k: k < m, "
                '"k < n_labels"\n)\nsingle_swap = Scheme(',
            )
        ],
        "booster/kernels/schemes.py": [
            ("UNIFORM, SINGLE_SWAP = range(2)", "UNIFORM, SINGLE_SWAP, REVERSE = range(3)"),
            (
                "    else:\n        shuffle(order, rng)",
                "    elif rules.scheme == REVERSE:\n        order[:] = order[::-1].copy()\n"
                "    else:\n        shuffle(order, rng)",
            ),
        ],
    },
    """
import numpy as np
import booster
from booster.kernels.ranking import explore, order_labels

made = booster.TopOpt(n_features=2, n_labels=5, n_learners=1, rho=0.999, exploration="reverse")
assert made._work.explored.tolist() == [0.5] * 3
made._work.scores[:], made._work.rate[:] = [5, 4, 3, 2, 1], 1.0
order_labels(made._rules, True, made._work)
explore(made._rules, made._work)
assert made._work.order.tolist() == [4, 3, 2, 1, 0]
try:
    booster.TopOpt(n_features=2, n_labels=5, k=5, exploration="reverse")
except ValueError as error:
    assert "k < n_labels = 5" in str(error)
    print("works")
""",
    WITHOUT_COMPILING,
)

SCHEDULE = Addition(
    "a schedule of exploration",
    {},
    {
        TABLES: [
            (
                '        Plugin("linear"',
                '        Plugin("half", "booster.kernels.schedule:HALF", "half of it at once"),\n'
                '        Plugin("linear"',
            )
        ],
        "booster/kernels/schedule.py": [
            ("GEOMETRIC, POWER = range(5)", "GEOMETRIC, POWER, HALF = range(6)"),
            (
                "    if rules.schedule == LINEAR:",
                "    if rules.schedule == HALF:\n        return 0.5 * rules.rho\n"
                "    if rules.schedule == LINEAR:",
            ),
        ],
    },
    """
import booster
from booster.kernels.schedule import rate

made = booster.TopOpt(n_features=2, n_labels=5, rho=0.4, schedule="half", horizon=9)
assert [rate(made._rules, t) for t in (1, 9, 10)] == [0.2, 0.2, made.rho_end]
print("works")
""",
    WITHOUT_COMPILING,
)
