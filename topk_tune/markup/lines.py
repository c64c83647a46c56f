"""Text on one line."""


def one_line(value: str) -> str:
    """The text with each stretch of white space as one space.

    A comment and a cell end where their line ends, so a name with a line break must not have one.
    """
    return " ".join(value.split())
