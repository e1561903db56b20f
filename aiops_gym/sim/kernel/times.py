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

from aiops_gym import caches

SECOND = 1_000
MINUTE = 60_000
HOUR = 3_600_000
EARLIEST = -62_135_596_800_000
LATEST = 253_402_300_799_999
"""The first and the last millisecond of years of four digits, which is all that RFC 3339 has room for."""


@caches.function(4096, "writing a minute")
def _minute(minute: int) -> str:
    return datetime.fromtimestamp(minute * 60, UTC).isoformat()[:16]


def iso(ms: int) -> str:
    """RFC 3339 with seconds, as in `creationTimestamp`; what is beyond the year 9999 is at its end."""
    minute, rest = divmod(max(EARLIEST, min(ms, LATEST)), MINUTE)
    return f"{_minute(minute)}:{rest // 1000:02d}Z"


def iso_micro(ms: int, micros: int = 0) -> str:
    """RFC 3339 with microseconds, as in `eventTime`."""
    minute, rest = divmod(max(EARLIEST, min(ms, LATEST)), MINUTE)
    return f"{_minute(minute)}:{rest // 1000:02d}.{rest % 1000:03d}{micros:03d}Z"


def iso_nano(ms: int, nanos: int = 0) -> str:
    """RFC 3339 with nanoseconds, as in `kubectl logs --timestamps`; `nanos` below a millisecond."""
    minute, rest = divmod(ms, MINUTE)
    return f"{_minute(minute)}:{rest // 1000:02d}.{rest % 1000:03d}{nanos:06d}Z"


@caches.function(16384, "parsing a time")
def millis(text: str) -> int:
    """Milliseconds of an RFC 3339 time."""
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def canonical(text: str, micro: bool = False) -> str | None:
    """An RFC 3339 time as the server writes it again: in UTC, with seconds (or microseconds); None if there is none.

    A date that no calendar has is none, and so is one before the year 1 or after 9999 in UTC.

    >>> canonical("2026-03-02T14:30:00.25+05:30"), canonical("2026-03-02T09:00:00Z", micro=True)
    ('2026-03-02T09:00:00Z', '2026-03-02T09:00:00.000000Z')
    >>> canonical("2026-02-30T09:00:00Z"), canonical("0001-01-01T00:00:00+14:00")
    (None, None)
    """
    try:
        found = datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
    return found.isoformat(timespec="microseconds" if micro else "seconds") + "Z"


@caches.function(4096, "the calendar")
def _second(second: int) -> datetime:
    return datetime.fromtimestamp(second, UTC)


def moment(ms: int) -> datetime:
    """The second in which it falls, for log formats that need a date."""
    return _second(ms // 1000)
