"""Three loops of FullOpt over bibtex, with 320 covariates a tree: time, memory and loss.

`benchmarks.wide_speed` runs this file by its path, also with the `booster` of an earlier clone, so
it imports nothing else of this project.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import booster


def cost(observer: str, folder: str) -> dict[str, float]:
    """Measure one way over the rows in a folder.

    The time is that of the processor, which other programs change least.
    """
    rows, Y = np.load(f"{folder}/X.npy"), np.load(f"{folder}/Y.npy")
    X = rows if observer == "gaussian" else csr_array(rows)
    options: dict[str, Any] = {} if observer == "gaussian" else {"observer": observer}
    made = booster.FullOpt(
        n_features=X.shape[1], n_labels=Y.shape[1], n_learners=60, n_covariates=320, **options
    )
    booster.warm_up()
    before = time.process_time()
    loss = float(made.run(X, Y, loops=3).loss[-1])
    seconds = time.process_time() - before
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": seconds, "bytes": made.counts["bytes"], "loss": loss, "peak": peak}


if __name__ == "__main__":
    print(json.dumps(cost(*sys.argv[1:])))
