"""`get --raw` of a path that goes on behind a Service or a pod: what a program answers, or client-go's words for it."""

from __future__ import annotations

from typing import Final
from urllib.parse import SplitResult, unquote

from aiops_gym.kubectl.errors import ServerError
from aiops_gym.sim.kube_api.status import quote
from aiops_gym.sim.machine.program import HttpAnswer
from aiops_gym.types import Cluster, Request

GENERIC: Final = {
    400: ("BadRequest", "the server rejected our request for an unknown reason"),
    404: ("NotFound", "the server could not find the requested resource"),
    405: ("MethodNotAllowed", "the server does not allow this method on the requested resource"),
    503: ("ServiceUnavailable", "the server is currently unable to handle the request"),
}
"""What client-go says of an answer that is no `v1.Status`, by its code."""


def make_request(path: SplitResult) -> Request | None:
    """The request of such a path, None for any other."""
    steps = path.path.split("/", 8)[1:]
    if len(steps) < 7 or steps[:3] != ["api", "v1", "namespaces"] or steps[6] != "proxy":
        return None
    if steps[4] not in ("services", "pods"):
        return None
    rest = f"/{''.join(steps[7:])}"
    asked = {"method": "GET", "path": f"{rest}?{path.query}" if path.query else rest}
    return Request("get", steps[4], steps[3], unquote(steps[5]), "proxy", asked)


def fetch(cluster: Cluster, request: Request) -> str:
    """What the program answers. Raises ServerError, with no word of what an error's body says."""
    code, body = cluster.handle(request)
    if not isinstance(body, HttpAnswer):
        raise ServerError(body)
    if code < 400:
        return body.body
    plain = body.headers.get("Content-Type", "").startswith("text/")
    told = quote(body.body.strip() if plain else "unknown")
    broken = ("InternalError", f"an error on the server ({told}) has prevented the request from succeeding")
    unknown = ("", f"the server responded with the status code {code} but did not return more information")
    reason, message = GENERIC.get(code, broken if code >= 500 else unknown)
    raise ServerError({"reason": reason, "message": message})
