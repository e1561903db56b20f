"""What an alert went through, from the times at which its expression had a value: pending, firing, gone.

The rules are those of Prometheus' `rules/alerting.go`: an alert is pending from the first evaluation that gives it,
fires from the first that comes `for` later, and ends with the first that does not give it, or `keep_firing_for` later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Stretch(NamedTuple):
    """One time for which an alert was active, in numbers of evaluations.

    Attributes:
        began: the first evaluation that gave it.
        fired: the first at which it was firing; None where it never did.
        ended: the first at which it was not active any more; None where it still is.
    """

    began: int
    fired: int | None
    ended: int | None


def follow(there: NDArray[np.bool_], interval: int, hold: int, keep: int = 0) -> list[Stretch]:
    """The stretches of an alert, in their order.

    Args:
        there: whether the expression gave it, by evaluation.
        interval: ms between two evaluations.
        hold: ms of `for`.
        keep: ms of `keep_firing_for`.

    >>> follow(np.array([0, 1, 1, 1, 0, 1], dtype=bool), 60_000, 120_000)
    [Stretch(began=1, fired=3, ended=4), Stretch(began=5, fired=None, ended=None)]
    """
    edges = np.flatnonzero(np.diff(there.astype(np.int8), prepend=0, append=0)).tolist()
    wait, found = -(-hold // interval), list[Stretch]()
    for first, ended in zip(edges[::2], edges[1::2], strict=True):
        began, fired = first, first + wait if first + wait < ended else None
        if found and (found[-1].ended is None or found[-1].ended >= first):  # it was kept firing until here
            began, fired, _ = found.pop()
        until = ended if fired is None or not keep else ended + -(-keep // interval)
        found.append(Stretch(began, fired, until if until < len(there) else None))
    return found
