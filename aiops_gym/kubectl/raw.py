"""`get --raw PATH`: one request by its path, the answer as the server sends it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import orjson

from aiops_gym.kubectl import behind
from aiops_gym.kubectl.errors import Failure, ServerError, UsageFailure
from aiops_gym.kubectl.manifests import documents
from aiops_gym.kubectl.verb import Invocation
from aiops_gym.sim.kube_api import VERSION
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource
from aiops_gym.sim.kube_api.server import METRICS
from aiops_gym.types import Request

HEALTH: Final = ("/healthz", "/livez", "/readyz")


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
    if len(names) > 1:
        raise Failure("--raw can only use a single local file or stdin")
    for word in ("kustomize", "recursive", "selector", "output"):
        if flags.values.get(word):
            raise Failure(f"--raw and --{word} are mutually exclusive")
    body = None
    if names and names[0] != "-":
        try:
            body = next(iter(documents(call.context.files.read(names[0]), names[0])), None)
        except OSError:
            raise Failure(f"open {names[0]}: no such file or directory") from None
    elif names:
        body = next(iter(documents(call.context.stdin, "STDIN")), None)
    path = flags.text("raw")
    if not path.startswith("/"):
        raise UsageFailure(f'--raw must be a valid URL path: parse "{path}": invalid URI for request')
    parts = urlsplit(path)
    steps = [step for step in parts.path.split("/") if step]
    request = _request(steps, dict(parse_qsl(parts.query)))
    if request is None:
        read_only = f"/{'/'.join(steps)}" in (*HEALTH, "/version", "/api", "/apis", METRICS) or len(steps) in (2, 3)
        known = read_only and (steps[0] not in ("api", "apis") or not steps[1:] or _served(steps))
        reason = "MethodNotAllowed" if known else "NotFound"
        words = "the server does not allow this method on the requested resource"
        raise ServerError({"reason": reason, "message": words if known else GONE})
    several = "deletecollection" if verb == "delete" and not request.name else verb
    call.write(_line(call.client.send(replace(request, verb=several, body=body))))


GONE: Final = "the server could not find the requested resource"


def _served(steps: list[str]) -> bool:
    """Whether these are the steps to a group or version that there is."""
    where = "/".join(steps[1:])
    return any(where in (r.group or r.version, r.api_version) for r in RESOURCES.values())


def _answer(call: Invocation, path: str) -> str:
    parts = urlsplit(path)
    if proxied := behind.make_request(parts):
        return behind.fetch(call.client.cluster, proxied)
    steps = [step for step in parts.path.split("/") if step]
    bare = "/" + "/".join(steps)
    if bare in HEALTH:
        return "ok"
    if bare == "/version":
        return orjson.dumps(VERSION, option=orjson.OPT_INDENT_2).decode()
    if bare == METRICS:
        return str(call.client.send(Request("get", METRICS)))
    if bare in ("/api", "/apis"):
        return _line(_groups(bare))
    request = _request(steps, dict(parse_qsl(parts.query)))
    if request is None:
        raise ServerError({"reason": "NotFound", "message": "the server could not find the requested resource"})
    body = call.client.send(request)
    return body if isinstance(body, str) else _line(body)


def _line(body: Any) -> str:
    return orjson.dumps(body, option=orjson.OPT_APPEND_NEWLINE).decode()


def _groups(path: str) -> dict[str, Any]:
    if path == "/api":
        return {"kind": "APIVersions", "versions": ["v1"]}
    versions = dict.fromkeys((resource.group, resource.version) for resource in RESOURCES.values() if resource.group)
    groups = [
        {"name": group, "versions": [_version(group, version)], "preferredVersion": _version(group, version)}
        for group, version in versions
    ]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def _version(group: str, version: str) -> dict[str, str]:
    return {"groupVersion": f"{group}/{version}", "version": version}


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
