"""From the bytes of a request to JSON data, with the server's words for what is none."""

from __future__ import annotations

import asyncio

import orjson
import yaml
from starlette.requests import Request

from aiops_gym.clients import gojson, goyaml
from aiops_gym.serve import protobuf
from aiops_gym.serve.refusals import JSON, LARGEST_BODY, PATCHES, PROTOBUF, YAML, too_large, too_slow, unknown_format
from aiops_gym.sim.kernel.nesting import JSON_WORDS, is_deep
from aiops_gym.sim.kube_api.status import bad_request
from aiops_gym.types import Json

PATIENCE = 30.0
"""Seconds a client may take to send a body."""

SUMMARY = 30
"""Bytes of a body that is none which an answer repeats."""


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
        return _yaml(body, kind)
    if media == PROTOBUF:
        return _protobuf(body, kind)
    raise unknown_format(patch=False)


def _patch(body: bytes, media: str) -> Json:
    if media.endswith("+yaml"):
        try:
            return _of_yaml(body)
        except ValueError as error:
            raise bad_request(f"error decoding YAML: {error}") from None
    try:
        return _of_json(body)
    except ValueError as error:
        what = "" if media.startswith("application/strategic") else "error decoding patch: "
        raise bad_request(f"{what}{error}") from None


def _json(body: bytes, kind: str) -> Json:
    try:
        return _of_json(body)
    except ValueError as error:
        why = f"couldn't get version/kind; json parse error: {error}"
        raise bad_request(f"{_unrecognized(kind)}: {why} ({_summary(body)})") from None


def _yaml(body: bytes, kind: str) -> Json:
    try:
        return _of_yaml(body)
    except ValueError as error:
        raise bad_request(f"{_unrecognized(kind)}: {error} ({_summary(body)})") from None


def _unrecognized(kind: str) -> str:
    return f"the object provided is unrecognized (must be of type {kind})" if kind else "the object is unrecognized"


def _summary(body: bytes) -> str:
    """How a body begins, as text only where it looks like an object."""
    if not body:
        return "<empty>"
    begin = body[:SUMMARY]
    shown = begin.decode("utf-8", "replace") if begin.startswith(b"{") else begin.hex()
    return shown if len(body) <= SUMMARY else f"{shown} ..."


def _of_json(body: bytes) -> Json:
    """The value of a JSON text. Raises ValueError in Go's words."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return gojson.loads(body.decode("utf-8", "replace"))
    if is_deep(value):
        raise ValueError(JSON_WORDS)
    return value


def _of_yaml(body: bytes) -> Json:
    """The value of a YAML text. Raises ValueError in the words of Kubernetes."""
    try:
        return goyaml.load(body.decode())
    except yaml.YAMLError as error:
        raise ValueError(f"error converting YAML to JSON: {goyaml.explain_error(error)}") from None
    except UnicodeDecodeError:
        raise ValueError("error converting YAML to JSON: yaml: invalid leading UTF-8 octet") from None


def _protobuf(body: bytes, kind: str) -> Json:
    try:
        return protobuf.decode(body)
    except protobuf.ProtobufError as error:
        raise bad_request(f"{_unrecognized(kind)}: {error}") from None
