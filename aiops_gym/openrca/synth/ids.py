"""Ids as text, millions at a time: fixed-width pieces are made as bytes and glued side by side."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

HEX = np.frombuffer(b"0123456789abcdef", np.uint8)
ALNUM = np.frombuffer(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_", np.uint8)


def format_digits(numbers: np.ndarray, width: int) -> np.ndarray:
    """Decimal digits, zeros in front: uint8 [n, width].

    >>> glue(format_digits(np.array([7, 123]), 4)).to_pylist()
    ['0007', '0123']
    """
    rest = np.asarray(numbers).astype(np.uint64)
    text = np.empty((len(rest), width), np.uint8)
    for place in range(width - 1, -1, -1):
        rest, text[:, place] = np.divmod(rest, np.uint64(10))
    text += 48
    return text


def draw_hex(rng: np.random.Generator, n: int, width: int) -> np.ndarray:
    """Random hexadecimal digits: uint8 [n, width]."""
    raw = rng.integers(256, size=(n, (width + 1) // 2), dtype=np.uint8)
    return HEX[np.stack((raw >> 4, raw & 15), axis=2).reshape(n, 2 * raw.shape[1])[:, :width]]


def fill(n: int, text: str) -> np.ndarray:
    """The same text n times: uint8 [n, width]."""
    return np.broadcast_to(np.frombuffer(text.encode(), np.uint8), (n, len(text.encode())))


def glue(*parts: np.ndarray | str) -> pa.Array:
    """Pieces side by side, as strings; fixed text may stand between them."""
    n = next(len(part) for part in parts if not isinstance(part, str))
    whole = np.hstack([fill(n, part) if isinstance(part, str) else part for part in parts])
    return strings(whole)


def strings(text: np.ndarray) -> pa.Array:
    """Bytes [n, width] as n strings."""
    n, width = text.shape
    offsets = np.arange(n + 1, dtype=np.int32) * width
    return pa.StringArray.from_buffers(n, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(text)))
