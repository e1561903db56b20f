"""What a check may ask of a system, whether it is simulated or a real cluster: questions only, each with one answer.

A component is named as its deployment, a program is one container of one of its pods, named by a key whose form is the
backend's own; objects are as the Kubernetes API shows them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from aiops_gym.types import Json

Object = Mapping[str, Json]


class Reached(NamedTuple):
    """Where connections to an address end: uids of the pods that answer, and how many further backends refuse."""

    pods: frozenset[str] = frozenset()
    refusing: int = 0


class Upstream(NamedTuple):
    """What a program's configuration says of another one: its address, and whether it may keep connections to it."""

    host: str
    port: int
    pooled: bool


class Amounts(NamedTuple):
    """Cores of a processor and bytes of memory; a limit that there is not is infinite."""

    cpu: float
    memory: float


class Workload(NamedTuple):
    """What a component's pods run, in one form for every spelling of it.

    Attributes:
        keeps: images, where files and data come from, what is done at start and end, ways to the host.
        told: what is executed, with which words.
        does: what the running programs have made of all that they were told: settings, ports, addresses.
    """

    keeps: Json
    told: Json
    does: Json

    def is_same(self, other: Workload | None) -> bool:
        """Whether the same programs do the same, however they are told so."""
        if other is None or self.keeps != other.keeps:
            return False
        return bool(self.told == other.told or (self.does and self.does == other.does))


class System(Protocol):
    """An app in its cluster at one moment. Asking changes nothing.

    Of the system before the incident a backend has to remember no more than what somebody can look up or try without
    being inside a program: objects, pods, what they run, where connections end, limits and load.

    Attributes:
        components: names of the app's deployments.
    """

    components: tuple[str, ...]

    def objects(self, resource: str) -> Sequence[Object]:
        """All objects of a resource in the app's namespace, or the cluster's: `services`, `nodes`."""

    def object(self, resource: str, name: str) -> Object | None:
        """One of them; None if there is none of that name."""

    def admit(self, component: str) -> tuple[Object | None, str]:
        """What the API server would make of a new pod of a component's template, or None and why it refuses it."""

    def pods(self, component: str) -> Sequence[Object]:
        """Pods that belong to a component by ownership, not by label, and are not on their way out."""

    def runs(self, component: str) -> Workload | None:
        """What a component's new pods run and keep; None if there is none."""

    def files(self, component: str) -> Mapping[str, str]:
        """Texts of the files that a component's containers have from ConfigMaps, Secrets and the like, by path."""

    def failing_probe(self, component: str) -> str:
        """The field of a probe that fails if it is tried now, in any of the component's pods; "" if none does."""

    def output(self, pod: Object, argv: Sequence[str]) -> str | None:
        """What a command prints in the first container of a pod; None where it fails."""

    def programs(self, component: str) -> Sequence[str]:
        """The programs in a component's pods."""

    def addresses(self, host: str, program: str = "") -> Sequence[str]:
        """IPs that a name stands for, to a program or else to a client of its own in the app's namespace."""

    def connect(self, host: str, port: int, program: str = "") -> Reached:
        """Where connections to a port end, those of a program or else of a client of its own; nowhere if none opens."""

    def upstream(self, program: str, callee: str) -> Upstream:
        """What a program has read of another one at its start."""

    def callers(self, component: str) -> frozenset[str]:
        """Names of the other components whose programs connect to a component."""

    def asks_password(self, program: str) -> bool:
        """Whether a store refuses clients that name no user."""

    def listening(self, component: str) -> Sequence[tuple[str, int]]:
        """IPs and ports on which a component's programs listen."""

    def lets_through(self, pod: Object, ip: str, port: int) -> bool:
        """Whether NetworkPolicies let a pod connect to a port."""

    def tolerated(self, component: str) -> frozenset[str]:
        """Names of the nodes whose taints a component's new pods tolerate."""

    def quotas(self, resource: str) -> Mapping[str, int]:
        """How many of a resource each ResourceQuota of the namespace allows, by its name, where it says so."""

    def limits(self, program: str) -> Amounts:
        """What a program may use."""

    def load(self, component: str) -> tuple[float, float]:
        """Requests per second, and cores for them, of one pod of a component in the last minute."""

    def usage(self, program: str, load: tuple[float, float]) -> Amounts:
        """What a program uses under a load."""
