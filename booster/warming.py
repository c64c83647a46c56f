"""Compiles all kernels in advance."""

from __future__ import annotations

from booster import machine_code


def warm_up(load: bool = True) -> None:
    """Compile all kernels for this machine, or load them if they are already compiled.

    The algorithms share their kernels, so it is enough to use everything in one booster. Call it
    before starting several processes, each of which would otherwise compile for itself.

    Parameters
    ----------
    load
        Whether this process needs the kernels; if not, compiled kernels are not loaded.
    """
    if not load and machine_code.is_complete():
        return
    import io

    import numpy as np

    from booster.persistence import load as read
    from booster.top_ada import TopAda
    from booster.top_opt import TopOpt

    X, Y = np.eye(3), np.eye(3)
    booster = TopOpt(n_features=3, n_labels=3, n_learners=1, k=2)
    booster.run(X, Y)
    booster.predict(X[0])
    booster.update(np.array([1, 0]))
    TopAda(n_features=3, n_labels=3, n_learners=1, k=2, marginal=True).offer(X[0])
    booster.learn(X[0], [0, 1], [1, 0], [0.5])
    booster.evaluate(X, Y)
    booster.rank(X)
    file = io.BytesIO()
    booster.save(file)
    file.seek(0)
    read(file)  # which has kernels that check files
    machine_code.mark_complete()
