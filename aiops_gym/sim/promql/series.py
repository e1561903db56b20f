"""Time series as a query reads them: who has them, and how they are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

STALE: float = float(np.array([0x7FF0000000000002], dtype=np.uint64).view(np.float64)[0])
"""The NaN with which Prometheus ends a series."""


class Matcher(NamedTuple):
    """What a label must be: the operator is one of `=`, `!=`, `=~`, `!~`."""

    label: str
    op: str
    value: str


class Series(NamedTuple):
    """Samples of one series.

    Attributes:
        labels: sorted by name, `__name__` included, without empty values.
        times: milliseconds, increasing.
        values: one a time; `STALE` ends the series.
    """

    labels: tuple[tuple[str, str], ...]
    times: NDArray[np.int64]
    values: NDArray[np.float64]


class Source(Protocol):
    """Whoever has time series."""

    def select(self, matchers: Sequence[Matcher], start: int, end: int) -> Sequence[Series]:
        """The series that all matchers take, with their samples in [start, end] ms."""
        ...
