"""Curves of configurations that were never trained, from those that were.

A forest of extremely randomised trees predicts the mean over seeds of every loop. What it
leaves unexplained is added again, since a search of a smooth landscape would be too easy: the
part that all seeds share comes from the nearest known configuration, and the part that a seed
adds from a configuration drawn by a hash, so that it is the same each time.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.model_selection import KFold, cross_val_predict

from benchmarks.curves.table import CurveTable
from topk_tune.spaces import Choice, Fixed, Space
from topk_tune.training.objective import DEFAULT

Floats = NDArray[np.float64]


class Curve(NamedTuple):
    """The loss after each loop and the processor seconds up to there."""

    loss: Floats
    seconds: Floats


class Encoder:
    """Configurations as points of the unit cube; options of a choice are corners."""

    def __init__(self, space: Space) -> None:
        self._searched = {
            name: parameter
            for name, parameter in space.parameters.items()
            if not isinstance(parameter, Fixed)
        }

    def __call__(self, config: Mapping[str, Any]) -> Floats:
        """One point."""
        parts: list[float] = []
        for name, parameter in self._searched.items():
            if isinstance(parameter, Choice):
                parts += [float(config[name] == option) for option in parameter.options]
                continue
            low, high = parameter.extremes
            at, ends = config[name], (low, high)
            if getattr(parameter, "log", False):
                at, ends = np.log(at), (np.log(low), np.log(high))
            parts.append(float((at - ends[0]) / (ends[1] - ends[0])))
        return np.array(parts)


class Surrogate:
    """The curves of a table, and of configurations between them.

    Parameters
    ----------
    table
        The table.
    metric
        The loss.
    """

    def __init__(self, table: CurveTable, metric: str = DEFAULT) -> None:
        self.encode = Encoder(table.space)
        self._loss, self._seconds = table.of(metric), table.seconds
        self._loops = self._loss.shape[2]
        self._rows = {_key(config): row for row, config in enumerate(table.configs)}
        self._points = np.array([self.encode(config) for config in table.configs])
        self._targets = _targets(self._loss, self._seconds)
        self._means = self._targets.mean(axis=1)
        self.unseen = cross_val_predict(
            _forest(), self._points, self._means, cv=KFold(min(10, len(self._points)))
        )
        forest = _forest().fit(self._points, self._means)
        # Called tree by tree: for one point, the forest's own bookkeeping takes most of the time.
        self._trees = [each.tree_ for each in forest.estimators_]
        self._shared = self._means - forest.predict(self._points)
        self._own = self._targets - self._means[:, None, :]
        self._made: dict[tuple[str, int], Curve] = {}

    @property
    def seeds(self) -> int:
        """How many seeds the table has."""
        return int(self._loss.shape[1])

    def curve(self, config: Mapping[str, Any], seed: int) -> Curve:
        """The curve of a configuration; seeds beyond those of the table are mapped to them."""
        key, seed = _key(config), seed % self.seeds
        if key in self._rows:
            row = self._rows[key]
            return Curve(self._loss[row, seed], self._seconds[row, seed])
        if (key, seed) not in self._made:
            self._made[key, seed] = self._imagined(key, config, seed)
        return self._made[key, seed]

    def _imagined(self, key: str, config: Mapping[str, Any], seed: int) -> Curve:
        point = self.encode(config)
        nearest = int(np.argmin(((self._points - point) ** 2).sum(axis=1)))
        drawn = zlib.crc32(key.encode()) % len(self._points)
        row = point[None].astype(np.float32)
        target = np.mean([tree.predict(row).ravel() for tree in self._trees], axis=0)
        target = target + self._shared[nearest] + self._own[drawn, seed]
        loss, steps = np.exp(target[: self._loops]), np.exp(target[self._loops :])
        return Curve(loss, np.cumsum(steps))

    def errors(self) -> dict[str, float]:
        """How well held-out configurations are predicted, and how much seeds differ."""
        last = self._means[:, self._loops - 1], self.unseen[:, self._loops - 1]
        costs = (np.exp(each[:, self._loops :]).sum(axis=1) for each in (self._means, self.unseen))
        seeds = self._own[:, :, self._loops - 1]
        return {
            "rank correlation of the last loss": float(spearmanr(*last).statistic),
            "error of the last loss, %": 100 * float(np.sqrt(np.mean((last[0] - last[1]) ** 2))),
            "spread of the last loss, %": 100 * float(np.std(last[0])),
            "spread over seeds, %": 100 * float(np.sqrt(2 * np.mean(seeds**2))),
            "rank correlation of the time": float(spearmanr(*costs).statistic),
        }


def _forest() -> ExtraTreesRegressor:
    return ExtraTreesRegressor(100, min_samples_leaf=2, random_state=0)


def _targets(loss: Floats, seconds: Floats) -> Floats:
    """The logarithms of losses and of the seconds of each loop, side by side."""
    steps = np.diff(seconds, axis=2, prepend=0.0)
    return np.concatenate([np.log(loss), np.log(np.maximum(steps, 1e-6))], axis=2)


def _key(config: Mapping[str, Any]) -> str:
    return json.dumps({**config, "loops": None}, sort_keys=True)
