"""Whether the real kubectl and ours left the same behind."""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sides import Case, Left, changes, ours

from aiops_gym.sim.kernel.world import World

Json = Any


@dataclass(frozen=True)
class Answer:
    """What the real kubectl did: what it left, when (Unix seconds on its clock), what was stored, how long it took.

    A recorded answer took no time: it was recorded where nothing else ran.
    """

    left: Left
    time: float
    changes: Mapping[str, Json]
    seconds: float = 0.0


def differences(case: Case, world: World, answer: Answer, loose: bool = False) -> str:
    """How ours differs, "" when it does the same.

    A second that passes while the real one works may show in any line that tells an age: each line must be that of ours
    at the same time or up to two seconds later, or as much later as a busy machine made the real one end. Ages turn at
    different parts of a second, and one that becomes shorter moves a whole column: so quarters are looked at as well.

    Args:
        case: with the names of this world.
        world: never changed.
        answer: of the real kubectl.
        loose: take lines and words in any order, for what comes out of a Go map.
    """
    if case.helped:
        answer = replace(answer, left=_unhelped(answer.left))
    runs = []
    most = max(3, int(answer.seconds) + 2)
    for late in (*range(most), *(quarter / 4 for quarter in range(4 * most) if quarter % 4)):
        fork = world.fork()
        left = ours(case, fork, int(answer.time) + late)
        left = _unhelped(left) if case.helped else left
        runs.append((left, changes(world, fork) if case.writes else {}))
        if _same(answer, *runs[-1], loose) or _same_lines(answer, runs, loose):
            return ""
    return _told(answer, *runs[0])


HELP = re.compile(r'(?s)\A(?!error: ).*\nUsage:\n.*?\nUse "kubectl options" for a list of [^\n]*\n')


def _unhelped(left: Left) -> Left:
    """With one word for a help text."""
    return Left(left.code, HELP.sub("<help>\n", left.out), HELP.sub("<help>\n", left.err))


def _same(answer: Answer, left: Left, stores: Mapping[str, Json], loose: bool) -> bool:
    if answer.left.code != left.code or not _same_stores(answer.changes, stores, loose):
        return False
    pairs = ((answer.left.out, left.out), (answer.left.err, left.err))
    return all(_words(a) == _words(b) if loose else a == b for a, b in pairs)


POD = re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{5}\b")
"""The generated end of a pod's name: an error names whichever pod comes first in a Go map."""


def _words(text: str) -> list[str]:
    return sorted(POD.sub("-?", text).replace(",", " ").replace(";", " ").replace("[", " ").replace("]", " ").split())


def _same_words(answer: Answer, runs: list[Left]) -> bool:
    """Whether each word is one of ours, as often, or else an age that ours would tell a moment later."""
    later = {word for left in runs[1:] for word in _words(left.out + left.err)}
    real, mine = Counter(_words(answer.left.out + answer.left.err)), Counter(_words(runs[0].out + runs[0].err))
    return real.total() == mine.total() and all(word in later for word in real - mine)


def _same_stores(real: Mapping[str, Json], mine: Mapping[str, Json], loose: bool) -> bool:
    return real == mine or (loose and _words(_text(real)) == _words(_text(mine)))


def _same_lines(answer: Answer, runs: list[tuple[Left, Mapping[str, Json]]], loose: bool) -> bool:
    if loose and _same_words(answer, [left for left, _ in runs]):
        return all(left.code == answer.left.code and stores == answer.changes for left, stores in runs)
    if loose or any(left.code != answer.left.code or stores != answer.changes for left, stores in runs):
        return False
    for real, mine in ((answer.left.out, [r.out for r, _ in runs]), (answer.left.err, [r.err for r, _ in runs])):
        lines = real.split("\n")
        # What happens in our world a second later may add a line; then that moment is not the one that was seen.
        alike = [found for found in (text.split("\n") for text in mine) if len(found) == len(lines)]
        if not alike or any(row[0] not in row[1:] for row in zip(lines, *alike, strict=True)):
            return False
    return True


def _told(answer: Answer, left: Left, stores: Mapping[str, Json]) -> str:
    parts = []
    if answer.left.code != left.code:
        parts.append(f"exit code {answer.left.code}, ours {left.code}")
    for name, real, mine in (("stdout", answer.left.out, left.out), ("stderr", answer.left.err, left.err)):
        if real != mine:
            parts.append(_diff(name, real, mine))
    if stores != answer.changes:
        parts.append(_diff("stored", _text(answer.changes), _text(stores)))
    return "\n".join(parts)


def _text(value: Json) -> str:
    return json.dumps(value, indent=1, sort_keys=True)


def _diff(name: str, real: str, mine: str) -> str:
    lines = difflib.unified_diff(
        real.splitlines(keepends=False),
        mine.splitlines(keepends=False),
        f"{name} real",
        f"{name} ours",
        lineterm="",
        n=1,
    )
    text = "\n".join(lines)
    return text or f"{name}: line ends differ: {real[-60:]!r} / {mine[-60:]!r}"
