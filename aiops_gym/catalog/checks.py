"""Checks that a cause is gone, which several faults share. What one family alone needs is a function in its own file.

A check compares the system before the incident with the one now, and says what is still wrong, "" if nothing is. It
asks for what must be so, not for what was done: every repair that leads there passes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from aiops_gym.catalog.model import Cause
from aiops_gym.catalog.system import Object, System

MIN_CORES = 0.1
"""With less, even one request waits so long for its share that its user notices."""

INFINITE = float("inf")

ASK_FLAGS = ("wget", "-qO-", "--post-data={}", "http://flagd:8016/ofrep/v1/evaluate/flags")
"""All feature flags, by the OpenFeature Remote Evaluation Protocol."""

MOST_BUSY = 0.8
"""Share of its limit that a component uses for requests at most, while none of them waits for long."""


def template(before: System, now: System, cause: Cause) -> str:
    """The component runs the program that it ran before, and whatever probes it has would find it well now."""
    name = cause.component
    usual = before.runs(name)
    if usual is None or not usual.is_same(now.runs(name)):
        return f"{name} runs another program"
    failing = now.failing_probe(name)
    return f"the {failing} of {name} fails" if failing else ""


def reached(before: System, now: System, cause: Cause) -> str:
    """The component's Service leads to its own pods, and to them alone, on each port on which it did."""
    name = cause.component
    service, mine = before.object("services", name), _uids(now, name)
    for port in [entry["port"] for entry in (service or {"spec": {}})["spec"].get("ports") or ()]:
        ends = now.connect(name, port)
        if before.connect(name, port).pods and (not ends.pods or ends.refusing or ends.pods - mine):
            return f"the Service {name} does not lead to {name} on port {port}"
    return ""


def named(before: System, now: System, cause: Cause) -> str:
    """In the component's pods the name of a Service, the cause's `detail`, stands for what it stands for elsewhere."""
    name, host = cause.component, cause.detail
    usual, programs = now.addresses(host), now.programs(name)
    wrong = not programs or any(now.addresses(host, program) != usual for program in programs)
    return f"{name} does not find {host} by its name" if wrong else ""


def connected(before: System, now: System, cause: Cause) -> str:
    """The component's program has connections to another one, `detail`, at the address that its configuration says."""
    name, callee = cause.component, cause.detail
    mine = _uids(now, callee)
    for program in now.programs(name):
        told = now.upstream(program, callee)
        ends = now.connect(told.host, told.port, program)
        if not ends.pods or ends.pods - mine or not told.pooled:
            return f"{name} has no connection to {callee}"
    return ""


def headroom(before: System, now: System, cause: Cause) -> str:
    """The component's limits leave it what it needs: none, or as much as before, or half as much again as it uses."""
    name = cause.component
    cpu, memory = next((before.limits(program) for program in before.programs(name)), (INFINITE, INFINITE))
    load = before.load(name)
    for program in now.programs(name):
        limit, used = now.limits(program), now.usage(program, load)
        if limit.memory < min(memory, 1.3 * used.memory):
            return f"{name} may use too little memory"
        if limit.cpu < min(cpu, max(MIN_CORES, 4.0 * used.cpu)):
            return f"{name} may use too little of a processor"
    return ""


def unhurried(before: System, now: System, cause: Cause) -> str:
    """The component's pods do what they are asked without using up the processor that they may use."""
    name = cause.component
    _, used = now.load(name)
    for program in now.programs(name):
        if used > MOST_BUSY * now.limits(program).cpu:
            return f"{name} has more to do than it can"
    return "" if now.programs(name) else f"{name} does not run"


def database_access(before: System, now: System, cause: Cause) -> str:
    """The service's user can log in to its own database, the cause's `detail`, read it and write to it."""
    script = (
        f"var d = db.getSiblingDB('{cause.detail}'); d.access_check.insertOne({{}}); d.access_check.findOne(); "
        "d.access_check.drop(); print('granted')"
    )
    argv = ("mongo", "admin", "-u", "admin", "-p", "admin", "--quiet", "--eval", script)
    return answered(now, cause.component, argv, "granted", f"no access to {cause.detail} for its service")


def answered(now: System, component: str, argv: Sequence[str], expected: str, otherwise: str) -> str:
    """A command in each pod of a component prints what is expected, and its Service leads to no other pod."""
    pods = now.pods(component)
    if not pods or _strangers(now, component):
        return f"{component} is not what its Service leads to"
    return "" if all(expected in (now.output(pod, argv) or "") for pod in pods) else otherwise


def switched_off(before: System, now: System, cause: Cause) -> str:
    """The server of feature flags says that one, the cause's `detail`, is off or unknown; all others are as before."""
    for name in now.components:  # whoever has a client of HTTP can ask
        for pod in now.pods(name)[:1]:
            if text := now.output(pod, ASK_FLAGS):
                on = any(flag.get("key") == cause.detail and flag.get("value") for flag in _read_flags(text))
                return "a flag has another value" if on else _find_other_flags(before, now, cause.detail)
    return "the server of flags does not answer"


def _read_flags(text: str) -> Sequence[Object]:
    try:
        found: Sequence[Object] = json.loads(text)["flags"]
    except (ValueError, KeyError, TypeError):
        return ()
    return found


def _find_other_flags(before: System, now: System, flag: str) -> str:
    """Whether the map of a flag says anything else of other flags, or beside them."""
    usual, found = (_read_map(system, flag) for system in (before, now))
    return "" if usual == found else "the map of flags says more than that one is off"


def _read_map(system: System, flag: str) -> object:
    """All ConfigMaps that define flags, without what they say of one; None where they cannot be read."""
    found = {}
    for each in system.objects("configmaps"):
        data = {str(name): str(text) for name, text in (each.get("data") or {}).items()}
        files = {name: text for name, text in data.items() if '"flags"' in text}
        try:
            said = {name: json.loads(text) for name, text in files.items()}
        except ValueError:
            return None
        for each_file in said.values():
            (each_file.get("flags") or {}).pop(flag, None)
        if files:
            rest = {key: value for key, value in each.items() if key not in ("metadata", "data")}
            found[each["metadata"]["name"]] = {**data, **said, "": rest}
    return found


def admitted(before: System, now: System, cause: Cause) -> str:
    """The API server lets in new pods of the component; of those that it was about, `detail` names a field, as before.

    The field is a path in a container of the pod, or in its spec.
    """
    name, path = cause.component or now.components[0], cause.detail.split(".") if cause.detail else []
    usual, _ = before.admit(name)
    pod, why = now.admit(name)
    if pod is None or not path:
        return f"a new pod of {name} is refused: {why}" if pod is None else ""
    was, is_ = (_at(each or {}, path) for each in (usual, pod))
    return "" if was == is_ else f"a new pod of {name} gets another {cause.detail}"


def _at(pod: Object, path: Sequence[str]) -> object:
    found: object = pod["spec"]
    for step in path:
        found = found[int(step)] if isinstance(found, list) else found.get(step) if isinstance(found, dict) else None
    return found


def _strangers(now: System, component: str) -> list[Object]:
    """Addresses to which the Service of a component leads without being its own pods'."""
    subsets = (now.object("endpoints", component) or {}).get("subsets") or ()
    mine = _uids(now, component)
    addresses = [address for subset in subsets for address in subset.get("addresses") or ()]
    return [each for each in addresses if (each.get("targetRef") or {}).get("uid") not in mine]


def _uids(system: System, component: str) -> frozenset[str]:
    return frozenset(pod["metadata"]["uid"] for pod in system.pods(component))
