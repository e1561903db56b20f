"""Regular expressions as Go's RE2 reads them: all ways to match are followed side by side, so that none takes longer.

Python's own would try some one after the other, and for ever. Patterns match whole texts here, as in selectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from aiops_gym.sim.kernel.regex_parser import Part, RegexError, read

MOST_STEPS = 2_000
"""Of a program: a text takes at most as long as its length times these."""

MOST_KEPT = 10_000
"""Transitions that are remembered of a pattern."""

Thread = tuple[int, tuple[int, ...]]
"""A place in the program, and where each group began and ended."""

Before = bool | None
"""Whether the character before belongs to a word; None where there is none."""


class Step(NamedTuple):
    """One of a program: `set` takes a character, `split` goes two ways, the first rather, `save` marks a group's edge,
    `at` holds where the text begins, ends, or a word does, `match` is the end."""

    kind: str
    part: Part | None = None
    one: int = 0
    other: int = 0


class Regex:
    """A pattern that has to match the whole of a text.

    Args:
        text: the pattern. Raises RegexError, in Go's words.
    """

    def __init__(self, text: str) -> None:
        part, self.names = read(text)
        self.steps: list[Step] = []
        self._write(part)
        self.steps.append(Step("match"))
        self.kept: dict[tuple[tuple[int, ...], Before, str], tuple[int, ...]] = {}

    def _add(self, step: Step) -> int:
        if len(self.steps) >= MOST_STEPS:
            raise RegexError("expression too large")
        self.steps.append(step)
        return len(self.steps) - 1

    def _write(self, part: Part) -> None:
        if part.kind in ("set", "at"):
            self._add(Step(part.kind, part))
        elif part.kind == "all":
            for each in part.parts:
                self._write(each)
        elif part.kind == "any":
            self._choose(part.parts)
        elif part.kind == "group":
            self._add(Step("save", one=2 * part.number))
            self._write(part.parts[0])
            self._add(Step("save", one=2 * part.number + 1))
        else:
            self._repeat(part)

    def _split(self, at: int, into: int, past: int, greedy: bool = True) -> None:
        self.steps[at] = Step("split", one=into if greedy else past, other=past if greedy else into)

    def _choose(self, parts: Sequence[Part]) -> None:
        leaps = list[int]()
        for part in parts[:-1]:
            fork = self._add(Step("split"))
            self._write(part)
            leaps.append(self._add(Step("split")))
            self._split(fork, fork + 1, len(self.steps))
        self._write(parts[-1])
        for leap in leaps:
            self._split(leap, len(self.steps), len(self.steps))

    def _repeat(self, part: Part) -> None:
        for _ in range(part.least):
            self._write(part.parts[0])
        forks = list[int]()
        for _ in range(1 if part.most < 0 else part.most - part.least):
            forks.append(self._add(Step("split")))
            self._write(part.parts[0])
        if part.most < 0:
            self._split(self._add(Step("split")), forks[0], forks[0])
        for fork in forks:
            self._split(fork, fork + 1, len(self.steps), part.greedy)

    def _follow(self, threads: Sequence[Thread], at: int, before: Before, after: Before) -> list[Thread]:
        """The steps that are reached without a character, those that come first first."""
        found, seen, left = list[Thread](), set[int](), list(reversed(threads))
        while left:
            place, groups = left.pop()
            if place in seen:
                continue
            seen.add(place)
            step = self.steps[place]
            if step.kind == "split":
                left += [(step.other, groups), (step.one, groups)]
            elif step.kind == "save":
                marked = (*groups[: step.one], at, *groups[step.one + 1 :]) if groups else groups
                left.append((place + 1, marked))
            elif step.kind == "at":
                if step.part and _holds(step.part.name, before, after):
                    left.append((place + 1, groups))
            else:
                found.append((place, groups))
        return found

    def _step(self, threads: Sequence[Thread], at: int, before: Before, char: str) -> list[Thread]:
        followed = self._follow(threads, at, before, _is_word(char))
        steps = self.steps
        return [(p + 1, groups) for p, groups in followed if (part := steps[p].part) is not None and part.takes(char)]

    def matches(self, text: str) -> bool:
        """Whether it matches the whole of a text."""
        places: tuple[int, ...] = (0,)
        last: Before = None
        kept = self.kept
        for char in text:
            key = (places, last, char)
            found = kept.get(key)
            if found is None:
                stepped = self._step([(place, ()) for place in places], 0, last, char)
                found = tuple(dict.fromkeys(place for place, _ in stepped))
                if len(kept) < MOST_KEPT:
                    kept[key] = found
            if not found:
                return False
            places, last = found, _is_word(char)
        ended = self._follow([(place, ()) for place in places], 0, last, None)
        return any(self.steps[place].kind == "match" for place, _ in ended)

    def find_groups(self, text: str) -> list[str] | None:
        """The whole text and what its groups hold, "" where they hold nothing; None where it does not match."""
        threads: list[Thread] = [(0, (-1,) * (2 * len(self.names)))]
        last: Before = None
        for at, char in enumerate(text):
            threads, last = self._step(threads, at, last, char), _is_word(char)
        for place, groups in self._follow(threads, len(text), last, None):
            if self.steps[place].kind == "match":
                pairs = [(0, len(text)), *zip(groups[2::2], groups[3::2], strict=True)]
                return [text[begin:end] if begin >= 0 else "" for begin, end in pairs]
        return None


def _is_word(char: str) -> bool:
    return char == "_" or (char.isascii() and char.isalnum())


def _holds(name: str, before: Before, after: Before) -> bool:
    if name in "^$":
        return (before if name == "^" else after) is None
    return (bool(before) != bool(after)) == (name == "b")
