"""The states of the small cluster behind open doors, for cases that come one at a time."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path

import live
import worlds
from grammar import STATES
from sides import Case, Real

from aiops_gym.serve import door
from aiops_gym.sim.kernel.world import World


class Drawn:
    """Worlds that begin at `start` (Unix ms), which should be `worlds.LIFE` ago, each with a real kubectl before it."""

    def __init__(self, start: int) -> None:
        self.start = start
        self._open = ExitStack()
        self._sides: dict[str, tuple[World, Real]] = {}

    def __enter__(self) -> Drawn:
        built = {state: worlds.build(state, self.start) for state in STATES}  # before anything is open
        home = Path(self._open.enter_context(tempfile.TemporaryDirectory()))
        for state, world in built.items():
            self._sides[state] = world, Real(self._open.enter_context(door(world.fork())), home / state)
        return self

    def __exit__(self, *why: object) -> None:
        self._open.close()

    def difference(self, case: Case) -> str:
        """How ours differs, "" when it does not, or when the case names what is not there in its state."""
        world, real = self._sides[case.state]
        try:
            case = live.named(case, world)
        except StopIteration:
            return ""
        return live.settled(case, world, real).difference
