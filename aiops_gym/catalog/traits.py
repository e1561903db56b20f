"""What can be said of a component from its manifests, its program and the calls of users: where faults make sense.

Traits are words. A fault names those that a component must have (`Fault.targets`), so that which problems there are is
computed and never listed:

`asked`: requests of users reach it; `dialled`: a client needs it when it starts; `needed`: asked or dialled; `inner`:
by another component; `working`: it computes so much that a slow processor is felt; `served`: it is reached by the
name of its Service; `targeted`: that Service forwards to a number of its own; `resolves`: it looks up names of others;
`executable`: it is started by its name out of an image with several; `addressed`: an argument can say where something
else lies; `prepared`: it has init containers; `sized`: its memory is known; `database`: it keeps data; `login`: with
users; `configmap`, `secret`, `claim`: it mounts one; `retried`: the `caller` that asks it by gRPC may be told to try
again; `met`: an `asker` with a Service has to do with it; `spared`: a cache, `sparing`, answers most of what it would
be asked; `fragile`: a call that fails may end it; `indexed`: a client makes sure of an index in it; `limited`: its
deployment says how much memory it may use; `directed`: a variable of its environment says where one lies that it asks;
`reads`: a `broker` hands it the messages of a topic; `brittle`: one that it cannot read ends it; `assigned`: it says as
which user it runs. Each parameter that the app gives it is a trait, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from aiops_gym.catalog.cluster import WORKER
from aiops_gym.catalog.model import App
from aiops_gym.catalog.variables import find_variable
from aiops_gym.types import Json

FELT = 0.02
"""Share of an operation's requests that must reach a component for its loss to be noticed."""

FAR = 20
"""Distance of what users never reach, and where the calls of an operation are no longer followed."""

BUSY = 3.5
"""Milliseconds of a processor in each second of the usual load from which on the least share of one is felt."""

MUCH, MORE = 4.5, 2.0
"""Milliseconds in each second, and times its own work, that a cache must spare a database to be missed."""

MIB = 1 << 20
LEAST = 8 * MIB
"""A program of fewer bytes is not told apart from the runtime that starts it."""


@dataclass(frozen=True)
class Component:
    """One deployment of an app.

    Attributes:
        traits: see the module.
        names: what a fault's `{names}` stand for.
        distance: calls between the users and it.
        callers: components whose programs ask it, or need it when they start.
    """

    traits: frozenset[str]
    names: Mapping[str, str]
    distance: int
    callers: frozenset[str] = frozenset()


@dataclass
class Walked:
    """What the calls of users say of a component: share of an operation, ms of work in a second, and of that which a
    cache spares it, distance, by whom, and whom it asks in turn for which share of one."""

    share: float = 0.0
    work: float = 0.0
    spared: float = 0.0
    distance: int = FAR
    inner: bool = False
    by_name: bool = False
    callers: set[str] = field(default_factory=set)
    asks: dict[str, float] = field(default_factory=dict)


@dataclass
class Calls:
    """The way of each operation through an app, as its programs are written."""

    app: App
    programs: Mapping[str, Mapping[str, Json]]
    walked: dict[str, Walked] = field(default_factory=dict)
    rate: float = 0.0

    def users(self) -> dict[str, Walked]:
        """Follow what users ask."""
        for operation in self.app.operations:
            self.rate = self.app.rate * operation["weight"]
            self.follow(_behind(self.app, operation["service"]), operation["handler"], 1.0, 0, by_name=True)
        return self.walked

    def follow(self, name: str, handler: str, share: float, distance: int, by_name: bool, ms: float = 0.0) -> None:
        """A call to a component, and all that it asks in turn."""
        if not name or distance > FAR:
            return
        known = (self.programs.get(name, {}).get("handlers") or {}).get(handler) or {}
        row = self.walked.setdefault(name, Walked())
        row.share, row.work = max(row.share, share), row.work + self.rate * share * float(known.get("ms", ms))
        row.distance, row.by_name = min(row.distance, distance), row.by_name or by_name
        row.inner = row.inner or distance > 0
        for call in flatten(known.get("calls") or ()):
            # The client of a database waits so long that users have gone before it gives up.
            ignored = call.get("on_error") == "ignore" and call["kind"] != "mongo"
            part = 0.0 if ignored else share * float(call.get("p", 1.0))
            callee = self._callee(call)
            if call["kind"] == "mongo" and callee:
                spared = self.rate * share * (1.0 - float(call.get("p", 1.0))) * float(call.get("ms", 0.0))
                self.walked.setdefault(callee, Walked()).spared += spared
            asked = str(call.get("handler", ""))
            self.follow(callee, asked, part, distance + 1, bool(_host(call)), float(call.get("ms", 0.0)))
            if callee:
                self.walked.setdefault(callee, Walked()).callers.add(name)
                row.asks[callee] = max(row.asks.get(callee, 0.0), part)

    def _callee(self, call: Mapping[str, Json]) -> str:
        if host := _host(call):
            return _behind(self.app, host)
        return next((n for n, p in self.programs.items() if p.get("service") == call.get("service")), "")


def find_components(app: App) -> Mapping[str, Component]:
    """All components of an app by name."""
    programs = {name: _program(app, name) for name in app.components}
    walked = Calls(app, programs).users()
    clients = _clients(app, programs)
    for name, client in clients.items():
        row = walked.setdefault(name, Walked())
        row.distance = min(row.distance, walked.get(client, Walked()).distance + 1)
        row.callers.add(client)
    callers, caches = _callers(programs), _caches(app, programs)
    found = {}
    for name in app.components:
        row = walked.get(name, Walked())
        more = {"work": f"{row.work / app.rate:.6f}"}
        more |= {word: known[name] for word, known in (("caller", callers), ("sparing", caches)) if name in known}
        more |= _asker(app, row.callers) | _index(programs.get(clients.get(name, ""), {}))
        more |= _read(app, programs[name], row, walked)
        needed = [callee for callee, share in row.asks.items() if share >= FELT]
        more |= find_variable(_manifest(app, "Deployment", name), programs[name], needed)
        found[name] = _component(app, name, programs[name], row, clients, more)
    return found


def _read(app: App, program: Mapping[str, Json], row: Walked, walked: Mapping[str, Walked]) -> dict[str, str]:
    """The topic that a component reads, its group, and the broker, one call behind which it lies."""
    told = program.get("consumes")
    if not told:
        return {}
    broker = _behind(app, str(told["to"]))
    container = _manifest(app, "Deployment", broker)["spec"]["template"]["spec"]["containers"][0]
    row.distance = min(row.distance, walked[broker].distance + 1)
    port = (program.get("ports") or {}).get(told["to"], 9092)
    address, image = f"{broker}:{port}", container["image"]
    return {"topic": told["topic"], "group": told["group"], "broker": broker, "bootstrap": address, "tool_image": image}


def _asker(app: App, callers: Set[str]) -> dict[str, str]:
    """One of those who ask a component that has a Service and prepares nothing before it starts, and its port."""
    for name in sorted(callers):
        service, spec = _manifest(app, "Service", name), _manifest(app, "Deployment", name)["spec"]["template"]["spec"]
        if service and not spec.get("initContainers"):
            return {"asker": name, "asker_port": str(service["spec"]["ports"][0]["port"])}
    return {}


def _index(client: Mapping[str, Json]) -> dict[str, str]:
    """The collection in which a client makes sure of an index when it starts, and its key; nothing if it does not."""
    mongo: Mapping[str, Json] = next((step["mongo"] for step in client.get("startup") or () if "mongo" in step), {})
    if not mongo.get("first"):
        return {}
    return {"collection": str(mongo.get("collection", "data")), "indexed": next(iter(mongo["first"][0]))}


def _callers(programs: Mapping[str, Mapping[str, Json]]) -> dict[str, str]:
    """Component -> the first one that asks it by gRPC."""
    serving, found = {program.get("service"): name for name, program in programs.items()}, dict[str, str]()
    for name, program in programs.items():
        for call in _calls(program):
            if call["kind"] == "grpc" and (callee := serving.get(call.get("service"))):
                found.setdefault(callee, name)
    return found


def fits(component: Component, rule: Sequence[str]) -> bool:
    """Whether a component has the traits of a rule.

    >>> fits(Component(frozenset({"asked"}), {}, 0), ("asked", "!claim"))
    True
    """
    return bool(rule) and all((word.removeprefix("!") in component.traits) != word.startswith("!") for word in rule)


def _caches(app: App, programs: Mapping[str, Mapping[str, Json]]) -> dict[str, str]:
    """Database -> the cache that its clients ask before it."""
    found = dict[str, str]()
    for program in programs.values():
        for handler in (program.get("handlers") or {}).values():
            asked = ""
            for call in flatten(handler.get("calls") or ()):
                if call["kind"] == "memcached":
                    asked = _behind(app, _host(call))
                elif asked and call["kind"] == "mongo" and float(call.get("p", 1.0)) < 1.0:
                    found.setdefault(_behind(app, _host(call)), asked)
    return found


def _component(
    app: App,
    name: str,
    program: Mapping[str, Json],
    row: Walked,
    clients: Mapping[str, str],
    more: Mapping[str, str],
) -> Component:
    manifest = _manifest(app, "Deployment", name)
    names = {**_names(app, name, manifest, program), **app.parameters.get(name, {}), **more}
    container = manifest["spec"]["template"]["spec"]["containers"][0]
    names["container"] = container["name"]
    names["service"] = clients.get(name, "")
    asked, dialled = row.share >= FELT, name in clients
    service = _manifest(app, "Service", name)
    ports: Sequence[Json] = service["spec"]["ports"] if service else ()
    found = {
        **dict.fromkeys(app.parameters.get(name, {}), True),
        "asked": asked,
        "inner": row.inner or dialled,
        "dialled": dialled,
        "needed": asked or dialled,
        "working": row.work >= BUSY,
        "served": bool(ports) and ((asked and row.by_name) or dialled),
        "targeted": bool(ports) and isinstance(ports[0].get("targetPort"), int),
        "resolves": bool(set(_dials(program))),
        "executable": bool(names["executable"]),
        "prepared": bool(manifest["spec"]["template"]["spec"].get("initContainers")),
        "addressed": "flag" in names,
        "sized": "memory" in names,
        "retried": "caller" in names,
        "met": "asker" in names,
        "indexed": "indexed" in names,
        "directed": "variable" in names,
        "reads": "topic" in names,
        "brittle": "code" in ((program.get("consumes") or {}).get("unreadable") or ()),
        "limited": "memory" in (container.get("resources") or {}).get("limits", ()),
        "assigned": "runAsUser" in (container.get("securityContext") or {}),
        "fragile": any(call.get("on_error") == "panic" for call in _calls(program)),
        "spared": "sparing" in names and row.spared > max(MUCH, MORE * row.work),
        **{kind: kind in names for kind in ("configmap", "secret", "claim")},
    }
    having = frozenset(key for key, holds in found.items() if holds)
    return Component(having, names, row.distance, frozenset(row.callers))


def _names(app: App, name: str, manifest: Mapping[str, Json], program: Mapping[str, Json]) -> dict[str, str]:
    spec = manifest["spec"]["template"]["spec"]
    container = spec["containers"][0]
    image = container["image"]
    own, other = _executables(app, name, container)
    repository, colon, tag = image.rpartition(":")
    found = {
        "target": name,
        "namespace": app.namespace,
        "selector": app.selector,
        "node": WORKER,
        "container": container["name"],
        "image": image,
        "repository": repository if colon and "/" not in tag else image,
        "executable": own,
        "other": other,
        "command": json.dumps(container.get("command")),
        "cache": "",
    }
    for index, volume in enumerate(spec.get("volumes") or ()):
        for kind, key, word in VOLUMES:
            if key in volume.get(kind, {}) and word not in found:
                found |= {word: volume[kind][key], f"{word}_index": str(index)}
    service = _manifest(app, "Service", name)
    if service:
        port = service["spec"]["ports"][0]
        key, value = next(iter(service["spec"]["selector"].items()))
        found |= {"selector_key": key, "selector_value": value}
        own = str(port.get("targetPort", port["port"]))
        found |= {"service_port": str(port["port"]), "target_port": own, "port": own}
    if program.get("memory", 0) >= LEAST:
        found |= {
            "memory": f"{int(program['memory'] * 0.55) // MIB}Mi",
            "ample": f"{int(program['memory'] * 4) // MIB}Mi",
        }
    for flag, address in (program.get("flags") or {}).items():
        host, _, port = address.rpartition(":")
        found |= {"flag": flag, "address": address, "wrong_address": f"{host}:{int(port) + 1}"}
    return found


VOLUMES = (
    ("configMap", "name", "configmap"),
    ("secret", "secretName", "secret"),
    ("persistentVolumeClaim", "claimName", "claim"),
)


def _executables(app: App, name: str, container: Mapping[str, Json]) -> tuple[str, str]:
    """The container's own executable where its image has several, and another one of an inner component."""
    command: Sequence[str] = container.get("command") or ()
    binaries = [b for b in _image(app, container["image"]).get("binaries", {}) if b != command[0]] if command else []
    users = {operation["service"] for operation in app.operations}
    others = sorted(b for b in binaries if b not in users)
    return (command[0], others[0]) if others else ("", "")


def _image(app: App, name: str) -> Mapping[str, Json]:
    short = name.removeprefix("docker.io/").removeprefix("library/")
    return next((app.images[each] for each in (name, short, f"{short}:latest") if each in app.images), {})


def _program(app: App, name: str) -> Mapping[str, Json]:
    """The settings of the program that a component runs."""
    container = _manifest(app, "Deployment", name)["spec"]["template"]["spec"]["containers"][0]
    image = _image(app, container["image"])
    binaries = image.get("binaries", {})
    words = [*(container.get("command") or image.get("entrypoint", ())), *image.get("cmd", ())]
    named = [binary for word in words if (binary := binaries.get(word.rpartition("/")[2]))]
    return (named[0].get("params") or {}) if named else {}


def _manifest(app: App, kind: str, name: str) -> Mapping[str, Json]:
    return next((m for m in app.manifests if m["kind"] == kind and m["metadata"]["name"] == name), {})


def _behind(app: App, host: str) -> str:
    """The component that the Service of a name leads to."""
    service = _manifest(app, "Service", host.partition(".")[0])
    selector = (service["spec"].get("selector") or {}).items() if service else ()
    return next((name for name in app.components if selector and selector <= _labels(app, name)), "")


def _labels(app: App, name: str) -> Set[tuple[str, str]]:
    labels: Mapping[str, str] = _manifest(app, "Deployment", name)["spec"]["template"]["metadata"]["labels"]
    return labels.items()


def _clients(app: App, programs: Mapping[str, Mapping[str, Json]]) -> dict[str, str]:
    """Database -> the first component that needs it when it starts."""
    found: dict[str, str] = {}
    for name, program in programs.items():
        for step in program.get("startup") or ():
            if "mongo" in step:
                found.setdefault(_behind(app, _host(step["mongo"])), name)
    return found


def _dials(program: Mapping[str, Json]) -> Iterator[str]:
    """Hosts that a program connects to by name."""
    for step in program.get("startup") or ():
        if "mongo" in step:
            yield _host(step["mongo"])
        if "registry" in step:
            yield step["registry"]
    if program.get("registry"):
        yield program["registry"]
    for call in _calls(program):
        if host := _host(call):
            yield host


def _host(call: Mapping[str, Json]) -> str:
    """The name that a program dials: compiled in, or that of an entry in its configuration, which is the same."""
    return str(call.get("host") or call.get("to") or call.get("address", "").rpartition(":")[0])


def _calls(program: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """All calls that a program makes, whatever it is asked."""
    for handler in (program.get("handlers") or {}).values():
        yield from flatten(handler.get("calls") or ())


def flatten(calls: Sequence[Json]) -> Iterator[Mapping[str, Json]]:
    """The calls of a handler one by one, those that are made side by side too; not those of a flag that is on."""
    for call in calls:
        if isinstance(call, list | tuple):
            yield from flatten(call)
        elif not any((call.get("when") or {}).values()):
            yield call
