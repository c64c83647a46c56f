"""The HTML page: complete, the same figures as the study, and text is text whatever it says."""

import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from report_cases import HOSTILE, made_confirmation, made_content, made_record, made_records
from report_cases import made_settings as settings_of
from tuning import FakeBackend, study, tune

from topk_tune.data import load
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.trials import TrialRecord
from topk_tune.report import write_report
from topk_tune.report.html import embedded, page
from topk_tune.report.payload import FIELDS
from topk_tune.spaces import Choice, Fixed, Float, Int, Space
from topk_tune.storage import Location
from topk_tune.study.plan import Plan
from topk_tune.study.study import Study

# Elements that load or run something; the two scripts and the style are the page's own.
_ACTIVE = {"img", "iframe", "object", "embed", "link", "a", "form", "base", "image", "use"}


class Page(HTMLParser):
    """What a page consists of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def data(self) -> dict[str, Any]:
        """The data inside."""
        (text,) = (words for words in self.words if words.startswith('{"version"'))
        data: dict[str, Any] = json.loads(text)
        return data


def row(study: dict[str, Any], number: int) -> dict[str, Any]:
    """A trial of the data."""
    rows = [dict(zip(FIELDS, each, strict=True)) for each in study["trials"]]
    return next(each for each in rows if each["number"] == number)


def check_harmless(text: str) -> Page:
    """Check that a page has no element or attribute that another page of ours has not."""
    found = Page(text)
    assert found.tags.count("script") == 2 and found.tags.count("style") == 1
    assert not _ACTIVE & set(found.tags)
    names = {name for name, _ in found.attributes}
    assert not {name for name in names if name.startswith("on") or name in ("style", "src")}
    return found


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_texts_stay_texts(hostile: str) -> None:
    records = [
        *made_records(12, seeds=2),
        made_record(12, "failed", error=hostile),
        made_record(13, exploration=hostile),
    ]
    settings = settings_of(dataset=hostile, labels=hostile, split=hostile)
    found = check_harmless(page(made_content(records, settings=settings)))
    said = hostile.replace("\u202e", "\\u202e")  # it would turn the direction of text
    (study,) = found.data["studies"]
    assert study["facts"]["summary"]["data set"] == study["facts"]["summary"]["labels"] == said
    assert row(study, 12)["error"] == row(study, 13)["params"]["exploration"] == said


def test_hostile_names_in_a_space_stay_texts() -> None:
    space = Space({"algorithm": Fixed("topada"), "loops": Fixed(4)} | _named(HOSTILE))
    settings = settings_of().model_copy(update={"space": space.to_dict()})
    values = dict.fromkeys(HOSTILE, 0.5)
    records = [made_record(number, **values) for number in range(12)]
    shares = dict.fromkeys(HOSTILE, 1 / len(HOSTILE))
    check_harmless(page(made_content(records, settings=settings, importances=shares)))


def _named(names: Sequence[str]) -> dict[str, Float]:
    return {name: Float(0.0, 1.0) for name in names}


def test_a_real_study_of_a_hostile_file(tmp_path: Path) -> None:
    folder = tmp_path / "a 'b' \"c\" <i>" / ("d" * 200)
    folder.mkdir(parents=True)
    label = "<img src=x onerror=alert(1)>"
    rows = [f"{i % 7},{i % 5},{i % 2},{(i + 1) % 2},{i % 3 % 2}" for i in range(60)]
    file = folder / "ünï <script>alert(1)</script>.csv".replace("/", "\N{FULLWIDTH SOLIDUS}")
    file.write_text("\n".join([f"x,y,{label}1,{label}2,{label}3", *rows]), encoding="utf-8")
    dataset, home = str(folder / ".." / folder.name / file.name), tmp_path / "studies"
    data = load(dataset, labels=label)
    settings = settings_of(
        dataset=dataset,
        labels=label,
        fingerprint=data.fingerprint,
        space=Space(
            {"algorithm": Fixed("topada"), "loops": Fixed(2), "n_learners": Int(1, 4)}
        ).to_dict(),
    )
    made = Study.create(Location.of(str(home)), Plan.checked(settings, data))
    tune(made.store, StopOptions(trials=3), FakeBackend())
    before = set(tmp_path.rglob("*"))
    path = write_report(made)
    assert set(tmp_path.rglob("*")) - before == {home / "s" / "report.html"} == {path}
    found = check_harmless(path.read_text(encoding="utf-8"))
    (kept,) = found.data["studies"]
    assert kept["facts"]["dataset"] == dataset and kept["facts"]["summary"]["labels"] == label
    markdown = write_report(made, kind="md")
    new = set(tmp_path.rglob("*")) - before
    assert all(each.is_relative_to(home / "s") for each in new)
    assert "<script" not in markdown.read_text(encoding="utf-8").split("```")[0]


def test_an_unpaired_surrogate_is_written_all_the_same(tmp_path: Path) -> None:
    made = study(tmp_path)
    made = Study(made.store, made.settings.model_copy(update={"dataset": "odd\udcff name"}))
    assert "odd\\udcff name" in write_report(made).read_text(encoding="utf-8")


def test_embedded_data_cannot_end_its_element() -> None:
    value = {"a": "</script><!-- & \u2028\u2029"}
    text = embedded(value)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == value


def test_policy_allows_the_own_style_and_script_alone() -> None:
    text = page(made_content(made_records(3)))
    (policy,) = (v for n, v in Page(text).attributes if n == "content" and "default-src" in v)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy and "http" not in policy
    assert "connect-src 'none'" in policy and "require-trusted-types-for 'script'" in policy
    assert set(re.findall(r"https?://[^\"'\s<]+", text)) == set()


def test_figures_are_those_of_the_study() -> None:
    content = made_content(made_records(20, seeds=2))
    (study,) = Page(page(content)).data["studies"]
    for record in content.records:
        found = row(study, record.number)
        assert (found["value"], found["spread"]) == (record.value, record.spread)
        assert (found["state"], found["seconds"]) == (record.state, record.seconds)
    assert study["facts"]["summary"]["trials"] == "13 complete, 5 pruned, 2 failed"


def test_a_page_may_have_several_studies() -> None:
    other = made_content(made_records(3), settings=settings_of(name="other"))
    data = Page(page(made_content(made_records(2)), other)).data
    assert [each["facts"]["name"] for each in data["studies"]] == ["s", "other"]
    assert [len(each["trials"]) for each in data["studies"]] == [2, 3]


@pytest.mark.parametrize(
    ("records", "sentence"),
    [
        ([], "No trial has a result yet."),
        ([made_record(0, "waiting"), made_record(1, "running")], "1 running, 1 waiting"),
        ([made_record(0, "failed"), made_record(1, "failed")], "2 failed"),
        ([made_record(0, "pruned")], "Trial 0 has the least shown loss"),
        ([made_record(0)], "Trial 0 has the least shown loss"),
    ],
    ids=["empty", "unfinished", "failed", "pruned", "one"],
)
def test_studies_with_little_in_them(records: list[TrialRecord], sentence: str) -> None:
    found = check_harmless(page(made_content(records, confirmed=(), importances={})))
    (study,) = found.data["studies"]
    facts = study["facts"]
    assert sentence in " ".join([*facts["headline"], *facts["summary"].values()])
    assert facts["confirmed"] is None and len(study["trials"]) == len(records)


def test_losses_that_are_no_numbers_are_left_out_of_the_charts() -> None:
    odd = made_record(3)
    runs = [run.up_to(1) for run in odd.runs]
    object.__setattr__(runs[0].reports[0], "metrics", {"shown_loss": float("nan")})
    records = [*made_records(3), TrialRecord(3, "complete", odd.config, tuple(runs), odd.params)]
    (study,) = Page(page(made_content(records))).data["studies"]
    assert row(study, 3)["value"] is None and row(study, 3)["curve"] == [None]


def test_two_objectives_many_seeds_and_conditions() -> None:
    space = Space(
        {
            "algorithm": Choice(["topada", "topopt"]),
            "loops": Fixed(4),
            "gamma": Float(0.1, 0.4, when={"algorithm": ["topopt"]}),
        }
    )
    settings = settings_of(space=space.to_dict(), runtime_objective=True, seeds=30)
    records = [
        TrialRecord(
            each.number,
            each.state,
            {"algorithm": "topada", "loops": 4},
            each.runs,
            {"algorithm": "topopt", "gamma": 0.2} if each.number % 2 else {"algorithm": "topada"},
        )
        for each in (made_record(number, seeds=30) for number in range(12))
    ]
    confirmed = [made_confirmation(n, [0.2 + n / 100] * 3) for n in range(25)]
    found = check_harmless(page(made_content(records, settings=settings, confirmed=confirmed)))
    (study,) = found.data["studies"]
    summary = study["facts"]["summary"]
    assert summary["second objective"] == "runtime" and summary["algorithm"] == "topada, topopt"
    assert study["facts"]["recipe"]["seeds of each trial"] == "0 to 29 (30 seeds)"
    assert len(study["facts"]["confirmed"]["seeds"]) == 25


@pytest.mark.slow
def test_ten_thousand_trials_give_a_page_of_a_few_megabytes() -> None:
    content = made_content(made_records(10_000))
    text = page(content)
    assert len(text.encode()) < 5_000_000
    assert len(Page(text).data["studies"][0]["trials"]) == 10_000
