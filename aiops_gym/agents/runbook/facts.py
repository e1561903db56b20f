"""What the agent has seen, read from what the commands printed. Lines that cannot be read are left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from aiops_gym.agents.runbook.looks import SECTION

_LOG_LINE = re.compile(r"\s*(\d+) (.*)")

_HOST = re.compile(
    r"Host: ([\w-]+)|(?:lookup|dial tcp|resolve|connect(?:ed)? (?:to )?|reach|calling ismaster on) [\"']?([a-z][\w-]*)"
    r"|\b([a-z][\w-]+)(?:\.[a-z][\w.-]*)?:\d{2,5}\b"
)
_SILENCE = re.compile(
    r"refused|timed? ?out|timeout|deadline|unreachable|no route|no such host|expired|not connect|to connect",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Deployment:
    """A deployment, with its pod template's spec."""

    name: str
    replicas: int
    ready: int
    selector: Mapping[str, str]
    spec: Mapping[str, Any]

    @property
    def containers(self) -> list[Mapping[str, Any]]:
        """Of the template."""
        return parse_list(self.spec.get("containers"))

    @property
    def ports(self) -> list[Any]:
        """Numbers and names of the ports that the containers declare."""
        ports = [port for container in self.containers for port in parse_list(container.get("ports"))]
        return [value for port in ports for value in (port.get("containerPort"), port.get("name")) if value is not None]


@dataclass(frozen=True)
class Pod:
    """A pod; texts of several containers are separated by blanks."""

    name: str
    owner: str
    phase: str
    labels: Mapping[str, str]
    ready: str
    restarts: str
    waiting: str
    last_reason: str
    last_code: str
    last_started: str
    last_finished: str
    images: str
    init_ready: str
    message: str
    unscheduled: str
    started: str

    @property
    def well(self) -> bool:
        """Whether all of its containers are ready."""
        return self.phase == "Running" and "false" not in self.ready and self.ready != ""


@dataclass(frozen=True)
class Service:
    """A Service, with the pods behind it."""

    name: str
    selector: Mapping[str, str]
    ports: Sequence[Mapping[str, Any]]
    pods: str = ""


@dataclass(frozen=True)
class Event:
    """A warning."""

    object: str
    reason: str
    count: int
    message: str


@dataclass(frozen=True)
class Span:
    """All spans of an operation in a service, times in microseconds."""

    service: str
    operation: str
    count: int
    errors: int
    mean: float
    longest: float


@dataclass
class Facts:
    """All that is known. Names of `tables` are the sections of the looks; a row is a list of cells.

    Attributes:
        now: the system's time at the last look, as in objects; "" when unknown.
        revisions: of each deployment that has several: (number, template's spec), the newest last.
        logs: component -> (count, line) of telling lines.
    """

    namespace: str
    now: str = ""
    deployments: dict[str, Deployment] = field(default_factory=dict)
    pods: list[Pod] = field(default_factory=list)
    services: dict[str, Service] = field(default_factory=dict)
    revisions: dict[str, list[tuple[int, Mapping[str, Any]]]] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    logs: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    tables: dict[str, list[list[str]]] = field(default_factory=dict)

    def component(self, pod: str) -> str:
        """The deployment that a pod or a replica set belongs to by its name, "" for none."""
        parts = pod.split("-")
        names = ("-".join(parts[:-cut] if cut else parts) for cut in range(3))
        return next((name for name in names if name in self.deployments), "")

    def pods_of(self, component: str) -> list[Pod]:
        """The pods of a deployment."""
        return [pod for pod in self.pods if self.component(pod.name) == component]

    def older(self, component: str) -> int:
        """The newest revision before the current one that differs from it in more than its age; 0 for none."""
        known = self.revisions.get(component, [])
        return next((number for number, spec in reversed(known[:-1]) if spec != known[-1][1]), 0)

    def lines(self, component: str) -> str:
        """The telling lines of a component's log."""
        return "\n".join(line for _, line in self.logs.get(component, ()))

    def complaints(self) -> dict[str, int]:
        """How many lines in the logs of others say that they do not reach a component."""
        found: dict[str, int] = {}
        for component, lines in self.logs.items():
            for count, line in lines:
                hosts = {name for each in _HOST.findall(line) for name in each} if _SILENCE.search(line) else set()
                for host in sorted(hosts & self.deployments.keys() - {component}):
                    found[host] = found.get(host, 0) + count
        return found

    def said(self, reason: str, message: str = "") -> Iterator[tuple[str, Event]]:
        """Components with the warnings that match."""
        for event in self.events:
            if event.reason == reason and re.search(message, event.message) and self.component(event.object):
                yield self.component(event.object), event


def read(facts: Facts, text: str) -> None:
    """Add what a look printed to the facts; the sections in it replace older ones."""
    for heading, lines in _sections(text):
        name, _, rest = heading.partition(" ")
        rows = [line.split("\t") for line in lines if line.strip()]
        if name == "log":
            facts.logs[rest.rpartition("/")[2]] = [
                (int(found[1]), found[2]) for found in map(_LOG_LINE.fullmatch, lines) if found and len(found[1]) < 10
            ]
        elif name == "now":
            facts.now = rest
        elif name == "pods":
            facts.pods = [_pod(row) for row in rows]
        elif name in _READERS:
            _READERS[name](facts, rows)
        else:
            facts.tables[name] = rows


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    heading, lines = "", list[str]()
    for line in text.splitlines():
        if line.startswith(f"{SECTION} "):
            if heading:
                yield heading, lines
            heading, lines = line[len(SECTION) + 1 :].strip(), []
        else:
            lines.append(line)
    if heading:
        yield heading, lines


def _pod(row: Sequence[str]) -> Pod:
    cells = [_at(row, at).strip() for at in range(len(fields(Pod)))]
    named = dict(zip((each.name for each in fields(Pod)), cells, strict=True))
    return Pod(**{**named, "labels": parse_object(named["labels"])})  # type: ignore[arg-type]


def _deployments(facts: Facts, rows: list[list[str]]) -> None:
    read_ones = [
        Deployment(
            row[0],
            parse_number(_at(row, 1)),
            parse_number(_at(row, 2)),
            parse_object(_at(row, 3)),
            parse_object(_at(row, 4)),
        )
        for row in rows
    ]
    facts.deployments = {each.name: each for each in read_ones if each.spec}


def _services(facts: Facts, rows: list[list[str]]) -> None:
    facts.services = {
        row[0]: Service(row[0], parse_object(_at(row, 1)), parse_list(_json(_at(row, 2)))) for row in rows
    }


def _endpoints(facts: Facts, rows: list[list[str]]) -> None:
    for row in rows:
        if row[0] in facts.services:
            service = facts.services[row[0]]
            facts.services[row[0]] = Service(service.name, service.selector, service.ports, _at(row, 1))


def _revisions(facts: Facts, rows: list[list[str]]) -> None:
    facts.revisions = {}
    for row in rows:
        facts.revisions.setdefault(_at(row, 1), []).append((parse_number(_at(row, 2)), parse_object(_at(row, 3))))
    for known in facts.revisions.values():
        known.sort(key=lambda each: each[0])


def _events(facts: Facts, rows: list[list[str]]) -> None:
    facts.events = [Event(row[0], _at(row, 1), parse_number(_at(row, 2)), _at(row, 3)) for row in rows]


def _spans(facts: Facts, rows: list[list[str]]) -> None:
    facts.spans = [
        Span(
            row[0],
            row[1],
            parse_number(row[2]),
            parse_number(row[3]),
            float(parse_number(row[4])),
            float(parse_number(row[5])),
        )
        for row in rows
        if len(row) >= 6
    ]


_READERS = {
    "deployments": _deployments,
    "services": _services,
    "endpoints": _endpoints,
    "revisions": _revisions,
    "events": _events,
    "spans": _spans,
}


def _at(row: Sequence[str], at: int) -> str:
    return row[at] if at < len(row) else ""


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def parse_object(value: Any) -> Mapping[str, Any]:
    """A JSON object, given as text or as one; empty for anything else."""
    found = _json(value) if isinstance(value, str) else value
    return found if isinstance(found, dict) else {}


def parse_list(value: Any) -> list[Any]:
    """The objects of a list; none for anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def parse_number(text: str) -> int:
    """A whole number; 0 for anything else.

    >>> parse_number("12"), parse_number("none"), parse_number("1" * 99)
    (12, 0, 0)
    """
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else 0
