"""Alertmanager's silences: made, changed and ended over its API, version 2, and which alerts they are about.

Table `silences`, by id: `matchers` ([name, value, is a pattern, is equal]), `starts`, `ends`, `updated` (ms), `by`,
`comment`. They lie on its disk, so that they outlive a restart; what has ended is kept for five days.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kernel import draws, jsontext
from aiops_gym.sim.kernel.patterns import compile_pattern
from aiops_gym.sim.kernel.times import HOUR, iso_nano, millis
from aiops_gym.sim.kernel.world import World
from aiops_gym.types import Json

RETENTION = 120 * HOUR
MOST = 1_000
"""Silences that are kept at once."""

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
ACTIVE, WAITING, EXPIRED = "active", "pending", "expired"
STATES = (ACTIVE, WAITING, EXPIRED)
NEEDED = ("comment", "createdBy", "endsAt", "matchers", "startsAt")
CREATE = "Failed to create silence: "

Row = Mapping[str, Json]
Answer = tuple[int, Json]
"""Status of HTTP, and the data of its body; None for an empty one."""


def list_silences(world: World) -> Answer:
    """All that are kept: active ones by their end, those to come by their start, and what ended last first."""
    rows = {key: row for key, row in world.table("silences").items() if row["ends"] > world.now - RETENTION}
    return 200, [_shown(key, row, world.now) for key, row in sorted(rows.items(), key=lambda item: _place(item, world))]


def show_silence(world: World, key: str) -> Answer:
    """One of them."""
    if not UUID.fullmatch(key):
        return _no_id(key)
    row = world.table("silences").get(key.lower())
    return (404, None) if row is None else (200, _shown(key.lower(), row, world.now))


def expire_silence(world: World, key: str) -> Answer:
    """End one now."""
    if not UUID.fullmatch(key):
        return _no_id(key)
    key, table = key.lower(), world.table("silences")
    row = table.get(key)
    if row is None:
        return 404, None
    if find_state(row, world.now) == EXPIRED:
        return 500, f"silence {key} already expired"
    table[key] = {**row, "starts": min(row["starts"], world.now), "ends": world.now, "updated": world.now}
    return 200, None


def put_silence(world: World, text: str) -> Answer:
    """Make one of a JSON text, or change one whose id it names: another one takes its place where that cannot be."""
    try:
        data = jsontext.load(text) if text.strip() else None
    except ValueError as error:
        return _refuse(400, 400, f'parsing silence body from "" failed, because {error}')
    if not isinstance(data, dict):
        return _refuse(422, 602, "silence in body is required")
    for code, wrong in _check(data):
        return _refuse(422, code, wrong)
    try:
        starts, ends = (_read_time(str(data[key])) for key in ("startsAt", "endsAt"))
    except ValueError as error:
        return _refuse(400, 400, f'parsing silence body from "" failed, because {error}')
    if starts >= ends:
        return 400, f"{CREATE}start time must be before end time"
    if ends < world.now:
        return 400, f"{CREATE}end time can't be in the past"
    matchers = [
        [str(m["name"]), str(m["value"]), bool(m["isRegex"]), m.get("isEqual") is not False] for m in data["matchers"]
    ]
    if wrong := _doubt(matchers):
        return 400, f"silence invalid: {wrong}"
    row = {"matchers": matchers, "by": str(data["createdBy"]), "comment": str(data["comment"])}
    return _store(world, str(data.get("id") or ""), {**row, "starts": starts, "ends": ends, "updated": world.now})


def find_silences(world: World, labels: Mapping[str, str]) -> list[str]:
    """Ids of those that are active and mean an alert with these labels, sorted."""
    return sorted(
        key
        for key, row in world.table("silences").items()
        if find_state(row, world.now) == ACTIVE and all(_means(matcher, labels) for matcher in row["matchers"])
    )


def find_state(row: Row, now: int) -> str:
    """Whether one is active, to come, or over."""
    return WAITING if now < row["starts"] else ACTIVE if now < row["ends"] else EXPIRED


def _store(world: World, key: str, row: Row) -> Answer:
    table, now = world.table("silences"), world.now
    known = table.get(key.lower())
    if key and known is None:
        return 404, "silence not found"
    for old in [each for each, kept in table.items() if kept["ends"] <= now - RETENTION]:
        del table[old]
    if known is not None and _may_change(known, row, now):
        table[key.lower()] = row
        return 200, {"silenceID": key.lower()}
    if len(table) >= MOST:
        return 400, f"exceeded maximum number of silences: {len(table)} (limit: {MOST})"
    if known is not None and find_state(known, now) != EXPIRED:
        expire_silence(world, key)
    number = next(n for n in range(len(table) + 1) if draws.uuid(world.seed, "silence", str(now), n) not in table)
    made = draws.uuid(world.seed, "silence", str(now), number)
    table[made] = {**row, "starts": max(now, row["starts"])}
    return 200, {"silenceID": made}


def _may_change(old: Row, new: Row, now: int) -> bool:
    """Whether it stays the same one: what it means must, and when it began."""
    if old["matchers"] != new["matchers"]:
        return False
    state = find_state(old, now)
    if state == ACTIVE:
        return bool(old["starts"] // 1000 == new["starts"] // 1000 and new["ends"] >= now)
    return state == WAITING and bool(new["starts"] >= now)


def _check(data: Mapping[str, Json]) -> Iterator[tuple[int, str]]:
    """What is missing, in the order in which it is told."""
    for name in NEEDED:
        if data.get(name) is None:
            yield 602, f"{name} in body is required"
    if not isinstance(data.get("matchers"), list):
        yield 602, "matchers in body is required"
        return
    if not data["matchers"]:
        yield 612, "matchers in body should have at least 1 items"
    for number, matcher in enumerate(data["matchers"]):
        for name in ("isRegex", "name", "value"):
            if not isinstance(matcher, dict) or matcher.get(name) is None:
                yield 602, f"matchers.{number}.{name} in body is required"


def _doubt(matchers: Sequence[Sequence[Json]]) -> str:
    """Why matchers make no silence; "" where they do."""
    for number, (name, value, pattern, _) in enumerate(matchers):
        if not NAME.fullmatch(name):
            return f"invalid label matcher {number}: invalid label name {go_quote(name)}"
        try:
            compile_pattern(value) if pattern else None
        except re.error as error:
            return f"invalid label matcher {number}: invalid regular expression {go_quote(value)}: {error}"
    empty = all(_means(matcher, {}) for matcher in matchers)
    return "at least one matcher must not match the empty string" if empty else ""


def _means(matcher: Sequence[Json], labels: Mapping[str, str]) -> bool:
    name, value, pattern, equal = matcher
    found = labels.get(name, "")
    same = compile_pattern(value).fullmatch(found) is not None if pattern else found == value
    return bool(same is equal)


def _read_time(text: str) -> int:
    """Milliseconds. Raises ValueError."""
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError(f'parsing time "{text}" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"')
    return millis(text)


def _place(item: tuple[str, Row], world: World) -> tuple[int, int, str]:
    state = find_state(item[1], world.now)
    times = {ACTIVE: item[1]["ends"], WAITING: item[1]["starts"], EXPIRED: -item[1]["ends"]}
    return STATES.index(state), times[state], item[0]


def _shown(key: str, row: Row, now: int) -> dict[str, Json]:
    matchers = [
        {"isEqual": equal, "isRegex": pattern, "name": name, "value": value}
        for name, value, pattern, equal in row["matchers"]
    ]
    return {
        "id": key,
        "status": {"state": find_state(row, now)},
        "updatedAt": _stamp(row["updated"]),
        "comment": row["comment"],
        "createdBy": row["by"],
        "endsAt": _stamp(row["ends"]),
        "matchers": matchers,
        "startsAt": _stamp(row["starts"]),
    }


def _stamp(ms: int) -> str:
    return f"{iso_nano(ms)[:23]}Z"


def _no_id(key: str) -> Answer:
    return _refuse(422, 601, f"silenceID in path must be of type uuid: {json.dumps(key)}")


def _refuse(status: int, code: int, message: str) -> Answer:
    return status, {"code": code, "message": message}
