"""list: all objects at once, or page by page as they were when the first page was asked for."""

from __future__ import annotations

import base64
import binascii
from typing import NamedTuple

import orjson

from aiops_gym.sim.kernel.digits import parse_natural
from aiops_gym.sim.kernel.objects import Obj, key_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import table
from aiops_gym.sim.kube_api.read import select_objects
from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.sim.kube_api.status import ApiError, bad_request
from aiops_gym.sim.kube_api.watch import make_matcher
from aiops_gym.types import Json, Request

TOKEN = "meta.k8s.io/v1"
ANY = -1
"""In a token: go on with what is there now."""

TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list."
)


class Place(NamedTuple):
    """Where a list goes on: the resourceVersion of its first page, and the last key (`namespace/name`) seen."""

    version: int
    key: str


def list_(world: World, resource: Resource, request: Request) -> Json:
    """A list of stored objects, or a Table of them."""
    query = request.query
    metadata: dict[str, Json] = {"resourceVersion": str(world.store.version)}
    if query and (query.get("limit") or query.get("continue")):
        objects, metadata = _page(world, resource, request)
    else:
        objects = select_objects(world, resource, request)
    if request.table:
        answer = table.make_table(resource.name, objects, world.now, metadata["resourceVersion"])
        answer["metadata"] = metadata
        return answer
    kind = "List" if resource.kind == "" else f"{resource.kind}List"
    return {"kind": kind, "apiVersion": resource.api_version, "metadata": metadata, "items": objects}


def _page(world: World, resource: Resource, request: Request) -> tuple[list[Obj], dict[str, Json]]:
    """A part of a list, and where it goes on."""
    query, limit = request.query, request.query.get("limit", "") or "0"
    size = parse_natural(limit.removeprefix("-"))
    if size is None:
        raise bad_request(f'strconv.ParseInt: parsing "{limit}": invalid syntax')
    version = world.store.version
    if query.get("continue"):
        place = _read(query["continue"])
        objects = _as_of(world, resource, request, place)
        objects = [obj for obj in objects if key_of(obj) > place.key]
        version = version if place.version == ANY else place.version
    else:
        objects = select_objects(world, resource, request)
    metadata = dict[str, Json](resourceVersion=str(version))
    if not limit.startswith("-") and 0 < size < len(objects):
        metadata["continue"] = _token(Place(version, key_of(objects[size - 1])))
        if not query.get("labelSelector") and not query.get("fieldSelector"):
            metadata["remainingItemCount"] = len(objects) - size
        objects = objects[:size]
    return objects, metadata


def _as_of(world: World, resource: Resource, request: Request, place: Place) -> list[Obj]:
    """The objects as they were at a version: what has changed since is taken back. Raises Expired."""
    found = {key_of(obj): obj for obj in select_objects(world, resource, request)}
    if place.version in (ANY, world.store.version):
        return list(found.values())
    history = world.store.history
    if place.version > world.store.version or not history or history[0].version > place.version + 1:
        error = ApiError(410, "Expired", TOO_OLD)
        error.status["metadata"] = {"continue": _token(place._replace(version=ANY))}
        raise error
    matches = make_matcher(resource, request)
    for change in reversed(history):
        if change.version <= place.version:
            break
        latest = change.new or change.old
        if change.resource == resource.name and latest is not None:
            found.pop(key_of(latest), None)
            if change.old is not None and matches(change.old):
                found[key_of(change.old)] = change.old
    return [found[key] for key in sorted(found)]


def _token(place: Place) -> str:
    """A place as an opaque text."""
    data = orjson.dumps({"v": TOKEN, "rv": place.version, "start": f"{place.key}\0"})
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _read(token: str) -> Place:
    """The place that a token means. Raises BadRequest."""
    try:
        data = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        at = next((i for i, c in enumerate(token) if not (c.isascii() and (c.isalnum() or c in "-_"))), len(token) - 1)
        raise bad_request(f"continue key is not valid: illegal base64 data at input byte {at}") from None
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError:
        raise bad_request("continue key is not valid: invalid character looking for beginning of value") from None
    if not isinstance(found, dict) or found.get("v") != TOKEN:
        raise bad_request("continue key is not valid: server does not recognize this encoded version")
    version, start = found.get("rv"), found.get("start")
    if not isinstance(version, int) or isinstance(version, bool) or not isinstance(start, str) or not start:
        raise bad_request("continue key is not valid: incorrect encoded start resourceVersion")
    return Place(version, start.removesuffix("\0"))
