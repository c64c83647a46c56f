"""Errors of data sets."""


class DataError(ValueError):
    """A data set cannot be loaded or is invalid; the message says what to do."""
