"""Sessions by two secrets, and what comes of a request for one: all that both sides of a service of sessions can do."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, NamedTuple

import orjson

from aiops_gym.errors import AiopsGymError, describe_error
from aiops_gym.sessions import Session, Sessions
from aiops_gym.types import Json

KEPT = 8
"""Ended sessions whose score can still be asked for, for each one that may be open."""


class Answered(NamedTuple):
    """A status of HTTP, and JSON."""

    code: int
    body: bytes


BUSY = Answered(429, orjson.dumps({"error": "there are as many sessions, or requests, as there may be: come again"}))
UNKNOWN = Answered(404, orjson.dumps({"error": "there is no such session"}))


class Drawers:
    """Sessions by a name, for the trainer, and by a token, for the agent.

    Args:
        sessions: holds them.
        prefix: of both secrets: it says which process has them.
    """

    def __init__(self, sessions: Sessions, prefix: str) -> None:
        self.sessions, self.prefix = sessions, prefix
        self.named: dict[str, Session] = {}
        self.seated: dict[str, Session] = {}
        self.tokens: dict[str, str] = {}

    def answer(self, what: str, secret: str, body: bytes) -> Answered:
        """What comes of a request: of an agent where `what` is in AGENTS, of the trainer otherwise."""
        if what == "create":
            self.sessions.sweep()
            if len(self.sessions) >= self.sessions.limit:
                return BUSY
        elif secret not in (self.seated if what in AGENTS else self.named):
            return UNKNOWN
        try:
            given = orjson.loads(body or b"{}")
            return Answered(200, orjson.dumps(KNOWN[what](self, secret, **given)))
        except (AiopsGymError, TypeError, ValueError) as error:
            return Answered(400, orjson.dumps({"error": describe_error(error)}))

    def create(self, _: str, **given: Any) -> Json:
        """Open a session."""
        return self._keep(self.sessions.create(**given))

    def fork(self, name: str, n: int = 1) -> Json:
        """Open sessions that continue from another."""
        return [self._keep(made) for made in self.named[name].fork(min(n, self.sessions.limit))]

    def snapshot(self, name: str) -> Json:
        """The episode as data."""
        return {"data": base64.b64encode(self.named[name].snapshot()).decode()}

    def restore(self, name: str, data: str) -> Json:
        """Continue from data."""
        self.named[name].restore(base64.b64decode(data))
        return {}

    def score(self, name: str) -> Json:
        """What it is worth."""
        return asdict(self.named[name].score())

    def close(self, name: str) -> Json:
        """End it, and forget it; what it was worth."""
        session = self.named.pop(name)
        del self.seated[self.tokens.pop(name)]
        session.close()
        return asdict(session.score())

    def read(self, token: str) -> Json:
        """What the agent is told at first."""
        side = self.seated[token].agent
        return {"prompt": side.prompt, "tools": side.tools}

    def act(self, token: str, text: str) -> Json:
        """One action, as text."""
        return asdict(self.seated[token].agent.act(text))

    def call(self, token: str, name: str, arguments: dict[str, Any]) -> Json:
        """One action, as a tool and its arguments."""
        return asdict(self.seated[token].agent.call(name, **arguments))

    def _keep(self, session: Session) -> Json:
        name, token = (f"{self.prefix}{secrets.token_urlsafe(24)}" for _ in range(2))
        self.named[name] = self.seated[token] = session
        self.tokens[name] = token
        for old in list(self.named)[: max(0, len(self.named) - KEPT * self.sessions.limit)]:
            if self.named[old].env is None:
                self.close(old)
        score = session.score()
        return {"session": name, "agent": token, "masked": score.masked, "reason": score.reason}


AGENTS: dict[str, Callable[..., Json]] = {"read": Drawers.read, "act": Drawers.act, "call": Drawers.call}
"""All that an agent can ask for."""

TRAINERS: dict[str, Callable[..., Json]] = {
    each.__name__: each
    for each in (Drawers.create, Drawers.fork, Drawers.snapshot, Drawers.restore, Drawers.score, Drawers.close)
}

KNOWN = {**AGENTS, **TRAINERS}
