"""Files without a name, which the kernel frees with the last process that has them open.

Nothing is left behind by processes that are killed.
"""

import os
import tempfile


def nameless_file(what: str) -> int:
    """Return the descriptor of a new, empty file; `what` it is for shows up in lists of files."""
    # In memory where the system has such files: a disk may be slow or full.
    if hasattr(os, "memfd_create"):
        return os.memfd_create(f"topk-tune {what}")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
