"""A study on one page: HTML that needs no network, Markdown, or pictures alone."""

from topk_tune.report.writing import KINDS, write_report

__all__ = ["KINDS", "write_report"]
