"""One at a time: locks on files, the same on every system. A lock ends with its process, however that ends."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager


def take(path: str | os.PathLike[str], *, wait: bool = True) -> AbstractContextManager[object]:
    """Hold a file's lock until the `with` block that is entered with what this returns is left.

    Args:
        path: made where it is not there, with the folders above it. What it holds does not matter.
        wait: until whoever holds it, in this process or another, lets go.

    Raises:
        BlockingIOError: it is held, and `wait` is off.
        OSError: the file cannot be made.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415  # 50 ms, and nobody locks at import.

    try:
        return FileLock(path).acquire(blocking=wait)
    except Timeout:
        raise BlockingIOError(f"{os.fspath(path)} is held by another process or thread") from None
