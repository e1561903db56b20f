"""Durations such as `1h30m`, in milliseconds."""

from __future__ import annotations

import re

from aiops_gym.sim.golang.literals import go_quote

_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000, "y": 31_536_000_000}
_ORDER = ("y", "w", "d", "h", "m", "s", "ms")
_DURATION = re.compile("".join(rf"(?:([0-9]+){unit})?" for unit in _ORDER))
_WHOLE = ("y", "w", "d")
_LONGEST = 2**63 // 1_000_000
"""Milliseconds that a duration can hold."""


def parse_duration(text: str) -> int:
    """Milliseconds. Raises ValueError.

    >>> parse_duration("1h30m"), parse_duration("5ms")
    (5400000, 5)
    """
    if not text:
        raise ValueError("empty duration string")
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ValueError(f"not a valid duration string: {go_quote(text)}")
    if any(many and len(many) > 19 for many in found.groups()):
        raise ValueError("duration out of range")
    total = sum(int(many or 0) * _UNITS[unit] for many, unit in zip(found.groups(), _ORDER, strict=True))
    if total > _LONGEST:
        raise ValueError("duration out of range")
    return total


def print_duration(ms: int) -> str:
    """As Prometheus does: years, weeks and days only where nothing is left over.

    >>> print_duration(5_400_000), print_duration(86_400_000), print_duration(90_000_000)
    ('1h30m', '1d', '25h')
    """
    found, rest = "", ms
    for unit, length in reversed(_UNITS.items()):
        if rest >= length and not (unit in _WHOLE and rest % length):
            found += f"{rest // length}{unit}"
            rest %= length
    return found or "0s"
