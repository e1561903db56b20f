"""How long ago, as `kubectl get` prints it (apimachinery `duration.HumanDuration`).

>>> [human_duration(s) for s in (5, 130, 601, 10800, 29000, 180000, 86400 * 800)]
['5s', '2m10s', '10m', '3h', '8h', '2d2h', '2y70d']
"""

from __future__ import annotations

from aiops_gym import caches

MINUTE, HOUR, DAY = 60, 3600, 86400
YEAR = 365 * DAY


@caches.function(65536, "writing an age")
def age_window(seconds: int) -> tuple[str, int, int]:
    """The text for an age in seconds, and the half-open range of ages for which it stays the same."""
    if seconds < -1:
        return "<invalid>", -(1 << 62), -1
    if seconds < 0:
        return "0s", -1, 1
    if seconds < 2 * MINUTE:
        return f"{seconds}s", seconds if seconds else -1, seconds + 1
    if seconds < 10 * MINUTE:
        return _two(seconds // MINUTE, "m", seconds % MINUTE, "s"), seconds, seconds + 1
    unit, text = _coarse(seconds)
    start = seconds // unit * unit
    return text, start, start + unit


def _coarse(seconds: int) -> tuple[int, str]:
    """Granularity and text for ten minutes and more."""
    if seconds < 3 * HOUR:
        return MINUTE, f"{seconds // MINUTE}m"
    if seconds < 8 * HOUR:
        return MINUTE, _two(seconds // HOUR, "h", seconds % HOUR // MINUTE, "m")
    if seconds < 2 * DAY:
        return HOUR, f"{seconds // HOUR}h"
    if seconds < 8 * DAY:
        return HOUR, _two(seconds // DAY, "d", seconds % DAY // HOUR, "h")
    if seconds < 2 * YEAR:
        return DAY, f"{seconds // DAY}d"
    if seconds < 8 * YEAR:
        return DAY, _two(seconds // YEAR, "y", seconds % YEAR // DAY, "d")
    return DAY, f"{seconds // YEAR}y"


def _two(high: int, high_unit: str, low: int, low_unit: str) -> str:
    return f"{high}{high_unit}{low}{low_unit}" if low else f"{high}{high_unit}"


def human_duration(seconds: float) -> str:
    """The short text for a duration in seconds."""
    return age_window(int(seconds))[0] if seconds >= 0 or seconds <= -1 else "0s"
