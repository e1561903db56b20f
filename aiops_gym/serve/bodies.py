"""From the bytes of a request to JSON data, with the server's words for what is none."""

from __future__ import annotations

import asyncio

import orjson
import yaml
from starlette.requests import Request

from aiops_gym.clients import gojson
from aiops_gym.serve import protobuf
from aiops_gym.serve.refusals import JSON, LARGEST_BODY, PATCHES, PROTOBUF, YAML, too_large, too_slow, unknown_format
from aiops_gym.sim.kube_api.status import bad_request
from aiops_gym.types import Json

PATIENCE = 30.0
"""Seconds a client may take to send a body."""

MOST_NODES = 200_000
"""Values in a YAML body after its references are followed."""


async def read(request: Request) -> bytes:
    """The body. Raises RequestEntityTooLarge, Timeout."""
    length = request.headers.get("content-length", "0")
    if length.isdigit() and int(length) > LARGEST_BODY:
        raise too_large()
    chunks, size = [], 0
    try:
        async with asyncio.timeout(PATIENCE):
            async for chunk in request.stream():
                size += len(chunk)
                if size > LARGEST_BODY:
                    raise too_large()
                chunks.append(chunk)
    except TimeoutError:
        raise too_slow() from None
    return b"".join(chunks)


def decode_body(body: bytes, content_type: str, method: str, kind: str) -> Json:
    """A body as JSON data, None where there is none. Raises BadRequest, UnsupportedMediaType.

    Args:
        body: as it was sent.
        content_type: of it; JSON if it is empty.
        method: of the request.
        kind: of the object that is expected, for the error's text.
    """
    media = content_type.partition(";")[0].strip().lower()
    if method == "PATCH":
        if media not in PATCHES:
            raise unknown_format(patch=True)
        return _patch(body, media)
    if not body and method != "PUT":
        return None
    if media in ("", JSON):
        return _json(body, kind)
    if media == YAML:
        return _yaml(body)
    if media == PROTOBUF:
        return _protobuf(body, kind)
    raise unknown_format(patch=False)


def _patch(body: bytes, media: str) -> Json:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        if media.endswith("+yaml"):
            return _yaml(body)
        what = "" if media.startswith("application/strategic") else "error decoding patch: "
        raise bad_request(f"{what}{_complaint(body)}") from None


def _json(body: bytes, kind: str) -> Json:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        shown = body[:20].hex() + (" ..." if len(body) > 20 else "")
        why = f"couldn't get version/kind; json parse error: {_complaint(body)} ({shown})"
        raise bad_request(f"{_unrecognized(kind)}: {why}") from None


def _unrecognized(kind: str) -> str:
    return f"the object provided is unrecognized (must be of type {kind})" if kind else "the object is unrecognized"


def _complaint(body: bytes) -> str:
    """What is wrong with a JSON text, in Go's words."""
    try:
        gojson.loads(body.decode("utf-8", "replace"))
    except ValueError as error:
        return str(error)
    return "invalid UTF-8 or number"


def _yaml(body: bytes) -> Json:
    try:
        value = yaml.load(body, Loader=_Loader)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        line = " ".join(str(error).split())
        raise bad_request(f"error converting YAML to JSON: yaml: {line}") from None
    if _nodes(value) > MOST_NODES:
        raise bad_request("error converting YAML to JSON: yaml: document contains excessive aliasing")
    return value


class _Loader(yaml.CSafeLoader):
    """YAML whose times stay text, as JSON has none."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
    for first, found in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def _nodes(value: Json) -> int:
    """Values inside a value, references followed; stops counting soon after there are too many."""
    count, level = 0, [value]
    while level and count <= MOST_NODES:
        item = level.pop()
        count += 1
        if isinstance(item, dict):
            level.extend(item.values())
        elif isinstance(item, list):
            level.extend(item)
    return count


def _protobuf(body: bytes, kind: str) -> Json:
    try:
        return protobuf.decode(body)
    except protobuf.ProtobufError as error:
        raise bad_request(f"{_unrecognized(kind)}: {error}") from None
