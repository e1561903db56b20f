"""Time as the world counts it, integer milliseconds since 1970 (UTC), and as Kubernetes writes it.

>>> iso(1772442000123)
'2026-03-02T09:00:00Z'
>>> iso_micro(1772442000123)
'2026-03-02T09:00:00.123000Z'
>>> millis('2026-03-02T09:00:00Z')
1772442000000
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

SECOND = 1_000
MINUTE = 60_000
HOUR = 3_600_000
LATEST = 253_402_300_799_999
"""The last millisecond of a year of four digits, which is all that RFC 3339 has room for."""


@lru_cache(maxsize=4096)
def _minute(minute: int) -> str:
    return datetime.fromtimestamp(minute * 60, UTC).strftime("%Y-%m-%dT%H:%M")


def iso(ms: int) -> str:
    """RFC 3339 with seconds, as in `creationTimestamp`; what is beyond the year 9999 is at its end."""
    minute, rest = divmod(min(ms, LATEST), MINUTE)
    return f"{_minute(minute)}:{rest // 1000:02d}Z"


def iso_micro(ms: int, micros: int = 0) -> str:
    """RFC 3339 with microseconds, as in `eventTime`."""
    minute, rest = divmod(ms, MINUTE)
    return f"{_minute(minute)}:{rest // 1000:02d}.{rest % 1000:03d}{micros:03d}Z"


def iso_nano(ms: int, nanos: int = 0) -> str:
    """RFC 3339 with nanoseconds, as in `kubectl logs --timestamps`; `nanos` below a millisecond."""
    minute, rest = divmod(ms, MINUTE)
    return f"{_minute(minute)}:{rest // 1000:02d}.{rest % 1000:03d}{nanos:06d}Z"


@lru_cache(maxsize=16384)
def millis(text: str) -> int:
    """Milliseconds of an RFC 3339 time."""
    return round(datetime.fromisoformat(text).timestamp() * 1000)


@lru_cache(maxsize=4096)
def _second(second: int) -> datetime:
    return datetime.fromtimestamp(second, UTC)


def moment(ms: int) -> datetime:
    """The second in which it falls, for log formats that need a date."""
    return _second(ms // 1000)
