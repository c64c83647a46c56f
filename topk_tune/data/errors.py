"""What can be wrong with a data set."""


class DataError(ValueError):
    """A data set cannot be had, or is not what it should be; the message says what to do."""
