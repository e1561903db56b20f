"""What tools, tasks and environments may ask of a world, simulated or real."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from aiops_gym.catalog.model import App, Fault
from aiops_gym.types import Cluster, Shell, Telemetry


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """What became of a system after its repair, measured and not believed.

    Attributes:
        cause_gone: what was broken is as it should be, however it was mended.
        complete: everything that was there before the incident is there, and ready.
        steady: no container restarted while nothing was done, and everything came back after each of the next events.
        served: each kind of request succeeds as often as before, within one point, and takes about as long.
        endures: the next events that it survived, by name, in the order in which they were tried.
        damage: what was destroyed or weakened inside the programs on the way; empty for a clean repair.
        collateral: healthy objects of which something that somebody decided is undone, and guards that stand wider open
            than before, in words.
        left: other differences from before that are not part of the repair: what was left lying about.
        error_minutes: minutes of failing requests since the agent first looked, weighted by their share.
        reasons: why something above is not so, for people.
    """

    cause_gone: bool
    complete: bool
    steady: bool
    served: bool
    endures: tuple[str, ...] = ()
    damage: tuple[str, ...] = ()
    collateral: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    error_minutes: float = 0.0
    reasons: tuple[str, ...] = ()

    @property
    def works(self) -> bool:
        """Whether the system is what it was, whatever else was changed."""
        return self.cause_gone and self.complete and self.steady and self.served and not self.damage

    @property
    def success(self) -> bool:
        """Whether the incident is over, and nothing else was touched."""
        return self.works and not self.collateral


class Harm(NamedTuple):
    """What users went through since the page.

    Attributes:
        minutes: of failing requests, weighted by their share.
        idle: the same had nobody done anything.
    """

    minutes: float
    idle: float


class Path(NamedTuple):
    """What lies between causes and users.

    Attributes:
        nodes: components, the causes among them, sorted.
        edges: (caller, callee) of the calls between them that fare worse than before the incident, sorted.
    """

    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]


class Backend(Protocol):
    """A running incident.

    Attributes:
        app: what the agent is told of.
        cluster: the Kubernetes API.
        telemetry: metrics and traces.
        shell: where the agent's commands run.
        began: Unix seconds (of the backend's clock) at which the agent first looked.
        fault: what breaks, None where nothing does.
    """

    app: App
    began: float
    fault: Fault | None

    @property
    def cluster(self) -> Cluster:
        """The Kubernetes API."""

    @property
    def telemetry(self) -> Telemetry:
        """Metrics and traces."""

    @property
    def shell(self) -> Shell:
        """Where the agent's commands run."""

    def now(self) -> float:
        """Unix seconds on the backend's clock."""

    def spend(self, seconds: float) -> None:
        """Let time pass, for the cost of an action."""

    def assess(self) -> Assessment:
        """Measure what became of the system. Changes nothing that the agent could still see."""

    def pods(self) -> Sequence[Mapping[str, Any]]:
        """The app's pods as they are now, without those that noise made; what AIOpsLab's checks look at."""

    def calm(self) -> Backend:
        """The same system in a world of its own, once what noise stirred up has passed; nothing else is waited for."""


@runtime_checkable
class Paged(Backend, Protocol):
    """A running incident that began with a page.

    Attributes:
        page: what it says, see `backends.paging.await_page`.
    """

    page: Mapping[str, Any]

    def trace(self, causes: Collection[str]) -> Path:
        """The way from causes to users, measured as the incident was found. Changes nothing."""

    def count_harm(self) -> Harm:
        """What users went through since the page. Changes nothing."""

    def count_minutes(self) -> float:
        """Minutes of failing requests since the page alone, which is quickly asked. Changes nothing."""
