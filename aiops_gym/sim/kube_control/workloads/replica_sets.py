"""A Deployment's ReplicaSets: which is the new one, what revision each is, which old ones are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import orjson

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.digits import integer
from aiops_gym.sim.kernel.draws import SAFE_ALPHABET
from aiops_gym.sim.kernel.labels import matches
from aiops_gym.sim.kernel.objects import (
    Obj,
    assoc,
    controller_of,
    dissoc,
    get,
    labels_of,
    name_of,
    namespace_of,
    uid_of,
)
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.writes import annotate, make_owner_reference, put_spec

RESOURCE = "replicasets.apps"
HASH = "pod-template-hash"
PREFIX = "deployment.kubernetes.io/"
REVISION = PREFIX + "revision"
HISTORY = PREFIX + "revision-history"
DESIRED = PREFIX + "desired-replicas"
MAXIMUM = PREFIX + "max-replicas"
NOT_COPIED = (
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    HISTORY,
    DESIRED,
    MAXIMUM,
    "deprecated.deployment.rollback.to",
)


def list_replica_sets(world: World, deployment: Obj) -> list[Obj]:
    """The sets it controls, oldest first; orphans that its selector selects are adopted, other sets released."""
    uid, selector = uid_of(deployment), deployment["spec"].get("selector")
    owned = [rs for rs in world.store.owned(RESOURCE, uid) if (controller_of(rs) or {}).get("uid") == uid]
    mine: list[Obj] = []
    others: list[Obj] = []
    for rs in owned:
        (mine if selector is None or matches(selector, labels_of(rs)) else others).append(rs)
    if not pods_of.is_terminating(deployment):
        for rs in others:
            pods_of.release(world, RESOURCE, rs, uid)
        mine += [
            pods_of.adopt(world, RESOURCE, rs, deployment) for rs in pods_of.find_orphans(world, RESOURCE, deployment)
        ]
    return sorted(mine, key=_age)


def _age(rs: Obj) -> tuple[str, str]:
    return rs["metadata"]["creationTimestamp"], name_of(rs)


def find_newest(deployment: Obj, sets: Iterable[Obj]) -> Obj | None:
    """The (oldest) set with the Deployment's own template."""
    template, spec = _plain(deployment["spec"]["template"]), deployment["spec"]["template"].get("spec")
    alike = (rs for rs in sets if rs["spec"]["template"].get("spec") == spec)  # the rest is seldom looked at
    return next((rs for rs in alike if _plain(rs["spec"]["template"]) == template), None)


def _plain(template: Mapping[str, Any]) -> Mapping[str, Any]:
    """A template without its hash label, in one form for empty and missing metadata."""
    meta = {k: v for k, v in (template.get("metadata") or {}).items() if v}
    if "labels" in meta:
        meta["labels"] = {k: v for k, v in meta["labels"].items() if k != HASH}
    return {**template, "metadata": meta}


def compute_hash(template: Mapping[str, Any], collisions: int = 0) -> str:
    """The hash in ReplicaSet names: a 32-bit number whose decimal digits become safe letters.

    >>> compute_hash({"spec": {"containers": []}}) == compute_hash({"spec": {"containers": []}})
    True
    """
    text = orjson.dumps([template, collisions], option=orjson.OPT_SORT_KEYS)
    number = int.from_bytes(blake2b(text, digest_size=4).digest(), "big")
    return "".join(SAFE_ALPHABET[ord(digit) % len(SAFE_ALPHABET)] for digit in str(number))


def read_revision(obj: Mapping[str, Any]) -> int:
    """The revision in an object's annotations, 0 where there is none."""
    return integer(get(obj, "metadata", "annotations", REVISION)) or 0


def read_desired(rs: Mapping[str, Any]) -> int | None:
    """How many replicas the Deployment wanted when it last scaled this set."""
    return integer(get(rs, "metadata", "annotations", DESIRED))


def annotated(deployment: Obj, rs: Mapping[str, Any], newer: int) -> Any:
    """The set with the Deployment's annotations and at least the revision `newer`."""
    wanted = get(deployment, "metadata", "annotations", default={})
    copied = {k: v for k, v in wanted.items() if k not in NOT_COPIED}
    before = read_revision(rs)
    if before < newer:
        copied[REVISION] = str(newer)
        if before:
            history = get(rs, "metadata", "annotations", HISTORY, default="")
            copied[HISTORY] = f"{history},{before}" if history else str(before)
    return annotate(rs, copied)


def _digest(deployment: Obj) -> str:
    template = _plain(deployment["spec"]["template"])
    return compute_hash(template, int(get(deployment, "status", "collisionCount", default=0)))


def make_name(deployment: Obj) -> str:
    """What the set of the Deployment's present template is called."""
    return f"{name_of(deployment)}-{_digest(deployment)}"


def create(world: World, deployment: Obj, old: Iterable[Obj], replicas: int, maximum: int) -> Obj:
    """Make the set of the Deployment's present template. Raises api.ApiError when the server refuses it."""
    spec, digest = deployment["spec"], _digest(deployment)
    labels = {**labels_of(spec["template"]), HASH: digest}
    selector = {**spec["selector"], "matchLabels": {**(spec["selector"].get("matchLabels") or {}), HASH: digest}}
    rs: dict[str, Any] = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": make_name(deployment),
            "namespace": namespace_of(deployment),
            "labels": labels,
            "ownerReferences": [make_owner_reference(deployment)],
        },
        "spec": {
            "replicas": replicas,
            "selector": selector,
            "template": assoc(spec["template"], ("metadata", "labels"), labels),
        },
    }
    if spec.get("minReadySeconds"):
        rs["spec"]["minReadySeconds"] = spec["minReadySeconds"]
    newer = max((read_revision(o) for o in old), default=0) + 1
    counts = {DESIRED: str(spec.get("replicas", 1)), MAXIMUM: str(maximum)}
    made = kube_api.create(world, RESOURCE, annotate(annotated(deployment, rs, newer), counts))
    set_revision(world, deployment, newer)
    return made


def refresh(world: World, deployment: Obj, new: Obj, old: Iterable[Obj]) -> Obj:
    """Bring an existing new set up to date: annotations, revision, minReadySeconds."""
    newer = max((read_revision(o) for o in old), default=0) + 1
    changed = annotated(deployment, new, newer)
    wait = deployment["spec"].get("minReadySeconds", 0)
    if wait != changed["spec"].get("minReadySeconds", 0):
        path = ("spec", "minReadySeconds")
        changed = assoc(changed, path, wait) if wait else dissoc(changed, path)
    new = put_spec(world, RESOURCE, new, changed)
    set_revision(world, deployment, read_revision(new))
    return new


def set_revision(world: World, deployment: Obj, number: int) -> None:
    """Write the revision onto the Deployment, if it is another one."""
    present = world.store.get("deployments.apps", namespace_of(deployment), name_of(deployment))
    if present is not None and read_revision(present) != number:
        world.store.put("deployments.apps", annotate(present, {REVISION: str(number)}))


def forget(world: World, deployment: Obj, old: Iterable[Obj]) -> None:
    """Delete empty old sets beyond `revisionHistoryLimit`, the lowest revisions first."""
    limit = int(get(deployment, "spec", "revisionHistoryLimit", default=10))
    alive = [rs for rs in old if not pods_of.is_terminating(rs)]
    surplus = len(alive) - limit
    for rs in sorted(alive, key=read_revision)[: max(0, surplus)]:
        settled = get(rs, "metadata", "generation", default=0) <= get(rs, "status", "observedGeneration", default=0)
        if settled and not get(rs, "status", "replicas", default=0) and not get(rs, "spec", "replicas", default=0):
            kube_api.delete(world, RESOURCE, namespace_of(rs), name_of(rs))
