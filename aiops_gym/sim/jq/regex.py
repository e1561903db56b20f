"""Regular expressions, followed step by step: ways are tried one after the other, and each step counts as work."""

from __future__ import annotations

from typing import Any

from aiops_gym import caches
from aiops_gym.sim.jq.errors import JqError
from aiops_gym.sim.jq.machine import Run
from aiops_gym.sim.jq.pattern import Pattern, PatternError, Step
from aiops_gym.sim.jq.values import told
from aiops_gym.types import Json

STEPS = 4
"""Of a pattern for one operation."""

Places = tuple[int, ...]


@caches.function(256, "reading a regular expression of jq")
def _pattern(text: str, folded: bool, dotall: bool, extended: bool) -> Pattern | str:
    try:
        return Pattern(text, folded, dotall, extended)
    except PatternError as error:
        return str(error)


def match(run: Run, value: Json, pattern: Json, flags: Json, test: Json) -> Json:
    """What `match` and `test` find. Raises JqError."""
    if isinstance(pattern, list):
        if not pattern:
            raise JqError("array not a string or array")
        pattern, flags = pattern[:2] if len(pattern) > 1 else (pattern[0], flags)
    elif not isinstance(pattern, str) and flags is None:
        kinds = {dict: "object", bool: "boolean", type(None): "null"}
        raise JqError(f"{kinds.get(type(pattern), 'number')} not a string or array")
    if not isinstance(value, str):
        raise JqError(f"{told(value)} cannot be matched, as it is not a string")
    if not isinstance(pattern, str):
        raise JqError(f"{told(pattern)} is not a string")
    if flags is not None and not isinstance(flags, str):
        raise JqError(f"{told(flags)} is not a string")
    signs = flags or ""
    if not set(signs) <= set("gimnpslx") or "m" in signs:
        raise JqError(f"{signs} is not a valid modifier string")
    found = _pattern(pattern, "i" in signs, "p" in signs, "x" in signs)
    if isinstance(found, str):
        raise JqError(f"Regex failure: {found}")
    return _matches(run, found, value, "g" in signs and test is not True, "n" in signs, test is True)


def _matches(run: Run, pattern: Pattern, text: str, everywhere: bool, full: bool, test: bool) -> Json:
    found, start = list[Json](), 0
    while True:
        places = _search(run, pattern, text, start, full)
        if test:
            return places is not None
        if places is None:
            return found
        found.append(_told(pattern, text, places))
        start = places[1] if places[1] > places[0] else places[0] + 1
        if not everywhere or start >= len(text):
            return found


def _told(pattern: Pattern, text: str, places: Places) -> Json:
    begin, end = places[:2]
    captures = list[Json]()
    for number, name in enumerate(pattern.names, 1) if end > begin else ():
        first, last = places[2 * number], places[2 * number + 1]
        kept = last >= 0
        whole: Json = {"offset": first, "length": last - first, "string": text[first:last]}
        captures.append({**(whole if kept else {"offset": -1, "string": None, "length": 0}), "name": name})
    return {"offset": begin, "length": end - begin, "string": text[begin:end], "captures": captures}


def _search(run: Run, pattern: Pattern, text: str, start: int, full: bool) -> Places | None:
    """The first match from a place on."""
    steps, empty = pattern.steps, (-1,) * pattern.slots
    first = steps[1]
    anchored = first == ("at", "A")
    for at in range(start, len(text) + 1):
        if first[0] == "take" and not (at < len(text) and first[1](text[at])):
            continue
        places = _follow(run, steps, text, at, empty, full)
        if places is not None:
            return places
        if anchored:
            break
    run.charge(1 + (len(text) - start) // 16)
    return None


def _follow(  # noqa: PLR0915 - one loop: a call a step would cost more than the step
    run: Run, steps: list[Step], text: str, at: int, kept: Places, full: bool = False
) -> Places | None:
    """The places of a match that begins here."""
    size, place, count = len(text), 0, 0
    ways: list[tuple[Any, ...]] = []
    while True:
        count += 1
        if count & 1023 == 0:
            run.charge(1024 // STEPS)
        step = steps[place]
        kind = step[0]
        fits = True
        if kind == "take":
            fits = at < size and step[1](text[at])
            at += 1
        elif kind == "run":
            stop, test = at, step[1]
            end = size if step[3] < 0 else min(size, at + step[3])
            while stop < end and test(text[stop]):
                stop += 1
            count += stop - at
            low = at + step[2]
            fits = stop >= low
            if fits and low < stop:
                if step[4]:
                    ways.append((place + 1, stop - 1, kept, low, -1))
                else:
                    ways.append((place + 1, low + 1, kept, stop, 1))
                    stop = low
            at = stop
        elif kind == "save":
            kept = (*kept[: step[1]], at, *kept[step[1] + 1 :])
        elif kind == "fork":
            ways.append((place + step[2], at, kept, 0, 0))
            place += step[1] - 1
        elif kind == "go":
            place += step[1] - 1
        elif kind == "mark":
            kept = (*kept[: step[1]], at, *(kept[step[1] + 1 :] if step[1] != -1 else ()))
        elif kind == "moved":
            fits = kept[step[1]] != at
        elif kind == "done":
            if not full or kept[1] != kept[0]:
                run.charge(count // STEPS)
                return kept
            fits = False
        elif kind == "at":
            fits = _holds(step[1], text, at)
        elif kind == "back":
            first, last = kept[2 * step[1]], kept[2 * step[1] + 1]
            part = text[first:last] if last >= 0 else None
            here = text[at : at + len(part)] if part is not None else ""
            fits = part is not None and (here == part or (step[2] and here.lower() == part.lower()))
            at += len(part or "")
        else:
            found = _nested(run, step, text, at, kept)
            fits = found is not None
            if found is not None:
                at, kept = found
        if fits:
            place += 1
            continue
        if not ways:
            run.charge(count // STEPS)
            return None
        place, at, kept, last, way = ways.pop()
        if way and at != last:
            ways.append((place, at + way, kept, last, way))


def _nested(run: Run, step: Step, text: str, at: int, kept: Places) -> tuple[int, Places] | None:
    """After what is looked at, or matched once and for all."""
    if step[0] == "atomic":
        ended = _follow(run, [*step[1][:-1], ("save", 1), ("done",)], text, at, kept)
        return None if ended is None else (ended[1], (*ended[:1], kept[1], *ended[2:]))
    if not step[2]:
        found = _follow(run, step[1], text, at, kept)
    else:
        ends = [*step[1][:-1], ("save", 1), ("done",)]
        tried = (_follow(run, ends, text[:at], begin, kept) for begin in range(at, -1, -1))
        found = next((each for each in tried if each is not None and each[1] == at), None)
    if (found is None) != step[3]:
        return None
    return at, (kept if found is None else (*found[:1], kept[1], *found[2:]))


def _holds(place: str, text: str, at: int) -> bool:
    if place in "AG":
        return at == 0
    if place in "zZ":
        return at == len(text) or (place == "Z" and at == len(text) - 1 and text[at] == "\n")
    before = at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_")
    after = at < len(text) and (text[at].isalnum() or text[at] == "_")
    return (before != after) == (place == "b")
