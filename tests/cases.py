"""Boosters of every algorithm, small streams, and bitwise comparison: shared by the tests that
hold for all algorithms.

Algorithms are discovered, and so are the exploration schemes and schedules that apply to them: a
new one is under test as soon as it is in `booster.ALGORITHMS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from booster import ALGORITHMS, Booster
from booster.checks import N_FEATURES, N_LABELS, told
from booster.checks import play as play
from booster.checks import stream as stream
from booster.kernels.state import CELLS, ENTRIES, FREE, NODES, PAGES, ROWS, SLOTS
from booster.tables import BAYES, CONSTANT, GAUSSIAN, LEAVES, OBSERVERS, SCHEDULES, SCHEMES

K = 3

feedback = told


@dataclass(frozen=True)
class Case:
    """An algorithm, with an exploration scheme and a schedule if it takes them."""

    algorithm: type[Booster]
    options: dict[str, Any] = field(default_factory=dict)

    def make(self, **parameters: Any) -> Booster:
        """A small booster. Top-k ones explore often, so that short streams see it happen."""
        small = {"n_features": N_FEATURES, "n_labels": N_LABELS, "n_learners": 6, "seed": 3}
        return self.algorithm(**small | self.options | parameters)

    def __str__(self) -> str:
        names = ("exploration", "schedule", "observer", "leaves")
        chosen = [self.options.get(name) for name in names]
        return "-".join([self.algorithm.__name__, *filter(None, chosen)])


def takes(algorithm: type[Booster], parameter: str) -> bool:
    """Whether the algorithm has this parameter."""
    return parameter in {f.name for f in fields(algorithm)}


def _cases() -> Iterable[Case]:
    schemes = list(SCHEMES)
    for algorithm in map(ALGORITHMS.load, ALGORITHMS.own):
        if takes(algorithm, "exploration"):
            for scheme in schemes:
                yield Case(algorithm, {"exploration": scheme, "rho": 0.2, "k": K})
            for place, schedule in enumerate(s for s in SCHEDULES if s != CONSTANT):
                scheme = schemes[place % len(schemes)]
                fades = {"schedule": schedule, "rho": 0.4, "rho_end": 0.05, "horizon": 150}
                yield Case(algorithm, {"exploration": scheme, "k": K} | fades)
        else:
            yield Case(algorithm)


def _feedback_options(algorithm: type[Booster]) -> dict[str, Any]:
    return {"rho": 0.2, "k": K} if takes(algorithm, "exploration") else {}


CASES = list(_cases())
OBSERVED = [
    Case(algorithm, {"observer": observer, "leaves": leaves} | _feedback_options(algorithm))
    for algorithm in map(ALGORITHMS.load, ALGORITHMS.own)
    for observer in OBSERVERS
    for leaves in LEAVES
    if (observer, leaves) != (GAUSSIAN, BAYES)
]
"""Every algorithm with every observer and kind of leaf."""

TOP_K = [case for case in CASES if not case.algorithm.full]
FULL = [case for case in CASES if case.algorithm.full]


def each(cases: Sequence[Case]) -> pytest.MarkDecorator:
    """Parametrise a test by cases, of which `make check` tries each schedule with one algorithm."""
    turns = list(dict.fromkeys(case.algorithm for case in TOP_K))

    def quick(case: Case) -> bool:
        place = list(SCHEDULES).index(case.options.get("schedule", CONSTANT))
        return case.algorithm is turns[place % len(turns)] or "schedule" not in case.options

    slow = [() if quick(case) else pytest.mark.slow for case in cases]
    params = [pytest.param(c, marks=m, id=str(c)) for c, m in zip(cases, slow, strict=True)]
    return pytest.mark.parametrize("case", params)


def sparse_stream(case: Case, n_rows: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows of which half is zero, and labels that each depend on one feature.

    What is not zero is 1 for a binary observer, and of either sign for others.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, N_FEATURES)).astype(np.float32)
    X[rng.random(X.shape) < 0.5] = 0.0
    if case.options.get("observer") == "binary":
        X = (X != 0).astype(np.float32)
    signal = np.repeat(X, 2, axis=1)[:, :N_LABELS] * np.resize([1, -1], N_LABELS)
    signal[:, 1::2] += 0.5 * (X.min() >= 0)  # so that these labels are not always absent
    return X, (signal + 0.1 * rng.normal(size=signal.shape) > 0.3).astype(np.uint8)


def arrays_of(state: Any, prefix: str = "") -> dict[str, NDArray[Any]]:
    """The arrays of nested named tuples, by dotted names."""
    arrays = {}
    for name, value in state._asdict().items():
        if isinstance(value, np.ndarray):
            arrays[prefix + name] = value
        else:
            arrays |= arrays_of(value, f"{prefix}{name}.")
    return arrays


def learned(booster: Booster) -> dict[str, bytes]:
    """All that a booster has learned, bit for bit.

    Room left for growth is not compared: how much there is depends on when it was made.
    """
    counts = booster._state().forest.counts
    used = {
        "forest.nodes": counts[NODES],
        "forest.rows.": counts[ROWS],
        "forest.slots.": counts[SLOTS],
        "forest.free": counts[FREE],
        "forest.entries.key": counts[ENTRIES],
        "forest.entries.value": counts[ENTRIES],
        "forest.cells.key": counts[CELLS],
        "forest.cells.value": counts[CELLS],
        "forest.notes.word": counts[PAGES],
    }
    bits = {"rounds": str(booster.rounds).encode()}
    for name, array in arrays_of(booster._state()).items():
        length = next((n for start, n in used.items() if name.startswith(start)), len(array))
        bits[name] = array[:length].tobytes()
    return bits


def snapshot(booster: Booster) -> dict[str, bytes]:
    """Everything that a later call may depend on: what was learned, its room for growth, and the
    prediction that waits for feedback."""
    bits = {name: array.tobytes() for name, array in arrays_of(booster._state()).items()}
    bits |= {name: array.tobytes() for name, array in arrays_of(booster._tables).items()}
    pending = booster._pending
    bits["rounds"] = str(booster.rounds).encode()
    bits["pending"] = b"none" if pending is None else b"".join(map(np.ndarray.tobytes, pending))
    if pending is not None:
        bits["order"] = booster._work.order.tobytes()
        bits["inside"] = booster._work.inside.tobytes()
        bits["h"] = booster._work.h.tobytes()
    return bits


def differing(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    """The names of what is not the same bit for bit."""
    assert one.keys() == other.keys()
    return [name for name in one if one[name] != other[name]]


def assert_same(one: Booster, other: Booster) -> None:
    """Both boosters have learned the same, bit for bit."""
    names = differing(learned(one), learned(other))
    assert not names, f"not the same bits: {', '.join(names)}"
