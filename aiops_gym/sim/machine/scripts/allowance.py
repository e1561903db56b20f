"""What one run of a script, and all that comes of it, may still do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiops_gym.sim.kernel import work

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container

MOST_ASIDES, MOST_TURNS = 400, 40
"""Substitutions and stages of pipelines that one run may come to, however deep; and turns of much work at once."""

MOST_NESTED = 30
"""Tasks beside tasks, as of substitutions in substitutions, well within Python's own stack."""

REFUSAL = 20_000
"""Units for which a task beside another one counts that there was no room for: a shell waits and tries again."""

GRACE = 20_000
"""Units that what was begun may use beyond what there is, so that a pipeline is not cut in the middle for nothing."""

PER_UNIT = 64
"""Characters that are moved in the time of a step."""

UTILITY, PER_CHARACTERS, DEAR = 1_000, 20, 300_000
"""What a utility takes that the machine does not have itself: each, for so many characters that it reads and prints,
and where a limit had to end it."""

LONGEST_TEXT = 200_000
LONGEST, LONGEST_ASKED = 24 * 3_600_000, 3_600_000
"""Milliseconds after which what waits is taken to have no end."""

KILLED = 137
"""Exit code of what was ended for what it took."""

CLOSED = 141
"""Exit code of what writes once nobody reads any more: that of SIGPIPE."""

ASKED = 400_000
"""Units of what somebody outside the world waits for; the container is not charged, since its clock stands still."""


class Allowance:
    """The work that is left to a run; see `sim.kernel.work`.

    Args:
        c: the container.
        asked: somebody outside the world runs this: it has a store of its own.

    Attributes:
        left: units; below zero nothing more is begun, and below `-GRACE` what was begun is killed.
        asides: tasks beside the first one.
        longest: milliseconds that it may wait.
        longest_text: characters of a word or variable.
        nested: tasks that wait for one beside them.
        turns: of much work at once, after which it is taken to have no end.
    """

    def __init__(self, c: Container, asked: bool = False) -> None:
        self._c, self._asked = c, asked
        self._began = self.left = ASKED if asked else work.measure_room(c.world, c.key)
        self.longest_text = LONGEST_TEXT
        self.asides = MOST_ASIDES * 10 if asked else MOST_ASIDES
        self.longest = LONGEST_ASKED if asked else LONGEST
        self.nested = 0
        self.turns = ASKED if asked else MOST_TURNS

    @property
    def may_begin(self) -> bool:
        """Whether there is room to do anything now."""
        return self._began > 0

    def move(self, characters: int) -> None:
        """So many characters are read, written or worked out."""
        self.left -= characters // PER_UNIT

    def settle(self) -> None:
        """Charge the container with what was used."""
        used, self._began = self._began - self.left, self.left
        if not self._asked:
            work.charge(self._c.world, self._c.key, used)
