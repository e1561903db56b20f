"""The Kubernetes API as an ASGI application."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Scope
from starlette.websockets import WebSocket

from aiops_gym.serve import fixed, objects
from aiops_gym.serve.dialog import converse
from aiops_gym.serve.keeper import Keeper
from aiops_gym.serve.paths import find_target, split_path
from aiops_gym.serve.refusals import broken, wrong_host
from aiops_gym.serve.render import render_refusal
from aiops_gym.sim.kube_api.status import ApiError, method_not_allowed, no_such_path

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]


def make_api(keeper: Keeper, hosts: frozenset[str]) -> Starlette:
    """The API of a kept world, for clients that call it by one of these host names; none means any."""

    async def answer(request: Request) -> Response:
        try:
            if not _welcome(request.headers, hosts):
                raise wrong_host()
            parts = _parts(request.scope)
            known = fixed.answer(request, parts)
            if known is not None:
                return known
            found = find_target(parts)
            if found is None:
                raise no_such_path()
            return await objects.serve(keeper, found, request)
        except ApiError as error:
            return render_refusal(error)
        except ClientDisconnect:
            return Response(status_code=499)

    async def dialog(socket: WebSocket) -> None:
        if _welcome(socket.headers, hosts):
            await converse(keeper, find_target(_parts(socket.scope)), socket)
        else:
            await socket.send_denial_response(render_refusal(wrong_host()))

    return Starlette(
        routes=[Route("/{path:path}", answer, methods=METHODS), WebSocketRoute("/{path:path}", dialog)],
        exception_handlers={Exception: _failed, 405: _method},
    )


def _parts(scope: Scope) -> list[str]:
    return split_path(scope["raw_path"].decode("ascii", "replace"))


def _welcome(headers: Headers, hosts: frozenset[str]) -> bool:
    """Whether a request is meant for this server: a web page from elsewhere must not reach it."""
    if not hosts:
        return True
    origin = headers.get("origin", "").rpartition("//")[2]
    return all(_bare(text) in hosts for text in (headers.get("host", ""), origin) if text)


def _bare(host: str) -> str:
    """A host without its port.

    >>> _bare("127.0.0.1:6443"), _bare("[::1]:80"), _bare("localhost")
    ('127.0.0.1', '::1', 'localhost')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()


async def _failed(request: Request, error: Exception) -> Response:
    """A mistake of ours; the server's log has it."""
    return render_refusal(broken())


async def _method(request: Request, error: Exception) -> Response:
    """A method that HTTP does not know."""
    return render_refusal(method_not_allowed())
