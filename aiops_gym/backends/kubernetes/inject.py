"""A fault of the catalogue made to happen in a real cluster: each kind of change, and how it is said there."""

from __future__ import annotations

import json
from functools import singledispatch
from typing import Any

from aiops_gym.backends.inject import find_place, fit_operations, is_elsewhere, strip
from aiops_gym.backends.kubernetes import chaos, deploy
from aiops_gym.backends.kubernetes.api import JSON_PATCH, MERGE, Api, check
from aiops_gym.backends.kubernetes.cluster import RealCluster
from aiops_gym.backends.releases import upgrade_on
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
from aiops_gym.sim.kernel.times import iso
from aiops_gym.sim.kube_api.patch.jsonpatch import apply_json_patch
from aiops_gym.types import Json, Output, Request

BETWEEN = 3.0
"""Seconds between two changes, as in a simulated world."""

MOST_SECONDS = 60.0
"""For a script."""


def check_expressible(fault: Fault) -> None:
    """Refuse a fault that would befall neighbours, or that is no matter of a cluster. Raises BackendError."""
    for change in fault.changes:
        if isinstance(change, Patch) and change.name and is_elsewhere(change):
            raise BackendError(
                f"{fault.id} writes {change.resource} {change.name}, which all of the cluster depends on: "
                "a real cluster is spared that"
            )
        if isinstance(change, Script) and any("/" in name for _, name in change.writes):
            raise BackendError(f"{fault.id} writes objects of other namespaces: a real cluster is spared that")
        if isinstance(change, Effect) and change.kind in ("warmth", "burst", "tide", "state"):
            raise BackendError(f"a real cluster cannot express the effect {change.kind!r} of {fault.id}")


def check_equipment(api: Api, fault: Fault) -> None:
    """Refuse a fault for which the cluster lacks something. Raises BackendError."""
    for change in fault.changes:
        if isinstance(change, Effect | Schedule) and not chaos.has_chaos_mesh(api):
            each = change.effect if isinstance(change, Schedule) else change
            raise BackendError(chaos.MISSING.format(f"{each.kind} of {each.component}"))


def inject(api: Api, app: App, fault: Fault) -> None:
    """Apply a fault's changes in order. Raises BackendError."""
    check_expressible(fault)
    for change in fault.changes:
        apply_change(change, api, app)
        api.clock.wait(BETWEEN)


@singledispatch
def apply_change(change: Change, api: Api, app: App) -> None:
    """Apply one change. Raises BackendError."""
    raise BackendError(f"a real cluster cannot express {type(change).__name__}")


@apply_change.register
def _patch(change: Patch, api: Api, app: App) -> None:
    if not change.name:
        return
    namespace = find_place(change, app)
    old = api.get(change.resource, namespace, change.name)
    if old is None:
        raise BackendError(f"no {change.resource} {change.name} to patch")
    if not change.recreate:
        body: Json = fit_operations(change, old)
        request = Request("patch", change.resource, namespace, change.name, body=body, content_type=JSON_PATCH)
        check(api.insist(request), f"patch of {change.resource} {change.name}")
        return
    found = strip(old)
    new = apply_json_patch(found, fit_operations(change, found))
    api.delete(change.resource, namespace, change.name)
    api.clock.wait(2.0)
    body = json.loads(json.dumps(new))
    check(api.insist(Request("create", change.resource, namespace, body=body)), f"creation of {change.name}")


@apply_change.register
def _create(change: Create, api: Api, app: App) -> None:
    api.apply({**change.manifest, "metadata": {**change.manifest["metadata"], "namespace": app.namespace}})


@apply_change.register
def _exec(change: Exec, api: Api, app: App) -> None:
    done = run_in(api, list_pods(api, app, change.component)[0], change.command)
    if done.code:
        raise BackendError(f"{change.command[0]} in {change.component} failed: {done.stdout}{done.stderr}")


@apply_change.register
def _restart(change: Restart, api: Api, app: App) -> None:
    for component in filter(None, change.components):
        for pod in list_pods(api, app, component):
            api.delete("pods", app.namespace, pod["metadata"]["name"])


@apply_change.register
def _rollout(change: Rollout, api: Api, app: App) -> None:
    for component in filter(None, change.components):
        roll_out(api, app, component)


@apply_change.register
def _upgrade(change: Upgrade, api: Api, app: App) -> None:
    upgrade_on(RealCluster(api), app, change.release, change.settings)


@apply_change.register
def _script(change: Script, api: Api, app: App) -> None:
    done = Sandbox(RealCluster(api), 0).run(change.script, MOST_SECONDS)
    if done.code:
        raise BackendError(f"{change.script} failed: {done.output}")


@apply_change.register
def _effect(change: Effect, api: Api, app: App) -> None:
    pods = list_pods(api, app, change.component)
    containers = tuple(each["name"] for each in pods[0]["spec"]["containers"])
    chaos.begin(api, chaos.make_object(app, change, containers), f"{change.kind} of {change.component}")


@apply_change.register
def _schedule(change: Schedule, api: Api, app: App) -> None:
    each = change.effect
    chaos.begin(api, chaos.make_schedule(app, change), f"{each.kind} of {each.component}")


@apply_change.register
def _redeploy(change: Redeploy, api: Api, app: App) -> None:
    deploy.redeploy(api, app, 30.0)


def roll_out(api: Api, app: App, name: str, replicas: int | None = None) -> None:
    """Have a deployment's pods replaced, with another number of them if one is given. Raises BackendError."""
    note = {"kubectl.kubernetes.io/restartedAt": iso(round(api.clock.now() * 1000))}
    spec: dict[str, Any] = {"template": {"metadata": {"annotations": note}}}
    if replicas is not None:
        spec["replicas"] = replicas
    request = Request("patch", "deployments.apps", app.namespace, name, body={"spec": spec}, content_type=MERGE)
    check(api.insist(request), f"rollout of {name}")


def list_pods(api: Api, app: App, component: str) -> list[Json]:
    """Pods that bear a component's label and are not on their way out. Raises BackendError where there is none."""
    pods = api.list("pods", app.namespace, f"{app.selector}={app.labels.get(component, component)}")
    found = [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]
    if not found:
        raise BackendError(f"no pod of {component} in {app.namespace}")
    return found


def run_in(api: Api, pod: Json, command: tuple[str, ...] | list[str]) -> Output:
    """Run a command in a pod's first container. Raises BackendError where there is no way in."""
    meta, query = pod["metadata"], {"container": pod["spec"]["containers"][0]["name"]}
    request = Request(
        "create", "pods", meta["namespace"], meta["name"], "exec", {"command": list(command)}, query=query
    )
    answer = api.send(request)
    if not isinstance(answer.body, Output):
        raise BackendError(f"no command can be run in {meta['name']}: {answer.body.get('message', answer.code)}")
    return answer.body
