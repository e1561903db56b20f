"""What was not as it should be in a CSV file, and how often."""

from __future__ import annotations

from collections.abc import Mapping


class Oddities:
    """Counts by what was odd, with the first case of each.

    Attributes:
        found: what -> (how often, the first case).
    """

    def __init__(self) -> None:
        self.found: dict[str, tuple[int, str]] = {}

    def add(self, what: str, count: int = 1, example: object = "") -> None:
        """Count something; nothing where the count is 0."""
        if count:
            before, first = self.found.get(what, (0, str(example)[:80]))
            self.found[what] = (before + count, first)


def explain(found: Mapping[str, tuple[int, str]]) -> list[str]:
    """What was odd as lines for people, the most frequent first.

    >>> explain({"duration: empty": (3, ""), "duration: no number": (1200, "12 %")})
    ["1,200 x duration: no number, such as '12 %'", '3 x duration: empty']
    """
    ordered = sorted(found.items(), key=lambda each: (-each[1][0], each[0]))
    return [f"{count:,} x {what}{f', such as {first!r}' if first else ''}" for what, (count, first) in ordered]
