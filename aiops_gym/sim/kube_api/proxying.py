"""`services/NAME:PORT/proxy/...` and `pods/NAME:PORT/proxy/...`: the API server asks a program over HTTP.

The request's body is `{"method": ..., "path": with its query, "text": a form}`; that of the answer an `HttpAnswer`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.read import find_object
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource
from aiops_gym.sim.kube_api.status import ApiError, bad_request, quote
from aiops_gym.sim.machine.executables.peer import ask
from aiops_gym.sim.network import routes
from aiops_gym.types import Request, Response

SCHEMES = ("http", "https", "")
WORDS = {"refused": "connect: connection refused", "timeout": "i/o timeout"}
"""What Go says of a connection that fails, by `Route.outcome`."""


def proxy(world: World, resource: Resource, request: Request) -> Response:
    """Ask the program behind a Service or in a pod. Raises ApiError."""
    scheme, name, port = _split(resource, request.name)
    find = _behind_service if resource.plural == "services" else _in_pod
    address, number = find(world, request.namespace, name, port)
    asked = request.body if isinstance(request.body, Mapping) else {}
    route = routes.dial(world, None, "default", address, number)
    if not route.targets:
        _unreachable(f"dial tcp {address}:{number}: {WORDS.get(route.outcome, WORDS['timeout'])}")
    process = route.targets[0].process
    answer = ask(world, process, asked.get("method", "GET"), asked.get("path", "/"), asked.get("text", ""))
    if answer is None or not answer.status:
        _unreachable("EOF" if answer is not None else "net/http: HTTP/1.x transport connection broken: malformed HTTP")
    if answer.tls != (scheme == "https"):
        secure = "http: server gave HTTP response to HTTPS client"
        _unreachable(secure if not answer.tls else "net/http: HTTP/1.x transport connection broken")
    return Response(answer.status, answer)


def _split(resource: Resource, text: str) -> tuple[str, str, str]:
    """Scheme, name and port of `name`, `name:port` or `scheme:name:port`."""
    words = text.split(":")
    scheme, name, port = {1: ("", *words, ""), 2: ("", *words)}.get(len(words), (*words, "", "", "")[:3])
    if len(words) > 3 or scheme not in SCHEMES or not name:
        raise bad_request(f"invalid {resource.kind.lower()} request {quote(text)}")
    return scheme, name, port


def _behind_service(world: World, namespace: str, name: str, port: str) -> tuple[str, int]:
    """Address and port of one ready endpoint."""
    if port.isdecimal():
        service = find_object(world, RESOURCES["services"], namespace, name)
        named = [p.get("name", "") for p in get(service, "spec", "ports", default=()) if str(p["port"]) == port]
        if not named:
            raise _unavailable(f"no service port {port} found for service {quote(name)}")
        port = named[0]
    endpoints = find_object(world, RESOURCES["endpoints"], namespace, name)
    found = [
        (str(address["ip"]), int(each["port"]))
        for subset in endpoints.get("subsets") or ()
        for each in subset.get("ports") or ()
        for address in subset.get("addresses") or ()
        if each.get("name", "") == port
    ]
    if not found:
        raise _unavailable(f"no endpoints available for service {quote(name)}")
    return found[draws.pick(len(found), world.seed, "proxy", f"{namespace}/{name}:{port}", world.now)]


def _in_pod(world: World, namespace: str, name: str, port: str) -> tuple[str, int]:
    pod: Obj = find_object(world, RESOURCES["pods"], namespace, name)
    ports = [p["containerPort"] for c in get(pod, "spec", "containers", default=()) for p in c.get("ports") or ()]
    address = get(pod, "status", "podIP", default="")
    if not address:
        raise bad_request("address not allowed")
    return str(address), int(port) if port.isdecimal() else int(ports[0]) if ports else 80


def _unavailable(why: str) -> ApiError:
    return ApiError(503, "ServiceUnavailable", why)


def _unreachable(why: str) -> NoReturn:
    raise _unavailable(f"error trying to reach service: {why}")
