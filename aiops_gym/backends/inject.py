"""Making a fault happen in a simulated world: each kind of change in the catalogue, and what it does there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import singledispatch
from typing import Any

from aiops_gym.backends import releases
from aiops_gym.backends.baseline import apply, deploy, request
from aiops_gym.backends.cluster import SimulatedCluster
from aiops_gym.catalog.checks import unhurried
from aiops_gym.catalog.model import (
    App,
    Change,
    Create,
    Effect,
    Exec,
    Fault,
    Patch,
    Redeploy,
    Restart,
    Rollout,
    Schedule,
    Script,
    Upgrade,
)
from aiops_gym.errors import BackendError
from aiops_gym.shell.sandbox import Sandbox
from aiops_gym.sim.kernel.objects import Obj, key_of, name_of, uid_of
from aiops_gym.sim.kernel.times import SECOND, iso
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.patch.jsonpatch import apply_json_patch
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.sim.kube_control.controllers import chaos
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.scripts import inside
from aiops_gym.sim.traffic import load, strain

MOST_SECONDS = 60.0
"""Of the cluster's time, for a script."""

SERVER_FIELDS = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink")
"""Metadata that the server writes and a client leaves out when it creates an object anew."""


def grow_state(world: World, name: str, params: Mapping[str, Any]) -> None:
    """Give the programs in the pods of a workload what they would have come to keep by now."""
    for pod in world.store.labelled("pods", params["namespace"], {"app.kubernetes.io/name": name}):
        for each in pod["spec"]["containers"]:
            if (key := f"{uid_of(pod)}/{each['name']}") in world.table("processes"):
                Container(world, key).remember(**params["state"], **_date(world, params))
    world.touch()


def _date(world: World, params: Mapping[str, Any]) -> Mapping[str, int]:
    """What of the state is a time, ms: since when it is so, and until when something was valid that no longer is."""
    ended = {"until": world.now - round(params["ended"] * SECOND)} if "ended" in params else {}
    return {"since": world.now, **ended}


OF_PROGRAMS: Mapping[str, Callable[[World, str, Mapping[str, Any]], None]] = {
    "state": lambda world, _, params: grow_state(world, params["name"], params),
    "warmth": strain.declare,
    "burst": lambda world, _, params: load.burst(world, params["factor"], params["seconds"]),
    "tide": lambda world, _, params: load.swell(world, params["swing"], params["peak"]),
}
"""Effects on what users and programs ask of each other or keep, and on no pod."""


def inject(world: World, app: App, fault: Fault) -> None:
    """Apply a fault's changes in order. Raises BackendError."""
    for change in fault.changes:
        apply_change(change, world, app)
        world.run(3 * SECOND)


def find_concerned(app: App, fault: Fault) -> frozenset[str]:
    """The components that a fault and its repairs are about; all of them where the fault names none."""
    named = _named(fault)
    wide = "" in named or any(isinstance(c, Patch) and is_elsewhere(c) for c in fault.changes)
    return frozenset(app.components) if wide or not named else named


def find_spared(app: App, fault: Fault) -> frozenset[str]:
    """The components that have to be left alone while a fault unfolds: those that it is about.

    All of them where a load feeds itself: it ends when anybody whom it goes through is made anew.
    """
    feeds_itself = fault.cause is not None and fault.cause.check is unhurried
    return frozenset(app.components) if feeds_itself else find_concerned(app, fault)


def find_rewritten(app: App, fault: Fault) -> frozenset[str]:
    """The components whose deployments a fault or its repairs may write; all where one applies all manifests anew."""
    named = _named(fault)
    anew = not named or any("helm " in fix for fix in fault.fixes)
    return frozenset(app.components) if anew else named


def _named(fault: Fault) -> frozenset[str]:
    patched = {c.component or c.name for c in fault.changes if isinstance(c, Patch) and c.name and not is_elsewhere(c)}
    others = {c.component for c in fault.changes if isinstance(c, Exec | Effect | Create | Upgrade | Script)}
    others |= {c.effect.component for c in fault.changes if isinstance(c, Schedule)}
    restarted = {name for c in fault.changes if isinstance(c, Restart | Rollout) for name in c.components if name}
    return frozenset(patched | others | restarted)


def find_place(change: Patch, app: App) -> str:
    """The namespace of what a patch is about, "" for what lies in none."""
    return (change.namespace or app.namespace) if RESOURCES[change.resource].namespaced else ""


def is_elsewhere(change: Patch) -> bool:
    """Whether a patch is about something beside the app: of the cluster, or in another namespace."""
    return bool(change.namespace) or not RESOURCES[change.resource].namespaced


@singledispatch
def apply_change(change: Change, world: World, app: App) -> None:
    """Apply one change."""
    raise BackendError(f"the simulated world cannot express {type(change).__name__}")


@apply_change.register
def _patch(change: Patch, world: World, app: App) -> None:
    if not change.name:
        return
    if change.recreate:
        _recreate(change, world, app)
        return
    content_type = "application/json-patch+json"
    namespace = find_place(change, app)
    body = fit_operations(change, world.store.get(change.resource, namespace, change.name))
    _done(
        request(world, "patch", change.resource, namespace, change.name, body=body, content_type=content_type),
        f"patch of {change.resource} {change.name}",
    )


def _recreate(change: Patch, world: World, app: App) -> None:
    """Delete the object and create the patched one: no older revision is left to go back to."""
    old = world.store.get(change.resource, app.namespace, change.name)
    if old is None:
        raise BackendError(f"no {change.resource} {change.name} to recreate")
    _done(request(world, "delete", change.resource, app.namespace, change.name), f"deletion of {change.name}")
    world.run(2 * SECOND)
    found = strip(old)
    body = apply_json_patch(found, fit_operations(change, found))
    _done(request(world, "create", change.resource, app.namespace, body=body), f"creation of {change.name}")


def strip(old: Mapping[str, Any]) -> dict[str, Any]:
    """An object as somebody writes it who has read it, without what the server and controllers noted on it."""
    meta = {key: value for key, value in old["metadata"].items() if key not in SERVER_FIELDS}
    meta["annotations"] = {k: v for k, v in meta.get("annotations", {}).items() if not k.startswith("deployment.")}
    bare = {key: value for key, value in old.items() if key not in {"metadata", "status"}}
    return {**bare, "metadata": {k: v for k, v in meta.items() if v}}


def replace_around_pods(world: World, app: App, name: str) -> None:
    """Replace a deployment and its ReplicaSet, `--cascade=orphan`: the new ones adopt the pods. Raises BackendError."""
    old = world.store.get("deployments.apps", app.namespace, name)
    if old is None:
        raise BackendError(f"no deployment {name} to replace")
    live = [each for each in world.store.owned("replicasets.apps", uid_of(old)) if each["spec"].get("replicas")]
    options = {"propagationPolicy": "Orphan"}
    for resource, each in (("deployments.apps", old), *(("replicasets.apps", each) for each in live)):
        answer = request(world, "delete", resource, app.namespace, name_of(each), body=options)
        _done(answer, f"deletion of {name_of(each)}")
    _done(request(world, "create", "deployments.apps", app.namespace, body=strip(old)), f"creation of {name}")


def fit_operations(change: Patch, old: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """The operations of a patch; one that adds to a list makes the list where there is none."""
    found = []
    for op in change.ops:
        path, dash, _ = str(op["path"]).partition("/-")
        missing = dash and op["op"] == "add" and not _lies_in(old or {}, path)
        found.append({**op, "path": path, "value": [op["value"]]} if missing else dict(op))
    return found


def _lies_in(value: Any, path: str) -> bool:
    """Whether something lies at a path in an object."""
    for step in path.split("/")[1:]:
        value = value[int(step)] if isinstance(value, list | tuple) else value.get(step)
        if value is None:
            return False
    return True


@apply_change.register
def _create(change: Create, world: World, app: App) -> None:
    meta = {**change.manifest["metadata"], "namespace": app.namespace}
    apply(world, {**change.manifest, "metadata": meta})


@apply_change.register
def _exec(change: Exec, world: World, app: App) -> None:
    pod = _pods(world, app, change.component)[0]
    container = pod["spec"]["containers"][0]["name"]
    output = inside.execute(world, key_of(pod), container, list(change.command))
    if output.code:
        raise BackendError(f"{change.command[0]} in {change.component} failed: {output.stdout}{output.stderr}")


@apply_change.register
def _restart(change: Restart, world: World, app: App) -> None:
    for component in filter(None, change.components):
        for pod in _pods(world, app, component):
            name = pod["metadata"]["name"]
            _done(request(world, "delete", "pods", app.namespace, name), f"deletion of pod {name}")


@apply_change.register
def _rollout(change: Rollout, world: World, app: App) -> None:
    for component in filter(None, change.components):
        roll_out(world, app.namespace, component)


@apply_change.register
def _upgrade(change: Upgrade, world: World, app: App) -> None:
    releases.upgrade_release(world, app, change.release, change.settings)


@apply_change.register
def _effect(change: Effect, world: World, app: App) -> None:
    if change.kind in OF_PROGRAMS:
        OF_PROGRAMS[change.kind](world, change.component, change.params)
        return
    labels = app.select(change.component)
    effect = {"kind": change.kind, "namespace": app.namespace, "labels": labels, "params": dict(change.params)}
    chaos.add(world, f"{change.kind} {change.component}", effect)
    if "seconds" in change.params:
        world.schedule(round(change.params["seconds"] * SECOND), "chaos.end", f"{change.kind} {change.component}")


@apply_change.register
def _script(change: Script, world: World, app: App) -> None:
    done = Sandbox(SimulatedCluster(world), world.seed, releases.list_commands(app)).run(change.script, MOST_SECONDS)
    if done.code:
        raise BackendError(f"{change.script} failed: {done.output}")


@apply_change.register
def _schedule(change: Schedule, world: World, app: App) -> None:
    labels, each = app.select(change.effect.component), change.effect
    effect = {"kind": each.kind, "namespace": app.namespace, "labels": labels, "params": dict(each.params)}
    times = (round(change.every * SECOND), round(change.lasts * SECOND))
    chaos.add_recurring(world, f"{each.kind} {each.component}", effect, *times)


@apply_change.register
def _redeploy(change: Redeploy, world: World, app: App) -> None:
    _done(request(world, "delete", "namespaces", "", app.namespace), f"deletion of namespace {app.namespace}")
    for _ in range(150):
        world.run(2 * SECOND)
        if world.store.get("namespaces", "", app.namespace) is None:
            break
    else:
        raise BackendError(f"namespace {app.namespace} is still there after 300 s")
    world.run(15 * SECOND)
    deploy(world, app)
    world.run(30 * SECOND)


def roll_out(world: World, namespace: str, name: str) -> None:
    """Have a deployment's pods replaced, as `kubectl rollout restart` does. Raises BackendError."""
    annotation = {"kubectl.kubernetes.io/restartedAt": iso(world.now)}
    body = {"spec": {"template": {"metadata": {"annotations": annotation}}}}
    kind = "application/strategic-merge-patch+json"
    answer = request(world, "patch", "deployments.apps", namespace, name, body=body, content_type=kind)
    _done(answer, f"restart of {name}")


def _pods(world: World, app: App, component: str) -> list[Obj]:
    pods = world.store.labelled("pods", app.namespace, app.select(component))
    found = [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]
    if not found:
        raise BackendError(f"no pod of {component} in {app.namespace}")
    return found


def _done(response: Any, what: str) -> None:
    if response.code >= 400:
        raise BackendError(f"{what} failed: {response.body['message']}")
