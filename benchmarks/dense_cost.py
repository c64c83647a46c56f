"""Runs over dense rows as asked for on standard input, one line each, and prints what they took.

`benchmarks.side_by_side` runs this file by its path, also with the `booster` of an earlier clone,
so it imports nothing else of this project.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

import booster


def main(folder: str) -> None:
    """Answer each line with seconds of the processor, and the losses of the loops, bit for bit."""
    booster.warm_up()
    for line in sys.stdin:
        algorithm, dataset, loops, options = json.loads(line)
        X, Y = np.load(f"{folder}/{dataset}_X.npy"), np.load(f"{folder}/{dataset}_Y.npy")
        kind = getattr(booster, algorithm)
        made = kind(n_features=X.shape[1], n_labels=Y.shape[1], **options)
        before = time.process_time()
        loss = made.run(X, Y, loops=loops).loss
        seconds = time.process_time() - before
        print(json.dumps([seconds, [float(each).hex() for each in loss]]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
