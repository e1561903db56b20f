"""Feature flags: what the calls of a handler come to by the values that their program has been told.

A call says `when` it is made ({flag: whether it is on}), and any number of it may be `{"flag": name, "times": a,
"plus": b}`. A handler may be `slowed`, a list of `{"when", "ms"}`: further milliseconds of its work, and `adds`, a list
of `{"when", "says"}`: further lines of each request, and `after` how many milliseconds. A program keeps the values as
`flags` in `configured`; a flag that it was not told is off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiops_gym.sim.traffic.clients.client import parse_lines
from aiops_gym.sim.traffic.configuration import NOTHING, configured
from aiops_gym.types import Json


class Flags:
    """What a program has been told.

    Args:
        values: by name.
    """

    def __init__(self, values: Mapping[str, Json]) -> None:
        self.values = values

    def number(self, name: str) -> float:
        """The value of a flag as a number; 0 for what is none, or off."""
        value = self.values.get(name)
        return float(value) if isinstance(value, bool | int | float) else 0.0

    def holds(self, when: Mapping[str, bool]) -> bool:
        """Whether the named flags are on or off, as asked.

        >>> Flags({"a": 0.5}).holds({"a": True, "b": False})
        True
        """
        return all((self.number(name) > 0.0) is wanted for name, wanted in when.items())

    def read(self, value: Json) -> Json:
        """A value, or what the flag that it names makes of it.

        >>> Flags({"a": 100}).read({"flag": "a", "plus": 1})
        101.0
        """
        if not isinstance(value, Mapping) or "flag" not in value:
            return value
        return self.number(value["flag"]) * float(value.get("times", 1.0)) + float(value.get("plus", 0.0))

    def work(self, ms: float, handler: Mapping[str, Json]) -> float:
        """Milliseconds of work of a handler."""
        return ms + sum(float(each["ms"]) for each in handler.get("slowed", ()) if self.holds(each["when"]))

    def sayings(self, handler: Mapping[str, Json]) -> list[list[Json]]:
        """Lines that a handler leaves of each request."""
        found: list[list[Json]] = [*parse_lines(handler.get("says"))]
        for each in handler.get("adds", ()):
            if self.holds(each["when"]):
                found += [[*line, each["after"]] if "after" in each else line for line in parse_lines(each["says"])]
        return found

    def choose(self, calls: Sequence[Json]) -> list[Json]:
        """Those of a handler's calls that are made, with their numbers."""
        found: list[Json] = []
        for call in calls:
            if isinstance(call, list | tuple):
                if group := self.choose(call):
                    found.append(group)
            elif self.holds(call.get("when", NOTHING)):
                found.append({key: self.read(value) for key, value in call.items()} if _depends(call) else call)
        return found


def told_flags(process: Mapping[str, Json]) -> Flags:
    """The flags of a process."""
    return Flags(configured(process).get("flags") or NOTHING)


def _depends(call: Mapping[str, Json]) -> bool:
    return any(isinstance(value, Mapping) and "flag" in value for value in call.values())
