"""What programs in the cluster answer, handed on: behind `proxy` of the API, and at `/prometheus` and its like.

A client that takes a base URL is given `http://127.0.0.1:PORT/prometheus` or the like.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from aiops_gym.backends.servers import PORTS, ask_server
from aiops_gym.serve import bodies
from aiops_gym.serve.keeper import Keeper
from aiops_gym.serve.paths import Target
from aiops_gym.serve.render import HEADERS, render_data
from aiops_gym.sim.kube_api import handle
from aiops_gym.sim.machine.executables.curl import guess_type
from aiops_gym.sim.machine.program import HttpAnswer
from aiops_gym.types import Json
from aiops_gym.types import Request as Question

FORM, JSON = "application/x-www-form-urlencoded", "application/json"
VERBS = {"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


def is_server(parts: list[str]) -> bool:
    """Whether a path is that of a server in the cluster.

    >>> is_server(["prometheus", "api"]), is_server(["api", "v1"])
    (True, False)
    """
    return parts[0] in PORTS


async def serve_program(keeper: Keeper, server: str, request: Request) -> Response:
    """Answer in the name of a server in the cluster. Raises ApiError."""
    asked = await _asked(request, 1)
    return _hand_on(
        await keeper.ask(lambda world: ask_server(world, server, asked["method"], asked["path"], asked["text"]))
    )


async def serve_proxy(keeper: Keeper, target: Target, request: Request) -> Response:
    """Answer for whatever is behind a Service, or in a pod. Raises ApiError."""
    asked = await _asked(request, 7)
    verb = VERBS.get(request.method, "get")
    question = Question(verb, target.resource.name, target.namespace, target.name, "proxy", asked)
    reply = await keeper.ask(lambda world: handle(world, question))
    return _hand_on(reply.body) if isinstance(reply.body, HttpAnswer) else render_data(reply.body, reply.code)


async def _asked(request: Request, steps: int) -> Json:
    """The request as the program shall see it: without the first parts of its path, which are written as they came."""
    raw = await bodies.read(request)
    where = request.scope["raw_path"].decode("ascii", "replace").split("/", steps + 1)
    query = request.scope["query_string"].decode("ascii", "replace")
    path = f"/{where[steps + 1]}" if len(where) > steps + 1 else "/"
    read = request.headers.get("content-type", "").startswith((FORM, JSON))
    text = raw.decode("utf-8", "replace") if read else ""
    return {"method": request.method, "path": f"{path}?{query}" if query else path, "text": text}


def _hand_on(answer: HttpAnswer) -> Response:
    headers = {"Content-Type": guess_type(answer.body), **HEADERS, **answer.headers}
    return Response(answer.body.encode("utf-8", "replace"), answer.status, headers)
