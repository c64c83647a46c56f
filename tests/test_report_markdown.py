"""The report as Markdown and as pictures, and the command that writes them."""

import re
from pathlib import Path

import pytest
from report_cases import HOSTILE, made_content, made_record, made_records, made_settings
from tuning import FakeBackend, study, tune

from topk_tune import cli
from topk_tune.charts import figures
from topk_tune.engine.stopping import StopOptions
from topk_tune.markup.markdown import text
from topk_tune.report import write_report
from topk_tune.report.markdown import document
from topk_tune.study.plan import Plan
from topk_tune.study.study import Study


@pytest.fixture
def made(tmp_path: Path) -> Study:
    """A study of a few trials, done."""
    made = study(tmp_path / "studies", seeds=2)
    tune(made.store, StopOptions(trials=4), FakeBackend())
    return made


def test_document_holds_the_figures_and_links_its_pictures() -> None:
    content = made_content(made_records(150))
    found = document(content, "my report-images", figures(content))
    best = content.best
    assert best is not None and f"| {best.number} | {best.state} | {best.value:.4f} |" in found
    assert "](my%20report-images/history.png)\n\nLower is better." in found
    assert "The best 100 of 150 trials" in found
    assert "```sh\ntopk-tune run " in found and "### space.yaml" in found


def test_hostile_texts_stay_texts() -> None:
    records = [made_record(n, "failed", error=error) for n, error in enumerate(HOSTILE)]
    settings = made_settings(dataset=HOSTILE[7], labels="a\n```\n# heading")
    found = document(made_content(records, settings=settings), "images", {})
    outside = re.sub(r"^(`{3,})(sh|yaml)\n.*?^\1$", "", found, flags=re.S | re.M)
    assert "<" not in outside and "`" not in outside.replace("\\`", "")
    assert "](" not in outside.replace("\\](", "")
    assert "# heading" not in [line.strip() for line in found.splitlines()]
    rows = [line for line in outside.splitlines() if "| failed |" in line]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1


def test_text_is_on_one_line() -> None:
    assert text("a\n\n# b") == "a # b"


@pytest.mark.slow
def test_reports_lie_in_the_folder_of_the_study(made: Study, tmp_path: Path) -> None:
    folder = tmp_path / "studies" / "s"
    assert write_report(made) == folder / "report.html"
    assert write_report(made, kind="md") == folder / "report.md"
    assert write_report(made, kind="png") == folder / "report-images"
    linked = re.findall(r"\]\((.+?)\)", (folder / "report.md").read_text(encoding="utf-8"))
    assert linked and all((folder / link).is_file() for link in linked)


def test_report_of_a_study_in_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    from topk_tune.data import load
    from topk_tune.storage import Location

    settings = made_settings()
    location = Location.of(f"sqlite:///{tmp_path}/secret.db")
    made = Study.create(location, Plan.checked(settings, load(settings.dataset)))
    path = write_report(made)
    assert path == Path("studies/s/report.html") and path.is_file()


def test_command_writes_where_it_says(
    made: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    storage, wanted = str(tmp_path / "studies"), tmp_path / "new folder" / "page.html"
    with pytest.raises(SystemExit) as ended:
        cli.main(["report", "s", "--storage", storage, "-o", str(wanted)])
    assert ended.value.code == 0
    assert wanted.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert capsys.readouterr().out == f"written to {wanted}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["report", "s", "--format", "pdf"], "unknown format 'pdf'; choose from html, md, png"),
        (["report", "t"], "unknown study 't'"),
        (["report", "../s"], "a study's name must have"),
    ],
)
def test_command_says_what_is_wrong(
    made: Study,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([*arguments, "--storage", str(tmp_path / "studies")])
    assert ended.value.code == 2
    assert words in capsys.readouterr().err
