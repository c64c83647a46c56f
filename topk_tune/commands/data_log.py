"""`topk-tune data log`: the log that a policy would have left over the rows of a data set."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from booster.protocol import parameters_of
from booster.tables import ALGORITHMS
from topk_tune.commands.outputs import check_file
from topk_tune.commands.terminal import console
from topk_tune.data import Dataset, load
from topk_tune.data.logs.format import Header
from topk_tune.data.logs.policies import Policy, logged
from topk_tune.data.logs.writing import LogWriter
from topk_tune.data.rows import is_sparse


def write(
    dataset: str,
    output: Path,
    *,
    policy: str,
    loops: int,
    shown: Mapping[str, Any],
    passes: int,
    seed: int,
) -> None:
    """Train a booster, let it rank the training rows, and log what it would have shown.

    `shown` has the parameters of `Policy`.
    """
    ALGORITHMS.named(policy)
    check_file("--output", output)
    with console.following("topk_tune", "booster"):
        data = load(dataset)
        show = Policy(**shown).checked(data.n_labels)
        header = Header(data.n_features, tuple(data.label_names))
        with LogWriter(output, header, is_sparse(data.X_train)) as writer:
            rankings = _trained(policy, loops, show, data, seed).rank(data.X_train)
            n_rows = 0
            for features, rows in logged(
                data.X_train, data.Y_train, rankings, show, passes=passes, seed=seed
            ):
                writer.write(features, rows)
                n_rows += rows.n_rows
    console.say(f"{n_rows:,} rows in {output}; next: topk-tune data check {output}")


def _trained(algorithm: str, loops: int, show: Policy, data: Dataset, seed: int) -> Any:
    """Return the booster of the policy; it has explored as the policy does, if it can."""
    if loops < 0:
        raise ValueError(f"loops must be at least 0, but got {loops}")
    make = ALGORITHMS.load(algorithm)
    explores: dict[str, Any] = {"k": show.k, "exploration": show.exploration}
    if 0.0 < show.rate < 1.0:
        explores["rho"] = show.rate
    taken = {name: value for name, value in explores.items() if name in parameters_of(make)}
    made = make(n_features=data.n_features, n_labels=data.n_labels, seed=seed, **taken)
    if loops:
        made.run(data.X_train, data.Y_train, loops)
    return made
