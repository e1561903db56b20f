"""watch: the changes to the objects that a request chooses, one after another, each once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aiops_gym.sim.kernel.objects import Obj, labels_of, name_of, namespace_of
from aiops_gym.sim.kernel.store import Change
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import kubelet_client
from aiops_gym.sim.kube_api.read import parse_field_terms, parse_label_selector, select_objects
from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.sim.kube_api.status import ApiError, bad_request, method_not_allowed
from aiops_gym.types import Json, Request

Event = tuple[str, Obj]
"""`ADDED`, `MODIFIED` or `DELETED`, and the object after it; the last one of a deleted object."""


class Watch:
    """What one client has seen of a resource.

    Args:
        resource: whose objects are watched.
        request: namespace, name and selectors that choose them. Raises BadRequest if they make no sense.

    Attributes:
        version: the resourceVersion up to which the client knows everything.
    """

    def __init__(self, resource: Resource, request: Request) -> None:
        if "watch" not in resource.verbs:
            raise method_not_allowed()
        self.resource = resource
        self.request = request
        self.version = 0
        self.matches = make_matcher(resource, request)

    def begin(self, world: World) -> list[Event]:
        """Everything that is there now, as added."""
        self.version = world.store.version
        return [("ADDED", obj) for obj in select_objects(world, self.resource, self.request) if self.matches(obj)]

    def more(self, world: World) -> list[Event]:
        """What has changed since the last look. Raises Expired if that was too long ago."""
        store, since = world.store, self.version
        if since >= store.version:
            return []
        oldest = store.history[0].version if store.history else store.version + 1
        if since < oldest - 1:
            raise ApiError(410, "Expired", f"too old resource version: {since} ({oldest - 1})")
        self.version = store.version
        events = [self._event(world, change) for change in reversed(list(_newer(world, since)))]
        return [event for event in events if event is not None]

    def _event(self, world: World, change: Change) -> Event | None:
        if change.resource != self.resource.name:
            return None
        old = change.old if change.old is not None and self.matches(change.old) else None
        new = change.new if change.new is not None and self.matches(change.new) else None
        if new is not None:
            return "ADDED" if old is None else "MODIFIED", kubelet_client.refresh(world, change.resource, new)
        if old is None:
            return None
        last = change.new if change.new is not None else old
        return "DELETED", Obj({**last, "metadata": {**last["metadata"], "resourceVersion": str(change.version)}})


def _newer(world: World, since: int) -> Iterator[Change]:
    """The changes after a version, newest first, without looking at all the others."""
    for change in reversed(world.store.history):
        if change.version <= since:
            return
        yield change


def make_matcher(resource: Resource, request: Request) -> Callable[[Obj], bool]:
    """Whether an object is one of those that a request chooses."""
    namespace = request.namespace if resource.namespaced else ""
    query = request.query
    terms = parse_field_terms(resource, query.get("fieldSelector", "")) if query.get("fieldSelector") else []
    labels = parse_label_selector(query["labelSelector"]) if query.get("labelSelector") else None

    def matches(obj: Obj) -> bool:
        if (namespace and namespace_of(obj) != namespace) or (request.name and name_of(obj) != request.name):
            return False
        if labels is not None and not labels(labels_of(obj)):
            return False
        return all((read(obj) == value) is equal for _, read, equal, value in terms)

    return matches


def version_of(text: str) -> int:
    """A resourceVersion as a number, 0 for none. Raises BadRequest."""
    if not text:
        return 0
    if not text.isascii() or not text.isdigit() or len(text) > 19:
        wrong = f'strconv.ParseUint: parsing "{text}": invalid syntax'
        raise bad_request(f'resourceVersion: Invalid value: "{text}": {wrong}')
    return int(text)


def list_changes(world: World, resource: Resource, request: Request) -> Json:
    """All changes since the request's `resourceVersion` at once, for clients in the same process."""
    watch = Watch(resource, request)
    watch.version = version_of(request.query.get("resourceVersion", ""))
    events = watch.more(world) if watch.version else watch.begin(world)
    items = [{"type": kind, "object": obj} for kind, obj in events]
    return {"kind": "WatchEventList", "metadata": {"resourceVersion": str(world.store.version)}, "items": items}
