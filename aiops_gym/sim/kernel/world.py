"""One simulated cluster: its state, its clock, its chance, and the dynamics that move it.

All that changes lies in `tables`: named dicts from a string to an immutable JSON value (objects are `Obj`). A value is
replaced, never changed; lists, not tuples; no sets. The heap of pending entries is plain data too. So a fork is a
shallow copy, and a snapshot is what differs from a baseline.

Time moves in `run_until` only. A draw is a pure function of (seed, purpose, key, counter), see `sim.kernel.draws`.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import Any, Literal, Protocol, overload
from weakref import ref

from aiops_gym import caches
from aiops_gym.errors import BackendError, SnapshotError
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.blueprint import Blueprint
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kernel.store import Observer, Store, Table
from aiops_gym.sim.kernel.tables import Effect, Instance, PodRecord, Process
from aiops_gym.sim.kernel.times import iso
from aiops_gym.types import Json, Output

Entry = tuple[int, int, int, str, list[Json]]
"""(time in ms, priority, count, kind, arguments): the count makes equal times deterministic."""

Handler = Callable[..., None]
"""(world, *arguments), found by the entry's kind."""

Utility = Callable[[Any, Sequence[str], str, str, Mapping[str, str]], Output]
"""(container, argv, stdin, folder, environment): runs a utility that an image has and the machine does not know."""

Client = Callable[[Any, Sequence[str], str], Output]
"""(container, argv, stdin): asks the API from inside a container, see `sim.machine.program.Tool`."""

Programs = Callable[[str], Any]
"""What runs in containers, by kind; typed where it is asked for, see `sim.machine.program`."""

QUEUE_DELAY = 20
"""Milliseconds from a change to the controller that reacts to it."""


NEVER = 1_000 * 365 * 24 * 3_600_000
"""Milliseconds (a thousand years) after which nothing happens any more: fields of 64 bits ask for longer."""


class Controller(Protocol):
    """A control loop: which changes concern it, and what it does about one object."""

    name: str
    watches: tuple[str, ...]

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """Keys (`namespace/name`) of the objects to reconcile after a change."""

    def reconcile(self, world: World, key: str) -> None:
        """Bring the world nearer to what the object with this key asks for; called again after each change."""


class Kubelet(Protocol):
    """What others ask of a kubelet: the API server logs and heartbeats, metrics-server and `ps` what is used."""

    def log(self, world: World, process: str, **window: Any) -> str:
        """What a process wrote; the window is that of `telemetry.logs.read`."""

    def heartbeat(self, world: World, obj: Obj) -> Obj:
        """A Node or Lease with the times that its kubelet would have written by now."""

    def pods(self, world: World, objects: Sequence[Obj]) -> list[dict[str, tuple[int, int]]]:
        """CPU (nanocores) and memory (bytes) of each pod's containers, but for those too young to be measured."""

    def node(self, world: World, obj: Obj) -> tuple[int, int]:
        """CPU (nanocores) and memory (bytes) that a node uses in all."""

    def demand(self, world: World, process: str, start: int, end: int) -> tuple[float, float]:
        """Mean requests per second of a process in [start, end) ms, and the cores that they took."""

    def metrics(self, world: World, node: str, path: str) -> str | None:
        """What the kubelet of a node (of "": the API server) tells Prometheus at a path; None where nothing is."""


class World:
    """A cluster that can be run, forked and put into bytes.

    Args:
        blueprint: what never changes.
        dynamics: controllers, handlers and observers, see `sim.dynamics`.
        seed: of all draws made from now on.

    Attributes:
        moving: whether time moves right now, so that whoever is called is called by the cluster itself.
        memo: what somebody worked out, beside the very values that it followed from: whoever reads it compares those.
            A fork begins with it; it is replaced, never changed, and is no part of the state.
    """

    def __init__(self, blueprint: Blueprint, dynamics: Dynamics, seed: int) -> None:
        self.blueprint = blueprint
        self.dynamics = dynamics
        self.seed = seed
        self.tables: dict[str, Table] = {"meta": {"now": blueprint.start, "count": 0, "dirty": False}}
        self.heap: list[Entry] = []
        self.moving = False
        self.memo: dict[Any, Any] = caches.memo()
        self.store = Store(self.tables, _observer(self))

    @property
    def now(self) -> int:
        """Milliseconds since 1970 on the world's clock."""
        return int(self.tables["meta"]["now"])

    @property
    def timestamp(self) -> str:
        """Now, as Kubernetes writes it."""
        return iso(self.now)

    @overload
    def table(self, name: Literal["processes", "previous"]) -> dict[str, Process]: ...
    @overload
    def table(self, name: Literal["ended"]) -> dict[str, Instance]: ...
    @overload
    def table(self, name: Literal["kubelet"]) -> dict[str, PodRecord]: ...
    @overload
    def table(self, name: Literal["effects"]) -> dict[str, Effect]: ...
    @overload
    def table(self, name: Literal["quotas"]) -> dict[str, list[Any]]: ...
    @overload
    def table(self, name: Literal["nodes_down"]) -> dict[str, int]: ...
    @overload
    def table(self, name: str) -> Table: ...
    def table(self, name: str) -> Table:
        """A table of the state, made when first asked for. Replace values in it, never change them."""
        try:
            return self.tables[name]
        except KeyError:
            return self.tables.setdefault(name, {})

    def count(self, name: str) -> int:
        """The next number of a counter, from 1."""
        counters = self.table("counters")
        counters[name] = number = counters.get(name, 0) + 1
        return int(number)

    def draw(self, purpose: str, key: str = "", counter: int = 0) -> float:
        """A number in [0, 1) that depends on the seed and these names only."""
        return draws.draw(self.seed, purpose, key, counter)

    def schedule(self, delay: int, kind: str, *arguments: Json, priority: int = 0) -> None:
        """Have the handler `kind` called in `delay` milliseconds; arguments are JSON data."""
        meta = self.tables["meta"]
        meta["count"] = count = meta["count"] + 1
        due = self.now + max(0, min(delay, NEVER))
        heapq.heappush(self.heap, (due, priority, count, kind, list(arguments)))

    def enqueue(self, controller: str, key: str, delay: int = QUEUE_DELAY) -> None:
        """Have a controller look at an object soon; once, however often it is asked."""
        queue, entry = self.table("queue"), f"{controller} {key}"
        if entry not in queue:
            queue[entry] = True
            self.schedule(delay, "reconcile", controller, key)

    def touch(self) -> None:
        """Say that something changed on which the outcome of requests may depend."""
        self.tables["meta"]["dirty"] = True

    def settle(self) -> None:
        """Let the observers note the present state; called before time moves and before a snapshot."""
        meta = self.tables["meta"]
        if meta["dirty"]:
            meta["dirty"] = False
            for observe in self.dynamics.observers:
                observe(self)

    def run_until(self, time: int) -> None:
        """Advance to `time` (ms), doing on the way all that is due. The only place where time moves."""
        self.moving, before = True, self.moving
        try:
            self._move_until(time)
        finally:
            self.moving = before

    def _move_until(self, time: int) -> None:
        meta, heap, handlers = self.tables["meta"], self.heap, self.dynamics.handlers
        while True:
            if not heap or heap[0][0] > meta["now"]:
                self.settle()  # an observer may plan something that comes before what is due next
            if not heap or heap[0][0] > time:
                break
            meta["now"] = max(meta["now"], heap[0][0])
            _, _, _, kind, arguments = heapq.heappop(heap)
            if kind == "reconcile":
                controller, key = arguments
                self.table("queue").pop(f"{controller} {key}", None)
                self.dynamics.controllers[controller].reconcile(self, key)
            else:
                handlers[kind](self, *arguments)
        meta["now"] = max(meta["now"], time)

    def run(self, ms: int) -> None:
        """Advance by `ms` milliseconds."""
        self.run_until(self.now + ms)

    def fork(self, seed: int | None = None) -> World:
        """A world that goes on from here by itself, sharing what neither changes."""
        twin = World.__new__(World)
        twin.blueprint, twin.dynamics = self.blueprint, self.dynamics
        twin.seed = self.seed if seed is None else seed
        twin.tables = {name: dict(table) for name, table in self.tables.items()}
        twin.heap = list(self.heap)
        twin.moving = False
        twin.memo = self.memo.copy()
        twin.store = self.store.fork(twin.tables, _observer(twin))
        return twin

    def fork_unrecorded(self) -> World:
        """A world that goes on from here as `fork` would, of whose past nobody will ask: nothing more is recorded."""
        twin = self.fork()
        twin.dynamics = copy(self.dynamics)
        twin.dynamics.recorders = ()
        return twin

    def fork_unseen(self) -> World:
        """The same where nobody looks at its present either: what is only for show is not kept up (`Dynamics.seen`)."""
        twin = self.fork()
        twin.dynamics = self.dynamics.make_unseen()
        return twin

    def difference(self, base: World) -> Json:
        """What differs from `base`, as JSON data; `base.fork().become(...)` undoes it."""
        self.settle()
        tables = {}
        for name in sorted(self.tables):  # that somebody looked into a table that is not there yet makes no difference
            removed, changed = _changes(base.tables.get(name, {}), self.tables[name])
            if changed or removed:
                tables[name] = {"removed": removed, "changed": changed}
        return {"seed": self.seed, "tables": tables, "heap": self.heap}

    def become(self, difference: Json) -> None:
        """Turn a fork of the baseline into the world whose `difference` this is. Raises SnapshotError."""
        base = dict(self.tables)
        try:
            self.seed = int(difference["seed"])
            for name, change in difference["tables"].items():
                self.tables[name] = _patched(name, base.get(name, {}), change)
            self.heap = [(int(t), int(p), int(c), str(k), list(a)) for t, p, c, k, a in difference["heap"]]
            self.store.follow(base)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise SnapshotError(f"not a snapshot of a world: {error!r}") from error

    def _changed(self, resource: str, old: Obj | None, new: Obj | None) -> None:
        for controller in self.dynamics.watching.get(resource, ()):
            for key in controller.keys(self, resource, old, new):
                self.enqueue(controller.name, key)
        for react in self.dynamics.reactions:
            react(self, resource, old, new)
        for record in self.dynamics.recorders:
            record(self, resource, old, new)


class Dynamics:
    """What moves a world: gathered once, shared by all worlds.

    Attributes:
        controllers: by name.
        handlers: by the kind of heap entry they serve.
        observers: called when something changed, before time moves on.
        reactions: called at each write, for what cannot wait for a queue.
        recorders: called at each write, for what is only told later: no world goes on otherwise without them.
        utility: runs what images have and the machine does not know; given by whoever has a shell.
        programs: what runs in containers, by kind.
        kubelet: what the kubelets tell of what runs on their nodes.
        clients: of the API that images may bring, by their command; given by whoever has them.
        seen: whether anybody looks at the world from outside; else what only tells (events of type Normal, the counts
            of a quota, all that controllers `for_show` write) can be left undone.
        for_show: names of controllers that write only what nothing in the world reads.
    """

    def __init__(
        self,
        controllers: Iterable[Controller],
        handlers: dict[str, Handler],
        observers: Iterable[Callable[[World], None]] = (),
        reactions: Iterable[Callable[[World, str, Obj | None, Obj | None], None]] = (),
        recorders: Iterable[Callable[[World, str, Obj | None, Obj | None], None]] = (),
        utility: Utility | None = None,
        programs: Programs | None = None,
        kubelet: Kubelet | None = None,
        clients: Mapping[str, Client] | None = None,
        for_show: Iterable[str] = (),
    ) -> None:
        self.controllers = {c.name: c for c in controllers}
        self.handlers = handlers
        self.observers = tuple(observers)
        self.reactions = tuple(reactions)
        self.recorders = tuple(recorders)
        self.utility = utility
        self.programs = programs or _no_program
        self.kubelet = kubelet
        self.clients = clients or {}
        self.for_show, self.seen = frozenset(for_show), True
        self.watching: dict[str, tuple[Controller, ...]] = {}
        for controller in self.controllers.values():
            for resource in controller.watches:
                self.watching[resource] = (*self.watching.get(resource, ()), controller)

    def make_unseen(self) -> Dynamics:
        """The same for a world at which nobody looks."""
        twin = copy(self)
        twin.recorders, twin.seen = (), False
        twin.watching = {
            resource: tuple(each for each in watching if each.name not in self.for_show)
            for resource, watching in self.watching.items()
        }
        return twin


def _no_program(kind: str) -> Any:
    raise BackendError(f"no program of kind {kind!r}: nothing runs in this world's containers")


def _observer(world: World) -> Observer:
    """What a world's store tells of its changes: it does not hold the world, so that one let go of is gone at once."""
    weak = ref(world)

    def tell(resource: str, old: Obj | None, new: Obj | None) -> None:
        owner = weak()
        if owner is not None:
            owner._changed(resource, old, new)

    return tell


def _changes(before: Table, table: Table) -> tuple[list[int], Table]:
    """What to take out of `before`, by position, and put into it then, so that it becomes `table`, order included.

    A key that was removed and came back is both: it stands at the end now.

    >>> _changes({"a": 1, "b": 2, "c": 3}, {"a": 1, "c": 4, "b": 2})
    ([1], {'c': 4, 'b': 2})
    """
    old, stays = iter(before), set[str]()
    for key in table:
        if key not in before or key not in old:  # the second look goes on where the last one ended
            break
        stays.add(key)
    removed = [i for i, key in enumerate(before) if key not in stays]
    return removed, {key: v for key, v in table.items() if key not in stays or before[key] is not v}


def _patched(name: str, before: Table, change: Json) -> Table:
    removed = frozenset(change["removed"])
    table = {key: value for i, (key, value) in enumerate(before.items()) if i not in removed} if removed else {**before}
    wrap = Obj if name.startswith("objects/") else (lambda value: value)
    for key, value in change["changed"].items():
        table[key] = wrap(value)
    return table
