"""Cron schedules: when they come due (after `robfig/cron`, which Kubernetes uses).

>>> from datetime import datetime, UTC
>>> parse("*/15 9-17 * * mon-fri").after(datetime(2026, 3, 6, 17, 50, tzinfo=UTC)).isoformat()
'2026-03-09T09:00:00+00:00'
>>> parse("@hourly").after(datetime(2026, 3, 6, 17, 50, tzinfo=UTC)).isoformat()
'2026-03-06T18:00:00+00:00'
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from aiops_gym import caches

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
FIELDS: tuple[tuple[int, int, dict[str, int]], ...] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, {name: number for number, name in enumerate(MONTHS, 1)}),
    (0, 6, {name: number for number, name in enumerate(DAYS)}),
)
NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
LONGEST = 366 * 5
"""Days to look ahead: a schedule such as `0 0 30 2 *` never comes due."""


@dataclass(frozen=True)
class Schedule:
    """A parsed schedule: allowed minutes, hours, days, months and weekdays; or a fixed number of seconds between."""

    minutes: tuple[int, ...] = ()
    hours: tuple[int, ...] = ()
    days: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    weekdays: tuple[int, ...] = ()
    any_day: bool = True
    every: int = 0

    def after(self, time: datetime) -> datetime | None:
        """The first time after `time` at which it comes due; None if it never does."""
        if self.every:
            return time.replace(microsecond=0) + timedelta(seconds=self.every)
        start = time.replace(second=0, microsecond=0) + timedelta(minutes=1)
        day = start.replace(hour=0, minute=0)
        for _ in range(LONGEST):
            if self._on(day):
                for hour in self.hours:
                    for minute in self.minutes:
                        found = day.replace(hour=hour, minute=minute)
                        if found >= start:
                            return found
            day = (day + timedelta(days=1)).replace(hour=0, minute=0)
        return None

    def latest(self, first: datetime, now: datetime) -> datetime | None:
        """The last time up to `now` at which it comes due, having begun to at `first`; None if there is none.

        Found from its end, so that years in which nobody looked cost no more than a day.
        """
        if self.every:
            missed = int((now - first).total_seconds()) // self.every
            return first + timedelta(seconds=self.every * missed) if missed >= 0 else None
        day = now.replace(hour=0, minute=0, second=0, microsecond=0)
        for _ in range(LONGEST):
            if self._on(day):
                for hour in reversed(self.hours):
                    for minute in reversed(self.minutes):
                        found = day.replace(hour=hour, minute=minute)
                        if found <= now:
                            return found if found >= first else None
            if day < first:
                return None
            day = (day - timedelta(days=1)).replace(hour=0, minute=0)
        return None

    def _on(self, day: datetime) -> bool:
        """Whether a day is meant: with both a day and a weekday given, either will do."""
        if day.month not in self.months:
            return False
        dated, named = day.day in self.days, (day.weekday() + 1) % 7 in self.weekdays
        return (dated and named) if self.any_day else (dated or named)


@caches.function(256, "parsing a schedule")
def parse(text: str) -> Schedule:
    """Read a schedule of five fields, or `@hourly` and the like. Raises ValueError with the text of the real parser."""
    if text.startswith("@every "):
        return Schedule(every=_duration(text.removeprefix("@every ")))
    if text.startswith("@"):
        if text not in NICKNAMES:
            raise ValueError(f"unrecognized descriptor: {text}")
        text = NICKNAMES[text]
    parts = text.split()
    if len(parts) != len(FIELDS):
        raise ValueError(f"expected exactly 5 fields, found {len(parts)}: [{' '.join(parts)}]")
    minutes, hours, days, months, weekdays = (_field(part, *bounds) for part, bounds in zip(parts, FIELDS, strict=True))
    any_day = any(part.startswith(("*", "?")) for part in (parts[2], parts[4]))
    return Schedule(minutes, hours, days, months, weekdays, any_day)


def _duration(text: str) -> int:
    parts = re.findall(r"(\d+)(h|m|s)", text)
    if not parts or "".join(n + u for n, u in parts) != text:
        raise ValueError(f"failed to parse duration @every {text}: time: invalid duration {text!r}".replace("'", '"'))
    return max(1, sum(int(n) * {"h": 3600, "m": 60, "s": 1}[u] for n, u in parts))


def _field(text: str, low: int, high: int, names: dict[str, int]) -> tuple[int, ...]:
    found: set[int] = set()
    for part in text.split(","):
        found |= set(_range(part, low, high, names))
    return tuple(sorted(found))


def _range(part: str, low: int, high: int, names: dict[str, int]) -> range:
    span, slash, step_text = part.partition("/")
    first_text, dash, last_text = span.partition("-")
    if "/" in step_text:
        raise ValueError(f"too many slashes: {part}")
    if "-" in last_text:
        raise ValueError(f"too many hyphens: {part}")
    step = _number(step_text, {}) if slash else 1
    if first_text in ("*", "?"):
        first, last = low, high
    else:
        first = _number(first_text, names)
        last = _number(last_text, names) if dash else high if slash else first
    if first < low:
        raise ValueError(f"beginning of range ({first}) below minimum ({low}): {part}")
    if last > high:
        raise ValueError(f"end of range ({last}) above maximum ({high}): {part}")
    if first > last:
        raise ValueError(f"beginning of range ({first}) beyond end of range ({last}): {part}")
    if step == 0:
        raise ValueError(f"step of range should be a positive number: {part}")
    return range(first, last + 1, step)


def _number(text: str, names: dict[str, int]) -> int:
    if text.lower() in names:
        return names[text.lower()]
    if not text.isascii() or not text.isdigit():
        shown = f'strconv.Atoi: parsing "{text}": invalid syntax'
        raise ValueError(f"failed to parse int from {text}: {shown}")
    return int(text)
