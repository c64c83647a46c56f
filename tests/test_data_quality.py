"""What is found in rows: the same in both forms, and the same as by comparing all with all."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from topk_tune.data.dataset import Dataset
from topk_tune.data.quality import FEW, examine
from topk_tune.data.rows import sparse_rows

few_values = st.sampled_from([0.0, -0.0, 1.0, 2.5])


@given(
    st.integers(2, 3).flatmap(lambda d: arrays("f4", (14, d), elements=few_values)),
    arrays("u1", (14, 3), elements=st.integers(0, 1)),
)
def test_both_forms_agree_with_a_slow_look(X: np.ndarray, Y: np.ndarray) -> None:
    names = [f"x{i}" for i in range(X.shape[1])]
    for form in (np.ascontiguousarray, sparse_rows):
        data = Dataset("d", form(X[:10]), Y[:10], form(X[10:]), Y[10:], names, list("abc"))
        found = examine(data)
        earlier = [[j for j in range(i) if (X[j] == X[i]).all()] for i in range(10)]
        assert found.repeated == sum(map(bool, earlier))
        other = [i for i, same in enumerate(earlier) if same and (Y[i] != Y[same[0]]).any()]
        assert found.contradicting == len(other)
        assert found.in_both == sum((X[:10] == row).all(axis=1).any() for row in X[10:])
        assert found.constant.tolist() == [
            column for column in range(X.shape[1]) if len({*X[:10, column] + 0.0}) == 1
        ]
        counts = Y[:10].sum(axis=0)
        assert found.never.tolist() == [label for label in range(3) if counts[label] == 0]
        assert found.rare.tolist() == [label for label in range(3) if 0 < counts[label] < FEW]
