"""When two times or two counts are as good as the same.

A recorder looks now and then: what it first saw at some time came about after it last saw something else, at most
`BLIND` seconds earlier. Around that window lie 10 % of the time, or 2 s.
"""

from __future__ import annotations

SHARE = 0.1
LEAST = 2.0
BLIND = 1.5
UNSEEN = 3.5
"""A state that lasts less than this may be missed by a recorder on a busy machine."""

LONGEST_FLASH = 1.5
"""A process that lives less than this is seen running by chance only."""


def compute_slack(seconds: float) -> float:
    """What a time may be off.

    >>> compute_slack(4), compute_slack(100)
    (2.0, 10.0)
    """
    return max(LEAST, SHARE * abs(seconds))


def is_within(value: float, low: float, high: float) -> bool:
    """Whether a time lies in a window or near enough to it."""
    return low - compute_slack(low) <= value <= high + compute_slack(high)


def early(seconds: float) -> float:
    """The earliest time that may stand for this one."""
    return seconds - compute_slack(seconds)


def late(seconds: float) -> float:
    """The latest time that may stand for this one."""
    return seconds + compute_slack(seconds)
