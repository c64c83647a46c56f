"""Requests that are refused, with the HTTP status and the reason."""


class RefusedError(ValueError):
    """A request that breaks a rule.

    Parameters
    ----------
    status
        The HTTP status.
    reason
        The rule and the value.
    facts
        What the answer tells besides.
    """

    def __init__(self, status: int, reason: str, **facts: int) -> None:
        super().__init__(reason)
        self.status = status
        self.facts = facts
