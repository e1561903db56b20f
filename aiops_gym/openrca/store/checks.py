"""Checksums of a converted file's blocks, looked at when a question first touches a block."""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

BLOCK = 1 << 17
"""Bytes of a block of numbers; a chunk of texts is a block of its own."""


def compute_sums(path: Path) -> list[int]:
    """Of all blocks of a file."""
    with path.open("rb") as file:
        return [crc32(block) for block in iter(lambda: file.read(BLOCK), b"")]
