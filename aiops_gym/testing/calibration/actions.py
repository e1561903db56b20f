"""What was done to a scenario's objects while it ran, done again.

An action is data: `at`, `verb`, which objects (`kind` with `name` or `selector`, `first`, `namespace`), and what the
verb needs. Verbs may be written like kubectl's (`rollout restart`, `set image`, `delete`) or with hyphens or
underscores; `stop-kubelet` and `start-kubelet` name a `node`. What the cluster refuses has no effect, as it had on the
recorded one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.objects import Obj, get, key_of, labels_of, name_of, namespace_of
from aiops_gym.sim.kernel.times import iso
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control.controllers import kubelet
from aiops_gym.sim.machine.scripts import inside
from aiops_gym.types import Json, Request, Response

STRATEGIC = "application/strategic-merge-patch+json"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
TYPES = {"strategic": STRATEGIC, "merge": MERGE, "json": JSON_PATCH}
CREATING = ("create", "apply")
STOPPING = {"stop", "stopped", "pause", "paused", "freeze", "kill", "lose", "silence", "suspend", "halt", "down"}
STARTING = {"start", "started", "resume", "unpause", "unfreeze", "restore", "recover", "continue", "restart", "up"}
MACHINES = {"kubelet", "node", "nodes", "machine", "host"}
TAINT = ("key", "value", "effect")
RESTARTED = "kubectl.kubernetes.io/restartedAt"
REVISION = "deployment.kubernetes.io/revision"


def create(world: World, namespace: str, body: Mapping[str, Json]) -> None:
    """Create an object, or each of a list; one that is there already gets the new fields."""
    if str(body["kind"]).endswith("List") or isinstance(body.get("items"), list):
        for item in body.get("items") or ():
            create(world, namespace, item)
        return
    resource = _resource(str(body["kind"]), str(body.get("apiVersion", "")))
    given = dict(body.get("metadata") or {})
    space = str(given.get("namespace") or namespace) if resource.namespaced else ""
    meta = {**given, **({"namespace": space} if space else {})}
    if world.store.get(resource.name, space, str(meta.get("name", ""))) is None:
        kube_api.handle(world, Request("create", resource.name, space, body={**body, "metadata": meta}))
    else:
        _patch(world, resource.name, space, str(meta["name"]), {**body, "metadata": meta}, STRATEGIC)


def do(world: World, namespace: str, action: Mapping[str, Json]) -> None:
    """Do one action. Raises ValueError where the verb or the kind is unknown, or something is missing."""
    said = " ".join(str(action.get(field) or "") for field in ("verb", "subcommand", "action", "what"))
    words = [word for word in re.split(r"[\W_]+", said.lower()) if word]
    if MACHINES & {*words, str(action.get("kind", "")).lower()} and {*words, *_state(action)} & (STOPPING | STARTING):
        _switch(world, action, stop=not {*words, *_state(action)} & STARTING)
        return
    known = {*VERBS, *CREATING}
    verb = next((v for v in (" ".join(words), " ".join(words[-2:]), *reversed(words)) if v in known), "")
    if not verb:
        raise ValueError(f"no such action: {action.get('verb')}")
    if verb in CREATING:
        bodies = action.get("objects") or [action.get("object") or action.get("body") or action["manifest"]]
        for body in bodies:
            create(world, str(action.get("namespace") or namespace), body)
        return
    resource = _resource(str(action.get("kind") or KINDS.get(verb, "")))
    space = str(action.get("namespace") or namespace) if resource.namespaced else ""
    for name in _names(world, resource.name, space, action):
        VERBS[verb](world, resource.name, space, name, action)


def _state(action: Mapping[str, Json]) -> Iterator[str]:
    yield from (str(action.get(field) or "").lower() for field in ("state", "to", "signal", "do"))


def _switch(world: World, action: Mapping[str, Json], stop: bool) -> None:
    """Stop or start the kubelets of nodes: those named, or the first."""
    named = action.get("node") or action.get("nodes") or action.get("name") or action.get("host")
    known = [name_of(node) for node in world.store.all("nodes")]
    for name in [named] if isinstance(named, str) else named or known[:1]:
        (kubelet.stop if stop else kubelet.start)(world, name if name in known else known[0])


def _patch(world: World, resource: str, space: str, name: str, body: Json, kind: str = MERGE) -> Response:
    return kube_api.handle(world, Request("patch", resource, space, name, body=body, content_type=kind))


def _scale(world: World, resource: str, space: str, name: str, action: Mapping[str, Json]) -> None:
    _patch(world, resource, space, name, {"spec": {"replicas": action["replicas"]}})


def _change(world: World, resource: str, space: str, name: str, action: Mapping[str, Json]) -> None:
    body = action.get("patch") or action.get("body") or {"spec": action["spec"]}
    kind = JSON_PATCH if isinstance(body, list) else str(action.get("type") or STRATEGIC)
    _patch(world, resource, space, name, body, TYPES.get(kind, kind))


def _delete(world: World, resource: str, space: str, name: str, action: Mapping[str, Json]) -> None:
    fields = ("grace", "gracePeriodSeconds", "grace_period", "grace_period_seconds")
    grace = next((action[f] for f in fields if action.get(f) is not None), 0 if action.get("force") else None)
    options: dict[str, Json] = {} if grace is None else {"gracePeriodSeconds": int(grace)}
    if policy := action.get("propagationPolicy") or action.get("cascade"):
        options["propagationPolicy"] = str(policy).capitalize()
    kube_api.handle(world, Request("delete", resource, space, name, body=options))


def _evict(world: World, resource: str, space: str, name: str, action: Mapping[str, Json]) -> None:
    body: Json = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": space}}
    kube_api.handle(world, Request("create", "pods", space, name, subresource="eviction", body=body))


def _cordon(world: World, resource: str, space: str, name: str, action: Mapping[str, Json]) -> None:
    _patch(world, "nodes", "", name, {"spec": {"unschedulable": True}})


def _uncordon(world: World, resource: str, space: str, name: str, action: Mapping[str, Json]) -> None:
    _patch(world, "nodes", "", name, {"spec": {"unschedulable": None}})


def _drain(world: World, resource: str, space: str, name: str, action: Mapping[str, Json]) -> None:
    _cordon(world, resource, space, name, action)
    for pod in list(world.store.on_node(name)):
        owners = {owner["kind"] for owner in get(pod, "metadata", "ownerReferences", default=())}
        if "DaemonSet" not in owners:
            _evict(world, "pods", namespace_of(pod), name_of(pod), action)


def _taint(world: World, resource: str, space: str, name: str, action: Mapping[str, Json]) -> None:
    """Taints as objects, as `key=value:Effect`, or as fields of the action; `key-` or verb `untaint` takes one off."""
    node = world.store.get("nodes", "", name)
    given = action.get("taints") or action.get("taint") or [action]
    taints = list(get(node or {}, "spec", "taints", default=()))
    for one in given if isinstance(given, list) else [given]:
        text = one if isinstance(one, str) else ""
        pair, _, effect = text.removesuffix("-").partition(":")
        key, _, value = pair.partition("=")
        fields = {"key": key, "value": value, "effect": effect} if text else {k: one.get(k) for k in TAINT}
        taints = [t for t in taints if t["key"] != fields["key"] or fields["effect"] not in (None, "", t["effect"])]
        if not text.endswith("-") and "untaint" not in str(action["verb"]) and not action.get("remove"):
            taints.append({k: v for k, v in fields.items() if v} | {"effect": fields["effect"] or "NoSchedule"})
    _patch(world, "nodes", "", name, {"spec": {"taints": taints or None}})


def _label(world: World, resource: str, space: str, name: str, action: Mapping[str, Json]) -> None:
    field = "annotations" if "annotat" in str(action["verb"]) else "labels"
    given = action.get(field) or action.get(field[:-1]) or {}
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, Mapping):
        pairs = [str(text).partition("=") for text in texts]
        texts = {key.removesuffix("-"): value if equals else None for key, equals, value in pairs}
    _patch(world, resource, space, name, {"metadata": {field: dict(texts)}})


def _restart(world: World, resource: str, space: str, name: str, action: Mapping[str, Json]) -> None:
    template = {"metadata": {"annotations": {RESTARTED: iso(world.now)}}}
    _patch(world, resource, space, name, {"spec": {"template": template}})


def _pause(world: World, resource: str, space: str, name: str, action: Mapping[str, Json]) -> None:
    field = "suspend" if resource in ("jobs.batch", "cronjobs.batch") else "paused"
    _patch(world, resource, space, name, {"spec": {field: True}})


def _resume(world: World, resource: str, space: str, name: str, action: Mapping[str, Json]) -> None:
    field = "suspend" if resource in ("jobs.batch", "cronjobs.batch") else "paused"
    _patch(world, resource, space, name, {"spec": {field: False}})


def _undo(world: World, resource: str, space: str, name: str, action: Mapping[str, Json]) -> None:
    """Give a Deployment the template of an earlier revision: the one asked for, or the last but one."""
    owner = world.store.get(resource, space, name)
    sets = [
        one
        for one in world.store.all("replicasets.apps", space)
        if owner is not None
        and owner["metadata"]["uid"] in [o["uid"] for o in get(one, "metadata", "ownerReferences", default=())]
    ]
    sets.sort(key=lambda one: int(get(one, "metadata", "annotations", REVISION, default="0")))
    wanted = str(action.get("toRevision") or action.get("to_revision") or action.get("revision") or "")
    found = [s for s in sets if get(s, "metadata", "annotations", REVISION) == wanted] if wanted else sets[-2:-1]
    for one in found:
        template = dict(one["spec"]["template"])
        labels = {k: v for k, v in labels_of(template).items() if k != "pod-template-hash"}
        template = {**template, "metadata": {**template["metadata"], "labels": labels}}
        _patch(
            world, resource, space, name, [{"op": "replace", "path": "/spec/template", "value": template}], JSON_PATCH
        )


def _image(world: World, resource: str, space: str, name: str, action: Mapping[str, Json]) -> None:
    old: Mapping[str, Json] = world.store.get(resource, space, name) or {}
    path = ("spec", "template", "spec") if "template" in old.get("spec", {}) else ("spec",)
    names = [c["name"] for c in get(old, *path, "containers", default=())]
    images = action.get("images") or {action.get("container") or (names or ["app"])[0]: action.get("image")}
    body: Json = {"containers": [{"name": c, "image": image} for c, image in images.items()]}
    for field in reversed(path):
        body = {field: body}
    _patch(world, resource, space, name, body, STRATEGIC)


def _exec(world: World, resource: str, space: str, name: str, action: Mapping[str, Json]) -> None:
    pod = world.store.get("pods", space, name)
    command = action.get("command") or action.get("argv") or ()
    argv = ["/bin/sh", "-c", command] if isinstance(command, str) else [str(word) for word in command]
    if pod is not None and argv:
        container = str(action.get("container") or pod["spec"]["containers"][0]["name"])
        inside.execute(world, key_of(pod), container, argv)


Verb = Callable[[World, str, str, str, Mapping[str, Json]], None]
VERBS: Mapping[str, Verb] = {
    **dict.fromkeys(("scale",), _scale),
    **dict.fromkeys(("patch", "edit", "update", "replace"), _change),
    **dict.fromkeys(("delete", "remove"), _delete),
    **dict.fromkeys(("evict",), _evict),
    **dict.fromkeys(("cordon",), _cordon),
    **dict.fromkeys(("uncordon",), _uncordon),
    **dict.fromkeys(("drain",), _drain),
    **dict.fromkeys(("taint", "untaint"), _taint),
    **dict.fromkeys(("label", "annotate"), _label),
    **dict.fromkeys(("restart",), _restart),
    **dict.fromkeys(("undo", "rollback"), _undo),
    **dict.fromkeys(("pause", "suspend"), _pause),
    **dict.fromkeys(("resume", "unsuspend"), _resume),
    **dict.fromkeys(("set image", "image"), _image),
    **dict.fromkeys(("exec", "run"), _exec),
}
KINDS = {"evict": "Pod", "exec": "Pod", "run": "Pod", "cordon": "Node", "uncordon": "Node", "drain": "Node"}
KINDS |= {"taint": "Node", "untaint": "Node", "set image": "Deployment", "image": "Deployment", "scale": "Deployment"}
KINDS |= {"restart": "Deployment", "undo": "Deployment", "rollback": "Deployment"}
"""What a verb is done to where an action names no kind."""


def _resource(kind: str, api_version: str = "") -> kube_api.Resource:
    found = kube_api.find_by_kind(api_version, kind) if api_version else kube_api.find(kind)
    if found is None:
        raise ValueError(f"no such kind: {kind}")
    return found


def _names(world: World, resource: str, namespace: str, action: Mapping[str, Json]) -> Sequence[str]:
    named = action.get("name") or action.get("names") or (resource == "nodes" and action.get("node"))
    if named:
        return [named] if isinstance(named, str) else list(named)
    wanted: Json = action.get("selector") or {}
    if isinstance(wanted, str):
        wanted = dict(part.split("=", 1) for part in wanted.replace("==", "=").split(",") if "=" in part)
    wanted = wanted.get("matchLabels", wanted)
    objects: list[Obj] = world.store.all(resource, namespace or None)
    names = [name_of(o) for o in objects if wanted.items() <= labels_of(o).items()]
    return names[:1] if action.get("first") else names
