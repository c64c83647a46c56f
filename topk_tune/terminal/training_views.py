"""What is said while one booster is trained."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from topk_tune.data import Dataset
from topk_tune.terminal.console import Console
from topk_tune.training.metrics import LOGGED, MAIN_OF_LOGS
from topk_tune.training.trial import LoopReport, TrialConfig

_LOGGED = f"frozen/{LOGGED}"


def trial_starts(console: Console, config: TrialConfig, data: Dataset, seed: int) -> None:
    """Print the configuration and the data set before training."""
    parameters = ", ".join(f"{name} {value}" for name, value in config.parameters.items())
    console.wrapped(
        f"{config.algorithm} on {data.name}: {len(data.Y_train):,} training rows, "
        f"{len(data.Y_test):,} test rows, {data.n_features} features, {data.n_labels} labels"
    )
    console.wrapped(f"loops {config.loops}, {parameters}, seed {seed}", indent=6)


@contextmanager
def loops(console: Console, total: int) -> Iterator[Callable[[LoopReport], None]]:
    """Show a progress bar over loops; yields a function to call after each."""
    columns = (TextColumn("training"), BarColumn(), TimeRemainingColumn())
    terminal = console.out.is_terminal
    with Progress(*columns, console=console.out, transient=True, disable=not terminal) as bar:
        task = bar.add_task("training", total=total)

        def report(now: LoopReport) -> None:
            console.say(f"loop {now.loop:>{len(str(total))}}/{total}: {_of_loop(now.metrics)}")
            bar.update(task, completed=now.loop)

        yield report


def _of_loop(metrics: Mapping[str, float]) -> str:
    if _LOGGED in metrics:
        return _of_log(metrics)
    return (
        f"greedy loss {metrics['train_loss']:.4f} in training, "
        f"{metrics['greedy_loss']:.4f} at test; shown loss {metrics['shown_loss']:.4f}"
    )


def _of_test(metrics: Mapping[str, float]) -> str:
    if _LOGGED in metrics:
        return _of_log(metrics)
    return (
        f"weighted rank loss {metrics['shown_loss']:.4f} of what is shown, "
        f"{metrics['greedy_loss']:.4f} before exploration "
        "(predict each row, then learn it)"
    )


def _of_log(metrics: Mapping[str, float]) -> str:
    loss, low, high = (metrics[f"frozen/{name}"] for name in MAIN_OF_LOGS)
    return (
        f"rank loss {loss:.4f} on the test rows of the log, estimated; "
        f"95% between {low:.4f} and {high:.4f}"
    )


def trial_ends(console: Console, last: LoopReport) -> None:
    """Print the losses on the test rows and the speed."""
    speed = last.rounds / max(last.seconds, 1e-9)
    console.wrapped(f"test: {_of_test(last.metrics)}", indent=6)
    console.say(
        f"{last.rounds:,} training rounds in {last.seconds:.1f} s: {speed:,.0f} rounds per second"
    )
