"""Whether an incident can be answered: reads that lead from what users notice to what holds the cause.

Each read of a chain prints something else than in the healthy twin: the same world, the same noise and as much time,
without what is wrong. The chain ends, for each cause, at an object that was written, or where none was, at telemetry of
the component that was hit. What is different by itself in any two worlds (times, ages, names of pods, addresses) is no
difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from aiops_gym.backends import Simulated
from aiops_gym.backends.inject import find_place
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import App, Create, Fault, Patch, Problem, Redeploy, Script, Upgrade
from aiops_gym.errors import ToolError
from aiops_gym.sim.kube_api import find_by_kind
from aiops_gym.tools import Context, run, toolbox
from aiops_gym.types import Call

LASTING = 900
"""Seconds that a command may take."""

SLOW = ("50ms", "200ms", "1s")
"""How long a span may take before it is looked for."""

TIMES = 2
"""Times as many rows of telemetry that tell more than chance."""

WRITTEN = "del(.status, .metadata) + {labels: .metadata.labels}"
"""Of an object what people decide, for jq."""

CHANGING = (
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?", "TIME"),
    (r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000", "TIME"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UID"),
    (r"-[0-9a-z]{8,10}-[0-9a-z]{5}\b", "-POD"),
    (r"\b[0-9a-f]{12,}\b", "HASH"),
    (r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b", "IP"),
    (r"\b(\d+d)?(\d+h)?(\d+m)?\d+s\b|\b\d+d(\d+h)?\b|\b\d+h(\d+m)?\b|\b\d+m\b", "AGE"),
    (r"(resourceVersion|uid|generation|observedGeneration|startTime|pod-template-hash)\"?: .*", r"\1"),
    (r"\(x\d+ over AGE\)", "(xN)"),
    (r" +", " "),
)
"""What differs anyway: patterns, and what is read in their place."""


class Read(NamedTuple):
    """One question to the cluster or its telemetry.

    Attributes:
        call: of a tool.
        counted: what tells is how many rows there are, and not what they say.
    """

    call: Call
    counted: bool = False

    @property
    def text(self) -> str:
        """As an agent writes it."""
        return self.call.line


def _shell(command: str) -> Read:
    return Read(Call("exec_shell", (command,), {"timeout": LASTING}))


class Twins:
    """An incident, and the same without what is wrong.

    Args:
        backend: the incident, as it was found. Nothing is changed in it.
    """

    def __init__(self, backend: Simulated) -> None:
        self.sides = (backend, backend.without_fault())
        self._known: dict[str, bool] = {}

    def differ(self, read: Read) -> bool:
        """Whether a read tells one from the other."""
        if read.text not in self._known:
            sick, well = (self._ask(side, read) for side in self.sides)
            rows = [_list_lines(text, of_words=read.call.name != "exec_shell") for text in (sick, well)]
            more = len(rows[0]) > TIMES * len(rows[1])
            self._known[read.text] = more if read.counted else set(rows[0]) != set(rows[1])
        return self._known[read.text]

    @staticmethod
    def _ask(side: Simulated, read: Read) -> str:
        try:
            return run(read.call, toolbox("live", "all"), Context(side.fork())).text
        except ToolError as error:
            return str(error)

    def first(self, reads: Iterable[Read]) -> str:
        """The first read that tells; "" for none."""
        return next((read.text for read in reads if self.differ(read)), "")


def _list_lines(text: str, *, of_words: bool) -> list[str]:
    """Lines without what differs anyway; of telemetry the figures are left out, too."""
    for pattern, word in (*CHANGING, *(((r"[\d.]+", ""),) if of_words else ())):
        text = re.sub(pattern, word, text)
    return [line.strip() for line in text.splitlines() if line.strip()]


def find_chain(backend: Simulated) -> tuple[tuple[str, ...], list[str]]:
    """The reads from the page to the cause, and what is missing of them; nothing is where the incident is answerable.

    Args:
        backend: an incident as it was found.
    """
    fault = backend.fault
    if fault is None:
        return (), []
    twins, missing = Twins(backend), list[str]()
    noticed = twins.first(_list_first_looks(backend))
    if not noticed:
        missing.append("nothing that is looked at first tells it from the healthy twin")
    ways = [_shell(look) for look in fault.looks]
    ends = []
    for part, (name, target) in zip(fault.each, backend.problem.causes, strict=False):
        end = twins.first(_list_objects(part, backend.app)) or twins.first(_list_telemetry(backend, part, target))
        ends.append(end)
        if not end:
            missing.append(f"no read ends at {name} on {target or 'the cluster'}")
    between = [read.text for read in ways if read.text not in (noticed, *ends) and twins.differ(read)]
    return tuple(dict.fromkeys(each for each in (noticed, *between, *ends) if each)), missing


def _list_first_looks(backend: Simulated) -> Iterator[Read]:
    """What somebody looks at who was woken, what is quick to read first: alerts, pods, warnings, what users met."""
    space = backend.app.namespace
    asked = (str(each["service"]) for each in backend.app.operations)
    services = dict.fromkeys((*asked, *backend.telemetry.services()))
    yield Read(Call("get_alerts"))
    yield _shell(f"kubectl get pods -n {space}")
    yield _shell(f"kubectl get events -n {space} --field-selector type=Warning -o custom-columns=A:.reason,B:.message")
    for service in services:
        yield from _list_spans(backend, service)
    for name in backend.app.components:
        yield _shell(f"kubectl logs -n {space} deploy/{name} --tail=50 | sed 's/[0-9]//g' | sort -u")


def _list_spans(backend: Simulated, service: str) -> Iterator[Read]:
    if service in backend.telemetry.services():
        yield Read(Call("query_traces", (service,), {"tags": "error=true", "limit": 200}), counted=True)
        for least in SLOW:
            yield Read(Call("query_traces", (service,), {"min_duration": least, "limit": 200}), counted=True)


def _list_objects(part: Fault, app: App) -> Iterator[Read]:
    """The objects that a fault wrote."""
    for change in part.changes:
        if isinstance(change, Patch) and change.name:
            yield _look_at(change.resource, find_place(change, app), change.name)
        elif isinstance(change, Create):
            kind = find_by_kind(change.manifest["apiVersion"], change.manifest["kind"])
            if kind is not None:
                yield _look_at(kind.name, app.namespace, str(change.manifest["metadata"]["name"]))
        elif isinstance(change, Script):
            for resource, full in change.writes:
                space, _, name = full.rpartition("/")
                yield _look_at(resource, space or app.namespace, name)
        elif isinstance(change, Upgrade):
            yield _shell(f"helm get values {change.release} -n {app.namespace}; helm history {change.release}")
        elif isinstance(change, Redeploy):
            yield _shell("kubectl get pv")


def _look_at(resource: str, namespace: str, name: str) -> Read:
    """What people have written of it: its status and what is noted on it follow from other things."""
    place = f" -n {namespace}" if namespace else ""
    return _shell(f"kubectl get {resource} {name}{place} -o json | jq '{WRITTEN}'")


def _list_telemetry(backend: Simulated, part: Fault, target: str) -> Iterator[Read]:
    """What is recorded of a component and of who asks it, where nothing that was written shows."""
    known, space = registry.find_components(backend.app.id), backend.app.namespace
    about = (target, *sorted(known[target].callers)) if target in known else ()
    yield from (_shell(look) for look in part.looks if target and target in look)
    for name in about[:1]:
        yield _shell(f"kubectl describe pods -n {space} -l {backend.app.selector}={name}")
    for name in about:
        yield from _list_spans(backend, name)
        yield _shell(f"kubectl logs -n {space} deploy/{name} --tail=50 | sed 's/[0-9]//g' | sort -u")


def check_chain(problem: Problem, seed: int) -> None:
    """Check that an incident can be answered by reads. Raises AssertionError."""
    _, missing = find_chain(Simulated(problem, seed))
    assert not missing, f"{problem.id}, seed {seed}: {'; '.join(missing)}"
