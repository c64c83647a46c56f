"""Log files: both formats, what they know of their policy, and files that break a rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cases import TOP_K, assert_same, snapshot
from messages import raises, says
from naive.estimator import pair_probability
from pyarrow import parquet
from scipy.sparse import csr_array

from booster import Log
from booster.logs import log_rows
from topk_tune import cli
from topk_tune.data import DataError, sparse_rows
from topk_tune.data.logs import file
from topk_tune.data.logs.file import LogFile, is_log
from topk_tune.data.logs.format import KEY, Header, types
from topk_tune.data.logs.learning import run_log_file
from topk_tune.data.logs.policies import Policy, logged
from topk_tune.data.logs.summary import summarise_log
from topk_tune.data.logs.writing import LogWriter

HEADER = {"format": 1, "n_features": 5, "labels": list("abcdef")}
ROW = {
    "features": [0.5, 0.0, -1.0, 0.0, 2.0],
    "shown": [4, 0, 2],
    "bits": [1, 0, 0],
    "pairs": [0.5, 0.25, 1.0],
}
both = pytest.mark.parametrize("kind", ["parquet", "jsonl"])


def write(path: Path, rows: list[dict[str, Any]], header: Any = HEADER) -> Path:
    """Write rows as they are, whatever rule they break."""
    if path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(each) for each in [{KEY: header}, *rows]), "utf-8")
        return path
    kinds = types()
    names = list(rows[0])
    table = pa.table(
        {name: pa.array([row.get(name) for row in rows], kinds.get(name)) for name in names}
    )
    parquet.write_table(table.replace_schema_metadata({KEY: json.dumps(header)}), path)
    return path


def example(n_rows: int = 300, sparse: bool = False) -> tuple[Any, Any]:
    """The rounds of a policy that shows 2 or 4 of 6 labels."""
    rng = np.random.default_rng(2)
    X = (rng.normal(size=(n_rows, 5)) * (rng.random((n_rows, 5)) < 0.5)).astype(np.float32)
    shown = np.array([rng.permutation(6)[:4] for _ in X])
    short = rng.random(n_rows) < 0.3
    shown[short, 2:] = -1
    bits = rng.integers(2, size=shown.shape) * (shown >= 0)
    pairs = rng.uniform(0.01, 1, (n_rows, 6))
    pairs[short, 1:] = 0
    features = sparse_rows(csr_array(X)) if sparse else X
    return features, log_rows(Log(features, shown, bits, pairs), 5, 6)


@both
@pytest.mark.parametrize("sparse", [False, True])
def test_what_is_written_is_read(kind: str, sparse: bool, tmp_path: Path) -> None:
    path = tmp_path / f"log.{kind}"
    X, rows = example(sparse=sparse)
    with LogWriter(path, Header(5, list("abcdef")), sparse) as writer:
        writer.write(X, rows)
        assert not path.exists()
    assert is_log(path)
    log = LogFile.open(path)
    assert (log.header.n_features, list(log.header.labels)) == (5, list("abcdef"))
    batches = list(log.batches())
    for name in ("shown", "bits", "pairs"):
        read = np.concatenate([getattr(each.rows, name) for each in batches])
        assert read.tolist() == getattr(rows, name).tolist()
    dense = [each.features.toarray() if sparse else each.features for each in batches]
    assert np.concatenate(dense).tolist() == (X.toarray() if sparse else X).tolist()
    by_file, by_rows = TOP_K[0].make(), TOP_K[0].make()
    assert run_log_file(by_file, path, loops=2).rounds == 600
    by_rows.run_log(Log(X, rows.shown, rows.bits, rows.pairs), loops=2)
    assert_same(by_file, by_rows)


def test_a_log_that_could_not_be_written_whole_is_not_there(tmp_path: Path) -> None:
    X, rows = example(20)
    with pytest.raises(RuntimeError), LogWriter(tmp_path / "a.parquet", Header(5, "abcdef")) as log:
        log.write(X, rows)
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []
    with raises(ValueError, ".parquet", ".jsonl", "a.csv"):
        LogWriter(tmp_path / "a.csv", Header(5, "abcdef"))


@both
@pytest.mark.parametrize("scheme", ["uniform", "single-swap"])
def test_pairs_follow_from_scheme_rate_and_ranking(kind: str, scheme: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows, expected = [], []
    for rate in (0.0, 0.1, 0.5, 1.0):
        for _ in range(6):
            ranking = rng.permutation(6)
            shown = ranking[:3] if rate == 0.0 else rng.permutation(6)[:3]
            row = {
                "scheme": scheme,
                "rate": rate,
                "ranking": ranking[: rng.integers(3, 7)].tolist(),
            }
            rows.append({"features": [0.0] * 5, "shown": shown.tolist(), "bits": [0, 1, 0]} | row)
            inside = np.isin(shown, ranking[:3]).astype(int)
            expected.append(
                [
                    pair_probability(scheme, 6, 3, rate, int(inside[i] + inside[j]))
                    for i, j in ((0, 1), (0, 2), (1, 2))
                ]
            )
    (batch,) = LogFile.open(write(tmp_path / f"a.{kind}", rows)).batches()
    np.testing.assert_allclose(batch.rows.pairs, expected, rtol=1e-12)


def test_all_labels_shown_are_certain(tmp_path: Path) -> None:
    told = {"scheme": "uniform", "rate": 0.3, "ranking": [0, 1, 2, 3, 4, 5]}
    row = {"features": [0.0] * 5, "shown": [5, 4, 3, 2, 1, 0], "bits": [0, 1] * 3, **told}
    log = LogFile.open(write(tmp_path / "a.jsonl", [row]))
    (batch,) = log.batches()
    assert batch.rows.pairs.tolist() == [[1.0] * 15]
    assert not summarise_log(log).deterministic


@both
def test_pairs_are_products_of_propensities(kind: str, tmp_path: Path) -> None:
    row = {name: value for name, value in ROW.items() if name != "pairs"}
    rows = [row | {"propensities": [0.5, 1.0, 0.25]}, row | {"propensities": [1.0, 0.1, 0.2]}]
    (batch,) = LogFile.open(write(tmp_path / f"a.{kind}", rows)).batches()
    np.testing.assert_allclose(batch.rows.pairs, [[0.5, 0.125, 0.25], [0.1, 0.2, 0.02]])


@both
def test_other_columns_are_ignored(kind: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"a.{kind}", [ROW | {"id": "x7", "time": 3.5}])
    (batch,) = LogFile.open(path).batches()
    assert batch.rows.shown.tolist() == [[4, 0, 2]]


SCHEME = {"scheme": "uniform", "rate": 0.1, "ranking": [0, 1, 2]}
SPARSE = {"indices": [0, 3], "values": [1.0, 2.0]}


def broken(*facts: object, drop: tuple[str, ...] = (), **changed: Any) -> Any:
    row = {name: value for name, value in (ROW | changed).items() if name not in drop}
    return pytest.param(row, facts, id=f"{'-'.join(changed)} {facts[0]}")


BROKEN = [
    broken("pairs", "at most 1", "1.5", pairs=[0.5, 1.5, 1.0]),
    broken("pairs", "above 0", "-0.25", pairs=[0.5, -0.25, 1.0]),
    broken("pairs", "above 0", "0.0", pairs=[0.5, 0.0, 1.0]),
    broken("pairs", "3 values", "got 2", pairs=[0.5, 0.25]),
    broken("pairs", "list", pairs=None),
    broken("pairs", "empty", pairs=[0.5, None, 0.5]),
    broken("shown", "0 .. 5", "6", shown=[4, 6, 2]),
    broken("shown", "negative", shown=[4, -1, 2]),
    broken("shown", "distinct", "4", shown=[4, 0, 4]),
    broken("shown", "at least 2", "got 1", shown=[4], bits=[1], pairs=[]),
    broken("bits", "0 or 1", "2", bits=[2, 0, 0]),
    broken("bits", "3 values", "got 2", bits=[1, 0]),
    broken("features", "5 values", "got 2", features=[0.5, 1.0]),
    broken("features", "finite", "inf", features=[0.5, 1.0, 1e39, 0.0, 0.0]),
    broken(
        "scheme",
        "uniform",
        "single-swap",
        "'softmax'",
        drop=("pairs",),
        **SCHEME | {"scheme": "softmax"},
    ),
    broken("rate", "0 to 1", "1.5", drop=("pairs",), **SCHEME | {"rate": 1.5}),
    broken("ranking", "at least", "3", "got 2", drop=("pairs",), **SCHEME | {"ranking": [0, 1]}),
    broken("ranking", "distinct", "1", drop=("pairs",), **SCHEME | {"ranking": [0, 1, 1]}),
    # It was shown, but could not have been.
    broken("pairs", "above 0", "0.0", drop=("pairs",), **SCHEME | {"rate": 0.0}),
    broken("propensities", "at most 1", "2.0", drop=("pairs",), propensities=[0.5, 2.0, 0.5]),
    broken("propensities", "3 values", "got 1", drop=("pairs",), propensities=[0.5]),
    broken("indices", "0 .. 4", "5", drop=("features",), **SPARSE | {"indices": [0, 5]}),
    broken("indices", "rising", "0", drop=("features",), **SPARSE | {"indices": [3, 0]}),
    broken("values", "2 values", "got 1", drop=("features",), **SPARSE | {"values": [1.0]}),
    broken("values", "finite", "inf", drop=("features",), **SPARSE | {"values": [1.0, 1e39]}),
]


@both
@pytest.mark.parametrize(("row", "facts"), BROKEN)
def test_a_broken_log_is_refused_with_its_row_and_nothing_is_learned(
    kind: str,
    row: dict[str, Any],
    facts: tuple[object, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(file, "_VALUES", 1)  # so that the rows before are read in batches of 256
    sound = {name: value for name, value in (ROW | SCHEME | SPARSE).items() if name in row}
    sound |= {"propensities": [0.5] * 3} if "propensities" in row else {}
    sound |= {"shown": [0, 1, 2]} if "ranking" in row else {}
    path = write(tmp_path / f"a.{kind}", [*[sound] * 600, row])
    booster = TOP_K[0].make()
    before = snapshot(booster)
    place = 602 if kind == "jsonl" else "row 601"
    with raises(DataError, f"a.{kind}", place, *facts):
        run_log_file(booster, path)
    assert snapshot(booster) == before


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        ('{"features": [NaN, 0, 0, 0, 0]}', ("NaN",)),
        ("[1, 2]", ("object",)),
        ("{", ("JSON",)),
        ('{"features": "abc"}', ("'features'", "list", "abc")),
        ('{"features": [0, 0, 0, 0, 0], "shown": [0.5, 1, 2]}', ("'shown'", "0.5")),
        ('{"features": [16777217, 0, 0, 0, 0], "shown": ["0", 1, 2]}', ("'shown'",)),
        ('{"features": [0, 0, 0, 0, 0], "shown": ["0", "1"]}', ("'shown'", "0")),
        ('{"features": [0, 0, 0, 0, 0], "shown": [4000000000, 1, 2]}', ("'shown'", "4000000000")),
    ],
)
def test_lines_that_are_no_rows(line: str, facts: tuple[str, ...], tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [ROW])
    path.write_text(path.read_text("utf-8") + "\n" + line, "utf-8")
    with raises(DataError, "a.jsonl", 3, *facts):
        list(LogFile.open(path).batches())


@both
@pytest.mark.parametrize(
    ("header", "facts"),
    [
        (HEADER | {"format": 2}, ("format", 1, 2)),
        (HEADER | {"n_features": 0}, ("n_features", "at least 1")),
        (HEADER | {"labels": ["a"]}, ("labels", 2)),
        (HEADER | {"labels": ["a", "b", "a"]}, ("labels", "'a'")),
        ([], ("n_features",)),
    ],
)
def test_a_broken_header(kind: str, header: Any, facts: Any, tmp_path: Path) -> None:
    path = write(tmp_path / f"a.{kind}", [ROW], header)
    with raises(DataError, f"a.{kind}", *facts):
        LogFile.open(path)


@both
@pytest.mark.parametrize("missing", ["features", "shown", "bits", "pairs"])
def test_a_missing_column(kind: str, missing: str, tmp_path: Path) -> None:
    row = {name: value for name, value in ROW.items() if name != missing}
    with raises(DataError, f"a.{kind}", f"'{missing}'"):
        list(LogFile.open(write(tmp_path / f"a.{kind}", [row])).batches())


def test_other_files_are_no_logs(tmp_path: Path) -> None:
    plain = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"x": [1.0]}), plain)
    lines = tmp_path / "a.jsonl"
    lines.write_text('{"song": 1}\n', "utf-8")
    csv = tmp_path / "a.csv"
    csv.write_text("x\n1\n", "utf-8")
    assert not any(map(is_log, (plain, lines, csv, tmp_path / "none.jsonl")))
    with raises(DataError, "a.parquet", KEY):
        LogFile.open(plain)
    with raises(DataError, "a.jsonl", "at least one row"):
        list(LogFile.open(write(lines, [])).batches())


def test_a_log_of_another_shape_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [ROW | {"features": [0.0] * 4}], HEADER | {"n_features": 4})
    with raises(DataError, "a.jsonl", "n_features", 5, 4):
        run_log_file(TOP_K[0].make(), path)


# Policies


@pytest.mark.parametrize("scheme", ["uniform", "single-swap"])
def test_a_policy_shows_pairs_as_often_as_it_says(scheme: str) -> None:
    """The mean of 1 / P over the pairs shown is 1 for every pair of labels."""
    rng = np.random.default_rng(0)
    n = 20_000
    rankings = np.tile([3, 1, 5, 0, 2, 4], (n, 1))
    shown, likely = Policy(3, 0.6, scheme).show(rankings, rng)
    total = np.zeros((6, 6))
    for pair, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        low, high = np.sort(shown[:, [i, j]], axis=1).T
        np.add.at(total, (low, high), 1 / likely[:, pair])
    mean = total[np.triu_indices(6, 1)] / n
    # 1 / P is at most 45: five standard errors of its mean are below 0.24.
    assert np.abs(mean - 1).max() < 0.24
    assert (np.sort(shown, axis=1)[:, 1:] != np.sort(shown, axis=1)[:, :-1]).all()


def test_a_log_has_the_bits_of_what_it_shows_and_nothing_else() -> None:
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(50, 5)).astype("f"), rng.integers(2, size=(50, 6)).astype(np.uint8)
    rankings = np.array([rng.permutation(6) for _ in X])
    parts = list(logged(X, Y, rankings, Policy(3, 0.5), passes=3, seed=7))
    assert len(parts) == 3
    assert len({part[1].shown.tobytes() for part in parts}) == 3
    for _, rows in parts:
        assert (rows.bits == np.take_along_axis(Y, rows.shown.astype(int), axis=1)).all()
    again = list(logged(X, Y, rankings, Policy(3, 0.5), passes=3, seed=7))
    assert again[2][1].shown.tolist() == parts[2][1].shown.tolist()


# Summaries


def summary(rows: list[dict[str, Any]], path: Path) -> Any:
    return summarise_log(LogFile.open(write(path / "s.parquet", rows)))


def test_a_deterministic_log_is_explained(tmp_path: Path) -> None:
    found = summary([ROW | {"pairs": [1.0] * 3}] * 4, tmp_path)
    assert found.deterministic
    (finding,) = found.findings()
    says(finding, "never explores", 0)


def test_what_limits_a_log_is_counted(tmp_path: Path) -> None:
    other = ROW | {"shown": [0, 1], "bits": [0, 0], "pairs": [0.001]}
    found = summary([ROW, other], tmp_path)
    assert (found.rows, found.pairs, found.told, found.fewest, found.most) == (2, 4, 2, 2, 3)
    assert (found.below_clip, found.least, found.never, found.label_pairs) == (1, 0.001, 11, 15)
    weights = np.array([2 + 4 + 1, 1000])
    assert found.effective_rows == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert found.support == pytest.approx(weights.mean() / 15)
    says(" ".join(found.findings()), 11, 15, "0.005", "25%")
    dull = summary([other | {"pairs": [0.5]}], tmp_path)
    says(" ".join(dull.findings()), "nothing to learn", "13.3%")


# Commands


def test_a_labelled_set_becomes_a_log_that_is_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = "synthetic:rows=200,m=6"
    call(f"data log {made} --rate 0.5 --passes 2 -o a.parquet")
    says(capsys.readouterr().out, 280, "a.parquet")
    call("data check a.parquet --format json")
    (found,) = json.loads(capsys.readouterr().out)
    assert found["rows"] == 280
    assert found["labels"] == 6
    assert not found["deterministic"]
    call(f"data log {made} --rate 0 --loops 0 --policy topopt -o b.jsonl")
    capsys.readouterr()
    call("data check b.jsonl")
    says(capsys.readouterr().out, "never explores")


def call(arguments: str) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments.split())
    assert not ended.value.code


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        ("data log yeast --policy nobody -o a.parquet", ("nobody", "topada")),
        ("data log yeast --rate 2 -o a.parquet", ("rate", "2.0")),
        ("data log yeast -k 20 -o a.parquet", ("k", 20, 14)),
        ("data log yeast -o a.csv", (".parquet", "a.csv")),
        ("data log yeast --passes 0 -o a.parquet", ("passes", 0)),
    ],
)
def test_what_cannot_be_logged(
    arguments: str,
    facts: tuple[object, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments.replace("-k", "--k").split())
    assert ended.value.code
    says(capsys.readouterr().err, *facts)
    assert list(tmp_path.iterdir()) == []
