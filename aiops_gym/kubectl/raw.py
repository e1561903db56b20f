"""`get --raw PATH`: one request by its path, the answer as the server sends it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import orjson

from aiops_gym.clients import gojson
from aiops_gym.kubectl import behind
from aiops_gym.kubectl.errors import Failure, KubectlError, ServerError, UsageFailure
from aiops_gym.kubectl.verb import Invocation
from aiops_gym.sim.kube_api import VERSION, discovery, openapi
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource
from aiops_gym.sim.kube_api.server import METRICS
from aiops_gym.types import Request

HEALTH: Final = ("healthz", "livez", "readyz")
HEAD: Final = ("kind", "apiVersion")
"""What the items of a list do not repeat."""

LISTS: Final = ("/api", "/api/v1", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version")


def show(call: Invocation) -> int:
    """Print what a path answers. Raises KubectlError."""
    flags = call.flags
    if call.args:
        raise Failure("arguments may not be passed when --raw is specified")
    if flags.on("watch") or flags.on("watch-only") or flags.text("selector"):
        raise Failure("--raw may not be specified with other flags that filter the server request or alter the output")
    if flags.text("output"):
        raise UsageFailure("--raw and --output are mutually exclusive")
    path = flags.text("raw")
    if not path.startswith("/"):
        raise Failure(f'--raw must be a valid URL path: parse "{path}": invalid URI for request')
    call.write(_answer(call, path))
    return 0


def act(call: Invocation, verb: str) -> None:
    """`create`, `replace` and `delete --raw`: send a file, or nothing, to a path. Raises KubectlError."""
    flags = call.flags
    names = flags.items("filename")
    if flags.values.get("edit"):
        raise Failure("--raw and --edit are mutually exclusive")
    if len(names) > 1:
        raise Failure("--raw can only use a single local file or stdin")
    for word in ("recursive", "selector", "output"):
        if flags.values.get(word):
            letter = " (-l)" if word == "selector" else ""
            raise Failure(f"--raw and --{word}{letter} are mutually exclusive")
    call.client.configure()
    body = None
    if names:
        body = _body(call, names[0])
    path = flags.text("raw")
    if not path.startswith("/"):
        raise UsageFailure(f'--raw must be a valid URL path: parse "{path}": invalid URI for request')
    parts = urlsplit(path)
    steps = [step for step in parts.path.split("/") if step]
    request = _request(steps, dict(parse_qsl(parts.query)))
    if request is None:
        known = _document(steps, "") is not None or f"/{'/'.join(steps)}" == METRICS
        reason = "MethodNotAllowed" if known else "NotFound"
        words = "the server does not allow this method on the requested resource"
        raise ServerError({"reason": reason, "message": words if known else GONE})
    several = "deletecollection" if verb == "delete" and not request.name else verb
    if isinstance(body, ValueError):
        resource = RESOURCES[request.resource]
        what = f"the object provided is unrecognized (must be of type {resource.kind}): couldn't get version/kind; "
        raise ServerError({"reason": "BadRequest", "message": f"{what}json parse error: {body}"})
    call.write(_line(call.client.send(replace(request, verb=several, body=body))))


def _body(call: Invocation, name: str) -> Any:
    """The JSON of a file, or the error of one that is none. Raises KubectlError."""
    try:
        text = call.context.stdin if name == "-" else call.context.files.read(name)
    except IsADirectoryError:
        raise KubectlError(f"Unable to connect to the server: read {name}: is a directory") from None
    except OSError:
        raise Failure(f"open {name}: no such file or directory") from None
    try:
        return gojson.loads(text) if text.strip() else None
    except ValueError as error:
        begin = text.encode()[:30]
        shown = begin.decode("utf-8", "replace") if begin.startswith(b"{") else begin.hex()
        return ValueError(f"{error} ({shown}{' ...' if len(text.encode()) > 30 else ''})")


GONE: Final = "the server could not find the requested resource"


def _answer(call: Invocation, path: str) -> str:
    parts = urlsplit(path)
    if proxied := behind.make_request(parts):
        return behind.fetch(call.client.cluster, proxied)
    steps = [step for step in parts.path.split("/") if step]
    call.client.touch()
    found = _document(steps, parts.query)
    if found is not None:
        return found if isinstance(found, str) else _line(found)
    if "/" + "/".join(steps) == METRICS:
        return str(call.client.send(Request("get", METRICS)))
    request = _request(steps, dict(parse_qsl(parts.query)))
    if request is None:
        raise ServerError({"reason": "NotFound", "message": "the server could not find the requested resource"})
    body = call.client.send(request)
    if isinstance(body, dict) and "items" in body:
        items = [{key: value for key, value in item.items() if key not in HEAD} for item in body["items"]]
        body = {**body, "items": items}
    return body if isinstance(body, str) else _line(body)


def _line(body: Any) -> str:
    return orjson.dumps(body, option=orjson.OPT_APPEND_NEWLINE).decode()


def _document(steps: list[str], query: str) -> Any:
    """What is told of the server itself, None where the path is none of these."""
    groups = discovery.group_resources()
    match steps:
        case []:
            return {"paths": LISTS}
        case ["version"]:
            return orjson.dumps(VERSION, option=orjson.OPT_INDENT_2).decode()
        case [name, *_] if name in HEALTH:
            return f"[+]ping ok\n[+]etcd ok\n{name} check passed\n" if "verbose" in query else "ok"
        case ["api"]:
            return discovery.list_core_versions()
        case ["apis"]:
            return discovery.list_groups()
        case ["api", "v1"]:
            return discovery.list_resources("", "v1")
        case ["apis", group] if group in groups:
            return discovery.list_group_versions(group)
        case ["apis", group, version] if version in groups.get(group, {}):
            return discovery.list_resources(group, version)
        case ["openapi", "v3", *rest]:
            found = openapi.make_document("/".join(rest)) if rest else openapi.make_index()
            return None if found is None else found.decode()
    return None


def _request(steps: list[str], query: dict[str, str]) -> Request | None:
    """The request of a path such as `api/v1/namespaces/shop/pods/geo/log`, None if it is none."""
    group, rest = ("", steps[2:]) if steps[:1] == ["api"] else (steps[1] if len(steps) > 1 else "", steps[3:])
    if steps[:1] not in (["api"], ["apis"]) or not rest:
        return None
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in ("status", "finalize"):
        namespace, rest = rest[1], rest[2:]
    resource = _resource(group, rest[0])
    name = rest[1] if len(rest) > 1 else ""
    subresource = rest[2] if len(rest) > 2 else ""
    if subresource == "proxy":
        query, rest = {**query, "path": "/".join(rest[3:])}, rest[:3]
    if resource is None or len(rest) > 3:
        return None
    return Request("get" if name else "list", resource.name, namespace, name, subresource, query=query)


def _resource(group: str, plural: str) -> Resource | None:
    return RESOURCES.get(f"{plural}.{group}" if group else plural)
