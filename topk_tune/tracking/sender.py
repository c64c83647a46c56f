"""Sends the entries of a spool to MLflow. All operations are idempotent."""

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from topk_tune.data import load
from topk_tune.provenance.commands import study_command
from topk_tune.records import codec
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import TrialRecord, ranked
from topk_tune.tracking import entries, figures, files, models, shared_view, spool
from topk_tune.tracking.clients import Client
from topk_tune.tracking.config import TrackingConfig, named
from topk_tune.tracking.description import NOTE, Tested, description
from topk_tune.tracking.jobs import Job, Loops, Progress
from topk_tune.tracking.runs import Runs, TrackedRun, entities_for
from topk_tune.tracking.server_side import by_mlflow, connect, delete_old, experiment_id
from topk_tune.training.trial import train_booster

_STATUS = {"complete": "FINISHED", "pruned": "FINISHED", "failed": "FAILED"}
_DIGEST = 36
"""The maximum length of a data set's digest in MLflow."""


class Sender:
    """Sends entries of one study.

    Parameters
    ----------
    folder
        The folder of the spool and the files in its entries.
    config
        The tracking configuration.
    study
        The entry that describes the study.
    """

    def __init__(self, folder: Path, config: TrackingConfig, study: entries.Study) -> None:
        self._folder = folder
        self._config = config
        self._study = study
        self._settings = codec.read_settings(study.settings, "the study of the spool")

    @cached_property
    def client(self) -> Client:
        """The client, which is created on first use."""
        return connect(self._config)

    @cached_property
    def experiment(self) -> str:
        """The id of the study's experiment."""
        return experiment_id(self.client, self._config, self._name(self._config.experiment))

    @cached_property
    def _runs(self) -> Runs:
        return Runs(self.client, self.experiment, self._study.id)

    @property
    def parent(self) -> TrackedRun:
        """The run of the study."""
        tags = {
            "kind": "study",
            "seed": str(self._settings.seed),
            **self._study.facts,
            **figures.shared_tags(self._settings),
        }
        return self._runs.get(None, self._settings.name, tags, self._study.time)

    def ids(self) -> tuple[str, str]:
        """The ids of the study's experiment and run."""
        return self.experiment, self.parent.id

    @property
    def known(self) -> bool:
        """Whether MLflow has a run of the study."""
        return None in self._runs

    def by_mlflow(self) -> "Sender":
        """The same by way of MLflow, which knows more about its tables."""
        sender = Sender(self._folder, self._config, self._study)
        sender.client = by_mlflow(self._config)
        return sender

    def commit(self) -> None:
        """Have everything arrive that was sent."""
        if commit := getattr(self.client, "commit", None):
            commit()

    def close(self) -> None:
        """Close the file that the client writes, if it writes one."""
        if close := getattr(vars(self).get("client"), "close", None):
            close()

    def send(self, job: Job) -> None:
        """Send an entry, or several that go together."""
        match job:
            case entries.Study():
                self._send_study()
            case entries.Running():
                self._send_running(job)
            case entries.Begun():
                self._send_begun(job)
            case Loops():
                self._send_loops(job)
            case entries.Trial():
                self._send_trial(job)
            case Progress():
                self._send_progress(job)
            case entries.Ended():
                self._send_ended(job)
            case entries.Confirmed():
                self._send_confirmed(job)
            case entries.Ranked():
                self._send_ranked(job)
            case entries.Compared():
                self._send_compared(job)
            case entries.File():
                self._send_file(job)
            case entries.Booster():
                self._send_booster(job)
            case entries.Model():
                self._send_model(job)
            case entries.Unreadable():
                raise ValueError(f"the line is not an entry: {job.reason}")

    # The study

    def _send_study(self) -> None:
        settings = self._settings.model_dump(mode="json", exclude={"space", "name", "fingerprint"})
        settings = {name: value for name, value in settings.items() if value is not None}
        self.parent.log(params=settings, tags=self._study.facts)
        view = shared_view.state(self._settings, self._study.id)
        self.client.set_experiment_tag(self.experiment, shared_view.TAG + self.parent.id, view)
        self.client.log_inputs(self.parent.id, [self._dataset()])

    def _send_running(self, entry: entries.Running) -> None:
        command = study_command(self._settings, entry.trials)
        self.parent.log(tags={"state": "running", "command": command})
        self.client.update_run(self.parent.id, "RUNNING")
        self._upload(self.parent, files.study_files, self._records())

    def _send_progress(self, job: Progress) -> None:
        points = []
        for step in job.entries:
            number, time = sum(step.done.values()), step.time
            points.append(("trials_done", float(number), number, time))
            for state in ("pruned", "failed"):
                points.append((f"trials_{state}", float(step.done.get(state, 0)), number, time))
            if step.best is not None:
                points.append((figures.best_name(self._settings), step.best, number, time))
        self.parent.log(points)

    def _send_ended(self, entry: entries.Ended) -> None:
        for number in entry.unfinished:
            run = self._child(number, entry.time)
            run.log(tags={"state": "interrupted"})
            self.client.set_terminated(run.id, "KILLED", entry.time)
        records = self._records()
        self._upload(self.parent, files.study_files, records)
        if self._config.log.study_plots:
            self._upload(self.parent, files.study_plots, records, "plots")
        self.parent.log(tags={"state": "ended", "stopped": entry.reason})
        if best := ranked(records):
            self._describe(best[0], best[0].best_config)
        status = "KILLED" if entry.killed else "FINISHED"
        self.client.set_terminated(self.parent.id, status, entry.time)
        if self._config.retention.days is not None:
            delete_old(self.client, self.experiment, self._config.retention.days)

    # Trials

    def _send_begun(self, entry: entries.Begun) -> None:
        number, config = entry.trial, entry.config
        tags = figures.start_tags(self._settings, number, config)
        tags |= {"attempts": str(entry.attempt)}
        run = self._child(number, entry.time, tags)
        run.log(params=config, tags=tags)
        if run.tags is None:  # it was interrupted before; a new one runs already
            self.client.update_run(run.id, "RUNNING")

    def _send_loops(self, job: Loops) -> None:
        run = self._child(job.trial, job.entries[0].time)
        run.log(figures.loop_points(self._settings, job.entries))

    def _send_trial(self, entry: entries.Trial) -> None:
        record, time = entry.record_for(self._settings.goal), entry.time
        started = int(record.started.timestamp() * 1000) if record.started else time
        tags = figures.start_tags(self._settings, record.number, record.config)
        tags |= figures.trial_tags(self._settings, record)
        run = self._child(record.number, started, tags)
        points = figures.trial_points(self._settings, record, time)
        run.log(points, params=record.config, tags=tags)
        self.client.log_inputs(run.id, [self._dataset()])
        ended = int(record.ended.timestamp() * 1000) if record.ended else time
        self.client.set_terminated(run.id, _STATUS[record.state], ended)

    def send_files(self, entry: entries.Trial) -> None:
        """Send the files of a finished trial, whose figures have arrived before."""
        record = entry.record_for(self._settings.goal)
        self._upload(self._child(record.number, entry.time), files.trial_files, record)

    def _send_confirmed(self, entry: entries.Confirmed) -> None:
        """Log a test. The step is the number of seeds: a test with more seeds adds a point."""
        run, time = self._child(entry.trial, entry.time), entry.time
        seeds = next(iter(entry.metrics.values()))
        points = figures.confirmed_points(entry.metrics, time)
        run.log(points, tags={"confirmed": "true", "confirmed_seeds": ",".join(seeds)})
        if entry.first:
            self._send_confirmed_best(entry)

    def _send_confirmed_best(self, entry: entries.Confirmed) -> None:
        """Log the confirmed best to the study's run. The step is the time: the latest counts."""
        tested = Tested.of(entry.trial, entry.objective, entry.metrics[entry.objective].values())
        name, step = f"confirmed_{tested.metric}", entry.time // 1000
        points = [(name, tested.mean, step, entry.time)]
        if tested.spread is not None:
            points.append((f"{name}_spread", tested.spread, step, entry.time))
        self.parent.log(points, tags={"confirmed_trial": entry.trial})
        for record in self._records():
            if record.number == entry.trial:
                self._describe(record, entry.config or record.best_config, tested)

    def _describe(
        self, best: TrialRecord, config: Mapping[str, Any], tested: Tested | None = None
    ) -> None:
        """Tag the run of the study with its best trial, and describe it."""
        if best.number not in self._runs:  # of an earlier study in the same folder
            return
        place, run = self.experiment, self._child(best.number, self._study.time).id
        links = {
            "all trials, best first": shared_view.list_page(place, self.parent.id),
            f"trial {best.number}": shared_view.run_page(place, run),
            "report and files": shared_view.run_page(place, self.parent.id, "/artifacts"),
        }
        text = description(self._settings, best, config, links, tested)
        self.parent.log(tags={"best_trial": best.number, NOTE: text})

    def _send_ranked(self, entry: entries.Ranked) -> None:
        """Log an evaluation on held-out rows, which select the configuration to test."""
        run, time = self._child(entry.trial, entry.time), entry.time
        seeds = next(iter(entry.metrics.values()))
        points = figures.confirmed_points(entry.metrics, time, "held_out_")
        run.log(points, tags={"held_out_rows": entry.holdout, "held_out_seeds": ",".join(seeds)})

    def _send_compared(self, entry: entries.Compared) -> None:
        points = figures.baseline_points(entry.losses, entry.time)
        self.parent.log(points, tags={"caveats": "; ".join(entry.caveats) or "none"})

    def _send_file(self, entry: entries.File) -> None:
        number = entry.trial
        run = self.parent if number is None else self._child(number, entry.time)
        self.client.log_artifact(run.id, str(self._folder / entry.name), entry.folder)

    def _send_booster(self, entry: entries.Booster) -> None:
        path = self._folder / f"booster-{entry.trial}.npz"
        if not path.exists():
            self._train(entry, path)
        run = self._child(entry.trial, entry.time)
        self.client.log_artifact(run.id, str(path))

    def _train(self, entry: entries.Booster, path: Path) -> None:
        """Train a booster, and have its file only when it is complete."""
        settings = self._settings
        try:
            with chdir(entry.folder):
                data = load(entry.dataset, labels=settings.labels, split=settings.split)
        except OSError as error:  # which says nothing of MLflow
            raise ValueError(f"no booster, because the data cannot be loaded: {error}") from error
        if not data.matches(settings.fingerprint):
            raise ValueError("no booster, because the data set has changed")
        with tempfile.TemporaryDirectory(dir=self._folder) as place:
            train_booster(entry.config, entry.seed, data).save(Path(place) / path.name)
            (Path(place) / path.name).replace(path)

    def _send_model(self, entry: entries.Model) -> None:
        run = self._child(entry.trial, entry.time)
        logged = models.log_model(self.client, self.experiment, run.id, entry, self._folder)
        points = [] if entry.loss is None else [(figures.MODEL_LOSS, entry.loss, 0, entry.time)]
        run.log(points, tags={"model_id": logged.model_id, "model_seed": entry.seed})
        uri = logged.model_uri
        if self._config.registered_model is not None:
            name = self._name(self._config.registered_model)
            uri = models.register(self.client, name, run.id, logged)
        models.note_uri(self._folder, uri)

    def _child(
        self, number: int, started: int, more: Mapping[str, str] = MappingProxyType({})
    ) -> TrackedRun:
        """The run of a trial; `more` are tags of a new one."""
        tags = {
            "kind": "trial",
            "mlflow.parentRunId": self.parent.id,
            **self._study.facts,
            **figures.shared_tags(self._settings),
            **more,
        }
        return self._runs.get(number, f"trial {number}", tags, started)

    # Parts of runs

    def _name(self, template: str) -> str:
        return named(template, self._settings.dataset, self._settings.name)

    def _dataset(self) -> Any:
        kinds, settings = entities_for(self.client), self._settings
        origin = {"dataset": settings.dataset, "labels": settings.labels, "split": settings.split}
        dataset = kinds.Dataset(
            name=settings.data_name,
            digest=settings.fingerprint[:_DIGEST],
            source_type="code",
            source=json.dumps({"tags": origin}),
            profile=json.dumps(self._study.profile),
        )
        return kinds.DatasetInput(dataset, [kinds.InputTag("mlflow.data.context", "training")])

    def _records(self) -> list[TrialRecord]:
        """The finished trials in the order in which they ended."""
        found = {}
        for line in spool.read(self._folder / spool.NAME):
            if isinstance(line.entry, entries.Trial):
                found[line.entry.trial] = line.entry.record_for(self._settings.goal)
        return list(found.values())

    def _upload(
        self,
        run: TrackedRun,
        write: Callable[[Path, StudySettings, Any], None],
        content: TrialRecord | Sequence[TrialRecord],
        folder: str | None = None,
    ) -> None:
        with tempfile.TemporaryDirectory() as place:
            write(Path(place), self._settings, content)
            run.add_files(place, folder)
