"""What a message tells: the names and values in it, however it puts them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest


def says(message: object, *facts: object) -> None:
    """Assert that a message or an error mentions each fact.

    Texts are looked for as they are, and other values as Python writes them; both as words of
    their own, so that neither "k" nor 1 is found in "rank 10".
    """
    text = str(message)
    missing = [fact for fact in facts if not _mentions(text, fact)]
    assert not missing, f"{missing} not in the message: {text}"


def lines_say(message: object, *lines: Sequence[object]) -> None:
    """Assert that a message has a line for each of these groups of facts, and no others."""
    for line, facts in zip(str(message).splitlines(), lines, strict=True):
        says(line, *facts)


def unfolded(message: str) -> str:
    """Return a message without the line breaks that a narrow terminal needs."""
    return message.replace("\n      ", " ")


@contextmanager
def raises(error: type[BaseException], *facts: object) -> Iterator[None]:
    """Expect an error whose message mentions each fact."""
    with pytest.raises(error) as caught:
        yield
    says(caught.value, *facts)


def _mentions(text: str, fact: object) -> bool:
    wanted = fact if isinstance(fact, str) else repr(fact)
    before = r"(?<![\w.-])" if wanted[:1].isalnum() else ""
    after = r"(?!\w|\.\d)" if wanted[-1:].isalnum() else ""
    return re.search(before + re.escape(wanted) + after, text) is not None
