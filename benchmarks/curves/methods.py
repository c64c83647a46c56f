"""The ways to search that are compared."""

from __future__ import annotations

from benchmarks.curves.search import Method
from benchmarks.curves.variants import PLACE

PLAIN = "plain Optuna"
"""Optuna's own loop in each worker, with its defaults: TPE, and the median from the first loop."""

MEDIAN = "TPE, median after 3 loops"

WAYS = {
    "random": Method("random", "none"),
    "random, median after 3 loops": Method("random"),
    "TPE": Method(pruner="none"),
    MEDIAN: Method(),
    "TPE, best quarter after 3 loops": Method(pruner=f"{PLACE}:BestQuarter"),
    "TPE, Wilcoxon over loops": Method(pruner=f"{PLACE}:LoopsByWilcoxon"),
    "TPE, hyperband": Method(pruner="hyperband"),
    "TPE, asha": Method(pruner="asha"),
    "TPE, thaw": Method(pruner="thaw"),
    "TPE, every trial 5 loops": Method(pruner="none", loops=5),
    "TPE, every trial 10 loops": Method(pruner="none", loops=10),
    "5 configurations first, TPE, median": Method(first=5),
    "5 configurations first, TPE, asha": Method(pruner="asha", first=5),
    "5 configurations first, TPE, thaw": Method(pruner="thaw", first=5),
}
"""Samplers, pruners and first configurations, by the names that tables show."""

GP = {"GP, median after 3 loops": Method("gp")}
"""Needs PyTorch, which the project does not install."""

CHANGES = {
    "not asked ahead": Method(ahead=False),
    "stopped at once": Method(prompt=True),
    "median from loop 1": Method(pruner=f"{PLACE}:MedianAtOnce"),
    "all three": Method(pruner=f"{PLACE}:MedianAtOnce", ahead=False, prompt=True),
    "each parameter by itself": Method(f"{PLACE}:IndependentTPE"),
    "running trials ignored": Method(f"{PLACE}:TrustingTPE"),
    "TPE after 5 random trials": Method(f"{PLACE}:EarlyTPE"),
    "asha stopped at once": Method(pruner="asha", prompt=True),
}
"""Changes of the search with the median, one at a time."""

METHODS = {**WAYS, **GP, **CHANGES}
