"""Sessions over HTTP: paths for the trainer, behind a token, and for agents, each behind the token of its session.

    trainer   POST /trainer/sessions {arguments of `Sessions.create`}     a session's name, and its agent's token
              POST /trainer/sessions/NAME/fork {"n": 7}                   likewise, a list
              GET, PUT /trainer/sessions/NAME/snapshot {"data": base64}
              GET /trainer/sessions/NAME/score; DELETE /trainer/sessions/NAME
    agent     GET /agent                                                  {"prompt": ..., "tools": [...]}
              POST /agent/act {"text": ...}; POST /agent/call {"name": ..., "arguments": {...}}
                                                                          {"text": ..., "over": false}

No route of the agent's names a session: the token does. Where there is more to do than can be done now the answer is
429, and nothing happened. `aiops_gym.sessions.client` is a client.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from functools import partial

import orjson
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from aiops_gym.runs import RayCluster
from aiops_gym.serve import bodies
from aiops_gym.serve.control import BEARER, draw_token
from aiops_gym.serve.desk import Desk, Holder, LocalProcess
from aiops_gym.serve.drawers import AGENTS, UNKNOWN, Answered
from aiops_gym.serve.ray_desk import RayActor
from aiops_gym.serve.server import listen
from aiops_gym.serve.visitors import LOOPBACK, is_welcome
from aiops_gym.sessions import Reply, Score
from aiops_gym.sessions.session import ENDED
from aiops_gym.sim.kube_api.status import ApiError

Handler = Callable[[Request], Awaitable[Response]]

LOST = "the process that held it ended"

ROUTES = (
    ("GET", "/agent", "read"),
    ("POST", "/agent/act", "act"),
    ("POST", "/agent/call", "call"),
    ("POST", "/trainer/sessions", "create"),
    ("DELETE", "/trainer/sessions/{name}", "close"),
    ("POST", "/trainer/sessions/{name}/fork", "fork"),
    ("GET", "/trainer/sessions/{name}/score", "score"),
    ("GET", "/trainer/sessions/{name}/snapshot", "snapshot"),
    ("PUT", "/trainer/sessions/{name}/snapshot", "restore"),
)
"""All that there is: method, path, and what it does."""


def make_app(desks: list[Desk], token: str, listening: str) -> Starlette:
    """The application.

    Args:
        desks: that hold the sessions.
        token: of the trainer.
        listening: the address, see `serve.visitors`.
    """

    def route(method: str, path: str, what: str) -> Route:
        async def answer(request: Request) -> Response:
            if not is_welcome(request.headers, listening):
                return _refused(403, "this server answers to its own address only")
            shown = BEARER.fullmatch(request.headers.get("authorization", ""))
            given = shown[1] if shown else ""
            if what not in AGENTS and not secrets.compare_digest(given.encode(), token.encode()):
                return _refused(401, "this address needs the trainer's token: Authorization: Bearer TOKEN")
            try:
                body = await bodies.read(request)
            except ApiError as error:
                return _refused(error.code, error.message)
            except ClientDisconnect:
                return Response(status_code=499)
            secret = given if what in AGENTS else request.path_params.get("name", "")
            return _made(await _answered(desks, what, secret, body))

        return Route(path, answer, methods=[method], name=what)

    return Starlette(routes=[route(*each) for each in ROUTES])


async def _answered(desks: list[Desk], what: str, secret: str, body: bytes) -> Answered:
    if what == "create":
        desk = min(desks, key=lambda each: each.open + each.waiting)
        return await desk.ask(what, secret, body) or Answered(503, orjson.dumps({"error": LOST}))
    number, _, rest = secret.partition(".")
    if not number.isdecimal() or int(number) >= len(desks):
        return UNKNOWN
    desk = desks[int(number)]
    found = None
    if rest.partition(".")[0] == str(desk.life):
        found = await desk.ask(what, secret, body)
    return found or _lost(what)


def _lost(what: str) -> Answered:
    """What is said of a session whose process is gone: the trainer masks it, the agent is not told why."""
    if what in ("score", "close"):
        return Answered(200, orjson.dumps(asdict(Score(None, masked=True, reason=LOST))))
    if what in ("act", "call"):
        return Answered(200, orjson.dumps(asdict(Reply(ENDED, True))))
    return Answered(410, orjson.dumps({"error": ENDED if what in AGENTS else LOST}))


def _made(answered: Answered) -> Response:
    headers = {"Retry-After": "1"} if answered.code == 429 else None
    return Response(answered.body, answered.code, headers, media_type="application/json")


def _refused(code: int, why: str) -> Response:
    return _made(Answered(code, orjson.dumps({"error": why})))


class Service:
    """Sessions behind an address.

    Attributes:
        url: of both sides.
        token: of the trainer.
        desks: the processes.
    """

    def __init__(self, host: str, port: int, starts: Sequence[Callable[[str], Holder]]) -> None:
        self.token = draw_token()
        self.desks: list[Desk] = []
        self._server, self._bound = listen(make_app(self.desks, self.token, host), host, port)
        self.url = f"http://{host}:{self._bound.getsockname()[1]}"
        self.desks += [Desk(number, start) for number, start in enumerate(starts)]
        self._thread = threading.Thread(target=self._main, name="aiops-gym-sessions", daemon=True)

    def open(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """End all sessions and connections."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join()
        self._bound.close()
        for desk in self.desks:
            desk.close()

    def _main(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._bound]))


@contextmanager
def serve_sessions(
    *,
    host: str = LOOPBACK,
    port: int = 0,
    processes: int = 1,
    limit: int = 256,
    idle: float = 900.0,
    cluster: RayCluster | None = None,
) -> Iterator[Service]:
    """Serve sessions for as long as the block lasts.

    Args:
        processes: that hold them, one for each core that may be used.
        limit: sessions at once, in all of them.
        idle: seconds without a request after which a session ends.
        cluster: on whose machines the processes are, as actors; None for this one.

    Raises BackendError, and AiopsGymError where the cluster is not there or cannot hold sessions.
    """
    share = -(-limit // processes)
    with ExitStack() as stack:
        start: Callable[[str], Holder] = partial(LocalProcess, share, idle)
        if cluster is not None:
            start = partial(RayActor, stack.enter_context(cluster.connected(processes)), share, idle)
        made = Service(host, port, [start] * processes)
        stack.callback(made.close)
        for desk in made.desks:
            if isinstance(desk.holder, RayActor):
                desk.holder.check()
        made.open()
        yield made
