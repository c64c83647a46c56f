"""Line breaks between words: a number or a name is never cut in two."""

import textwrap

_NARROW = 80
"""The width where there is no terminal: a log or a mail shows so much."""


def folded(text: str, width: int = _NARROW, indent: int = 0) -> list[str]:
    """The lines of a text; a word that is longer than a line has one of its own.

    >>> folded("n_learners 120, rho 0.25", width=18, indent=2)
    ['n_learners 120,', '  rho 0.25']
    """
    return textwrap.wrap(
        text,
        width,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [""]
