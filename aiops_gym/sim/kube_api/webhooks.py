"""Admission webhooks: programs that the server asks before it stores an object (`admission/plugin/webhook` of 1.32).

Mutating ones answer with a JSON patch, validating ones yes or no. Each is called over the cluster's network, at the
Service that its configuration names; what becomes of a call that fails is its `failurePolicy`.
"""

from __future__ import annotations

import json
from base64 import b64decode
from binascii import Error as BadBase64
from collections.abc import Iterator, Mapping
from typing import Any

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.labels import matches
from aiops_gym.sim.kernel.objects import Obj, get, labels_of
from aiops_gym.sim.kernel.times import iso
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.kind import Draft
from aiops_gym.sim.kube_api.patch import PatchError, apply_json_patch
from aiops_gym.sim.kube_api.rbac import ADMINISTRATOR
from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.sim.kube_api.status import ApiError, bad_request, quote
from aiops_gym.sim.machine.executables.peer import ask
from aiops_gym.sim.network import routes

GROUP = "admissionregistration.k8s.io"
MUTATING, VALIDATING = (f"{kind}webhookconfigurations.{GROUP}" for kind in ("mutating", "validating"))
UNASKED = (MUTATING, VALIDATING)
"""Resources about which no webhook is asked: whoever wrote a wrong one must be able to take it back."""

HARMLESS = ("None", "NoneOnDryRun")
WORDS = {"refused": "connect: connection refused", "no_host": "no such host"}

EXPIRED = "tls: failed to verify certificate: x509: certificate has expired or is not yet valid"

Hook = Mapping[str, Any]


class CallError(Exception):
    """A webhook could not be asked, or what it answered is no answer."""


def mutate(world: World, resource: Resource, draft: Draft, old: Obj | None, *, dry_run: bool = False) -> bool:
    """Let mutating webhooks change a draft in place; whether one did. Raises ApiError."""
    changed = False
    for hook in _find(world, MUTATING, resource, "CREATE" if old is None else "UPDATE", draft, old):
        answer = _ask(world, hook, _review(world, hook, resource, draft, old, dry_run))
        patched = _apply(hook, draft, answer) if answer is not None else None
        if patched is not None:
            draft.clear()
            draft.update(patched)
            changed = True
    return changed


def validate(world: World, resource: Resource, draft: Draft | None, old: Obj | None, *, dry_run: bool = False) -> None:
    """Ask the validating webhooks about a draft, None for a deletion. Raises ApiError."""
    operation = "DELETE" if draft is None else "CREATE" if old is None else "UPDATE"
    for hook in _find(world, VALIDATING, resource, operation, draft, old):
        _ask(world, hook, _review(world, hook, resource, draft, old, dry_run))


def _find(
    world: World, kind: str, resource: Resource, operation: str, draft: Draft | None, old: Obj | None
) -> Iterator[Hook]:
    """The webhooks that want to be asked, by the names of their configurations."""
    if not world.tables.get(f"objects/{kind}") or resource.name in UNASKED:
        return
    for configuration in world.store.all(kind):
        for hook in configuration.get("webhooks") or ():
            ruled = any(_covers(rule, resource, operation) for rule in hook.get("rules") or ())
            if ruled and _selects(world, hook, resource, draft, old):
                yield hook


def _covers(rule: Mapping[str, Any], resource: Resource, operation: str) -> bool:
    asked = (("operations", operation), ("apiGroups", resource.group), ("apiVersions", resource.version))
    if any(not {"*", word} & set(rule.get(field) or ()) for field, word in asked):
        return False
    scope = rule.get("scope") or "*"
    return bool({"*", "*/*", resource.plural} & set(rule.get("resources") or ())) and (
        scope == "*" or (scope == "Namespaced") == resource.namespaced
    )


def _selects(world: World, hook: Hook, resource: Resource, draft: Draft | None, old: Obj | None) -> bool:
    """Whether a hook's selectors let it see an object: what is in no namespace is always seen."""
    objects = [Obj(each) for each in (draft, old) if each is not None]
    wanted = hook.get("objectSelector") or {}
    if wanted and not any(matches(wanted, labels_of(each)) for each in objects):
        return False
    wanted = hook.get("namespaceSelector") or {}
    if not wanted or not (resource.namespaced or resource.name == "namespaces"):
        return True
    name = objects[0]["metadata"].get("namespace", "")
    namespace = world.store.get("namespaces", "", name) if resource.namespaced else objects[0]
    return namespace is not None and matches(wanted, labels_of(namespace))


def _review(
    world: World, hook: Hook, resource: Resource, draft: Draft | None, old: Obj | None, dry_run: bool
) -> dict[str, Any]:
    """What a hook is sent. Raises BadRequest where it would do more than answer to what is only tried."""
    if dry_run and hook.get("sideEffects") not in HARMLESS:
        raise bad_request(f"admission webhook {quote(hook['name'])} does not support dry run")
    known = draft if draft is not None else old or {}
    meta = known["metadata"]
    request = {
        "uid": draws.hexes(32, world.seed, "review", f"{hook['name']} {meta.get('uid', '')}", world.now),
        "kind": {"group": resource.group, "version": resource.version, "kind": resource.kind},
        "resource": {"group": resource.group, "version": resource.version, "resource": resource.plural},
        "name": meta.get("name", ""),
        "namespace": meta.get("namespace", ""),
        "operation": "DELETE" if draft is None else "CREATE" if old is None else "UPDATE",
        "userInfo": {"username": ADMINISTRATOR.user, "groups": list(ADMINISTRATOR.groups)},
        "object": draft,
        "oldObject": old,
        "dryRun": dry_run,
    }
    return {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request}


def _ask(world: World, hook: Hook, review: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What a hook answers; None where it need not. Raises ApiError where it says no, or must answer and does not."""
    try:
        answer = _call(world, hook, json.dumps(review))
    except CallError as error:
        if hook.get("failurePolicy", "Fail") == "Ignore":
            return None
        why = f"failed calling webhook {quote(hook['name'])}: failed to call webhook: {error}"
        raise ApiError(
            500, "InternalError", f"Internal error occurred: {why}", {"causes": [{"message": why}]}
        ) from None
    if answer.get("allowed"):
        return answer
    status: Mapping[str, Any] = answer.get("status") or {}
    said = status.get("message") or status.get("reason") or ""
    denied = f"admission webhook {quote(hook['name'])} denied the request"
    code = max(400, int(status.get("code") or 400))
    raise ApiError(
        code, str(status.get("reason", "")), f"{denied}: {said}" if said else f"{denied} without explanation"
    )


def _call(world: World, hook: Hook, body: str) -> Mapping[str, Any]:
    """Send a review over the network; the `response` that comes back. Raises CallError."""
    service: Mapping[str, Any] = get(hook, "clientConfig", "service", default={})
    seconds, path = int(hook.get("timeoutSeconds", 10)), str(service.get("path") or "/")
    place = service.get("namespace", ""), service.get("name", "")
    found, port = world.store.get("services", *place), int(service.get("port") or 443)
    host = f"{place[1]}.{place[0]}.svc:{port}" if service else str(get(hook, "clientConfig", "url", default=""))
    post = f'Post "https://{host}{path if service else ""}?timeout={seconds}s"'
    if found is None:
        raise CallError(f"{post}: service {quote(place[1])} not found" if service else f"{post}: EOF")
    if port not in [each["port"] for each in get(found, "spec", "ports", default=())]:
        raise CallError(f"{post}: no service port {port} found for service {quote(place[1])}")
    ip = str(get(found, "spec", "clusterIP", default=""))
    route = routes.dial(world, None, place[0], ip, port)
    if not route.targets:
        failed = f"dial tcp {ip}:{port}: {WORDS.get(route.outcome, '')}"
        raise CallError(f"{post}: {failed if route.outcome in WORDS else 'context deadline exceeded'}")
    answer = ask(world, route.targets[0].process, "POST", path, body)
    if answer is None or not answer.tls:
        raise CallError(f"{post}: {'EOF' if answer is None else 'http: server gave HTTP response to HTTPS client'}")
    if answer.until and answer.until <= world.now:
        when = f"current time {iso(world.now)} is after {iso(answer.until)}"
        raise CallError(f"{post}: {EXPIRED}: {when}")
    if answer.seconds + route.targets[0].delay_ms / 1000 > seconds or route.targets[0].loss >= 1.0:
        raise CallError(f"{post}: context deadline exceeded")
    return _read(answer.status, answer.body)


def _read(status: int, body: str) -> Mapping[str, Any]:
    if status == 404:
        raise CallError("the server could not find the requested resource")
    try:
        found = json.loads(body).get("response") if status == 200 else None
    except (ValueError, AttributeError):
        found = None
    if not isinstance(found, dict):
        raise CallError(f"an error on the server ({quote(body.strip())}) has prevented the request from succeeding")
    return found


def _apply(hook: Hook, draft: Draft, answer: Mapping[str, Any]) -> dict[str, Any] | None:
    """The draft as a mutating hook wants it, None where it is content. Raises ApiError for what is no patch."""
    text = answer.get("patch")
    try:
        patched = apply_json_patch(draft, json.loads(b64decode(text))) if text else None
    except (BadBase64, ValueError, TypeError, PatchError) as error:
        why = f"failed calling webhook {quote(hook['name'])}: cannot apply its patch: {error}"
        raise ApiError(
            500, "InternalError", f"Internal error occurred: {why}", {"causes": [{"message": why}]}
        ) from None
    return dict(patched) if isinstance(patched, Mapping) else None
