"""What a server holds: keys that somebody set, and those that requests have added since it started.

Requests add one post each to the timeline of the user who makes it: a sorted set under the number of the user. Which
users came so far follows from how many requests there were, and belongs to the process.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.software.redis.clients import find_calls
from aiops_gym.sim.traffic import timeline
from aiops_gym.sim.traffic.failure_lines import USERS
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container


EPOCH = 1_514_764_800_000
"""Milliseconds at which the services' clock for post ids begins (2018)."""


class Keys:
    """The keys of a server.

    Args:
        c: its container.
    """

    def __init__(self, c: Container) -> None:
        self.c = c

    @property
    def own(self) -> Mapping[str, Json]:
        """Values that were set by command: strings, and sorted sets as {member: score}."""
        found: Mapping[str, Json] = self.c.state.get("keys", {})
        return found

    def put(self, name: str, value: Json) -> None:
        """Set a value; None removes it."""
        gone = self.c.state.get("gone", {})
        kept = {k: v for k, v in self.own.items() if k != name}
        if value is None:
            self._lose(int(name not in self.own))
            self.c.remember(keys=kept, gone={**gone, name: self.c.now})
        else:
            self.c.remember(keys={**kept, name: value})

    def clear(self) -> int:
        """Forget everything; how many keys there were."""
        count = len(self.names())
        self._lose(count - len(self.own))
        self.c.remember(keys={}, gone={}, since=self.c.now)
        return count

    def _lose(self, count: int) -> None:
        """Note that keys of requests are thrown away: nobody has them any more."""
        if count > 0:
            self.c.remember(lost=int(self.c.state.get("lost", 0)) + count)

    def get(self, name: str) -> Json:
        """The value under a name; None when there is none."""
        found = self.own.get(name)
        if found is None and name in self.added():
            return self._posts(name)
        return found

    def names(self) -> list[str]:
        """All keys."""
        return [*self.own, *(name for name in self.added() if name not in self.own)]

    def added(self) -> list[str]:
        """Users whose timeline requests have written to."""
        requests = self._requests()
        count = round(USERS * (1.0 - exp(-requests / USERS)))
        order = draws.bulk(self.c.world.seed, "redis/users", str(self.c.process["id"])).permutation(USERS)
        gone = self.c.state.get("gone", {})
        return [str(user) for user in order[:count] if str(user) not in gone]

    def _requests(self) -> float:
        """How many requests have added something since it was empty."""
        since, found = int(self.c.state.get("since", self.c.process["started"])), 0.0
        for interval in timeline.list_intervals(self.c.world, since, self.c.now):
            outcome = interval.outcome
            if self.c.key in outcome["processes"]:
                number = outcome["processes"].index(self.c.key)
                calls = find_calls(outcome, self.c.key)
                if any(outcome["nodes"][target[0]].get("adds") and not target[4] for _, _, target in calls):
                    found += outcome["rps"][number] * (interval.end - interval.start) / 1000.0
        return found

    def _posts(self, user: str) -> dict[str, float]:
        since = int(self.c.state.get("since", self.c.process["started"]))
        count = 1 + int(self._requests() / USERS)
        stamps = draws.bulk(self.c.world.seed, "redis/posts", f"{self.c.process['id']} {user}").random(count)
        times = sorted(int(since + part * (self.c.now - since)) for part in stamps)
        return {str((ms - EPOCH << 12) + int(user)): float(ms) for ms in times}
