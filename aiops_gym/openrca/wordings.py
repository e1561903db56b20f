"""How questions are worded: a sentence on what happened, one on what is not known, one on what to find.

None of them tells an answer, and none names an element that is not asked for: readers tell by such words what to find.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aiops_gym.openrca import clock

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
"""Spelled out here, for those of the standard library follow the user's language."""

_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine"}

_SAME_DAY = (
    "on {date}, between {start} and {end}",
    "on {date}, from {start} to {end}",
    "from {start} to {end} on {date}",
    "between {start} and {end} on {date}",
    "in the half hour of {date} that began at {start} and ended at {end}",
    "in the period of {date}, {start} to {end}",
)
_TWO_DAYS = (
    "between {start} on {date} and {end} on {next}",
    "from {date}, {start}, to {next}, {end}",
    "from {start} on {date} until {end} on {next}",
    "in the half hour from {date} at {start} to {next} at {end}",
)
_ONE = (
    "{When}, {system} had one failure.",
    "{When}, a failure of {system} was noticed.",
    "{When}, a single failure hit {system}.",
    "{System} suffered one failure {when}.",
    "{System} went through a single failure {when}.",
    "Monitoring of {system} raised an alarm {when}: there was one failure.",
    "Users of {system} complained {when}, and one failure is known to lie behind it.",
    "The operators of {system} recorded a failure {when}.",
)
_SEVERAL = (
    "{When}, {system} had {count} failures.",
    "{When}, {count} failures of {system} were noticed.",
    "{When}, {count} separate failures hit {system}.",
    "{System} suffered {count} failures {when}.",
    "{System} went through {count} failures {when}.",
    "Monitoring of {system} raised alarms {when}: there were {count} failures.",
    "Users of {system} complained {when}, and {count} failures are known to lie behind it.",
    "The operators of {system} recorded {count} failures {when}.",
)
_UNKNOWN = (
    "Nobody knows {elements} yet.",
    "Nothing has been established about {elements}.",
    "So far {elements} could not be told.",
    "The telemetry is there, but {elements} still had to be left open in the report.",
    "The report leaves open {elements}.",
    "",
)
_FIND = (
    "Find {elements}.",
    "Determine {elements} from the telemetry.",
    "Work out {elements}.",
    "Your task is to find {elements}.",
    "You are asked to establish {elements}.",
    "Look into it and name {elements}.",
    "Please report {elements}.",
    "What is wanted is {elements}.",
)
_ELEMENTS = {
    "time": (
        "the root cause occurrence datetime",
        "the root cause occurrence time",
        "the exact time of the root cause",
    ),
    "component": (
        "the root cause component",
        "the component at the root of it",
        "the component that is the root cause",
    ),
    "reason": ("the root cause reason", "the reason behind the root cause", "the reason of the root cause"),
}
_EACH = ("of each failure", "for each of them", "for every one of the failures")
_SYSTEMS = ("the system", "the service", "the platform")
_CLOUDBEDS = ("{}", "the cloud service {}", "the system {}", "the cluster {}")


def write_instruction(
    start: int, end: int, failures: int, asked: Sequence[str], cloudbed: str, chance: np.random.Generator
) -> str:
    """A question about a window.

    Args:
        start: Unix milliseconds, as `end`.
        asked: of time, component and reason.
        cloudbed: named in the question, "" where there is one system.
    """
    when, system = _window(start, end, chance), _one(_CLOUDBEDS if cloudbed else _SYSTEMS, chance).format(cloudbed)
    opening = _one(_ONE if failures == 1 else _SEVERAL, chance).format(
        when=when,
        When=_capital(when),
        system=system,
        System=_capital(system),
        count=_NUMBERS.get(failures, str(failures)),
    )
    unknown = _one(_UNKNOWN, chance).format(elements=_listed([_one(_ELEMENTS[each], chance) for each in asked], chance))
    wanted = _listed([_one(_ELEMENTS[each], chance) for each in asked], chance)
    if failures > 1:
        wanted += f" {_one(_EACH, chance)}"
    return " ".join(part for part in (opening, unknown, _one(_FIND, chance).format(elements=wanted)) if part)


def _window(start: int, end: int, chance: np.random.Generator) -> str:
    first, last = clock.to_local(start), clock.to_local(end)
    dates = [f"{MONTHS[each.month - 1]} {each.day}, {each.year}" for each in (first, last)]
    form = _one(_SAME_DAY if dates[0] == dates[1] else _TWO_DAYS, chance)
    return form.format(date=dates[0], next=dates[1], start=f"{first:%H:%M}", end=f"{last:%H:%M}")


def _listed(elements: list[str], chance: np.random.Generator) -> str:
    """In any order: `a, b and c`."""
    chance.shuffle(elements)
    return elements[0] if len(elements) == 1 else f"{', '.join(elements[:-1])} and {elements[-1]}"


def _one(forms: Sequence[str], chance: np.random.Generator) -> str:
    return forms[int(chance.integers(len(forms)))]


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
