"""The way out of the room: submitting, scoring and the clock, at an address that the kubeconfig does not name.

Every request carries the token that was drawn when the server began.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from aiops_gym.errors import ToolError
from aiops_gym.serve import answers, bodies
from aiops_gym.serve.clock import Clock, split_steps
from aiops_gym.serve.incident import Incident
from aiops_gym.serve.keeper import Keeper
from aiops_gym.serve.visitors import LOOPBACK, is_welcome
from aiops_gym.sim.kube_api.status import ApiError
from aiops_gym.types import Json, Verdict

Handler = Callable[[Request], Awaitable[Response]]

FASTEST = 1_000.0
LONGEST = 3_600.0
"""Most seconds that may be skipped at once."""

BEARER = re.compile(r"bearer +(\S+)", re.IGNORECASE)
ELSEWHERE = "this address answers to programs of this machine, by its own name only"
UNKNOWN = "this address needs its token: Authorization: Bearer TOKEN, as in the line that the server printed"


@dataclass(frozen=True, slots=True)
class Submission:
    """An answer that came, and what became of it.

    Attributes:
        text: a call where it is one, otherwise as it was sent.
        now: milliseconds on the world's clock when it came.
        verdict: None where it was refused.
        refused: why, "" where it was not.
    """

    text: str
    now: int
    verdict: Verdict | None = None
    refused: str = ""


def draw_token() -> str:
    """A secret of the operating system's making: unlike all else here, it must not follow from a seed."""
    return secrets.token_urlsafe(24)


class Control:
    """What the control address answers.

    Args:
        keeper: of the world.
        clock: of the world.
        token: that requests must carry, as `Authorization: Bearer <token>`.
        incident: what is judged.
        heard: is told of each submission: its text, and what was said to it.
    """

    def __init__(
        self, keeper: Keeper, clock: Clock, token: str, incident: Incident, heard: Callable[[Submission], None]
    ) -> None:
        self.keeper, self.clock, self.token, self.incident, self.heard = keeper, clock, token, incident, heard

    def app(self) -> Starlette:
        """The application."""
        return Starlette(
            routes=[
                Route("/status", self._guarded(self.status), methods=["GET"]),
                Route("/submit", self._guarded(self.submit), methods=["POST"]),
                Route("/advance", self._guarded(self.advance), methods=["POST"]),
                Route("/speed", self._guarded(self.speed), methods=["POST"]),
            ],
            exception_handlers=dict.fromkeys((404, 405), _lost),
        )

    def _guarded(self, handler: Handler) -> Handler:
        async def answer(request: Request) -> Response:
            if not is_welcome(request.headers, LOOPBACK):
                return _json({"error": ELSEWHERE}, 403)
            given = BEARER.fullmatch(request.headers.get("authorization", ""))
            if not secrets.compare_digest(given[1].encode() if given else b"", self.token.encode()):
                return _json({"error": UNKNOWN}, 401, {"WWW-Authenticate": "Bearer"})
            try:
                return await handler(request)
            except ApiError as error:
                return _json({"error": error.message}, error.code)
            except (ToolError, ValueError) as error:
                return _json({"error": str(error)}, 400)

        return answer

    async def status(self, request: Request) -> Response:
        """Where things stand."""
        found = await self.keeper.ask(lambda world: {"now": world.timestamp, "ms": world.now, **self.incident.status()})
        trouble = {"trouble": self.keeper.trouble} if self.keeper.trouble else {}
        return _json({**found, "speed": self.clock.speed, **trouble})

    async def submit(self, request: Request) -> Response:
        """Judge an answer, the first that is one."""
        incident, raw = self.incident, await bodies.read(request)
        written, now = raw.decode("utf-8", "replace"), self.keeper.now
        try:
            answer = answers.read(incident.task, raw)
            written = answers.format_answer(answer)
            verdict = await self.keeper.ask(lambda _: incident.submit(answer))
        except ToolError as error:
            self.heard(Submission(written, now, refused=str(error)))
            raise
        self.heard(Submission(written, now, verdict))
        return _json(incident.told())

    async def advance(self, request: Request) -> Response:
        """Let time pass at once."""
        seconds = _number(await _body(request), "seconds", LONGEST)
        for step in split_steps(round(seconds * 1000)):
            await self.clock.move(step)
        return await self.status(request)

    async def speed(self, request: Request) -> Response:
        """Have the clock run faster, slower, or not at all."""
        self.clock.speed = _number(await _body(request), "speed", FASTEST)
        return await self.status(request)


async def _lost(request: Request, error: Exception) -> Response:
    """Another path or method than there are."""
    return _json({"error": "there are GET /status, POST /submit, POST /advance and POST /speed"}, 404)


async def _body(request: Request) -> Mapping[str, Json]:
    raw = await bodies.read(request)
    try:
        found = orjson.loads(raw or b"{}")
    except orjson.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from None
    if not isinstance(found, Mapping):
        raise ValueError('send a JSON object, such as {"seconds": 60}')
    return found


def _number(body: Mapping[str, Json], name: str, most: float) -> float:
    value = body.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise ValueError(f"{name} must be a number from 0 to {most:g}")
    return float(value)


def _json(body: Json, code: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    text = orjson.dumps(body, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    return Response(text, code, headers, media_type="application/json")
