"""What an agent has seen: names and signs of trouble, read from what it did and what was printed, nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from aiops_gym.wrappers import signs
from aiops_gym.wrappers.signs import LOOKS, SIGNS
from aiops_gym.wrappers.tables import Table, tables

ORDERS = ("relevance", "first")
"""How components take their slots: the most suspicious first, or in the order in which they were first seen."""

_PROMPT = re.compile(r"^Namespace: (\S+)$", re.MULTILINE)
_CANDIDATES = re.compile(r"^The components are: (.+?)\.?$", re.MULTILINE)
_POD = re.compile(r"(.+?)-[a-z0-9]{8,10}-[a-z0-9]{5}")
_REPLICASET = re.compile(r"(.+)-[a-z0-9]{8,10}")
_PORT = re.compile(r"(\d+)(?::\d+)?/TCP")
_TRACES = re.compile(r"trace_output/\S+\.csv")
_LOGS = re.compile(r"\blogs\b.*?\bdeployment/([a-z0-9.-]+)|get_logs\(.*[\"']([a-z0-9.-]+)[\"']\s*\)")
_HISTORY = re.compile(r"rollout history deployment/([a-z0-9.-]+)")
_FIELD = re.compile(r"^ *([A-Z][\w -]*?):[ \t]+(\S.*?)\s*$", re.MULTILINE)
_CONTAINER = re.compile(r"^  Containers:\n +([a-z0-9-]+):$", re.MULTILINE)
_SPANS = re.compile(r"^(\d+) spans, (\d+) failed, (-?\d+) us: ([a-z0-9-]+) (.+)$", re.MULTILINE)
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")

SLOW = 20_000
"""Microseconds below which no operation counts as slow."""


@dataclass
class Component:
    """What is known of one deployment and of the service of its name.

    Attributes:
        facts: what commands are filled from: container, image, selector, container_port, service_port, ...
        signs: those of `SIGNS` that it shows, as last looked at.
        looks: those of `LOOKS` that were taken.
        images: that its replica sets have run, the current one left out.
    """

    facts: dict[str, str] = field(default_factory=dict)
    signs: set[str] = field(default_factory=set)
    looks: set[str] = field(default_factory=set)
    images: list[str] = field(default_factory=list)

    @property
    def suspicion(self) -> float:
        """Weight of its signs."""
        return sum(SIGNS[sign] for sign in self.signs)


@dataclass
class Seen:
    """One episode as the agent knows it.

    Attributes:
        namespace: of the application, "" until the prompt has named it.
        components: by name, in the order in which they were first seen.
        others: names of other objects by kind: policy, quota, node, release, volume.
        facts: of those, by (kind, name).
        traces: path of the last file of traces, "" for none.
        ever: signs that were seen at any time, as (component, sign).
        listed: kinds of tables that were seen.
        said: texts of the actions so far.

    >>> seen = Seen()
    >>> seen.read("", "Namespace: shop\\nThe components are: cart, pay.")
    >>> seen.read("", "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\\npay    0/0     0            0           5m")
    >>> seen.ranked("relevance"), seen.ranked("first")
    (['pay', 'cart'], ['cart', 'pay'])
    """

    namespace: str = ""
    components: dict[str, Component] = field(default_factory=dict)
    others: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    traces: str = ""
    ever: set[tuple[str, str]] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    said: set[str] = field(default_factory=set)

    def read(self, action: str, text: str) -> None:
        """Learn from one turn: what was done, "" for the prompt, and what was printed."""
        if action:
            self.said.add(action)
        self._prompt(text)
        for table in tables(text):
            self.listed.add(table.kind)
            _READERS.get(table.kind, Seen._names)(self, table)
        self._described(text)
        self._logs(action, text)
        self._spans(text)
        self._compare()
        self.ever |= {(name, sign) for name, each in self.components.items() for sign in each.signs}

    def ranked(self, order: str) -> list[str]:
        """Names of components, by their order."""
        names = list(self.components)
        return names if order == "first" else sorted(names, key=lambda name: -self.components[name].suspicion)

    def progress(self) -> float:
        """From 0 to 1: how much of trouble was found, and how much of what was found is gone again.

        Half of it grows with the number of signs found, the other half is the share of those that are no longer there.
        """
        if not self.ever:
            return 0.0
        standing = sum(len(each.signs) for each in self.components.values())
        found = len(self.ever)
        return 0.5 * found / (found + 5) + 0.5 * (found - standing) / found

    def _prompt(self, text: str) -> None:
        if not self.namespace and (found := _PROMPT.search(text)):
            self.namespace = found[1]
            if candidates := _CANDIDATES.search(text):
                for name in candidates[1].split(", "):
                    self._component(name)

    def _component(self, name: str) -> Component:
        return self.components.setdefault(name, Component())

    def _owner(self, pod: str) -> str:
        """The component that a pod or a replica set belongs to, "" for none."""
        if pod in self.components:
            return pod
        for pattern in (_POD, _REPLICASET):
            if found := pattern.fullmatch(pod):
                return found[1]
        return ""

    def _mine(self, table: Table) -> Iterable[Mapping[str, str]]:
        """Rows of the application's own namespace."""
        return (row for row in table.rows if row.get("NAMESPACE", self.namespace) == self.namespace)

    def _forget(self, table: Table, names: Iterable[str], those: Iterable[str]) -> None:
        """Signs that a table shows anew: of all components where it lists several, else of those listed."""
        listed = set(names)
        everyone = table.whole and len(listed) > 1
        for name, component in self.components.items():
            if everyone or name in listed:
                component.signs.difference_update(those)

    def _pods(self, table: Table) -> None:
        rows = [(owner, row) for row in self._mine(table) if (owner := self._owner(row["NAME"]))]
        self._forget(table, (owner for owner, _ in rows), signs.FROM_PODS)
        for owner, row in rows:
            self._component(owner).signs |= signs.of_pod(row)

    def _deployments(self, table: Table) -> None:
        rows = list(self._mine(table))
        self._forget(table, (row["NAME"] for row in rows), signs.FROM_DEPLOYMENTS)
        for row in rows:
            component = self._component(row["NAME"])
            component.signs |= signs.of_deployment(row)
            _learn(component.facts, row, {"container": "CONTAINERS", "image": "IMAGES", "selector": "SELECTOR"})

    def _replicasets(self, table: Table) -> None:
        owned: dict[str, list[Mapping[str, str]]] = {}
        for row in self._mine(table):
            if owner := self._owner(row["NAME"]):
                owned.setdefault(owner, []).append(row)
        for owner, rows in owned.items():
            component = self._component(owner)
            component.signs |= {"replaced"} if len(rows) > 1 else set()
            newest = min(rows, key=lambda row: (row["DESIRED"] == "0", signs.minutes(row.get("AGE", ""))))
            _learn(component.facts, newest, {"container": "CONTAINERS", "image": "IMAGES"})
            # Youngest first: the one before the current comes before those that are long gone.
            older = sorted(
                (row for row in rows if row is not newest), key=lambda row: signs.minutes(row.get("AGE", ""))
            )
            images = (row["IMAGES"] for row in older if "," not in row.get("IMAGES", ","))
            component.images = [image for image in dict.fromkeys(images) if image != component.facts.get("image")]

    def _services(self, table: Table) -> None:
        for row in self._mine(table):
            ports = _PORT.findall(row.get("PORT(S)", ""))
            if row["NAME"] in self.components:
                facts = self.components[row["NAME"]].facts
                facts["service"] = row["NAME"]
                facts.pop("service_port", None)
                if len(ports) == 1 and "," not in row["PORT(S)"]:
                    facts["service_port"] = ports[0]
                _learn(facts, row, {"service_selector": "SELECTOR"})

    def _endpoints(self, table: Table) -> None:
        self._forget(table, (row["NAME"] for row in table.rows), ("no_endpoints",))
        for row in self._mine(table):
            if row["NAME"] in self.components and row["ENDPOINTS"] in ("", "<none>"):
                self.components[row["NAME"]].signs.add("no_endpoints")

    def _events(self, table: Table) -> None:
        rows = [row for row in self._mine(table) if row.get("TYPE") == "Warning"]
        self._forget_all(signs.FROM_EVENTS)
        for row in rows:
            owner = self._owner(row["OBJECT"].rpartition("/")[2])
            if owner in self.components and signs.minutes(row["LAST SEEN"]) < signs.RECENT:
                found = {"warned", signs.EVENTS.get(row["REASON"], "warned")}
                self.components[owner].signs |= found - set(signs.FROM_PODS)

    def _names(self, table: Table) -> None:
        others = self.others.setdefault(table.kind, {})
        if table.whole and table.kind in ("policy", "quota"):
            others.clear()
        for row in table.rows:
            facts = others.setdefault(row["NAME"], {})
            _learn(facts, row, {"status": "STATUS", "revision": "REVISION"})

    def _described(self, text: str) -> None:
        """`kubectl describe` of deployments, services and nodes: each begins with its name."""
        for part in re.split(r"^(?=Name:\s)", text, flags=re.MULTILINE):
            if part.startswith("Name:"):
                fields = dict(reversed(_FIELD.findall(part)))  # the first of a name counts
                name = fields.get("Name", "")
                if "StrategyType" in fields:
                    self._deployment_described(self._component(name), fields, part)
                elif "TargetPort" in fields and name in self.components:
                    self._service_described(self.components[name], fields, part)
                elif "Taints" in fields:
                    self._taints(name, fields["Taints"])

    def _deployment_described(self, component: Component, fields: Mapping[str, str], part: str) -> None:
        component.looks.add("described")
        containers = _CONTAINER.findall(part)
        if containers and part.count("    Image:") == 1:
            component.facts["container"] = containers[0]
            component.facts["image"] = fields.get("Image", "")
        component.facts.pop("container_port", None)
        if port := _PORT.fullmatch(fields.get("Port", "")):
            component.facts["container_port"] = port[1]
        component.facts["labels"] = fields.get("Labels", "")
        component.facts["selector"] = fields.get("Selector", "")

    def _service_described(self, component: Component, fields: Mapping[str, str], part: str) -> None:
        component.looks.add("service_described")
        component.facts["service"] = fields["Name"]
        component.facts["service_selector"] = fields.get("Selector", "")
        component.facts.pop("target_port", None)
        if part.count("\nTargetPort:") == 1 and (port := _PORT.fullmatch(fields["TargetPort"])):
            component.facts["target_port"] = port[1]

    def _taints(self, node: str, taints: str) -> None:
        facts = self.others.setdefault("node", {}).setdefault(node, {})
        facts.pop("taint", None)
        # What Kubernetes itself puts there tells of the node's state, and nobody takes it away by hand.
        if taints != "<none>" and "kubernetes.io/" not in taints:
            facts["taint"] = taints.partition("=")[0].partition(":")[0]

    def _logs(self, action: str, text: str) -> None:
        if found := _HISTORY.search(action):
            self._look(found[1], "history_read")
        found = _LOGS.search(action)
        name = (found[1] or found[2]) if found else ""
        if name not in self.components:
            return
        self._look(name, "logs_read")
        component = self.components[name]
        component.signs.difference_update(signs.FROM_LOGS)
        component.signs |= signs.of_log(text)
        wrong = "\n".join(
            line for line in text.splitlines() if signs.ERROR.search(line) or signs.UNREACHABLE.search(line)
        )
        for other in self._named_in(wrong) - {name}:
            self.components[other].signs.add("blamed")

    def _look(self, name: str, look: str) -> None:
        if name in self.components:
            self.components[name].looks.add(look)

    def _spans(self, text: str) -> None:
        """The summary of traces that `macros` asks for, and the path of the file that it is made from."""
        if found := _TRACES.search(text):
            self.traces = found[0]
        rows = [(int(n), int(failed), int(us), *where) for n, failed, us, *where in _SPANS.findall(text)]
        if not rows:
            return
        self._forget_all(("failing_spans", "slow_spans"))
        slow = max(SLOW, 10 * sorted(us for _, _, us, *_ in rows)[len(rows) // 2])
        for n, failed, us, service, operation in rows:
            # A call is about whom it calls, where its name says so: the caller only waited.
            called = self._named_in(operation) - {service} or {service} & self.components.keys()
            for name in called:
                here = self.components[name].signs
                here |= {"failing_spans"} if failed * 20 > n else set()
                here |= {"slow_spans"} if us > slow else set()

    def _forget_all(self, those: Iterable[str]) -> None:
        for component in self.components.values():
            component.signs.difference_update(those)

    def _named_in(self, text: str) -> set[str]:
        """Components that a text names: as they are written, or as a word of it, `GetProfiles` for `profile`."""
        whole = set(re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*", text))
        words = {word.lower().removesuffix("s") for word in _WORD.findall(text)}
        return {name for name in self.components if name in whole or name.removesuffix("-service") in words}

    def _compare(self) -> None:
        for component in self.components.values():
            facts = component.facts
            component.signs.difference_update(("port_differs", "selector_differs"))
            port, wanted = facts.get("target_port"), facts.get("container_port")
            component.signs |= {"port_differs"} if port and wanted and port != wanted else set()
            chosen, labels = facts.get("service_selector"), facts.get("selector")
            component.signs |= {"selector_differs"} if chosen and labels and chosen != labels else set()
        ill = {name for name, each in self.components.items() if each.signs & {"crashing", "denied", "unreachable"}}
        for name, component in self.components.items():
            kin = {name.partition("-")[2], name.rpartition("-")[0]} & ill
            component.signs = component.signs - {"kin"} | ({"kin"} if kin else set())


_READERS: Mapping[str, Callable[[Seen, Table], None]] = {
    "pod": Seen._pods,
    "deployment": Seen._deployments,
    "replicaset": Seen._replicasets,
    "service": Seen._services,
    "endpoints": Seen._endpoints,
    "event": Seen._events,
}


def _learn(facts: dict[str, str], row: Mapping[str, str], cells: Mapping[str, str]) -> None:
    """Take cells into facts; a cell of several values is no fact."""
    for fact, column in cells.items():
        value = row.get(column, "")
        if value and value != "<none>" and "," not in value:
            facts[fact] = value


__all__ = ["LOOKS", "ORDERS", "Component", "Seen"]
