"""The agent's host as its scripts see it, and what one of them may do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import ClassVar

from aiops_gym.shell import host
from aiops_gym.sim.kernel.blueprint import Image
from aiops_gym.sim.machine.scripts.allowance import Allowance

MOST_STEPS = 300_000
"""Steps of a script, of which a command takes some five."""

PER_STEP = 1_000
"""Characters that are moved in the time of a step."""

MOST_ASIDES = 5_000
"""Subshells."""

LONGEST_TEXT = 8_000_000
"""Characters of a word or variable."""

LONGEST_WAIT = 10**9
"""Milliseconds."""

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class HostMachine:
    """The agent's host as scripts see it: see `sim.machine.container.Container`.

    Attributes:
        now: ms on the cluster's clock when the script began.
        env: exported variables.
        hostname: of the machine.
    """

    env: ClassVar[dict[str, str]] = {**host.ENVIRONMENT, "PATH": PATH, "PWD": host.HOME}
    hostname = host.NAME
    key = ""
    _image = Image()

    def __init__(self, now: int, draw: Callable[[], int]) -> None:
        self.now, self._draw = now, draw
        self.world = self

    @cached_property
    def seed(self) -> int:
        """Of what is drawn; drawn itself when it is first asked for."""
        return self._draw()

    @property
    def process(self) -> Mapping[str, str]:
        """What tells this script from others."""
        return {"id": str(self.seed)}

    def image(self) -> Image:
        """What decides which shell `sh` is."""
        return self._image


class HostAllowance(Allowance):
    """What a script of the host may do."""

    def __init__(self) -> None:
        self.left = MOST_STEPS
        self.asides, self.nested = MOST_ASIDES, 0
        self.longest = self.turns = LONGEST_WAIT
        self.longest_text = LONGEST_TEXT

    def move(self, characters: int) -> None:
        """So many characters are read, written or worked out."""
        self.left -= characters // PER_STEP

    def settle(self) -> None:
        """Nobody is charged."""
