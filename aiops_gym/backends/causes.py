"""Whether a cause is gone: checks named by the catalogue's `Fault.cause`, each open to every equivalent repair."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from aiops_gym.backends.shape import owned, shape, strangers
from aiops_gym.catalog.model import App, Fault
from aiops_gym.sim.kernel.objects import Obj, get, key_of, uid_of
from aiops_gym.sim.kernel.quantity import whole
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control.kubelet import probes
from aiops_gym.sim.kube_control.scheduling.filters import tolerates
from aiops_gym.sim.network import routes
from aiops_gym.sim.network.firewall import Firewall
from aiops_gym.sim.software import programs
from aiops_gym.sim.telemetry import usage
from aiops_gym.sim.traffic import configuration, quotas

Check = Callable[[World, World, App, Mapping[str, Any]], str]
"""(world before, world now, app, the cause's data) -> "" or what is still wrong."""


def gone(before: World, world: World, app: App, fault: Fault | None, reasons: list[str]) -> bool:
    """Whether a fault's cause is gone; what is left of it is added to `reasons`."""
    if fault is None or fault.cause is None:
        return True
    wrong = CHECKS[fault.cause["check"]](before, world, app, fault.cause)
    if wrong:
        reasons.append(wrong)
    return not wrong


def _template(before: World, world: World, app: App, cause: Mapping[str, Any]) -> str:
    """The component runs the program that it ran before, and whatever probes it has would find it well now."""
    name = cause["component"]
    return (
        _unwell(world, app, name)
        if shape(before, app, name) == shape(world, app, name)
        else f"{name} runs another program"
    )


def _unwell(world: World, app: App, name: str) -> str:
    """A probe of the component that fails, however seldom or late the kubelet may ask it."""
    for pod in owned(world, app, name):
        for container in pod["spec"]["containers"]:
            for field in probes.KINDS.values():
                asked = container.get(field)
                if asked and probes.run(world.fork(), uid_of(pod), pod, container, asked).failure is not None:
                    return f"the {field} of {name} fails"
    return ""


def _volumes(before: World, world: World, app: App, cause: Mapping[str, Any]) -> str:
    """All claims are bound."""
    claims = world.store.all("persistentvolumeclaims", app.namespace)
    loose = [c["metadata"]["name"] for c in claims if get(c, "status", "phase") != "Bound"]
    return f"claims without a volume: {', '.join(loose)}" if loose else ""


def _database_access(before: World, world: World, app: App, cause: Mapping[str, Any]) -> str:
    """The service's user can log in to its own database, read it and write to it."""
    name = cause["component"]
    pods, others = owned(world, app, name), strangers(world, app, name)
    if not pods or others:
        return f"{name} is not what its Service leads to"
    database = app.parameters[name]["database"]
    script = (
        f"var d = db.getSiblingDB('{database}'); d.access_check.insertOne({{}}); d.access_check.findOne(); "
        "d.access_check.drop(); print('granted')"
    )
    argv = ["mongo", "admin", "-u", "admin", "-p", "admin", "--quiet", "--eval", script]
    assert world.dynamics.exec is not None
    for pod in pods:
        container = pod["spec"]["containers"][0]["name"]
        output = world.dynamics.exec(world.fork(), key_of(pod), container, argv, "")
        if output.code or "granted" not in output.stdout:
            return f"no access to {database} for its service"
    return ""


def _reached(before: World, world: World, app: App, cause: Mapping[str, Any]) -> str:
    """The component's Service leads to its own pods, and to them alone, on each port on which it did."""
    name = cause["component"]
    old = before.store.get("services", app.namespace, name)
    mine = {uid_of(pod) for pod in owned(world, app, name)}
    for port in get(old or Obj(), "spec", "ports", default=()):
        host = f"{name}.{app.namespace}"
        if routes.dial(before, None, app.namespace, host, port["port"]).outcome != "ok":
            continue
        route = routes.dial(world, None, app.namespace, host, port["port"])
        if route.outcome != "ok" or route.dead or {target.process.partition("/")[0] for target in route.targets} - mine:
            return f"the Service {name} does not lead to {name} on port {port['port']}"
    return ""


def _admitted(before: World, world: World, app: App, cause: Mapping[str, Any]) -> str:
    """Each of the app's pods may connect to the component, on each port on which it listens."""
    wall, processes = Firewall(world), world.table("processes").values()
    pods = [pod for component in app.components for pod in owned(world, app, component)]
    sources = [ip for pod in pods if (ip := get(pod, "status", "podIP"))]
    mine = {uid_of(pod) for pod in owned(world, app, cause["component"])}
    ends = [(row["ip"], port) for row in processes if row["running"] and row["uid"] in mine for port in row["ports"]]
    closed = any(not wall.passes(source, *end) for source in sources for end in ends)
    return f"packets to {cause['component']} are not let through" if closed else ""


def _named(before: World, world: World, app: App, cause: Mapping[str, Any]) -> str:
    """In the component's pods the name of a Service stands for what it stands for elsewhere."""
    name, host = cause["component"], cause["host"]
    usual = routes.resolve(world, None, app.namespace, host)
    keys = [key for pod in owned(world, app, name) for key in _processes(world, pod)]
    wrong = not keys or any(routes.resolve(world, key, app.namespace, host) != usual for key in keys)
    return f"{name} does not find {host} by its name" if wrong else ""


def _connected(before: World, world: World, app: App, cause: Mapping[str, Any]) -> str:
    """The component's program has connections to another one, at the address that its configuration says."""
    name, callee = cause["component"], cause["callee"]
    mine = {uid_of(pod) for pod in owned(world, app, callee)}
    for key in [key for pod in owned(world, app, name) for key in _processes(world, pod)]:
        row, call = world.table("processes")[key], {"to": callee}
        route = routes.dial(world, key, app.namespace, *configuration.endpoint(row, call))
        there = {target.process.partition("/")[0] for target in route.targets}
        if not there or there - mine or configuration.starved(row, call):
            return f"{name} has no connection to {callee}"
    return ""


def _schedulable(before: World, world: World, app: App, cause: Mapping[str, Any]) -> str:
    """Every component is tolerated by a node that took its pods before: not by one that is there for other work."""
    nodes = [node for node in world.store.all("nodes") if not get(node, "spec", "unschedulable", default=False)]
    usual = {node["metadata"]["name"]: node for node in before.store.all("nodes")}
    homeless = [
        name
        for name in app.components
        if not any(
            _tolerated(world, app, name, node) and _tolerated(before, app, name, usual[node["metadata"]["name"]])
            for node in nodes
            if node["metadata"]["name"] in usual
        )
    ]
    return f"no node takes pods of {', '.join(homeless)}" if homeless else ""


def _tolerated(world: World, app: App, name: str, node: Obj) -> bool:
    """Whether new pods of a component may go to a node."""
    deployment = world.store.get("deployments.apps", app.namespace, name) or Obj()
    pod = get(deployment, "spec", "template", default={"spec": {}})
    hard = [t for t in get(node, "spec", "taints", default=()) if t["effect"] != "PreferNoSchedule"]
    return all(tolerates(pod, taint) for taint in hard)


def _quota(before: World, world: World, app: App, cause: Mapping[str, Any]) -> str:
    """The namespace may hold as many pods as the app has."""
    pods = len([pod for name in app.components for pod in owned(world, app, name)])
    for quota in world.store.all("resourcequotas", app.namespace):
        if (hard := get(quota, "spec", "hard", "pods")) is not None and whole(str(hard)) < pods:
            return f"quota {quota['metadata']['name']} allows {hard} of {pods} pods"
    return ""


def _headroom(before: World, world: World, app: App, cause: Mapping[str, Any]) -> str:
    """The component's limits leave it what it needs: none, or as much as before, or half as much again as it uses."""
    name = cause["component"]
    old = {key: quotas.of(before, key) for pod in owned(before, app, name) for key in _processes(before, pod)}
    usual = next(iter(old.values()), quotas.Quota(None, 0.0, 0.0))
    for pod in owned(world, app, name):
        for key in _processes(world, pod):
            process, limit = world.table("processes")[key], quotas.of(world, key)
            used = programs.find(process["program"]).usage(process, *_demand(before, app, name))
            if limit.memory and limit.memory < min(usual.memory or 1e18, 1.3 * used["memory"]):
                return f"{name} may use too little memory"
            if limit.cpu is not None and limit.cpu < min(usual.cpu or 1e18, max(MIN_CORES, 4.0 * used["cpu"])):
                return f"{name} may use too little of a processor"
    return ""


MIN_CORES = 0.1
"""With less, even one request waits so long for its share that its user notices."""


def _processes(world: World, pod: Obj) -> list[str]:
    keys = [f"{uid_of(pod)}/{container['name']}" for container in pod["spec"]["containers"]]
    return [key for key in keys if key in world.table("processes")]


def _demand(world: World, app: App, name: str) -> tuple[float, float]:
    """Requests per second, and cores for them, of the component in the minute before the incident."""
    keys = [key for pod in owned(world, app, name) for key in _processes(world, pod)]
    return usage.demand(world, keys[0], world.now - MINUTE, world.now) if keys else (0.0, 0.0)


def _opened(before: World, world: World, app: App, cause: Mapping[str, Any]) -> str:
    """The component's store answers clients that name no user, as its own do not."""
    name = cause["component"]
    keys = [key for pod in owned(world, app, name) for key in _processes(world, pod)]
    rows = [world.table("processes")[key] for key in keys]
    closed = not rows or any(configuration.configured(row).get("auth") or row["state"].get("auth") for row in rows)
    return f"{name} asks for a password" if closed else ""


def _unencrypted(before: World, world: World, app: App, cause: Mapping[str, Any]) -> str:
    """The component's database answers clients that do not encrypt, as its service's does not."""
    name = cause["component"]
    pods, others = owned(world, app, name), strangers(world, app, name)
    if not pods or others:
        return f"{name} is not what its Service leads to"
    argv = ["mongo", "--quiet", "--eval", "print('answered ' + db.adminCommand({ping: 1}).ok)"]
    assert world.dynamics.exec is not None
    for pod in pods:
        output = world.dynamics.exec(world.fork(), key_of(pod), pod["spec"]["containers"][0]["name"], argv, "")
        if output.code or "answered 1" not in output.stdout:
            return f"{name} does not answer its service"
    return ""


def _replicas(before: World, world: World, app: App, cause: Mapping[str, Any]) -> str:
    """The component has as many pods as it had."""
    name = cause["component"]
    return "" if len(owned(world, app, name)) >= len(owned(before, app, name)) else f"{name} has too few pods"


def _placed(before: World, world: World, app: App, cause: Mapping[str, Any]) -> str:
    """A node of the cluster, as it was before, has the labels that the component asks for."""
    name = cause["component"]
    deployment = world.store.get("deployments.apps", app.namespace, name) or Obj()
    wanted = get(deployment, "spec", "template", "spec", "nodeSelector", default={})
    nodes = [get(node, "metadata", "labels", default={}) for node in before.store.all("nodes")]
    fitting = any(all(labels.get(key) == value for key, value in wanted.items()) for labels in nodes)
    return "" if fitting else f"no node is what {name} asks for"


CHECKS: Mapping[str, Check] = {
    "unencrypted": _unencrypted,
    "replicas": _replicas,
    "placed": _placed,
    "template": _template,
    "volumes": _volumes,
    "database_access": _database_access,
    "reached": _reached,
    "admitted": _admitted,
    "named": _named,
    "connected": _connected,
    "opened": _opened,
    "schedulable": _schedulable,
    "quota": _quota,
    "headroom": _headroom,
}
