"""Text as a row of numbers that any learner takes."""

from __future__ import annotations

import re
import zlib
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from aiops_gym import caches
from aiops_gym.envs.branching import Remembering
from aiops_gym.wrappers.reading.turns import Env, Turn, make_box

_RANDOM = re.compile(r"-[a-z0-9]{8,10}-[a-z0-9]{5}\b|-(?=[a-z0-9]*[0-9])[a-z0-9]{5,10}\b")
_WORD = re.compile(r"[A-Za-z]+(?:[-_][A-Za-z]+)*|\d+(?:\.\d+)?%?|[<>=!/]+")


class HashedText(Remembering, RecordConstructorArgs):
    """Counts of words and of runs of words, hashed into a fixed number of buckets with signs, of length 1 together.

    Numbers count by their magnitude only, and the random ends of pod names not at all: what is left says the same in
    each episode. The hash is CRC-32, the same in every process. Counts enter as `log(1 + n)`.

    Args:
        env: observes text.
        size: buckets.
        grams: longest run of words within a line.

    >>> import aiops_gym
    >>> env = HashedText(gym.make("aiops_gym/Detection-v0"), size=128)
    >>> features, _ = env.reset(seed=1)
    >>> features.shape, str(features.dtype), round(float((features ** 2).sum()), 3)
    ((128,), 'float32', 1.0)
    """

    MEMORY = ("heard",)

    def __init__(self, env: Env, size: int = 512, grams: int = 2) -> None:
        RecordConstructorArgs.__init__(self, size=size, grams=grams)
        Remembering.__init__(self, env)
        if not isinstance(env.observation_space, gym.spaces.Text):
            raise TypeError(f"HashedText reads text, and {env.observation_space} is none: put it further inside")
        if size < 1 or grams < 1:
            raise ValueError("size and grams must be 1 or more")
        self.size, self.grams = size, grams
        self.heard = ""
        self.observation_space = make_box(-1.0, 1.0, size)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        observation, info = super().reset(seed=seed, options=options)
        return self.observation(observation), info

    def step(self, action: Any) -> Turn:
        """One turn."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self.observation(observation), float(reward), terminated, truncated, info

    def observation(self, observation: str) -> NDArray[np.float32]:
        """The features of a text."""
        self.heard = observation
        return compute_features(observation, self.size, self.grams)


def compute_features(text: str, size: int, grams: int) -> NDArray[np.float32]:
    """The features of a text, float32 of shape (size,) and of length 1, or 0 for a text without words.

    >>> bool((compute_features("1 error at 10:30", 64, 2) == compute_features("7 error at 25:59", 64, 2)).all())
    True
    """
    codes = [code for line in text.splitlines() for code in _codes(line, grams)]
    hashes = np.array(codes, np.uint32)
    counts = np.bincount(hashes % size, np.where(hashes >> 31, 1.0, -1.0), size) if codes else np.zeros(size)
    row = np.sign(counts) * np.log1p(np.abs(counts))
    length = float(np.sqrt((row**2).sum()))
    return np.asarray(row / length if length else row, np.float32)


@caches.function(16_384, "hashing the words of a line")
def _codes(line: str, grams: int) -> tuple[int, ...]:
    """Hashes of all runs of words of a line; lines come again and again."""
    words = [_plain(word) for word in _WORD.findall(_RANDOM.sub("", line))]
    runs = (" ".join(words[i : i + n]) for n in range(1, grams + 1) for i in range(len(words) - n + 1))
    return tuple(zlib.crc32(run.encode()) for run in runs)


def _plain(word: str) -> str:
    """A word as it counts: small letters, and of a number only how long it is."""
    return f"#{len(word.partition('.')[0])}" if word[0].isdigit() else word.lower()
