"""get: objects as they are stored, chosen by labels and fields, plain or as a Table."""

from __future__ import annotations

from collections.abc import Callable

from aiops_gym.sim.kernel.objects import Obj, labels_of, name_of, namespace_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import kubelet_client, selectors, table
from aiops_gym.sim.kube_api.kinds import kind_of
from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.sim.kube_api.status import bad_request, not_found
from aiops_gym.types import Json, Request


def find_object(world: World, resource: Resource, namespace: str, name: str) -> Obj:
    """The object. Raises NotFound."""
    obj = world.store.get(resource.name, namespace if resource.namespaced else "", name)
    if obj is None and resource.name.endswith(".metrics.k8s.io"):
        obj = next((o for o in kubelet_client.collect_metrics(world, resource, namespace) if name_of(o) == name), None)
    if obj is None:
        raise not_found(resource, name)
    return kubelet_client.refresh(world, resource.name, obj)


def get(world: World, resource: Resource, request: Request) -> Json:
    """One object, or a Table of it."""
    obj = find_object(world, resource, request.namespace, request.name)
    if request.table:
        return table.make_table(resource.name, [obj], world.now, obj["metadata"].get("resourceVersion", ""))
    return obj


def select_objects(world: World, resource: Resource, request: Request) -> list[Obj]:
    """All objects that a request's namespace and selectors choose."""
    namespace = request.namespace if resource.namespaced and request.namespace else None
    query = request.query
    fields = query.get("fieldSelector", "") if query else ""
    labels = query.get("labelSelector", "") if query else ""
    if resource.name.endswith(".metrics.k8s.io"):
        objects = kubelet_client.collect_metrics(world, resource, namespace or "")
    elif fields:
        objects = _by_field(world, resource, namespace, fields)
    else:
        objects = _indexed(world, resource, namespace, labels)
    if labels:
        selector = parse_label_selector(labels)
        objects = [o for o in objects if selector(labels_of(o))]
    if resource.name in kubelet_client.LAZY:
        return [kubelet_client.refresh(world, resource.name, o) for o in objects]
    return objects


def parse_label_selector(text: str) -> selectors.Selector:
    """What a label selector asks of labels. Raises BadRequest."""
    try:
        return selectors.parse_labels(text)
    except ValueError as error:
        raise bad_request(str(error)) from None


def _indexed(world: World, resource: Resource, namespace: str | None, labels: str) -> list[Obj]:
    """All objects, or those that an index of labels leaves of them."""
    if labels and namespace is not None and resource.name != "events":  # of events the index knows other things
        exact = parse_label_selector(labels).exact
        if exact:
            return world.store.labelled(resource.name, namespace, exact)
    return world.store.all(resource.name, namespace)


Term = tuple[str, Callable[[Obj], str], bool, str]
"""A field's name, how to read it, whether it must be equal, and to what."""


def parse_field_terms(resource: Resource, text: str) -> list[Term]:
    """A field selector's terms. Raises BadRequest."""
    try:
        terms = selectors.parse_fields(text)
    except ValueError as error:
        raise bad_request(str(error)) from None
    known = kind_of(resource.name).fields
    readers = {"metadata.name": name_of, "metadata.namespace": namespace_of, **(known or {})}
    for name, _, _ in terms:
        if name not in readers:
            if known is not None:
                raise bad_request(f"field label not supported: {name}")
            only = '"metadata.name", "metadata.namespace"' if resource.namespaced else '"metadata.name"'
            raise bad_request(f'"{name}" is not a known field selector: only {only}')
    return [(name, readers[name], equal, value) for name, equal, value in terms]


def _by_field(world: World, resource: Resource, namespace: str | None, text: str) -> list[Obj]:
    terms = parse_field_terms(resource, text)
    exact = {name: value for name, _, equal, value in terms if equal}
    if namespace is not None and "metadata.name" in exact:
        obj = world.store.get(resource.name, namespace, exact["metadata.name"])
        objects = [obj] if obj is not None else []
    elif resource.name == "events" and exact.get("involvedObject.uid"):
        events = world.store.events_of(exact["involvedObject.uid"])
        objects = [e for e in events if namespace is None or namespace_of(e) == namespace]
    elif resource.name == "pods" and exact.get("spec.nodeName"):
        pods = world.store.on_node(exact["spec.nodeName"])
        objects = [p for p in pods if namespace is None or namespace_of(p) == namespace]
    else:
        objects = world.store.all(resource.name, namespace)
    for _, read, equal, value in terms:
        objects = [o for o in objects if (read(o) == value) is equal]
    return objects
