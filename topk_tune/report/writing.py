"""Writes the report of a study in one of its formats."""

from pathlib import Path

from topk_tune.charts import figures
from topk_tune.charts.figure import Figure
from topk_tune.charts.png import write_figures
from topk_tune.plugins.names import one_of
from topk_tune.report.content import Content
from topk_tune.report.html import page
from topk_tune.report.markdown import document
from topk_tune.study.study import Study

KINDS = {"html": "report.html", "md": "report.md", "png": "report-images"}
"""The formats of a report, and their names in the study's folder."""


def write_report(
    study: Study, path: Path | None = None, kind: str = "html", baselines: bool = False
) -> Path:
    """Write the report of a study; returns the file or, for pictures only, the folder.

    Parameters
    ----------
    study
        The study, which may still be running.
    path
        The file or folder to write; by default in the study's folder.
    kind
        "html" for a self-contained page, "md" for Markdown with a folder of pictures, "png" for
        that folder only.
    baselines
        Whether to fit scikit-learn's learners too, if that was not done before.
    """
    one_of("format", kind, KINDS)
    if path is None:
        path = study.store.location.folder(study.settings.name) / KINDS[kind]
    content = Content.of(study, baselines)
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "png":
        _pictures(content, path)
    else:
        # A file name or an error may have bytes that are not text in any encoding.
        text = page(content) if kind == "html" else _markdown(content, path)
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    return path


def _markdown(content: Content, path: Path) -> str:
    folder = path.with_name(f"{path.stem}-images")
    return document(content, folder.name, _pictures(content, folder))


def _pictures(content: Content, folder: Path) -> dict[str, Figure]:
    """The charts that show something, which are then in the folder, by the names of their files."""
    drawn = figures(content)
    return {name: drawn[name] for name in write_figures(folder, drawn)}
