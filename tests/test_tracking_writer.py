"""The process that sends, run in this one against a database: each record arrives once."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tenacity.nap
from messages import says
from mlflow import MlflowClient
from mlflow.exceptions import MlflowException
from report_cases import made_confirmation
from tracking_cases import (
    DATASET,
    check_trials,
    embedded,
    files_of,
    history,
    make_record,
    make_study,
    new_database,
    runs_of,
)
from tuning import settings

import booster
from topk_tune.data import load
from topk_tune.records.trials import TrialRecord
from topk_tune.spaces import Fixed, Float, Space
from topk_tune.study.context import Context
from topk_tune.tracking import TrackingConfig, entries, sender, shared_view
from topk_tune.tracking.description import NOTE, description
from topk_tune.tracking.entries import Entry
from topk_tune.tracking.process import ALL_SENT, LEFT
from topk_tune.tracking.server import page
from topk_tune.tracking.server_side import connect
from topk_tune.tracking.spool import NAME, Spool
from topk_tune.tracking.sqlite_client import SqliteClient
from topk_tune.tracking.writer import REFUSED, Finish, SpoolWriter
from topk_tune.training.baselines import Baseline
from topk_tune.training.trial import train_booster

RECORDS = [make_record(0), make_record(1, "pruned"), make_record(2, "failed"), make_record(3)]


class LosingReplies:
    """A client whose every change arrives, while the first answer to it is lost."""

    def __init__(self, client: MlflowClient) -> None:
        self._client = client
        self._lost: set[str] = set()
        self.changes = 0

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._client, name)
        unchanged = ("get_", "search_", "list_", "arrived", "close")
        if not callable(method) or name.startswith(unchanged):
            return method  # type: ignore[no-any-return]

        def lossy(*arguments: Any, **options: Any) -> Any:
            result = method(*arguments, **options)
            key = f"{name} {self._described(arguments, options)}"
            if key not in self._lost:
                self._lost.add(key)
                self.changes += 1
                raise MlflowException("the answer was lost")
            return result

        return lossy

    def _described(self, arguments: Any, options: Any) -> str:
        texts = [a if isinstance(a, str) and "/tmp" not in a else "" for a in arguments]
        return f"{texts} {len(options.get('metrics', ()))}"


@pytest.fixture(autouse=True)
def database(tmp_path: Path) -> None:
    new_database(tmp_path)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tenacity.nap.time, "sleep", lambda seconds: None)


def study_entry(folder: Path, **changes: Any) -> Entry:
    study, data = make_study(folder, **changes)
    return entries.Study.of("0123abcd", study.settings, {"git_sha": "abc", "host": "h"}, data)


def lines(records: list[TrialRecord], seeds: int = 1) -> list[Entry]:
    found: list[Entry] = [entries.Running(len(records))]
    done: dict[str, int] = {}
    for record in records:
        found.append(entries.Begun(record.number, record.config, 1))
        for repeat, run in enumerate(record.runs):
            found += [entries.Loop.of(record.number, repeat, report) for report in run.reports]
        done[record.state] = done.get(record.state, 0) + 1
        found.append(entries.Trial.of(record, done, 0.3))
    return [*found, entries.Ended("all done", False, [])]


def write(folder: Path, found: list[Entry]) -> None:
    spool = Spool(folder / NAME)
    for entry in found:
        spool.append(entry)
    spool.close()


def send(folder: Path, config: TrackingConfig, patience: float = 60.0) -> int:
    finish = Finish(patience)
    finish.begin()
    return SpoolWriter(folder, config, finish).run()


def refused_lines(folder: Path) -> list[Any]:
    text = (folder / REFUSED).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.slow
def test_lost_answers_make_nothing_double(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = embedded(tmp_path, registered_model="ranker")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", config.tracking_uri)
    losing: list[LosingReplies] = []

    def lossy(config: TrackingConfig) -> LosingReplies:
        losing.append(LosingReplies(connect(config)))
        return losing[-1]

    monkeypatch.setattr(sender, "connect", lossy)
    model = booster.TopAda(n_features=4, n_labels=3, n_learners=2, n_covariates=2)
    model.save(tmp_path / "confirmed-0.npz")
    example = [[0.0, 1.0, 2.0, 3.0]]
    last = [
        entries.Ranked.of(made_confirmation(0, [0.2, 0.3], held=[0.4, 0.5])),
        entries.Confirmed.of(made_confirmation(0, [0.2, 0.3])),
        entries.Compared.of(Context(None, [Baseline("label frequency", 0.25, False)]), ["beware"]),
        entries.File(0, "confirmed-0.npz"),
        entries.Model(0, "confirmed-0.npz", ["a", "b", "c"], example),
    ]
    write(tmp_path, [study_entry(tmp_path), *lines(RECORDS), *last])
    assert send(tmp_path, config) == ALL_SENT
    assert not (tmp_path / REFUSED).exists()
    assert losing[0].changes > 20

    client = MlflowClient(config.tracking_uri)
    check_trials(client, RECORDS)
    parent, children = runs_of(client)
    assert parent.data.tags["stopped"] == "all done"
    assert children[2].data.tags["error"] == "ValueError: no such luck"
    assert history(client, children[0], "confirmed_shown_loss_by_seed") == {0: 0.2, 1: 0.3}
    assert history(client, children[0], "confirmed_shown_loss") == {2: 0.25}
    assert history(client, children[0], "held_out_shown_loss") == {2: 0.45}
    assert children[0].data.tags["held_out_rows"] == "folds:4:2000000"
    assert history(client, parent, "baseline_label_frequency") == {0: 0.25}
    assert parent.data.tags["caveats"] == "beware"
    assert "confirmed-0.npz" in files_of(client, children[0])
    (logged,) = client.search_logged_models([parent.info.experiment_id])
    assert [o.model_id for o in children[0].outputs.model_outputs] == [logged.model_id]
    (version,) = client.search_model_versions("name = 'ranker'")
    assert client.get_model_version_by_alias("ranker", "best").version == version.version


@pytest.mark.slow
def test_what_cannot_be_written_together_is_sent_by_mlflow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(client: SqliteClient) -> None:
        if client._held:
            raise sqlite3.IntegrityError("a run was deleted for good")

    monkeypatch.setattr(SqliteClient, "commit", refuse)
    config = embedded(tmp_path)
    write(tmp_path, [study_entry(tmp_path), *lines(RECORDS)])
    assert send(tmp_path, config) == ALL_SENT
    assert not (tmp_path / REFUSED).exists()
    check_trials(MlflowClient(config.tracking_uri), RECORDS)


@pytest.mark.slow
def test_a_process_that_was_killed_is_followed_by_one_that_finishes(tmp_path: Path) -> None:
    config = embedded(tmp_path)
    best, place = entries.Booster(0, RECORDS[0].config, 7, DATASET, str(tmp_path)), str(tmp_path)
    gone = entries.Booster(1, RECORDS[1].config, 7, DATASET, str(tmp_path / "no such folder"))
    write(tmp_path, [study_entry(tmp_path), *lines(RECORDS), best, gone])
    assert send(tmp_path, config) == ALL_SENT
    client = MlflowClient(config.tracking_uri)
    _, (run, *_) = runs_of(client)
    kept = booster.load(client.download_artifacts(run.info.run_id, "booster-0.npz", place))
    data = load(DATASET)
    trained = train_booster(RECORDS[0].config, 7, data)
    assert np.array_equal(kept.scores(data.X_test), trained.scores(data.X_test))
    (refused,) = refused_lines(tmp_path)
    assert refused["trial"] == 1
    # As if the first had been killed before it noted anything.
    (tmp_path / "sent.json").unlink()
    write(tmp_path, [entries.Trial.of(make_record(4), {"complete": 5}, 0.2)])
    assert send(tmp_path, config) == ALL_SENT
    check_trials(MlflowClient(config.tracking_uri), [*RECORDS, make_record(4)])


@pytest.mark.slow
def test_several_seeds_have_a_curve_each_and_a_mean(tmp_path: Path) -> None:
    config = embedded(tmp_path)
    record = make_record(0, seeds=2)
    write(tmp_path, [study_entry(tmp_path, seeds=2), *lines([record])])
    assert send(tmp_path, config) == ALL_SENT
    client = MlflowClient(config.tracking_uri)
    check_trials(client, [record])
    _, (run,) = runs_of(client)
    assert history(client, run, "seed_1/shown_loss") == {1: 0.4, 2: pytest.approx(0.3)}
    assert history(client, run, "objective_by_seed").keys() == {0, 1}
    assert run.data.tags["seed"] == "0,1"
    assert run.data.metrics["objective_spread"] == 0.0


@pytest.mark.slow
def test_runs_say_what_was_searched_by_and_on_what_rows(tmp_path: Path) -> None:
    config = embedded(tmp_path)
    write(tmp_path, [study_entry(tmp_path, protocol="paper"), *lines([make_record(0)])])
    assert send(tmp_path, config) == ALL_SENT
    _, (run,) = runs_of(MlflowClient(config.tracking_uri))
    assert {"loops/shown_loss", "final_shown_loss"} <= set(run.data.metrics)
    assert run.data.tags["objective"] == "shown_loss"
    assert run.data.tags["protocol"] == "paper"
    assert not [name for name in run.data.metrics if "validation" in name]


@pytest.mark.slow
def test_a_study_has_a_list_of_its_trials_and_says_what_is_best(tmp_path: Path) -> None:
    first = made_confirmation(0, [0.25, 0.27, 0.35])
    other = made_confirmation(3, [0.5, 0.5])
    write(tmp_path, [study_entry(tmp_path), *lines(RECORDS), entries.Ended("done", False, [])])
    assert send(tmp_path, embedded(tmp_path)) == ALL_SENT
    client = MlflowClient(embedded(tmp_path).tracking_uri)
    parent, children = runs_of(client)
    assert parent.data.tags["best_trial"] == "0"
    says(parent.data.tags[NOTE], "Trial 0", "best", "n\\_learners", children[0].info.run_id)
    told = [entries.Confirmed.of(first, first=True), entries.Confirmed.of(other)]
    write(tmp_path, list(told))
    assert send(tmp_path, embedded(tmp_path)) == ALL_SENT
    parent, _ = runs_of(client)
    assert parent.data.tags["confirmed_trial"] == "0"
    assert parent.data.metrics["confirmed_shown_loss"] == pytest.approx(0.29)
    assert parent.data.metrics["confirmed_shown_loss_spread"] == pytest.approx(0.0529, abs=1e-4)
    says(parent.data.tags[NOTE], "0.2900", "3 seeds", "test rows")
    view = json.loads(
        client.get_experiment(parent.info.experiment_id).tags[
            f"mlflow.sharedViewState.{parent.info.run_id}"
        ]
    )
    assert view["selectedColumns"] == [
        *("metrics.`shown_loss`", "metrics.`runtime_seconds`", "tags.`state`"),
        *("params.`n_learners`", "params.`rho`"),
    ]
    found = client.search_runs(
        [parent.info.experiment_id], view["searchFilter"], order_by=[f"{view['orderByKey']} ASC"]
    )
    assert view["orderByAsc"] is True
    assert [run.data.tags["trial"] for run in found][:3] == ["0", "3", "1"]
    address = page(embedded(tmp_path), tmp_path)
    assert f"viewStateShareKey={parent.info.run_id}" in address


@pytest.mark.slow
def test_a_view_of_very_many_parameters_is_cut_to_what_a_tag_can_hold() -> None:
    names = {f"a_parameter_with_a_long_name_{i}": Float(0, 1) for i in range(300)}
    many = Space({"algorithm": Fixed("topada"), "loops": Fixed(3), **names})
    text = shared_view.state(settings(many), "abc")
    assert len(text) <= 5000
    assert "metrics.`shown_loss`" in json.loads(text)["selectedColumns"]


def test_names_in_a_description_stay_text() -> None:
    hostile = "](javascript:alert(1)) <img src=x> | `x`"
    text = description(settings(), make_record(0), {hostile: hostile}, {"x": "#/y"})
    assert "<img" not in text and "](javascript" not in text.replace("\\](", "")


def test_what_mlflow_refuses_does_not_hold_up_the_rest(tmp_path: Path) -> None:
    config = embedded(tmp_path)
    odd = entries.Begun(9, {"algorithm": "topada", "bad\nname": 1}, 1)
    nonsense = entries.read({"kind": "nonsense"})
    write(tmp_path, [study_entry(tmp_path), odd, nonsense, *lines(RECORDS)])
    assert send(tmp_path, config) == ALL_SENT
    refused = [line["kind"] for line in refused_lines(tmp_path)]
    assert refused == ["begin", "nonsense"]
    _, children = runs_of(MlflowClient(config.tracking_uri))
    assert {int(run.data.tags["trial"]) for run in children} >= {0, 1, 2, 3}


@pytest.mark.slow
def test_an_interrupted_study_leaves_its_runs_to_the_resumed_one(tmp_path: Path) -> None:
    config = embedded(tmp_path)
    start, record = study_entry(tmp_path), make_record(0)
    begin = entries.Begun(0, record.config, 1)
    loop = entries.Loop.of(0, 0, record.runs[0].reports[0])
    write(tmp_path, [start, begin, loop, entries.Ended("interrupted", True, [0])])
    assert send(tmp_path, config) == ALL_SENT
    client = MlflowClient(config.tracking_uri)
    parent, (child,) = runs_of(client)
    assert (parent.info.status, child.info.status) == ("KILLED", "KILLED")
    write(tmp_path, [start, *lines([record])])
    assert send(tmp_path, config) == ALL_SENT
    check_trials(client, [record])
    again, (same,) = runs_of(client)
    assert (again.info.run_id, same.info.run_id) == (parent.info.run_id, child.info.run_id)
    assert again.info.status == "FINISHED"


@pytest.mark.slow
def test_another_database_gets_everything_anew(tmp_path: Path) -> None:
    write(tmp_path, [study_entry(tmp_path), *lines(RECORDS)])
    for place in (tmp_path / "a", tmp_path / "b"):
        place.mkdir()
        new_database(place)
        config = embedded(place)
        assert send(tmp_path, config) == ALL_SENT
        check_trials(MlflowClient(config.tracking_uri), RECORDS)


def test_a_server_that_is_away_leaves_everything_in_the_spool(tmp_path: Path) -> None:
    config = TrackingConfig(tracking_uri="http://127.0.0.1:1")
    write(tmp_path, [study_entry(tmp_path), *lines(RECORDS)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
        assert send(tmp_path, config, patience=0.5) == LEFT
    assert not (tmp_path / "sent.json").exists()


def test_old_studies_are_deleted_if_asked_for(tmp_path: Path) -> None:
    config = embedded(tmp_path, retention={"days": 30})
    old = [
        entries.Study.of("old", make_study(tmp_path)[0].settings, {}, None),
        *lines([RECORDS[0]]),
    ]
    old = [replace(entry, time=entry.time - 40 * 86_400_000) for entry in old]
    new = entries.Study.of("new", make_study(tmp_path, name="new")[0].settings, {}, None)
    write(tmp_path, [*old, new, *lines([make_record(5)])])
    assert send(tmp_path, config) == ALL_SENT
    client = MlflowClient(config.tracking_uri)
    parent, children = runs_of(client, f"topk-tune/{DATASET}")
    assert (parent.info.run_name, len(children)) == ("new", 1)
