"""Dates: seconds since 1970, their parts as `gmtime` has them (the year, the month from 0 ...), and texts."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from aiops_gym.sim.jq.errors import JqError
from aiops_gym.sim.jq.machine import Run
from aiops_gym.sim.jq.paths import is_number
from aiops_gym.sim.jq.values import number, write_number
from aiops_gym.types import Json

_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MONTHS = tuple(calendar.month_name)[1:]
_WHOLE = {"D": "%m/%d/%y", "F": "%Y-%m-%d", "T": "%H:%M:%S", "R": "%H:%M", "c": "%a %b %e %H:%M:%S %Y"}
_WHOLE |= {"x": "%m/%d/%y", "X": "%H:%M:%S", "r": "%I:%M:%S %p", "h": "%b", "n": "\n", "t": "\t"}
_LEAST, _MOST = -62_135_596_800, 253_402_300_799
_NUMBERS = {"Y": r"\d{1,4}", "m": r"\d{1,2}", "d": r"\d{1,2}", "e": r"\d{1,2}", "H": r"\d{1,2}", "I": r"\d{1,2}"}
_NUMBERS |= {"M": r"\d{1,2}", "S": r"\d{1,2}", "j": r"\d{1,3}", "y": r"\d{1,2}", "s": r"-?\d+", "Z": r"[A-Za-z]+"}
_NUMBERS |= {"z": r"Z|[+-]\d{2}:?\d{2}", "p": r"[AaPp][Mm]"}
_NUMBERS |= {"a": "|".join((*_DAYS, *(day[:3] for day in _DAYS))), "b": "|".join((*_MONTHS, *(m[:3] for m in _MONTHS)))}
_NUMBERS |= {"A": _NUMBERS["a"], "B": _NUMBERS["b"], "h": _NUMBERS["b"]}


def _moment(seconds: float) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=min(max(int(seconds // 1), _LEAST), _MOST))


def _broken(seconds: float) -> list[Json]:
    at = _moment(seconds)
    fraction = seconds - seconds // 1
    second = number(at.second + fraction)
    day = at.timetuple().tm_yday - 1
    return [at.year, at.month - 1, at.day, at.hour, at.minute, second, at.isoweekday() % 7, day]


def _gmtime(run: Run, value: Json) -> Json:
    if not is_number(value) or value != value:  # noqa: PLR0124
        raise JqError("gmtime() requires numeric inputs")
    return _broken(float(value))


def _seconds(value: Json, name: str) -> float:
    """The seconds of broken-down time. Raises JqError."""
    if not isinstance(value, list) or len(value) < 6 or not all(map(is_number, value)):
        raise JqError(f"{name} requires parsed datetime inputs")
    year, month, *rest = (int(each // 1) for each in value[:6])
    year, month = year + month // 12, month % 12
    if not 1 <= year <= 9999:
        raise JqError("invalid gmtime representation")
    day, hour, minute, second = rest
    return calendar.timegm((year, month + 1, 1, 0, 0, 0)) + (day - 1) * 86400 + hour * 3600 + minute * 60 + second


def _mktime(run: Run, value: Json) -> Json:
    if not isinstance(value, list):
        raise JqError("mktime requires array inputs")
    return number(_seconds(value, "mktime"))


def _strftime(run: Run, value: Json, form: Json) -> Json:
    if is_number(value):
        value = _gmtime(run, value)
    elif not isinstance(value, list):
        raise JqError("strftime/1 requires parsed datetime inputs")
    if not isinstance(form, str):
        raise JqError("strftime/1 requires a string format")
    seconds = _seconds(value, "strftime/1")
    return _render(_moment(seconds), form, seconds)


def _render(at: datetime, form: str, seconds: float) -> str:
    def part(found: re.Match[str]) -> str:
        sign = found[1]
        if sign in _WHOLE:
            return _render(at, _WHOLE[sign], seconds)
        hour = at.hour % 12 or 12
        own = {"e": f"{at.day:2d}", "k": f"{at.hour:2d}", "l": f"{hour:2d}", "s": write_number(seconds), "Z": "UTC"}
        own |= {"z": "+0000", "P": "am" if at.hour < 12 else "pm", "C": f"{at.year // 100:02d}", "%": "%"}
        if sign in own:
            return own[sign]
        return at.strftime(f"%{sign}") if sign in "aAbBdHIjmMpSUuVGgwWyY" else found[0]

    return re.sub(r"%[-_0^#EO]?(.)", part, form, flags=re.DOTALL)


def _strptime(run: Run, value: Json, form: Json) -> Json:
    if not isinstance(value, str) or not isinstance(form, str):
        raise JqError("strptime/1 requires string inputs and arguments")
    names = list[str]()

    def part(found: re.Match[str]) -> str:
        if found[0][0].isspace():
            return r"\s*"
        if found[0][0] != "%":
            return re.escape(found[0])
        sign = found[1]
        if sign not in _NUMBERS:
            return re.escape(sign)
        names.append(sign)
        return rf"\s*({_NUMBERS[sign]})"

    while any(f"%{sign}" in form for sign in "DFTRc"):
        form = re.sub("%([DFTRc])", lambda found: _WHOLE[found[1]], form)
    pattern = re.sub(r"%(.)|\s+|.", part, form, flags=re.DOTALL)
    found = re.fullmatch(pattern, value, re.IGNORECASE)
    if found is None:
        raise JqError(f'date "{value}" does not match format "{form}"')
    return _read(list(zip(names, found.groups(), strict=True)))


def _read(parts: list[tuple[str, str]]) -> Json:
    at = {"Y": 1900, "m": 0, "d": 0, "H": 0, "M": 0, "S": 0}
    afternoon = None
    for sign, text in parts:
        if sign == "s":
            return _broken(float(text))
        if sign in "bBh":
            at["m"] = next(i for i, month in enumerate(_MONTHS) if month[:3].lower() == text[:3].lower())
        elif sign == "m":
            at["m"] = int(text) - 1
        elif sign == "y":
            at["Y"] = int(text) + (2000 if int(text) < 69 else 1900)
        elif sign == "p":
            afternoon = text.lower() == "pm"
        elif sign in "deHIMSY":
            at[{"e": "d", "I": "H"}.get(sign, sign)] = int(text)
        elif sign == "j":
            first = datetime(at["Y"], 1, 1, tzinfo=UTC) + timedelta(days=int(text) - 1)
            at["m"], at["d"] = first.month - 1, first.day
    if afternoon is not None:
        at["H"] = at["H"] % 12 + 12 * afternoon
    month = datetime(max(1, at["Y"]), at["m"] % 12 + 1, 1, tzinfo=UTC) + timedelta(days=at["d"] - 1)
    weekday, day = month.isoweekday() % 7, month.timetuple().tm_yday - 1
    if not at["d"]:
        weekday, day = (month.isoweekday() + 1) % 7, 367
    return [at["Y"], at["m"], at["d"], at["H"], at["M"], at["S"], weekday, day]


FUNCTIONS: dict[tuple[str, int], Callable[..., Json]] = {
    ("now", 0): lambda run, value: number(run.now),
    ("gmtime", 0): _gmtime,
    ("localtime", 0): _gmtime,
    ("mktime", 0): _mktime,
    ("strftime", 1): _strftime,
    ("strflocaltime", 1): _strftime,
    ("strptime", 1): _strptime,
}
