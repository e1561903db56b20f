"""Paths that name no objects: health, version, discovery, OpenAPI."""

from __future__ import annotations

import orjson
from starlette.requests import Request
from starlette.responses import Response

from aiops_gym.serve.negotiate import choose_form
from aiops_gym.serve.refusals import JSON
from aiops_gym.serve.render import HEADERS, render_data
from aiops_gym.sim.kube_api import discovery, openapi
from aiops_gym.sim.kube_api.server import VERSION
from aiops_gym.sim.kube_api.status import method_not_allowed

OPENAPI_V2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
"""An empty document is a valid one: kubectl asks for it where version 3 says nothing, as of a List."""

HEALTH = ("healthz", "livez", "readyz")
PATHS = ["/api", "/api/v1", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"]


def answer(request: Request, parts: list[str]) -> Response | None:
    """The answer for such a path, None if it is none of these. Raises MethodNotAllowed, NotAcceptable."""
    found = _answer(request, parts)
    if found is not None and request.method not in ("GET", "HEAD"):
        raise method_not_allowed()
    return found


def _answer(request: Request, parts: list[str]) -> Response | None:
    match parts:
        case [""]:
            return render_data({"paths": PATHS})
        case ["version"]:
            return Response(orjson.dumps(VERSION, option=orjson.OPT_INDENT_2), headers=HEADERS, media_type=JSON)
        case ["openapi", "v2"]:
            return Response(b"", headers=HEADERS, media_type=OPENAPI_V2)
        case [("healthz" | "livez" | "readyz") as name, *_]:
            return _health(name, "verbose" in request.query_params)
        case ["openapi", "v3", *rest]:
            return _document("/".join(rest))
        case ["api" | "apis"]:
            return _root(request, parts[0] == "api")
        case ["api", "v1"]:
            return render_data(discovery.list_resources("", "v1"))
        case ["apis", group] if group and group in discovery.group_resources():
            return render_data(discovery.list_group_versions(group))
        case ["apis", group, version] if group and version in discovery.group_resources().get(group, {}):
            return render_data(discovery.list_resources(group, version))
    return None


def _health(name: str, verbose: bool) -> Response:
    text = f"[+]ping ok\n[+]etcd ok\n{name} check passed\n" if verbose else "ok"
    return Response(text, headers={**HEADERS, "x-content-type-options": "nosniff"}, media_type="text/plain")


def _document(path: str) -> Response | None:
    body = openapi.make_document(path) if path else openapi.make_index()
    return None if body is None else Response(body, headers=HEADERS, media_type=JSON)


def _root(request: Request, core: bool) -> Response:
    """The list of all resources, if the client knows it, else that of groups."""
    wanted = choose_form(request.headers.get("accept", ""))
    if wanted.shape != "APIGroupDiscoveryList":
        return render_data(discovery.list_core_versions() if core else discovery.list_groups())
    body = discovery.aggregate_groups(core, wanted.version)
    tag = discovery.compute_etag(body)
    headers = {"etag": tag, "cache-control": "public", "vary": "Accept"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    media = f"{JSON};g=apidiscovery.k8s.io;v={wanted.version};as=APIGroupDiscoveryList"
    return Response(body, headers=headers, media_type=media)
