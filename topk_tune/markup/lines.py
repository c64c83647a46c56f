"""Text on one line."""


def one_line(value: str) -> str:
    """Return the text with all white space collapsed to single spaces.

    Comments and table cells end with their line, so a name must not contain a line break.
    """
    return " ".join(value.split())
