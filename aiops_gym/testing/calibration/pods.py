"""The lives of pods, recorded and played, laid side by side."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from aiops_gym.testing.calibration.masks import Parts
from aiops_gym.testing.calibration.tolerance import BLIND, LONGEST_FLASH, UNSEEN, early, is_within
from aiops_gym.types import Json


class Step(NamedTuple):
    """A state of a pod: seen first between `low` and `high`, and last at `end` (seconds)."""

    low: float
    high: float
    end: float
    state: Mapping[str, Json]


Life = list[Step]
Pair = tuple[Step | None, Step | None]


def trace_lives(
    rows: Sequence[tuple[float, str, Json]], parts: Parts, recorded: bool, end: float
) -> dict[str, list[Life]]:
    """Part -> the lives of its pods, in the order in which they began; of a recording when `recorded`."""
    found: dict[str, Life] = {}
    polls = sorted({time for time, _, _ in rows})
    for time, name, shown in rows:
        index = bisect_left(polls, time)
        before = polls[index - 1] if index else 0.0
        low = max(before, time - BLIND, 0.0) if recorded else time
        state = _plain(parts.deep(shown))
        life = found.setdefault(name, [])
        if life and _same(life[-1].state, state):
            continue
        if life:
            life[-1] = life[-1]._replace(end=time)
        life.append(Step(low, time, end, state))
    groups: dict[str, list[Life]] = {}
    for name, life in found.items():
        groups.setdefault(parts.of(f"Pod/{name}"), []).append(life)
    return groups


def _same(before: Mapping[str, Json], after: Mapping[str, Json]) -> bool:
    return before == after or ("grace" not in after and before == {**after, "grace": before.get("grace")})


def _plain(state: Mapping[str, Json]) -> dict[str, Json]:
    """Without the grace of 0 s with which a kubelet takes the object itself away."""
    grace = state.get("grace") or None
    return {k: v for k, v in state.items() if k != "grace"} | ({"grace": grace} if grace else {})


def compare(
    recorded: Mapping[str, list[Life]], played: Mapping[str, list[Life]], seconds: float
) -> Iterator[tuple[str, str]]:
    """The differences between the lives of all pods: (part, in words)."""
    for part in sorted({*recorded, *played}):
        ours = [life for life in played.get(part, []) if life[0].high <= early(seconds)]
        rest = [life for life in played.get(part, []) if life not in ours]
        for life in recorded.get(part, []):
            candidates = ours or rest
            if not candidates:
                yield part, f"recorded at {life[0].high:.1f} s, and never there"
                continue
            best = min(candidates, key=lambda other: _cost(life, other, seconds))
            (ours if best in ours else rest).remove(best)
            yield from ((part, line) for line in _lines(life, best, seconds))
        yield from ((part, f"there from {life[0].high:.1f} s on, and never recorded") for life in ours)


def _cost(recorded: Life, played: Life, seconds: float) -> tuple[int, float]:
    return len(_lines(recorded, played, seconds)), abs(recorded[0].high - played[0].high)


def _lines(recorded: Life, played: Life, seconds: float) -> list[str]:
    """What differs between two lives."""
    lines, last = [], None
    for ours, theirs in align(recorded, played, seconds):
        if ours is None and theirs is not None:
            lines.append(f"played, not recorded: {_when(theirs)} {words(theirs.state)}")
        elif theirs is None and ours is not None:
            lines.append(f"recorded, not played: {_when(ours)} {words(ours.state)}")
        elif ours is not None and theirs is not None:
            if not timely(ours, theirs, last):
                lines.append(f"{words(ours.state)}: recorded at {ours.high:.1f} s, played at {theirs.high:.1f} s")
            last = (ours, theirs)
    return lines


def timely(ours: Step, theirs: Step, last: tuple[Step, Step] | None) -> bool:
    """Whether a state came when it was recorded, or as long after the one before."""
    if is_within(theirs.high, ours.low, ours.high):
        return True
    if last is None:
        return False
    step = theirs.high - last[1].high
    return is_within(step, max(0.0, ours.low - last[0].high), ours.high - last[0].low)


def align(recorded: Life, played: Life, seconds: float) -> list[Pair]:
    """The cheapest pairing in order; what may have been missed or flashed by costs nothing and is left out."""
    best = _table(recorded, played, seconds)
    pairs: list[Pair] = []
    i = j = 0
    while (move := best[i][j][1]) != 0:
        ours, theirs = recorded[i] if move in (1, 2) else None, played[j] if move in (1, 3) else None
        free = (ours is None and _unseen(played[j], seconds)) or (theirs is None and _flash(recorded, i))
        if not free:
            pairs.append((ours, theirs))
        i, j = i + (move != 3), j + (move != 2)
    return pairs


def _table(recorded: Life, played: Life, seconds: float) -> list[list[tuple[float, int]]]:
    """By positions: (cost from here on, next move: 0 = none, 1 = pair, 2 = only recorded, 3 = only played)."""
    rows, columns = len(recorded), len(played)
    lone = [0.001 if _flash(recorded, i) else 1.0 for i in range(rows)]
    extra = [0.001 if _unseen(step, seconds) else 1.0 for step in played]
    best = [[(0.0, 0)] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows, -1, -1):
        for j in range(columns, -1, -1):
            options: list[tuple[float, int]] = []
            if i < rows and j < columns and recorded[i].state == played[j].state:
                apart = 0.0 if is_within(played[j].high, recorded[i].low, recorded[i].high) else 0.5
                options.append((best[i + 1][j + 1][0] + apart, 1))
            if i < rows:
                options.append((best[i + 1][j][0] + lone[i], 2))
            if j < columns:
                options.append((best[i][j + 1][0] + extra[j], 3))
            best[i][j] = min(options, default=(0.0, 0))
    return best


def _unseen(step: Step, seconds: float) -> bool:
    """Whether a recorder may have missed a state: too short, or come about when it had stopped."""
    return step.end - step.high <= UNSEEN or step.high >= early(seconds)


def _flash(life: Life, index: int) -> bool:
    """Whether a recorded state was the chance sight of a process that ended at once."""
    step = life[index]
    if index in (0, len(life) - 1) or step.end - step.high > LONGEST_FLASH:
        return False
    after = life[index + 1].state
    same = {k: v for k, v in step.state.items() if k not in ("ctr", "init", "cond", "phase")}
    if any(after.get(k) != v for k, v in same.items()):
        return False
    both = ((step.state.get(part) or (), after.get(part) or ()) for part in ("ctr", "init"))
    pairs = [pair for now, then in both for pair in zip(now, then, strict=False)]
    changed = [(now, then) for now, then in pairs if now != then]
    return bool(changed) and all(now[4] == "R" and now[3] == then[3] and then[4][0] == "T" for now, then in changed)


def _when(step: Step) -> str:
    return f"{step.high:.1f}-{step.end:.1f} s"


def words(state: Mapping[str, Json]) -> str:
    """A state in one line."""
    found = ["Deleting"] if state.get("deleting") else []
    found += [str(state[k]) for k in ("phase", "reason", "message") if state.get(k)]
    for row in [*(state.get("init") or ()), *(state.get("ctr") or ())]:
        name, ready, started, restarts, now, before = [*row, *[None] * 6][:6]
        marks = ("ready " if ready else "") + ("" if started else "not started ")
        found.append(f"{name}[{marks}{restarts} {now}{f' after {before}' if before else ''}]")
    found += [f"{type_}={'/'.join(str(v) for v in values if v)}" for type_, values in (state.get("cond") or {}).items()]
    return " ".join([*found, "with IP" if state.get("ip") else "no IP", f"on {state.get('node')}"])
