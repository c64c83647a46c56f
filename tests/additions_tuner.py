"""One more of each kind that the tuner names, as a developer would add it to the project."""

from __future__ import annotations

from additions import Addition

METRIC = Addition(
    "a metric",
    {},
    {
        "topk_tune/training/metrics.py": [
            (
                '    Metric("ties"',
                '    Metric("right_pairs", "maximize", "losses", "new", lambda m: 1 - m.loss),\n'
                '    Metric("ties"',
            )
        ]
    },
    """
from topk_tune import tune

study = tune("synthetic:rows=80,m=4", trials=1, space="mine.yaml", objective="right_pairs",
             backend="local", workers=1, progress=False, track=False)
(trial,) = study.records()
assert trial.value == trial.metrics["right_pairs"] == 1 - trial.metrics["greedy_loss"]
print("works")
""",
)

SAMPLER = Addition(
    "a sampler",
    {},
    {
        "topk_tune/engine/samplers.py": [
            (
                '        Plugin("random"',
                '        Plugin("least", f"{_MAKERS}:least", "new"),\n        Plugin("random"',
            )
        ],
        "topk_tune/engine/optuna_samplers.py": [
            (
                "def random(turn: Turn)",
                "class Least(RandomSampler):\n"
                "    def sample_independent(self, study, trial, name, distribution):\n"
                "        return distribution.low\n\n\n"
                "def least(turn: Turn) -> BaseSampler:\n"
                "    return Least(seed=turn.seed)\n\n\n"
                "def random(turn: Turn)",
            )
        ],
    },
    """
from topk_tune import tune

study = tune("synthetic:rows=80,m=4", trials=2, space="mine.yaml", sampler="least",
             backend="local", workers=1, progress=False, track=False)
assert [trial.config["n_learners"] for trial in study.records()] == [1, 1]
print("works")
""",
)

PRUNER = Addition(
    "a pruner",
    {},
    {
        "topk_tune/engine/pruners.py": [
            (
                '        Plugin("hyperband"',
                '        Plugin("all", f"{_MAKERS}:all_of_them", "new"),\n'
                '        Plugin("hyperband"',
            )
        ],
        "topk_tune/engine/optuna_pruners.py": [
            (
                "def hyperband(steps: int)",
                "class All(BasePruner):\n"
                "    def prune(self, study, trial):\n"
                "        return True\n\n\n"
                "def all_of_them(steps: int) -> BasePruner:\n"
                "    return All()\n\n\n"
                "def hyperband(steps: int)",
            )
        ],
    },
    """
from topk_tune import tune

study = tune("synthetic:rows=80,m=4", trials=2, space="mine.yaml", pruner="all",
             backend="local", workers=1, progress=False, track=False)
assert [trial.state for trial in study.records()] == ["pruned", "pruned"]
print("works")
""",
)

READER = Addition(
    "a reader of files",
    {
        "topk_tune/data/readers/tabs.py": '''
from topk_tune.data.readers.table import table_of


def read_tabs(path, labels=None):
    """The last two columns are the labels."""
    head, *lines = [line.split("\\t") for line in path.read_text().splitlines()]
    X = [[float(each) for each in line[:-2]] for line in lines]
    Y = [[int(each) for each in line[-2:]] for line in lines]
    return table_of(path, X, Y, head[:-2], head[-2:])
'''
    },
    {
        "topk_tune/data/formats.py": [
            (
                '        Plugin("parquet"',
                '        Plugin("tab", f"{_READERS}.tabs:read_tabs", "new"),\n'
                '        Plugin("parquet"',
            )
        ]
    },
    """
from pathlib import Path
from topk_tune.data import load

Path("songs.tab").write_text("tempo\\tsad\\tloud\\n0.5\\t1\\t0\\n1.5\\t0\\t1\\n2.5\\t0\\t1\\n3.5\\t1\\t1\\n")
data = load("songs.tab", split="tail:0.5")
assert data.X_train.tolist() == [[0.5], [1.5]] and data.Y_test.tolist() == [[0, 1], [1, 1]]
print("works")
""",
)

STOP_RULE = Addition(
    "a stop rule",
    {},
    {
        "topk_tune/engine/stopping.py": [
            (
                "def _target(",
                "def _pruned(limit: int, so_far: Progress) -> str | None:\n"
                '    count = sum(each.state == "pruned" for each in so_far.finished)\n'
                '    return f"{limit} trials are pruned" if count >= limit else None\n\n\n'
                "def _target(",
            ),
            (
                "    target: float | None = option(",
                '    pruned: int | None = option(None, "New.", above=0, more=Limit(_pruned))\n'
                "    target: float | None = option(",
            ),
        ]
    },
    """
from typer.testing import CliRunner

from topk_tune.cli.app import app
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.trials import TrialRecord

ended = [TrialRecord(number, "pruned", {"loops": 1}) for number in range(2)]
assert StopOptions(pruned=2).reason(ended, 0.0) == "2 trials are pruned"
assert StopOptions(pruned=3).reason(ended, 0.0) is None
assert StopOptions.resumed(StopOptions(pruned=3).kept(), {}).pruned == 3
assert "--pruned" in CliRunner().invoke(app, ["run", "--help"]).output
assert "--pruned" in CliRunner().invoke(app, ["resume", "--help"]).output
print("works")
""",
)

OPTION = Addition(
    "an option of `run`",
    {},
    {
        "topk_tune/study/options.py": [
            (
                "    labels: str | None = option(\n",
                '    remark: str | None = option(None, "New.")\n    labels: str | None = option(\n',
            )
        ],
        "topk_tune/records/settings.py": [
            (
                "    labels: str | None = None\n",
                '    remark: str = ""\n    labels: str | None = None\n',
            )
        ],
    },
    """
from typer.testing import CliRunner

from topk_tune import tune
from topk_tune.cli.app import app
from topk_tune.provenance.commands import study_command

study = tune("synthetic:rows=80,m=4", trials=1, space="mine.yaml", remark="mine", backend="local",
             workers=1, progress=False, track=False)
assert study.settings.remark == "mine" and "--remark mine" in study_command(study.settings, 1)
assert "--remark" in CliRunner().invoke(app, ["run", "--help"]).output
print("works")
""",
)

BACKEND = Addition(
    "a backend",
    {
        "topk_tune/backends/lonely.py": """
from topk_tune.backends.local import LocalBackend


def make(resources, space, rows):
    return LocalBackend(1)
"""
    },
    {
        "topk_tune/backends/resources.py": [
            (
                "        Plugin(LOCAL",
                '        Plugin("lonely", "topk_tune.backends.lonely:make", "new"),\n'
                "        Plugin(LOCAL",
            )
        ]
    },
    """
from topk_tune import tune

study = tune("synthetic:rows=80,m=4", trials=2, space="mine.yaml", backend="lonely",
             progress=False, track=False)
assert [trial.state for trial in study.records()] == ["complete", "complete"]
print("works")
""",
)
