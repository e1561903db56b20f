"""Actors that play entries on the machines of a Ray cluster, and are replaced when they or their machines die.

Ray is an extra: it is imported when a cluster is asked for, and not before.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aiops_gym.errors import AiopsGymError
from aiops_gym.runs.folder import Folder
from aiops_gym.runs.judge import Judge
from aiops_gym.runs.plan import Entry
from aiops_gym.runs.player import AGENT, WORKER, Player
from aiops_gym.version import __version__

TRIES = 3
"""Actors that may die of an entry before it is given up: one more than of processes, since machines come and go too."""

STARTS = 3
"""Actors in a row that may fail to start before the cluster is given up."""

PATIENCE = 10.0
"""Seconds that a cluster gets to answer the first call."""

MEMORY = 200 * 2**20
"""Bytes of the object store where Ray is started here: an episode has far less than one hundredth of that."""


@dataclass(frozen=True)
class RayCluster:
    """Machines that play entries, each actor on one CPU.

    Attributes:
        address: `HOST:6379` of the head, `ray://HOST:10001` from outside, or `auto` on a machine that belongs to the
            cluster. "" is what the environment variable `RAY_ADDRESS` says, and without it a Ray of our own on this
            machine, which ends with the evaluation; a program that has called `ray.init` keeps its connection.

    Raises:
        AiopsGymError: Ray is not installed.
    """

    address: str = ""

    def __post_init__(self) -> None:
        if find_spec("ray") is None:
            raise AiopsGymError("a Ray cluster needs the package ray: pip install 'aiops_gym[ray]'")

    def play(
        self, player: Player, entries: Sequence[Entry], count: int, limit: float | None = None
    ) -> Iterator[tuple[Entry, str]]:
        """Play entries, and give each with "" or whose fault it is that it failed, in order of their ends.

        Args:
            player: what is to be made on the machines; its folder stays here, and takes what they send.
            count: actors at most; those for which the cluster has no room yet wait for it, and nobody for them.
            limit: seconds that an entry may take; None for ever.

        Raises:
            AiopsGymError: there is no such cluster, or its machines cannot play.
            OSError: a file could not be saved here.
        """
        if entries:
            with self.connected(count) as ray:
                yield from _Pool(ray, player, count, limit, deque(entries)).play()

    @contextmanager
    def connected(self, count: int) -> Iterator[Any]:
        """Ray, connected to the cluster, where `count` actors are wanted; one that is started here ends afterwards.

        Raises AiopsGymError where there is no such cluster.
        """
        import ray  # noqa: PLC0415  # An extra, and only for those who have a cluster.

        if ray.is_initialized() and not self.address:
            yield ray
            return
        address = self.address or os.environ.get("RAY_ADDRESS", "")
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if not address:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a Ray that we start tells nobody
            quiet |= {"num_cpus": count, "include_dashboard": False, "object_store_memory": MEMORY}
        try:
            _call(address)
            ray.init(address or "local", **quiet)
        except (OSError, RuntimeError, ValueError) as error:
            raise AiopsGymError(f"no Ray cluster at {address or 'this machine'}: {error}") from None
        try:
            yield ray
        finally:
            ray.shutdown()


def _call(address: str) -> None:
    """Whether somebody is there at all: Ray would ask for ever. Raises OSError."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), PATIENCE).close()


class Desk:
    """Where an actor plays: an own player, and for each entry an own folder, of which the files are sent back."""

    def __init__(
        self,
        path: Sequence[str],
        env_kwargs: Mapping[str, Any],
        judge: Judge | None,
        agent_options: Mapping[str, Any],
        tokenizer: str = "",
        signals: bool = True,
    ) -> None:
        sys.path += [place for place in path if place not in sys.path]  # agents of the user's, where files are shared
        self.player = Player(Folder(Path()), env_kwargs, judge, agent_options, tokenizer, signals)

    def version(self) -> str:
        """Of the package on this machine."""
        return __version__

    def play(self, entry: Entry, files: Mapping[str, bytes]) -> tuple[str, dict[str, bytes]]:
        """Play one entry: "" or whose fault it is that it failed, and the files that the folder has of it.

        Args:
            files: that there are of it; a finished episode among them is judged and not played again.
        """
        with tempfile.TemporaryDirectory(prefix="aiops_gym-") as place:
            self.player.folder = folder = Folder(Path(place))
            with folder.locked():
                folder.take(entry, files)
                return self.player.play(entry), folder.files(entry)


@dataclass
class _Actor:
    handle: Any
    answer: Any
    """To the question for its version, and then to each entry."""
    entry: Entry | None = None
    since: float = 0.0
    """When it was given its entry."""

    def give(self, entry: Entry, files: Mapping[str, bytes]) -> None:
        self.entry, self.since = entry, time.monotonic()
        self.answer = self.handle.play.remote(entry, files)


@dataclass
class _Pool:
    ray: Any
    player: Player
    count: int
    limit: float | None
    waiting: deque[Entry]
    actors: list[_Actor] = field(default_factory=list)
    deaths: Counter[str] = field(default_factory=Counter)
    failed: int = 0

    def play(self) -> Iterator[tuple[Entry, str]]:
        try:
            while self.waiting or any(actor.entry for actor in self.actors):
                self._hire()
                actor, late = self._next()
                entry, outcome = actor.entry, self._late(actor) if late else self._outcome(actor)
                if entry is not None and outcome is not None:
                    yield entry, outcome
        finally:
            while self.actors:
                self._dismiss(self.actors[-1])

    def _hire(self) -> None:
        """As many as may be and as there is work for; some may have to wait for room in the cluster."""
        desk = self.ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(Desk)
        path = [os.path.abspath(place) for place in sys.path]
        player = self.player
        while len(self.actors) < self.count and sum(not actor.entry for actor in self.actors) < len(self.waiting):
            given = (dict(player.env_kwargs), player.judge, dict(player.agent_options))
            handle = desk.remote(path, *given, player.tokenizer, player.signals)
            self.actors.append(_Actor(handle, handle.version.remote()))

    def _dismiss(self, actor: _Actor) -> None:
        self.actors.remove(actor)
        self.ray.kill(actor.handle)

    def _next(self) -> tuple[_Actor, bool]:
        """One that answered or died, or that takes too long; waits for the first."""
        playing = [actor for actor in self.actors if actor.entry]
        left = None
        if self.limit is not None and playing:
            left = max(0.0, min(actor.since for actor in playing) + self.limit - time.monotonic())
        ready, _ = self.ray.wait([actor.answer for actor in self.actors], timeout=left)
        if ready:
            return next(actor for actor in self.actors if actor.answer == ready[0]), False
        return min(playing, key=lambda actor: actor.since), True

    def _late(self, actor: _Actor) -> str | None:
        self._dismiss(actor)
        if actor.entry:
            self.player.folder.note(actor.entry, AGENT, f"the episode took more than {self.limit:g} seconds")
        return AGENT

    def _outcome(self, actor: _Actor) -> str | None:
        """What came of its entry; None where it had none yet, or when the entry will be played again."""
        try:
            answer = self.ray.get(actor.answer)
        except self.ray.exceptions.RayError as error:
            self._dismiss(actor)
            return self._lost(actor.entry, " ".join(str(error).split()))
        outcome, self.failed = None, 0
        if actor.entry:
            outcome, files = answer
            self.player.folder.take(actor.entry, files)
        elif answer != __version__:
            raise AiopsGymError(f"a machine of the Ray cluster has aiops_gym {answer}, this one {__version__}")
        if self.waiting:
            entry = self.waiting.popleft()
            actor.give(entry, self.player.folder.files(entry))
        else:
            self._dismiss(actor)
        return outcome

    def _lost(self, entry: Entry | None, reason: str) -> str | None:
        """After a death."""
        if entry is None:
            self.failed += 1
            if self.failed == STARTS:
                raise AiopsGymError(f"the machines of the Ray cluster cannot play: {reason}")
            return None
        self.deaths[entry.name] += 1
        if self.deaths[entry.name] < TRIES:
            self.waiting.append(entry)
            return None
        self.player.folder.note(entry, WORKER, f"the actor died: {reason}")
        return WORKER
