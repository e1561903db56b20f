"""A Gymnasium space of Unicode text, which is cheap at any length and survives shared memory.

Gymnasium's own `Text` refuses every character outside its charset, checks them one by one, and an asynchronous vector
env that shares memory reads it only once. Lone surrogates are the one thing refused here: nothing can store them.
"""

from __future__ import annotations

import multiprocessing
import string
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.spaces.utils import flatdim, flatten, flatten_space, unflatten
from gymnasium.vector.utils import (
    batch_differing_spaces,
    create_shared_memory,
    read_from_shared_memory,
    write_to_shared_memory,
)
from numpy.typing import NDArray

LIMIT = 65_536
"""Characters of any action and any observation of the suite: vector envs need all their spaces to be equal."""

# A text, not a set: the order of samples must not follow the hash seed.
_SAMPLED = string.ascii_letters + string.digits + string.punctuation + " \n"

_CODES = np.dtype("<i4")


class UnicodeText(spaces.Text):
    """All texts that encode to UTF-8, of at most so many characters; samples are short printable ASCII.

    >>> "kubectl: ✓ déjà vu\\n" in UnicodeText(100)
    True
    >>> "\\ud800" in UnicodeText(100)
    False
    """

    def __init__(self, max_length: int = LIMIT, *, sample_length: int = 256, seed: int | None = None) -> None:
        super().__init__(max_length, min_length=0, charset=_SAMPLED, seed=seed)
        self.sample_length = min(sample_length, max_length)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Up to `sample_length` printable characters."""
        if mask is not None or probability is not None:
            return super().sample(mask=mask, probability=probability)
        length = int(self.np_random.integers(0, self.sample_length + 1))
        return "".join(_SAMPLED[at] for at in self.np_random.integers(0, len(_SAMPLED), length))

    def contains(self, x: Any) -> bool:
        """Whether it is text of a legal length that encodes to UTF-8."""
        if not isinstance(x, str) or len(x) > self.max_length:
            return False
        if x.isascii():
            return True
        try:
            x.encode()
        except UnicodeEncodeError:
            return False
        return True

    def __repr__(self) -> str:
        """As it is made."""
        return f"UnicodeText({self.max_length})"

    def __eq__(self, other: object) -> bool:
        """Equal when they hold the same texts."""
        return isinstance(other, UnicodeText) and self.max_length == other.max_length

    __hash__ = None  # type: ignore[assignment]  # As all spaces: they hold a random generator.


def _encode(text: str) -> NDArray[np.int32]:
    return np.frombuffer(text.encode("utf-32-le"), _CODES)


def _decode(codes: NDArray[np.int32]) -> str:
    return codes.astype(_CODES).tobytes().decode("utf-32-le")


@flatdim.register(UnicodeText)
def _flatdim(space: UnicodeText) -> int:
    return space.max_length


@flatten_space.register(UnicodeText)
def _flatten_space(space: UnicodeText) -> spaces.Box:
    return spaces.Box(0, 0x110000, (space.max_length,), np.int32)


@flatten.register(UnicodeText)
def _flatten(space: UnicodeText, x: str) -> NDArray[np.int32]:  # type: ignore[misc]
    # 0 fills up, code point + 1 otherwise, so that U+0000 survives.
    row = np.zeros(space.max_length, np.int32)
    codes = _encode(x)
    row[: codes.size] = codes + 1
    return row


@unflatten.register(UnicodeText)
def _unflatten(space: UnicodeText, x: NDArray[np.int32]) -> str:  # type: ignore[misc]
    codes = np.asarray(x, np.int32)
    return _decode(codes[codes > 0] - 1)


@batch_differing_spaces.register(UnicodeText)
def _batch_differing(different: Sequence[UnicodeText]) -> spaces.Tuple[Any]:  # type: ignore[misc]
    return spaces.Tuple(tuple(different))


@create_shared_memory.register(UnicodeText)
def _create(space: UnicodeText, n: int = 1, ctx: Any = multiprocessing) -> Any:
    return ctx.Array("i", n * (1 + space.max_length))


@write_to_shared_memory.register(UnicodeText)
def _write(space: UnicodeText, index: int, value: str, shared_memory: Any) -> None:
    row = _rows(shared_memory, space.max_length)[index]
    codes = _encode(value)
    row[0] = codes.size
    row[1 : 1 + codes.size] = codes


@read_from_shared_memory.register(UnicodeText)
def _read(space: UnicodeText, shared_memory: Any, n: int = 1) -> LiveTexts:
    return LiveTexts(_rows(shared_memory, space.max_length))


def _rows(shared_memory: Any, max_length: int) -> NDArray[np.int32]:
    return np.frombuffer(shared_memory.get_obj(), np.int32).reshape(-1, 1 + max_length)


class LiveTexts(Sequence[str]):
    """The texts that shared memory holds now: a vector env reads it at construction and copies the reading after."""

    def __init__(self, rows: NDArray[np.int32]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        """How many texts."""
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        """One text, or a tuple of them."""
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        row = self._rows[index]
        return _decode(row[1 : 1 + int(row[0])])

    def __iter__(self) -> Iterator[str]:
        """All of them."""
        return (self[at] for at in range(len(self)))

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        """What it holds at this moment."""
        return tuple(self)
