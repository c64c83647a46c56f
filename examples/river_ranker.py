"""Tune a model of another library: river's logistic regression, one for each label.

All that is asked of an algorithm is to rank a row and to learn from feedback (`booster.protocol`).
A package would name the class in its entry points; here it is found by its import path, since
workers of this machine can import what lies beside this script.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from river.linear_model import LogisticRegression
from river.optim import SGD
from river.preprocessing import StandardScaler

from booster import checks
from booster.parameters import feature_row, label_bits, positive
from topk_tune import tune


class RiverRanker:
    """Ranks labels by their probabilities, each by a regression of its own.

    Parameters
    ----------
    n_features, n_labels, seed
        The shape of the stream; nothing is random here.
    learning_rate
        The step of the gradient descent.
    l2
        How much large coefficients are held back.
    """

    full = True  # it is told of all labels after each prediction

    search_space: ClassVar[dict[str, Any]] = {
        "loops": 2,
        "learning_rate": {"type": "float", "low": 0.001, "high": 0.5, "log": True},
        "l2": {"type": "float", "low": 1e-6, "high": 0.01, "log": True},
    }

    def __init__(
        self,
        *,
        n_features: int,
        n_labels: int,
        seed: int,
        learning_rate: float = 0.05,
        l2: float = 1e-4,
    ) -> None:
        self.n_features = n_features
        rate, weight = positive("learning_rate", learning_rate), positive("l2", l2)
        self._models = [
            StandardScaler() | LogisticRegression(optimizer=SGD(rate), l2=weight)
            for _ in range(n_labels)
        ]
        self._row: dict[int, float] | None = None

    def predict(self, x: ArrayLike) -> NDArray[np.int64]:
        """All labels, the most probable first."""
        self._row = self._features(x)
        return np.argsort([-self._probability(model, self._row) for model in self._models])

    def update(self, feedback: ArrayLike) -> None:
        """Learn which labels of the last row are relevant."""
        bits = label_bits(feedback, len(self._models), "n_labels")
        if self._row is None:
            raise ValueError("predict must come before update, but no prediction is pending")
        for model, bit in zip(self._models, bits, strict=True):
            model.learn_one(self._row, bool(bit))
        self._row = None

    def scores(self, X: ArrayLike) -> NDArray[np.float64]:
        """The probabilities; with them, the hinge loss is measured too."""
        rows = [self._features(x) for x in np.asarray(X)]
        return np.array([[self._probability(m, row) for m in self._models] for row in rows])

    def _features(self, x: ArrayLike) -> dict[int, float]:
        return dict(enumerate(feature_row(x, self.n_features).tolist()))

    @staticmethod
    def _probability(model: Any, row: dict[int, float]) -> float:
        return float(model.predict_proba_one(row).get(True, 0.0))


if __name__ == "__main__":
    for check in checks.of_algorithm(RiverRanker):
        check()
    study = tune(
        "synthetic:rows=400,m=5,seed=1",
        "river_ranker:RiverRanker",
        trials=3,
        backend="local",
        workers=2,
        track=False,
    )
    best = study.best()
    assert best is not None
    print(f"{best.value:.4f} with {best.best_config}")
