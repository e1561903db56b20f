"""What is put before a utility for one call: files under names that the interpreter can open."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from shlex import join as quoted
from typing import NamedTuple, Protocol
from uuid import UUID

from aiops_gym.clients.context import CommandModule, Network
from aiops_gym.shell import chance
from aiops_gym.shell.analysis import look
from aiops_gym.shell.clock import Clock
from aiops_gym.shell.disk import File, Tree, make_absolute
from aiops_gym.shell.host_files import HostTree

_LENT = re.compile(rf"{re.escape(chance.PROC)}/([\w.%]+)")


class Owner(Protocol):
    """Whose shell it is: its commands, and what they can reach."""

    network: Network | None

    @property
    def commands(self) -> Mapping[str, CommandModule]:
        """Commands by name."""

    @property
    def names(self) -> frozenset[str]:
        """Their names."""

    def draw(self) -> int:
        """64 random bits of the shell's own stream."""

    def fraction(self) -> float:
        """A number in [0, 1) of the same stream."""


class Place(NamedTuple):
    """Where a command is called: the folder, and the variables that are exported."""

    cwd: str
    env: Mapping[str, str]


class Lending:
    """What one call is lent.

    Args:
        owner: whose shell it is.
        clock: the cluster.
        tree: the files.

    Attributes:
        files: that are there for this call alone.
    """

    def __init__(self, owner: Owner, clock: Clock, tree: HostTree) -> None:
        self.owner, self.clock, self.tree = owner, clock, tree
        self.files: dict[str, File] = {}

    def stage(self, argv: Sequence[str], cwd: str) -> str:
        """A call as the interpreter reads it."""
        text = look(argv).text
        if text:
            return text
        words = list(argv)
        if "-f" in words[1:-1] and words[0] in chance.AWKS:
            at = words.index("-f") + 1
            words[at] = self._settled(words[at], cwd)
        return quoted([self._hidden(word) for word in words])

    def _settled(self, name: str, cwd: str) -> str:
        """The file of a program, in which chance and time are settled, too."""
        file = self.tree.get(self.tree.find(make_absolute(name, cwd)))
        if file is None or not chance.is_suspect(file.data):
            return name
        program = file.data.decode(errors="surrogateescape")
        program = chance.settle_program(program, self.clock.now(), self.owner.draw)
        return self._lend(name, program.encode(errors="surrogateescape"))

    def _lend(self, name: str, data: bytes) -> str:
        """The name under which the interpreter finds what is there for one call."""
        hidden = f"{chance.PROC}/{name.lstrip('/').replace('/', '%')}"
        self.files[chance.PROC] = File("directory", 0o755, b"", self.clock.now())
        self.files[hidden] = File(data=data, time=self.clock.now())
        return hidden

    def _hidden(self, word: str) -> str:
        """A word with names that the interpreter can open in place of those of the kernel."""
        if "/dev/" not in word and "/proc/" not in word:
            return word
        if word in self.tree.lent:
            return self._lend(word, self.tree.lent[word])
        found = chance.hide_sources(word)
        if found != word:
            self.files.update(self._random_files())
        return found

    def _random_files(self) -> Tree:
        """Stand-ins for the kernel's sources of chance."""
        data = b"".join(self.owner.draw().to_bytes(8, "big") for _ in range(512))
        name = str(UUID(int=self.owner.draw() << 64 | self.owner.draw(), version=4)) + "\n"
        now = self.clock.now()
        random = dict.fromkeys(chance.RANDOM_FILES, File("file", 0o444, data, now))
        return {**random, chance.UUID_FILE: File("file", 0o444, name.encode(), now)}


def restore_names(text: str) -> str:
    """What was printed, with the kernel's names of what stood for it."""
    text = chance.restore_output(text)
    return _LENT.sub(lambda found: "/" + found[1].replace("%", "/"), text) if chance.PROC in text else text
