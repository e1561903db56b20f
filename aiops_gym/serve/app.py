"""The Kubernetes API as an ASGI application, with Prometheus and Jaeger beside it."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Scope
from starlette.websockets import WebSocket

from aiops_gym.serve import behind, fixed, objects
from aiops_gym.serve.accounts import authorise
from aiops_gym.serve.dialog import converse
from aiops_gym.serve.keeper import Keeper
from aiops_gym.serve.paths import find_target, split_path
from aiops_gym.serve.refusals import broken, wrong_host
from aiops_gym.serve.render import render_refusal
from aiops_gym.serve.visitors import is_welcome
from aiops_gym.sim.kube_api.status import ApiError, method_not_allowed, no_such_path

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]


def make_api(keeper: Keeper, listening: str) -> Starlette:
    """The API of a kept world, at an address; see `serve.visitors` for who may come in."""

    async def answer(request: Request) -> Response:
        return _with_trouble(await found(request), keeper.trouble)

    async def found(request: Request) -> Response:
        try:
            if not is_welcome(request.headers, listening):
                raise wrong_host()
            parts = _parts(request.scope)
            known = fixed.answer(request, parts)
            if known is not None:
                return known
            target = find_target(parts)
            path, query = request.url.path, request.query_params
            asker = await authorise(keeper, request.headers, path, target, request.method, query)
            if behind.is_server(parts):
                return await behind.serve_program(keeper, parts[0], request)
            if target is None:
                raise no_such_path()
            return await objects.serve(keeper, target, request, asker)
        except ApiError as error:
            return render_refusal(error)
        except ClientDisconnect:
            return Response(status_code=499)

    async def dialog(socket: WebSocket) -> None:
        try:
            if not is_welcome(socket.headers, listening):
                raise wrong_host()
            target = find_target(_parts(socket.scope))
            await authorise(keeper, socket.headers, socket.url.path, target, "GET", socket.query_params)
        except ApiError as error:
            await socket.send_denial_response(render_refusal(error))
            return
        await converse(keeper, target, socket)

    return Starlette(
        routes=[Route("/{path:path}", answer, methods=METHODS), WebSocketRoute("/{path:path}", dialog)],
        exception_handlers={Exception: _failed, 405: _method},
    )


def _parts(scope: Scope) -> list[str]:
    return split_path(scope["raw_path"].decode("ascii", "replace"))


def _with_trouble(response: Response, trouble: str) -> Response:
    """An answer that says that the cluster itself met an error; kubectl prints such warnings."""
    if trouble:
        response.headers["Warning"] = f'299 - "{trouble}"'
    return response


async def _failed(request: Request, error: Exception) -> Response:
    """A mistake of ours; the server's log has it."""
    return render_refusal(broken())


async def _method(request: Request, error: Exception) -> Response:
    """A method that HTTP does not know."""
    return render_refusal(method_not_allowed())
