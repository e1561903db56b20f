"""`date`: the cluster's clock in the formats of GNU date, and times in words."""

from __future__ import annotations

import calendar
import re
from datetime import UTC, datetime, timedelta, timezone
from math import floor

from aiops_gym.clients.context import Context
from aiops_gym.types import Output

DEFAULT = "%a %b %e %H:%M:%S UTC %Y"
ISO = {
    "date": "%Y-%m-%d",
    "hours": "%Y-%m-%dT%H+00:00",
    "minutes": "%Y-%m-%dT%H:%M+00:00",
    "seconds": "%Y-%m-%dT%H:%M:%S+00:00",
    "ns": "%Y-%m-%dT%H:%M:%S,%N+00:00",
}
RFC_3339 = {"date": "%Y-%m-%d", "seconds": "%Y-%m-%d %T+00:00", "ns": "%Y-%m-%d %T.%N+00:00"}
EMAIL = "%a, %d %b %Y %H:%M:%S +0000"
ALIASES = {"D": "%m/%d/%y", "F": "%Y-%m-%d", "R": "%H:%M", "T": "%H:%M:%S", "c": "%a %b %e %H:%M:%S %Y"}
ALIASES |= {"r": "%I:%M:%S %p", "x": "%m/%d/%y", "X": "%H:%M:%S", "h": "%b", "v": "%e-%b-%Y", "+": DEFAULT}
SECONDS = {"sec": 1, "second": 1, "min": 60, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
SECONDS["fortnight"] = 1209600
WORDS = {"now": 0, "today": 0, "yesterday": -86400, "tomorrow": 86400}
DAYS = [d.lower() for d in calendar.day_abbr]
MONTHS = [m.lower() for m in calendar.month_abbr]

CYCLE_YEARS = 400
CYCLE = 146_097 * 86_400
"""Years after which the calendar repeats itself, weekdays too, and the seconds in them."""

MOST = 1 << 63
"""Seconds that a number of GNU date can hold, before and after 1970."""

EARLIEST, LATEST = -67_768_040_609_740_800, 67_768_036_191_676_799
"""Unix seconds of the first and the last moment whose year a C library can hold."""

LONGEST = 1_000
"""Characters of a time in words."""

WIDEST = 1_000_000
"""Characters that the fields of a format may ask for by their widths."""

_FORMAT = re.compile(r"%([-_0^#]?)([0-9]*)(:{0,3})([a-zA-Z%+])")
_MOMENT = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?)?"
    r"\s*(Z\b|UTC\b|GMT\b|[+-]\d{2}:?\d{2}\b)?",
    re.I | re.A,
)
_CLOCK = re.compile(r"\b(\d{1,2})(?::(\d{2})(?::(\d{2}))?\s*(am|pm)?|\s*(am|pm))\b(?:\s*(?:Z|UTC)\b)?", re.I | re.A)
_NAMED = re.compile(r"\b(?:(\d{1,2})\s+([a-z]{3})[a-z]*|([a-z]{3})[a-z]*\s+(\d{1,2}))(?:,?\s+(\d{4}))?\b", re.I | re.A)
_UNIT = r"(sec|second|min|minute|hour|day|week|fortnight|month|year)s?\b"
_RELATIVE = re.compile(rf"([+-]?\s*\d+|\ban?\b|\bnext\b|\blast\b|\b)\s*{_UNIT}(\s+ago\b)?", re.I | re.A)
_ZONED = re.compile(rf"(\d:\d\d(?::\d\d(?:[.,]\d+)?)?)\s*([+-])\s*(\d{{1,4}})(?=\s*{_UNIT})", re.I | re.A)
"""A signed number behind a time of day is its zone, whatever unit follows: `12:00 +1 day` is a day after 11:00."""


def run(context: Context, argv: list[str]) -> Output:
    """`date [-u] [-d TEXT] [-r FILE] [-I[TIMESPEC]] [-R] [--rfc-3339=TIMESPEC] [+FORMAT]`."""
    rest, form, text = argv[1:], DEFAULT, ""
    while rest:
        word = rest.pop(0)
        name, _, value = word.partition("=")
        if word in ("-d", "--date", "-r", "--reference", "-s", "--set", "-f"):
            name, value = word, rest.pop(0) if rest else ""
            if not value:
                return _wrong(f"option requires an argument -- '{word.lstrip('-')[:1]}'")
        elif word.startswith(("-d", "-r")) and not word.startswith("--") and len(word) > 2:
            name, value = word[:2], word[2:]
        elif word.startswith("-ud"):
            name, value = "-d", word[3:] or (rest.pop(0) if rest else "")
        if name in ("-s", "--set"):
            return Output("", "date: cannot set date: Operation not permitted\n", 1)
        if name in ("-d", "--date"):
            text = value
        elif name in ("-r", "--reference"):
            about = context.files.about(value)
            if about is None:
                return Output("", f"date: {value}: No such file or directory\n", 1)
            text = f"@{about.time}"
        elif name in ("-u", "--utc", "--universal", "--debug"):
            continue
        elif name in ("-R", "--rfc-email", "--rfc-2822"):
            form = EMAIL
        elif name == "--rfc-3339":
            form = RFC_3339.get(value, RFC_3339["seconds"])
        elif name == "--iso-8601" or word.startswith("-I"):
            kind = value or word[2:] if word.startswith("-I") else value
            form = ISO.get(kind or "date", ISO["date"])
        elif word.startswith("+"):
            form = word[1:]
        elif word.startswith("-"):
            return _wrong(f"invalid option -- '{word.lstrip('-')[:1]}'")
        else:
            return Output("", f"date: invalid date ‘{word}’\n", 1)
    moment = parse(text, context.cluster.now())
    if moment is None:
        return Output("", f"date: invalid date ‘{text}’\n", 1)
    if not EARLIEST <= moment < LATEST + 1:
        return Output("", f"date: time ‘{floor(moment)}’ is out of range\n", 1)
    if _wide(form):
        return Output("", "date: memory exhausted\n", 1)
    return Output(render(moment, form) + "\n")


def _wrong(message: str) -> Output:
    return Output("", f"date: {message}\nTry 'date --help' for more information.\n", 1)


def _wide(form: str) -> bool:
    """Whether fields of a format ask for more room than there is."""
    widths = [found[2].lstrip("0") for found in _FORMAT.finditer(form)]
    return any(len(width) > 9 for width in widths) or sum(int(width or 0) for width in widths) > WIDEST


def render(moment: float, form: str) -> str:
    """A Unix time in a format of GNU date, in UTC; nothing at all when the format asks for too much room.

    >>> render(1772442000, "%F %T %-d %s"), render(253402300800, "%a %F")
    ('2026-03-02 09:00:00 2 1772442000', 'Sat +10000-01-01')
    """
    if _wide(form):
        return ""
    cycles, rest = divmod(moment, CYCLE)
    time, later = datetime.fromtimestamp(rest, UTC), int(cycles) * CYCLE_YEARS

    def field(found: re.Match[str]) -> str:
        flag, width, colons, letter = found.groups()
        text = _field(time, moment, later, letter, colons, int(width.lstrip("0") or 0))
        if text is None:
            return found[0]
        if letter == "F" and not flag and not width and time.year + later > 9999:
            text = f"+{text}"
        if flag == "-":
            text = text.lstrip("0 ") or "0"
        elif flag == "_":
            text = text.lstrip("0").rjust(len(text)) if text.strip("0") else "0".rjust(len(text))
        elif flag == "^":
            text = text.upper()
        if width and letter != "N":
            text = _filled(text, int(width.lstrip("0") or 0), "0" if letter not in "aAbBcp" else " ")
        return text

    return _FORMAT.sub(field, form)


def _filled(text: str, width: int, filler: str) -> str:
    """A text with as much before it as it is short of; a sign stays in front of zeros."""
    if filler == "0" and text[:1] in ("-", "+"):
        return text[0] + text[1:].rjust(width - 1, filler)
    return text.rjust(width, filler)


def _field(time: datetime, moment: float, later: int, letter: str, colons: str, width: int) -> str | None:
    """One field of a format, None for a letter that is none.

    Args:
        time: the moment in the 400 years from 1970 on.
        moment: as Unix seconds.
        later: years that the moment is later than `time`.
        letter: which field.
        colons: before the letter.
        width: before the letter, 0 if there is none.
    """
    if letter in ALIASES:
        return render(moment, ALIASES[letter])
    if letter in "YGCyg":
        return _years(time.year + later if letter not in "Gg" else time.isocalendar()[0] + later, letter)
    if letter == "s":
        return str(floor(moment))
    if letter == "N":
        return f"{min(round((moment % 1) * 1e6), 999_999):06d}000"[: width or 9].ljust(width, "0")
    if letter == "z":
        return "+00:00" if colons == ":" else "+00:00:00" if colons == "::" else "+0000"
    if letter == "Z":
        return "UTC"
    if letter == "e":
        return f"{time.day:2d}"
    if letter == "k":
        return f"{time.hour:2d}"
    if letter == "l":
        return f"{time.hour % 12 or 12:2d}"
    if letter == "P":
        return "pm" if time.hour >= 12 else "am"
    if letter == "q":
        return str((time.month + 2) // 3)
    if letter in "nt%":
        return {"n": "\n", "t": "\t", "%": "%"}[letter]
    return time.strftime(f"%{letter}") if letter in "aAbBdHIjmMpSuUVwW" else None


def _years(year: int, letter: str) -> str:
    """A year, its century, or its place in that; years before Christ are counted from 0 downwards."""
    if letter in "YG":
        return f"{year:04d}" if year >= 0 else f"-{-year:03d}"
    if letter == "C":
        return f"{year // 100:02d}" if year >= 0 else f"-{-year // 100}"
    return f"{abs(year) % 100:02d}"


def parse(text: str, now: float) -> float | None:
    """Unix seconds of a time as people write it, or None.

    >>> parse("2024-05-01T10:00:00Z", 0.0), parse("5 minutes ago", 1000.0), parse("gestern", 0.0)
    (1714557600.0, 700.0, None)
    """
    rest = text.strip()
    if len(rest) > LONGEST:
        return None
    stamp = re.fullmatch(r"@\s*([-+]?[0-9]+)(\.[0-9]+)?", rest)
    if stamp:
        seconds = float(stamp[1] + stamp[2]) if stamp[2] else int(stamp[1])
        return seconds if -MOST <= seconds < MOST else None
    try:
        zone = _ZONED.search(rest)
        rest, time = _absolute(_ZONED.sub(r"\1", rest, count=1), datetime.fromtimestamp(now, UTC))
        rest, moment = _relative(rest, time.timestamp() - (_offset(zone[2], zone[3]) if zone else 0))
    except (ValueError, OverflowError):
        return None
    for word in rest.replace(",", " ").lower().split():
        if word in WORDS:
            moment += WORDS[word]
        elif word[:3] not in DAYS and word not in ("utc", "gmt", "z", "+0000", "-0000", "at", "on"):
            return None
    return round(moment, 6) if abs(moment) < MOST else None


def _offset(sign: str, digits: str) -> int:
    """Seconds of a zone given in hours, or in hours and two digits of minutes. Raises ValueError above a day."""
    hours, minutes = (int(digits), 0) if len(digits) < 3 else (int(digits[:-2]), int(digits[-2:]))
    seconds = hours * 3600 + minutes * 60
    if seconds > 86_400:
        raise ValueError(digits)
    return -seconds if sign == "-" else seconds


def _absolute(rest: str, time: datetime) -> tuple[str, datetime]:
    found = _MOMENT.search(rest)
    if found:
        year, month, day, hour, minute, second, part, zone = found.groups()
        time = datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), tzinfo=UTC)
        time = time.replace(microsecond=int((part or "0")[:6].ljust(6, "0")))
        if zone and zone[0] in "+-":
            sign = -1 if zone[0] == "-" else 1
            digits = zone[1:].replace(":", "")
            offset = sign * timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
            time = time.replace(tzinfo=timezone(offset)).astimezone(UTC)
        return rest[: found.start()] + " " + rest[found.end() :], time
    found = _NAMED.search(rest)
    if found and (found[2] or found[3]).lower() in MONTHS:
        day, month = found[1] or found[4], MONTHS.index((found[2] or found[3]).lower())
        time = time.replace(month=month, day=int(day), hour=0, minute=0, second=0, microsecond=0)
        time = time.replace(year=int(found[5])) if found[5] else time
        rest = rest[: found.start()] + " " + rest[found.end() :]
    found = _CLOCK.search(rest)
    if found:
        half = (found[4] or found[5] or "").lower()
        hour = int(found[1]) % 12 + (12 if half == "pm" else 0) if half else int(found[1])
        time = time.replace(hour=hour, minute=int(found[2] or 0), second=int(found[3] or 0), microsecond=0)
        rest = rest[: found.start()] + " " + rest[found.end() :]
    return rest, time


def _relative(rest: str, moment: float) -> tuple[str, float]:
    while found := _RELATIVE.search(rest):
        words = {"": 1, "a": 1, "an": 1, "next": 1, "last": -1}
        number = found[1].replace(" ", "").lower()
        amount = words[number] if number in words else int(number)
        amount = -amount if found[3] else amount
        unit = found[2].lower()
        if unit in ("month", "year"):
            moment = _months_later(moment, amount * (12 if unit == "year" else 1))
        else:
            moment += amount * SECONDS[unit]
        rest = rest[: found.start()] + " " + rest[found.end() :]
    return rest, moment


def _months_later(moment: float, amount: int) -> float:
    """The same day of another month, or as many days after its last one as it is short of."""
    cycles, within = divmod(moment, CYCLE)
    time = datetime.fromtimestamp(within, UTC)
    year, month = divmod(time.year * 12 + time.month - 1 + amount, 12)
    more, year = divmod(year - 1970, CYCLE_YEARS)
    last = calendar.monthrange(year + 1970, month + 1)[1]
    day = time.replace(year=year + 1970, month=month + 1, day=min(time.day, last)) + timedelta(
        days=max(0, time.day - last)
    )
    return day.timestamp() + (cycles + more) * CYCLE
