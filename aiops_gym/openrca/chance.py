"""Chance by purpose: each draw has a name, so that one more here never shifts another there."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np


def make_generator(seed: int, *purpose: object) -> np.random.Generator:
    """A generator of its own for one purpose; the same in every process.

    >>> make_generator(1, "bank", "spans").random() == make_generator(1, "bank", "spans").random()
    True
    >>> make_generator(1, "ab", "c").random() == make_generator(1, "a", "bc").random()
    False
    """
    return np.random.Generator(np.random.Philox(key=int.from_bytes(_digest(seed, purpose), "little")))


def draw_unit(seed: int, *purpose: object) -> float:
    """One number in [0, 1) for one purpose.

    >>> 0 <= draw_unit(3, "level", "Tomcat01") < 1
    True
    """
    return (int.from_bytes(_digest(seed, purpose)[:8], "little") >> 11) / 2**53


def _digest(seed: int, purpose: tuple[object, ...]) -> bytes:
    return blake2b("\x1f".join(map(str, (seed, *purpose))).encode(), digest_size=16).digest()
