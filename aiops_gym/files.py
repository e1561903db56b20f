"""Files that are there as a whole or not at all, whoever writes them at the same time."""

from __future__ import annotations

import os
from pathlib import Path


def write(path: Path, content: str | bytes) -> None:
    """Write a file that nobody sees before all of it is there; the folders above it are made.

    The half one begins with a dot and belongs to this process, so that two that write the same file at once leave one
    whole file. It is removed when this fails; a process that is killed leaves it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.{os.getpid()}.half")
    try:
        half.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        half.replace(path)
    except BaseException:
        half.unlink(missing_ok=True)
        raise
