"""What a web service answers to a request: refused, failed as its operation fails at present, or made from its data.

The `web` of its params is, by path, `{"needs": [[parameters], text, [allowed values]] ..., "show": page}`. A page is
`{"features": place, "order": ..., "limit": n}` (GeoJSON of documents with `id`, `name`, `phoneNumber`, `address`) or
`{"login": place, "then": text}`; a place is `{"host", "database", "collection"}`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import numpy as np

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.machine.program import HttpAnswer
from aiops_gym.sim.network import routes
from aiops_gym.sim.software.mongo.server import Server
from aiops_gym.sim.traffic import graph, timeline
from aiops_gym.sim.traffic.queueing import PATIENCE
from aiops_gym.sim.traffic.walk import Walk
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

Query = Mapping[str, str]

PLAIN = {"Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff"}
ANYBODY = {"Access-Control-Allow-Origin": "*"}
CANCELED = "rpc error: code = Canceled desc = context canceled"
PAGE = "<!DOCTYPE html>\n"
MONGO = 27017


def answer(world: World, process: Process, path: str) -> HttpAnswer:
    """What the service that runs in a process answers, whatever the method."""
    params, (where, _, text) = process["params"], path.partition("?")
    handler = next((name for name in params.get("handlers", {}) if name.rpartition(" ")[2] == where), "")
    if not handler:
        found = (200, PAGE) if where == "/" else (404, "404 page not found\n")
        return HttpAnswer(*found, {} if where == "/" else PLAIN, 0.0008)
    page = params.get("web", {}).get(where, {})
    query = {name: values[0] for name, values in parse_qs(text, keep_blank_values=True).items()}
    for names, message, allowed in page.get("needs", ()):
        if any(not query.get(name) or (allowed and query[name] not in allowed) for name in names):
            return HttpAnswer(400, f"{message}\n", {**ANYBODY, **PLAIN}, 0.0006)
    error, seconds = outcome(world, process, handler)
    if error:
        return HttpAnswer(500, f"{error}\n", {**ANYBODY, **PLAIN}, seconds)
    body = json.dumps(_shown(world, process, page.get("show", {}), query), separators=(",", ":"), sort_keys=True) + "\n"
    return HttpAnswer(200, body, ANYBODY, seconds)


def outcome(world: World, process: Process, handler: str) -> tuple[str, float]:
    """(error text or "", seconds) of one more request for a handler, as requests go at this moment."""
    tried = attempt(world, process, handler)
    if tried is None:
        return "", 0.004
    walk, number = tried
    seconds = float(walk.end[0]) / 1000.0
    if walk.ok[0]:
        return "", seconds
    own = [trouble.errors[0] for trouble in walk.troubles if trouble.process == number]
    return (own[-1] if own and seconds < PATIENCE / 1000.0 else CANCELED), seconds


def attempt(world: World, process: Process, handler: str, named: str = "") -> tuple[Walk, int] | None:
    """One more request for a handler that users ask for, as requests go at this moment; the number of the process.

    With `named`, what it is about, calls that are made for one thing `only` are made or not for that reason.
    """
    found = timeline.read_current(world)
    operation = next((o.name for o in world.blueprint.operations if o.handler == handler), "")
    key = f"{process['uid']}/{process['container']}"
    if operation not in found["entry"] or key not in found["processes"]:
        return None
    number = found["processes"].index(key)
    nodes = [i for i, n in enumerate(found["nodes"]) if n["process"] == number and n["name"] == handler]
    if not nodes:
        return None
    call = {**found["entry"][operation], "to": [[nodes[0], 1.0, 0.0, 0.0, ""]], "error": ""}
    settled = {"nodes": _settle(found["nodes"], named), "entry": {handler: call}}
    return _walk(world, process, handler, {**found, **settled}), number


def _settle(nodes: Sequence[Json], named: str) -> Sequence[Json]:
    """Handlers as they serve a request about something: of calls for one thing only, no chance is left."""
    return [{**node, "calls": [_certain(call, named) for call in node["calls"]]} for node in nodes] if named else nodes


def _certain(call: Json, named: str) -> Json:
    if isinstance(call, list):
        return [_certain(each, named) for each in call]
    return {**call, "p": float(call["only"] == named)} if "only" in call else call


def try_request(world: World, process: Process, handler: str, named: str = "") -> tuple[Walk, int]:
    """As `attempt`, of a handler that nobody else asks for: with a look into the world, at idle processes."""
    survey = graph.Survey(world)
    call = survey.served(f"{process['uid']}/{process['container']}", handler)
    idle = [[0.0, 0.0, 0.0]] * len(survey.processes)
    found = {"nodes": _settle(survey.nodes, named), "entry": {handler: call}, "queues": idle}
    return _walk(world, process, handler, found), survey.nodes[-1]["process"]


def _walk(world: World, process: Process, handler: str, outcome: Json) -> Walk:
    bits = draws.bits(world.seed, "http", f"{process['id']} {handler}", world.now)
    return Walk(outcome, handler, np.array([bits], dtype=np.uint64))


def _shown(world: World, process: Process, page: Mapping[str, Json], query: Query) -> Json:
    if "login" in page:
        known = _documents(world, process, page["login"])
        secret = sha256(query.get("password", "").encode()).hexdigest()
        right = any(u.get("username") == query.get("username") and u.get("password") == secret for u in known)
        return {"message": page["then"] if right else "Failed. Please check your username and password. "}
    if "features" not in page:
        return {"features": [], "type": "FeatureCollection"}
    hotels = {str(h.get("id")): h for h in _documents(world, process, page["features"])}
    chosen = _chosen(world, process, page, query)
    return {"features": [_feature(hotels[one]) for one in chosen if one in hotels], "type": "FeatureCollection"}


def _chosen(world: World, process: Process, page: Mapping[str, Json], query: Query) -> list[str]:
    """Ids of the places to show: the nearest ones, or the best by `require`."""
    rows = _documents(world, process, page["by"])
    if "within" in page:
        known = {str(row.get("hotelId")) for row in _documents(world, process, page["within"])}
        rows = [row for row in rows if str(row.get("hotelId")) in known]
    at = [_number(query.get("lat")), _number(query.get("lon"))]
    ranks = {"rate": [-_number(row.get("rate")) for row in rows], "price": [_number(row.get("price")) for row in rows]}
    near = [(_number(r.get("lat")) - at[0]) ** 2 + (_number(r.get("lon")) - at[1]) ** 2 for r in rows]
    rank = ranks.get(query.get("require", ""), near)
    order = sorted(range(len(rows)), key=rank.__getitem__)
    if limit := page.get("limit"):
        return [str(rows[i].get("hotelId")) for i in order[:limit]]
    return [str(rows[i].get("hotelId")) for i in order if rank[i] == rank[order[0]]]


def _feature(hotel: Mapping[str, Json]) -> Json:
    address = hotel.get("address") or {}
    point = [_number(address.get("lon")), _number(address.get("lat"))]
    named = {"name": hotel.get("name", ""), "phone_number": hotel.get("phoneNumber", "")}
    geometry = {"coordinates": point, "type": "Point"}
    return {"geometry": geometry, "id": str(hotel.get("id")), "properties": named, "type": "Feature"}


def _number(value: Json) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0


def _documents(world: World, process: Process, place: Mapping[str, Json]) -> Sequence[Mapping[str, Json]]:
    """What a database holds; of one that cannot be reached nothing."""
    key, namespace = f"{process['uid']}/{process['container']}", str(process["pod"]).partition("/")[0]
    for target in routes.dial(world, key, namespace, place["host"], int(place.get("port", MONGO))).targets:
        if world.table("processes")[target.process]["program"] == "mongod":
            return Server(world, target.process).data.documents(place["database"], place["collection"])
    return ()
