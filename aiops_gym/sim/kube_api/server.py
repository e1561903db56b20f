"""The Kubernetes API as one function: a request in, an answer out, nothing raised for what a client sends."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from aiops_gym.sim.kernel.nesting import JSON_WORDS, is_deep
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import (
    components,
    kubelet_client,
    listing,
    managed_fields,
    options,
    patching,
    rbac,
    read,
    remove,
    reviews,
    subresources,
    views,
    watch,
    write,
)
from aiops_gym.sim.kube_api.answer import Answer
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource
from aiops_gym.sim.kube_api.status import ApiError, bad_request, method_not_allowed, no_such_path
from aiops_gym.types import Json, Request, Response

VERSION: dict[str, str] = {
    "major": "1",
    "minor": "32",
    "gitVersion": "v1.32.1",
    "gitCommit": "e9c9be4007d1664e68796af02b8978640d2c1b26",
    "gitTreeState": "clean",
    "buildDate": "2025-01-15T14:31:55Z",
    "goVersion": "go1.23.4",
    "compiler": "gc",
    "platform": "linux/amd64",
}
"""What `/version` says: the release that kind ships as `kindest/node:v1.32.1`."""


METRICS = "/metrics"
"""In place of a resource: what the server tells Prometheus of itself."""


def handle(world: World, request: Request) -> Response:
    """Answer one request. A refusal is a Response with a `v1.Status`."""
    resource = RESOURCES.get(request.resource)
    if request.user:
        refusal = rbac.refuse(world, rbac.find_user(request.user, request.groups), request)
        if refusal is not None:
            return refusal
    if request.resource == views.NAME:
        return views.answered(request, lambda stored: handle(world, stored))
    try:
        if request.resource == METRICS:
            return Response(200, kubelet_client.read_metrics(world, "", ""))
        if resource is None:
            raise no_such_path()
        if request.query or request.content_type:
            options.check(request)
        if resource.name == components.NAME:
            return components.answer(world, resource, request)
        if request.verb == "get" and not request.subresource:
            return Response(200, _show(world, resource, request, read.get(world, resource, request)))
        if request.verb == "list":
            return Response(200, _show(world, resource, request, listing.list_(world, resource, request)))
        if is_deep(request.body):
            raise bad_request(JSON_WORDS)
        asking = subresources.handle if request.subresource else _write
        if request.verb in NOTED and request.query.get("fieldManager") and not request.query.get("dryRun"):
            asking = partial(_noted, asking=asking)
        answer = asking(world, resource, request)
        if request.verb in NOTED and isinstance(answer.body, Obj) and answer.body["kind"] == resource.kind:
            shown = Answer(answer.code, _show(world, resource, request, answer.body))
            shown.warnings = getattr(answer, "warnings", ())
            return shown
        return answer
    except ApiError as error:
        return Response(error.code, error.status)


def _show(world: World, resource: Resource, request: Request, answer: Json) -> Json:
    """What a client is shown of objects: with them comes who wrote their fields, where somebody is known."""
    if request.table or not world.table("managers"):
        return answer
    if request.verb != "list":
        return managed_fields.show(world, resource, answer)
    return {**answer, "items": [managed_fields.show(world, resource, each) for each in answer["items"]]}


def _write(world: World, resource: Resource, request: Request) -> Response:
    if resource.verbs == ("create",) and request.verb == "create":
        if resource.plural == "bindings":
            return subresources.bind(world, resource, request)
        return reviews.review(world, resource, request)
    verb = VERBS.get(request.verb)
    if verb is None or request.verb not in resource.verbs:
        raise method_not_allowed()
    return verb(world, resource, request)


def _noted(world: World, resource: Resource, request: Request, asking: Verb) -> Response:
    """A write, and who owns the fields that it changed; an apply notes that itself."""
    namespace = request.namespace if resource.namespaced else ""
    old = world.store.get(resource.name, namespace, request.name) if request.name else None
    answer = asking(world, resource, request)
    if request.content_type.startswith(patching.APPLY):
        return answer
    name = request.name or (answer.body.get("metadata") or {}).get("name", "")
    new = world.store.get(resource.name, namespace, name)
    if new is not None and new is not old:
        managed_fields.note_update(world, resource, request, old, new)
    return answer


def _update(world: World, resource: Resource, request: Request) -> Response:
    return write.put(world, resource, request, read.find_object(world, resource, request.namespace, request.name))


def _watch(world: World, resource: Resource, request: Request) -> Response:
    return Response(200, watch.list_changes(world, resource, request))


NOTED = ("create", "update", "patch")
Verb = Callable[[World, Resource, Request], Response]

VERBS: dict[str, Verb] = {
    "create": write.post,
    "update": _update,
    "patch": patching.patch,
    "delete": remove.delete_one,
    "deletecollection": remove.delete_collection,
    "watch": _watch,
}
