"""A recording whose content was changed is told from one that was not."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aiops_gym.testing import replay

Json = Any
FOLDER = Path(__file__).parent / "recordings"
NAMES = sorted(path.name.removesuffix(".manifest.json") for path in FOLDER.glob("*.manifest.json"))


def _load(name: str) -> tuple[Json, Json]:
    texts = [(FOLDER / f"{name}{end}.json").read_text() for end in (".manifest", "")]
    return json.loads(texts[0]), json.loads(texts[1])


def _states(recording: Json) -> list[Json]:
    """The last state of each pod: what was there when the recorder stopped, and no flash."""
    last = {row[1]: row[2] for row in recording["timeline"] if isinstance(row[2], dict)}
    return [state for state in last.values() if state.get("ctr") or state.get("cond")]


def _state(change: Callable[[Json], None], needs: str = "") -> Callable[[Json, random.Random], bool]:
    def apply(recording: Json, chance: random.Random) -> bool:
        found = [state for state in _states(recording) if not needs or state.get(needs)]
        if found:
            change(chance.choice(found))
        return bool(found)

    return apply


def _event(change: Callable[[Json], None]) -> Callable[[Json, random.Random], bool]:
    def apply(recording: Json, chance: random.Random) -> bool:
        change(chance.choice(recording["events"]))
        return True

    return apply


def _set(*path: Any, value: Any) -> Callable[[Json], None]:
    def change(obj: Json) -> None:
        for step in path[:-1]:
            obj = obj[step]
        old = obj[path[-1]]
        obj[path[-1]] = value(old) if callable(value) else value

    return change


def _condition(state: Json) -> None:
    values = state["cond"][sorted(state["cond"])[0]]
    values[0] = "False" if values[0] == "True" else "True"


def _lose(recording: Json, chance: random.Random) -> bool:
    kind = chance.choice(recording["events"])
    recording["events"] = [e for e in recording["events"] if (e["reason"], e["obj"]) != (kind["reason"], kind["obj"])]
    return bool(recording["events"])


def _deployment(recording: Json, chance: random.Random) -> bool:
    found = recording["deployments"]
    if found:
        chance.choice(found)["status"]["replicas"] = 9
    return bool(found)


CONTENT: dict[str, Callable[[Json, random.Random], bool]] = {
    "phase": _state(_set("phase", value="Unknown")),
    "node": _state(_set("node", value="node-77")),
    "ready": _state(_set("ctr", 0, 1, value=lambda old: not old), "ctr"),
    "restarts": _state(_set("ctr", 0, 3, value=lambda old: old + 1), "ctr"),
    "container": _state(_set("ctr", 0, 4, value="W:SomethingElse"), "ctr"),
    "condition": _state(_condition, "cond"),
    "reason": _event(_set("reason", value="SomethingElse")),
    "message": _event(_set("message", value=lambda old: f"{old} or so")),
    "type": _event(_set("type", value=lambda old: "Normal" if old == "Warning" else "Warning")),
    "source": _event(_set("source", value="nobody")),
    "reporting": _event(_set("reporting", value="")),
    "object": _event(_set("obj", value="Pod/stranger")),
    "count": _event(_set("count", value=lambda old: 3 * (old or 1) + 2)),
    "no event": _lose,
    "deployment": _deployment,
}


def _caught(name: str, recording: Json) -> bool:
    manifest, _ = _load(name)
    return bool(replay(manifest, recording))


@pytest.mark.full
def test_what_is_changed_in_a_recording_is_nearly_always_found() -> None:
    found, missed = 0, []
    for number, name in enumerate(NAMES):
        for what, change in list(CONTENT.items())[number % 3 :: 3]:  # of each recording another third
            recording = _load(name)[1]
            if change(recording, random.Random(f"{name} {what}")):
                caught = _caught(name, recording)
                found += caught
                missed += [] if caught else [f"{name}: {what}"]
    assert found >= 0.95 * (found + len(missed)), missed


LATER = 4.0
"""Seconds; a state that comes so much later may be what another run shows, where seconds are drawn."""


def _delay(recording: Json, chance: random.Random) -> bool:
    """Let a state of a pod, and all that follow it, come later."""
    rows = [row for row in recording["timeline"] if len(row) > 2 and isinstance(row[2], dict)]
    if not rows:
        return False
    begin, name, _ = chance.choice(rows)
    for row in rows:
        if row[1] == name and row[0] >= begin:
            row[0] += LATER
    recording["timeline"].sort(key=lambda row: row[0])
    return True


@pytest.mark.full
def test_a_pod_that_comes_four_seconds_late_is_mostly_found() -> None:
    tried = [(name, _load(name)[1], random.Random(f"{name} {number} late")) for name in NAMES for number in range(6)]
    caught = [_caught(name, recording) for name, recording, chance in tried if _delay(recording, chance)]
    assert sum(caught) >= 0.7 * len(caught), sum(caught) / len(caught)
