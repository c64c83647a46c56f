"""The kinds of plugins, and where the table of each kind is.

The tables are given by name, not imported, because their rooms lie above this one. A new kind is
one more line.
"""

from booster.plugins import Plugin, Table

KINDS = Table(
    "kind",
    [
        Plugin("algorithms", "booster.tables:ALGORITHMS", "what is tuned"),
        Plugin("learners", "booster.tables:LEARNERS", "the weak learners of a booster"),
        Plugin("observers", "booster.tables:OBSERVERS", "what leaves observe of a feature"),
        Plugin("leaves", "booster.tables:LEAVES", "how a leaf votes"),
        Plugin("explorations", "booster.tables:SCHEMES", "how rankings are randomised"),
        Plugin("schedules", "booster.tables:SCHEDULES", "how the exploration rate changes"),
        Plugin("metrics", "topk_tune.training.metrics:METRICS", "what is measured of every trial"),
        Plugin("samplers", "topk_tune.engine.samplers:SAMPLERS", "how configurations are chosen"),
        Plugin("pruners", "topk_tune.engine.pruners:PRUNERS", "which trials are stopped early"),
        Plugin("backends", "topk_tune.backends.resources:BACKENDS", "where trials run"),
        Plugin("readers", "topk_tune.data.formats:READERS", "data files, by their ending"),
    ],
)
