"""What a query reads: series of samples, the conditions that choose them, and the place that they come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

STALE = float(np.array([0x7FF0000000000002], np.uint64).view(np.float64)[0])
"""The NaN with which Prometheus marks that a series has ended; told from other NaNs by its bits (`is_stale`)."""


Labels = tuple[tuple[str, str], ...]
"""(name, value), sorted by name, none with an empty value."""


class Matcher(NamedTuple):
    """One condition of a selector.

    Attributes:
        label: whose value is compared; a label that is missing has the empty value.
        op: `=`, `!=`, `=~` or `!~`; a pattern of the last two matches the whole value.
        value: the text or the pattern.
    """

    label: str
    op: str
    value: str


class Series(NamedTuple):
    """One series with a part of its samples.

    Attributes:
        labels: `__name__` included.
        times: Unix milliseconds, increasing.
        values: as many; `STALE` says that the series ended there.
    """

    labels: Labels
    times: NDArray[np.int64]
    values: NDArray[np.float64]


class Source(Protocol):
    """Where samples come from."""

    def select(self, matchers: Sequence[Matcher], start: int, end: int) -> Sequence[Series]:
        """The series that fulfil all matchers, sorted by labels, with their raw samples.

        Args:
            matchers: all must hold.
            start, end: Unix milliseconds; samples with start < time <= end.

        Returns:
            Each series once; one without a sample in the window may be left out.
        """
        ...


def is_stale(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which values mark an end, told by their bits."""
    found: NDArray[np.bool_] = values.view(np.uint64) == 0x7FF0000000000002
    return found
