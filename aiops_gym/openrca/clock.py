"""Times as people write them. Inside, a time is Unix milliseconds; people mean UTC+8, where all three companies are."""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, timedelta, timezone

ZONE = timezone(timedelta(hours=8), "UTC+8")
DAY = 86_400_000
"""Milliseconds of a day."""

MILLISECONDS = 1e11
"""Numbers from here on are milliseconds: as seconds they would be in the year 5138."""

Time = int | float | str | date | datetime

_CLOCK = r"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,6}))?)?"
_TEXT = re.compile(rf"(\d{{4}})[-_/](\d{{1,2}})[-_/](\d{{1,2}})(?:[T ]\s*{_CLOCK})?\s*(Z|UTC|[+-]\d{{2}}:?\d{{2}})?")
_COMPACT = re.compile(r"(19|20)\d{6}")
"""`20210304`: as Unix seconds it would be in 1970."""

_NUMBER = re.compile(r"\d+(?:\.\d*)?")


def parse(value: Time) -> int:
    """Unix milliseconds of a time.

    Args:
        value: Unix seconds or milliseconds, a datetime or date, or text such as `2021-03-04 14:30:00`. What names no
            time zone is in UTC+8.

    Raises:
        ValueError: it is no time.

    >>> parse("2021-03-04 14:30") == parse(1614839400) == parse(1614839400000) == parse("2021-03-04T06:30:00Z")
    True
    """
    if isinstance(value, datetime):
        return round((value if value.tzinfo else value.replace(tzinfo=ZONE)).timestamp() * 1000)
    if isinstance(value, date):
        return round(datetime(value.year, value.month, value.day, tzinfo=ZONE).timestamp() * 1000)
    if isinstance(value, str):
        return _text(value.strip())
    try:
        return _number(value)
    except (TypeError, OverflowError):
        raise ValueError(_EXPECTED.format(repr(value))) from None


_EXPECTED = "{:.80} is no time: Unix seconds, milliseconds, or text like '2021-03-04 14:30:00' (UTC+8) are expected"


def _number(value: float) -> int:
    if isinstance(value, bool) or not math.isfinite(value) or value < 0 or value > 1e14:
        raise ValueError(_EXPECTED.format(repr(value)))
    return round(value) if value >= MILLISECONDS else round(value * 1000)


def _text(text: str) -> int:
    if _COMPACT.fullmatch(text):
        text = f"{text[:4]}-{text[4:6]}-{text[6:]}"
    if _NUMBER.fullmatch(text):
        return _number(float(text))
    found = _TEXT.fullmatch(text)
    if not found:
        raise ValueError(_EXPECTED.format(repr(text)))
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    try:
        start = datetime(int(year), int(month), int(day), tzinfo=_zone(zone))
        clock = timedelta(hours=int(hour or 0), minutes=int(minute or 0), seconds=int(second or 0))
        if clock > timedelta(days=1) or int(minute or 0) > 59 or int(second or 0) > 59:
            raise ValueError("no such time of the day")
        moment = round((start + clock).timestamp() * 1000)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{text[:80]!r} is no time: {error}") from None
    return moment + (int(fraction.ljust(6, "0")) // 1000 if fraction else 0)


def _zone(text: str | None) -> timezone:
    if text is None:
        return ZONE
    if text in ("Z", "UTC"):
        return UTC
    hours, minutes = int(text[1:3]), int(text[-2:])
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if text[0] == "-" else offset)


def parse_day(value: Time) -> date:
    """The day of a time, or of a folder's name, in UTC+8.

    >>> parse_day("2021_03_04").isoformat()
    '2021-03-04'
    """
    return to_local(parse(value)).date()


def to_local(milliseconds: int) -> datetime:
    """A time on the clocks of the companies."""
    return datetime.fromtimestamp(milliseconds / 1000, ZONE)


def show(milliseconds: int) -> str:
    """As the labels write it.

    >>> show(1614841020000)
    '2021-03-04 14:57:00'
    """
    return to_local(milliseconds).strftime("%Y-%m-%d %H:%M:%S")
