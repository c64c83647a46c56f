"""Reports of studies: a self-contained HTML page, Markdown, or pictures."""

from topk_tune.report.writing import KINDS, write_report

__all__ = ["KINDS", "write_report"]
