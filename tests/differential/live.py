"""All cases, or some, through both kubectls: a pool of two processes, one door at a time in each."""

from __future__ import annotations

import json
import re
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import worlds
from compare import Answer, differences
from known import why_any_order
from sides import Case, Real, changes

from aiops_gym.serve import door
from aiops_gym.sim.kernel.world import World

HERE = Path(__file__).parent
CHUNK = 60
WORKERS = 2
TRIES = 3
NAMED = re.compile(r"\{(pod|rs):([\w-]+)\}")
RESOURCES = {"pod": "pods", "rs": "replicasets.apps"}


class Outcome(NamedTuple):
    """A case, what the real kubectl did, and how ours differs ("" when it does not)."""

    case: Case
    answer: Answer
    difference: str


@lru_cache(maxsize=1)
def cases() -> tuple[Case, ...]:
    """The fixed list of cases."""
    return tuple(Case(**data) for data in json.loads((HERE / "cases.json").read_text(encoding="utf-8")))


def named(case: Case, world: World) -> Case:
    """The case with the names of this world's pods: `{pod:web}` is the first that begins so."""

    def name(match: re.Match[str]) -> str:
        everywhere = world.store.all(RESOURCES[match[1]])
        names = sorted(str(obj["metadata"]["name"]) for obj in everywhere)
        return next(n for n in names if n.startswith(match[2]))

    return replace(case, words=[NAMED.sub(name, word) for word in case.words])


def run(some: Sequence[Case], start: int) -> Iterator[Outcome]:
    """Run cases in worlds that begin at `start` (Unix ms), which should be `worlds.LIFE` ago."""
    by_state: dict[str, list[Case]] = {}
    for case in some:
        by_state.setdefault(case.state, []).append(case)
    chunks = [
        (state, these[at : at + CHUNK], start)
        for state, these in by_state.items()
        for at in range(0, len(these), CHUNK)
    ]
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        for found in pool.map(_chunk, chunks):
            yield from found


def _chunk(work: tuple[str, list[Case], int]) -> list[Outcome]:
    state, some, start = work
    world = worlds.build(state, start)
    with tempfile.TemporaryDirectory() as home, door(world.fork()) as opened:
        real = Real(opened, Path(home))
        return [settled(named(case, world), world, real) for case in some]


def settled(case: Case, world: World, real: Real) -> Outcome:
    """A case, tried again where it differs: a machine that was busy for two seconds proves nothing."""
    outcome = _one(case, world, real)
    for _ in range(TRIES - 1):
        if not outcome.difference:
            break
        outcome = _one(case, world, real)
    return outcome


def _one(case: Case, world: World, real: Real) -> Outcome:
    fork = world.fork()
    real.door.put(fork)
    left, began, ended = real(case)
    stored = changes(world, fork) if case.writes else {}
    answer = Answer(left, began, stored, ended - began)
    try:
        difference = differences(case, world, answer, bool(why_any_order(case.id)))
    except Exception:  # noqa: BLE001 - ours must answer whatever is typed: a failure of its own is the difference
        difference = traceback.format_exc()
    return Outcome(case, answer, difference)
