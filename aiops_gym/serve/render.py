"""From an answer of the API to the bytes on the wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import orjson
import yaml
from starlette.responses import Response as Answer

from aiops_gym.serve.negotiate import Form
from aiops_gym.serve.refusals import JSON, YAML
from aiops_gym.sim.kube_api.status import ApiError
from aiops_gym.types import Json, Response

HEADERS = {"cache-control": "no-cache, private"}


def render_answer(response: Response, form: Form, include: str = "Metadata") -> Answer:
    """An API's response as HTTP.

    Args:
        response: of the API.
        form: that the client asked for.
        include: what a Table's rows tell of their objects: `Metadata`, `Object` or `None`.
    """
    body = response.body
    if isinstance(body, str):
        return Answer(body.encode("utf-8", "replace"), response.code, HEADERS, media_type="text/plain")
    body = shaped(body, form, include) if response.code < 400 else body
    return render_data(body, response.code, form.media, warnings(getattr(response, "warnings", ())))


UPGRADE = "unable to upgrade connection: "


def render_refusal(error: ApiError) -> Answer:
    """A refusal as HTTP: a `v1.Status`, but what the node says of an upgrade is plain text."""
    if error.message.startswith(UPGRADE):
        return Answer(error.message.removeprefix(UPGRADE), 404, HEADERS, media_type="text/plain")
    return render_data(error.status, error.code)


def warnings(texts: Sequence[str]) -> list[str]:
    """Texts as values of Warning headers."""
    clean = (" ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"') for text in texts)
    return [f'299 - "{text}"' for text in clean]


def render_data(body: Json, code: int = 200, media: str = JSON, warned: Sequence[str] = ()) -> Answer:
    """JSON data as HTTP."""
    made = Answer(text(body, media), code, HEADERS, media_type=media)
    for warning in warned:
        made.headers.append("warning", warning.encode("ascii", "replace").decode())
    return made


def text(body: Json, media: str = JSON) -> bytes:
    """JSON data as text."""
    if media == YAML:
        plain = orjson.loads(orjson.dumps(body))
        return str(yaml.dump(plain, Dumper=yaml.CSafeDumper, sort_keys=True, allow_unicode=True)).encode()
    return orjson.dumps(body, option=orjson.OPT_APPEND_NEWLINE)


def shaped(body: Json, form: Form, include: str = "Metadata") -> Json:
    """An object, a list or a Table as the wire has it."""
    if body.get("kind") == "Table":
        return {**body, "apiVersion": f"meta.k8s.io/{form.version or 'v1'}", "rows": render_rows(body["rows"], include)}
    items = body.get("items")
    if not isinstance(items, list):
        return render_partial(body, form.version) if form.partial and "metadata" in body else body
    if form.partial:
        listed = [render_partial(item, form.version) for item in items]
        kind = {"kind": "PartialObjectMetadataList", "apiVersion": f"meta.k8s.io/{form.version}"}
        return {**kind, "metadata": body["metadata"], "items": listed}
    return {**body, "items": [{k: v for k, v in item.items() if k not in ("kind", "apiVersion")} for item in items]}


def render_rows(found: Sequence[Mapping[str, Json]], include: str) -> list[dict[str, Json]]:
    """A Table's rows, with as much of their objects as is wanted."""
    if include == "None":
        return [{"cells": row["cells"]} for row in found]
    if include == "Object":
        return [dict(row) for row in found]
    return [{**row, "object": render_partial(row["object"], "v1")} for row in found]


def render_partial(obj: Mapping[str, Json], version: str) -> dict[str, Json]:
    """An object's metadata alone."""
    return {"kind": "PartialObjectMetadata", "apiVersion": f"meta.k8s.io/{version}", "metadata": obj["metadata"]}
