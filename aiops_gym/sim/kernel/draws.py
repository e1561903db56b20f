"""Chance: a draw is a pure function of (seed, purpose, key, counter).

There is no generator to advance, so one controller's extra draw never shifts another's, a fork needs no copy of any
state, and asking twice gives the same answer. Bulk numbers come from numpy's Philox, keyed the same way.

>>> draw(7, "traffic", "geo", 3) == draw(7, "traffic", "geo", 3)
True
>>> 0.0 <= draw(7, "traffic", "geo", 4) < 1.0
True
"""

from __future__ import annotations

import threading
from hashlib import blake2b
from math import cos, exp, log, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

SAFE_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""Letters of generated Kubernetes names (apimachinery `util/rand`): no vowels, so no words."""


def bits(seed: int, purpose: str, key: str = "", counter: int = 0) -> int:
    """64 random bits."""
    text = f"{seed}\0{purpose}\0{key}\0{counter}".encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


def draw(seed: int, purpose: str, key: str = "", counter: int = 0) -> float:
    """A number in [0, 1)."""
    return (bits(seed, purpose, key, counter) >> 11) * 2.0**-53


def between(low: float, high: float, seed: int, purpose: str, key: str = "", counter: int = 0) -> float:
    """A number in [low, high)."""
    return low + (high - low) * draw(seed, purpose, key, counter)


def pick(n: int, seed: int, purpose: str, key: str = "", counter: int = 0) -> int:
    """An integer in [0, n)."""
    return int(draw(seed, purpose, key, counter) * n)


def lognormal(median: float, sigma: float, seed: int, purpose: str, key: str = "", counter: int = 0) -> float:
    """A log-normal number: half of all draws lie below `median`."""
    u, v = draw(seed, purpose, key, 2 * counter), draw(seed, purpose, key, 2 * counter + 1)
    return median * exp(sigma * sqrt(-2.0 * log(1.0 - u)) * cos(2.0 * pi * v))


def hexes(digits: int, seed: int, purpose: str, key: str = "", counter: int = 0) -> str:
    """Random hexadecimal digits, at most 128."""
    text = f"{seed}\0{purpose}\0{key}\0{counter}".encode()
    return blake2b(text, digest_size=(digits + 1) // 2).hexdigest()[:digits]


def suffix(length: int, seed: int, purpose: str, key: str = "", counter: int = 0) -> str:
    """The random end of a generated name, `x7k2p`.

    >>> len(suffix(5, 1, "pod", "geo"))
    5
    """
    number = bits(seed, purpose, key, counter)
    letters = []
    for _ in range(length):
        number, index = divmod(number, len(SAFE_ALPHABET))
        letters.append(SAFE_ALPHABET[index])
    return "".join(letters)


def uuid(seed: int, purpose: str, key: str = "", counter: int = 0) -> str:
    """A version 4 UUID."""
    h = hexes(32, seed, purpose, key, counter)
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-{'89ab'[int(h[16], 16) % 4]}{h[17:20]}-{h[20:]}"


class _Numbers(threading.local):
    """A generator of this thread that is given the state of another: to make one costs four times as much."""

    def __init__(self) -> None:
        self.philox = np.random.Philox(key=0)
        self.generator = np.random.Generator(self.philox)
        self.key = np.zeros(2, np.uint64)
        self.state: Any = {
            "bit_generator": "Philox",
            "state": {"counter": np.zeros(4, np.uint64), "key": self.key},
            "buffer": np.zeros(4, np.uint64),
            "buffer_pos": 4,
            "has_uint32": 0,
            "uinteger": 0,
        }

    def begin(self, key: int) -> np.random.Generator:
        """The generator as a new one with this key would be."""
        self.key[0] = key
        self.philox.state = self.state
        return self.generator


_NUMBERS = _Numbers()


def uniforms(many: int, seed: int, purpose: str, key: str = "", counter: int = 0) -> NDArray[np.float64]:
    """So many numbers in [0, 1): the first that `bulk` gives.

    >>> bool((uniforms(3, 7, "traffic", "geo") == bulk(7, "traffic", "geo").random(3)).all())
    True
    """
    return _NUMBERS.begin(bits(seed, purpose, key, counter)).random(many)


def bulk(seed: int, purpose: str, key: str = "", counter: int = 0) -> np.random.Generator:
    """A numpy generator for many numbers at once: same arguments, same numbers."""
    return np.random.Generator(np.random.Philox(key=bits(seed, purpose, key, counter)))


def grid(keys: NDArray[np.uint64], counters: NDArray[np.int64]) -> NDArray[np.float64]:
    """A number in [0, 1) for each key (a row, 64 bits) and each counter (a column): little from many, and all at once.

    Mixed as by SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators").

    >>> both = grid(np.array([bits(7, "pace", "geo"), bits(7, "pace", "rate")], np.uint64), np.arange(9))
    >>> both.shape, bool((both[1:, 4:5] == grid(np.array([bits(7, "pace", "rate")], np.uint64), np.array([4]))).all())
    ((2, 9), True)
    """
    z = keys[:, None] + (counters.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    found: NDArray[np.float64] = (z >> np.uint64(11)) * 2.0**-53
    return found
