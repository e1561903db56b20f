"""What one run of a script, and all that comes of it, may still do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiops_gym.sim.kernel import work

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container

MOST_ASIDES = 400
"""Substitutions and stages of pipelines that one run may come to, however deep."""

GRACE = 20_000
"""Units that what was begun may use beyond what there is, so that a pipeline is not cut in the middle for nothing."""

PER_UNIT = 64
"""Characters that are moved in the time of a step."""


class Allowance:
    """The work that is left to a run; see `sim.kernel.work`.

    Args:
        c: the container.

    Attributes:
        left: units; below zero nothing more is begun, and below `-GRACE` what was begun is killed.
        asides: tasks beside the first one.
    """

    def __init__(self, c: Container) -> None:
        self._c = c
        self._began = self.left = work.measure_room(c.world, c.key)
        self.asides = MOST_ASIDES

    @property
    def may_begin(self) -> bool:
        """Whether there is room to do anything now."""
        return self._began > 0

    def move(self, characters: int) -> None:
        """So many characters are read, written or worked out."""
        self.left -= characters // PER_UNIT

    def renew(self) -> None:
        """Somebody else charged the container, as the one who runs its larger commands does."""
        self._began = self.left = work.measure_left(self._c.world, self._c.key)

    def settle(self) -> None:
        """Charge the container with what was used."""
        used, self._began = self._began - self.left, self.left
        work.charge(self._c.world, self._c.key, used)
