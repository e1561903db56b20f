"""Whether a cause is gone: checks named by the catalogue's `Fault.cause`, each open to every equivalent repair."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from aiops_gym.backends.shape import owned, shape, strangers
from aiops_gym.catalog.model import App, Fault
from aiops_gym.sim.objects import get, key_of
from aiops_gym.sim.world import World

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
    """The component runs the program that it ran before."""
    name = cause["component"]
    return "" if shape(before, app, name) == shape(world, app, name) else f"{name} runs another program"


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
    assert world.laws.exec is not None
    for pod in pods:
        container = pod["spec"]["containers"][0]["name"]
        output = world.laws.exec(world.fork(), key_of(pod), container, argv, "")
        if output.code or "granted" not in output.stdout:
            return f"no access to {database} for its service"
    return ""


CHECKS: Mapping[str, Check] = {"template": _template, "volumes": _volumes, "database_access": _database_access}
