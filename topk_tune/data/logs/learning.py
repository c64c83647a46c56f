"""Learning from a log file that need not fit in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from booster.logs import Log, LogResult
from booster.parameters import whole
from topk_tune.data.logs.file import LogFile
from topk_tune.data.readers.errors import refused


def run_log_file(ranker: Any, path: str | Path, loops: int = 1) -> LogResult:
    """Let a booster learn from every row of a file, `loops` times, as its `run_log` does.

    The file is read once before, so that nothing is learned from one that breaks a rule further on.
    """
    log = LogFile.open(path)
    loops = whole("loops", loops, 1)
    for name, size in (("n_features", log.header.n_features), ("n_labels", log.header.n_labels)):
        if getattr(ranker, name) != size:
            rule = f"a log must have the {name} of the booster, {getattr(ranker, name)}"
            raise refused(log.path, None, rule, str(size))
    for _ in log.batches():
        pass
    rounds, seconds = 0, 0.0
    for _ in range(loops):
        for batch in log.batches():
            rows = batch.rows
            done = ranker.run_log(Log(batch.features, rows.shown, rows.bits, rows.pairs))
            rounds, seconds = rounds + done.rounds, seconds + done.seconds
    return LogResult(rounds, seconds)
