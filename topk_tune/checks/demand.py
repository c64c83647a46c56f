"""How checks say what is wrong."""


def demand(holds: object, sentence: str) -> None:
    """Raise an AssertionError unless something holds; unlike `assert`, with `python -O` too."""
    if not holds:
        raise AssertionError(sentence)
