"""The version of this program, apart from its package so that every room may ask."""

from importlib.metadata import version

__version__ = version("topk-tune")
