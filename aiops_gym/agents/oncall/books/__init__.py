"""Rules, a module for each page of a book; each module has `find(cluster)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from aiops_gym.agents.oncall.findings import Finding, rank
from aiops_gym.agents.oncall.objects import Cluster
from aiops_gym.scan import scan

Rule = Callable[[Cluster], Iterator[Finding]]


@cache
def load() -> Sequence[Rule]:
    """The rule of each page."""
    return tuple(scan("aiops_gym.agents.oncall.books", "find").values())


def conclude(cluster: Cluster) -> list[Finding]:
    """What all rules find, the surest first."""
    return rank(each for rule in load() for each in rule(cluster))
