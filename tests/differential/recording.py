"""Recorded answers: the states as they were, and what the real kubectl did in them; one file a state."""

from __future__ import annotations

import lzma
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import live
import orjson
import worlds
from compare import Answer
from sides import Left

from aiops_gym.sim.kernel.world import World

Json = Any
FOLDER = Path(__file__).with_name("answers")


class Recorded(NamedTuple):
    """A state and what the real kubectl did in it, by the id of the case."""

    world: World
    answers: Mapping[str, Answer]


def path_of(state: str) -> Path:
    return FOLDER / f"{state}.json.xz"


def write(state: str, start: int, outcomes: Iterable[live.Outcome], called: str = "") -> None:
    """Keep a state and the answers in it, in a file of the state's name or another."""
    world = worlds.build(state, start)
    empty = worlds.empty(state, start)
    answers = {
        case.id: {"left": list(answer.left), "time": answer.time, "changes": answer.changes}
        for case, answer, _ in outcomes
    }
    body = {"start": start, "world": world.difference(empty), "answers": dict(sorted(answers.items()))}
    FOLDER.mkdir(exist_ok=True)
    path_of(called or state).write_bytes(lzma.compress(orjson.dumps(body), preset=6))


@lru_cache(maxsize=8)
def read(state: str, called: str = "") -> Recorded:
    """A state as it was recorded, never to be changed."""
    body = orjson.loads(lzma.decompress(path_of(called or state).read_bytes()))
    world = worlds.empty(state, body["start"])
    world.become(body["world"])
    answers = {
        name: Answer(Left(*entry["left"]), entry["time"], entry["changes"]) for name, entry in body["answers"].items()
    }
    return Recorded(world, answers)
