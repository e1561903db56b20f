"""Sessions of `aiops-gym serve --sessions`: the same two objects, far away, by the standard library alone."""

from __future__ import annotations

import base64
import json
import threading
import urllib.error
import urllib.request
from typing import Any

from aiops_gym.sessions.results import Reply, Score

PAUSE = threading.Event()
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def ask(url: str, token: str, method: str = "GET", body: Any = None, tries: int = 60) -> Any:
    """One request; what is told to come again comes again. Raises OSError, urllib's HTTPError among them."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Authorization": f"Bearer {token}"}, method=method)
    try:
        with OPENER.open(request, timeout=300) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        told = error.read().decode("utf-8", "replace")
        if error.code != 429 or tries <= 1:
            raise OSError(f"{url}: {error.code} {told}") from None
        PAUSE.wait(float(error.headers.get("Retry-After", 1)))
        return ask(url, token, method, body, tries - 1)


class RemoteAgent:
    """The agent's side; all it holds is an address and the token of its session."""

    def __init__(self, url: str, token: str) -> None:
        self._at = f"{url}/agent", token
        told = ask(*self._at)
        self.prompt, self.tools = told["prompt"], told["tools"]

    def act(self, text: str) -> Reply:
        """Carry out an action text."""
        return Reply(**ask(f"{self._at[0]}/act", self._at[1], "POST", {"text": text}))

    def call(self, name: str, /, **arguments: Any) -> Reply:
        """Carry out a call."""
        return Reply(**ask(f"{self._at[0]}/call", self._at[1], "POST", {"name": name, "arguments": arguments}))


class RemoteSession:
    """The trainer's side."""

    def __init__(self, url: str, token: str, told: dict[str, Any]) -> None:
        self._url, self._token, self._name = url, token, told["session"]
        self.agent = RemoteAgent(url, told["agent"])

    def fork(self, n: int = 1) -> list[RemoteSession]:
        """Independent sessions that continue from here."""
        return [RemoteSession(self._url, self._token, told) for told in self._ask("/fork", "POST", {"n": n})]

    def snapshot(self) -> bytes:
        """The episode as data."""
        return base64.b64decode(self._ask("/snapshot")["data"])

    def restore(self, data: bytes) -> None:
        """Continue from a snapshot."""
        self._ask("/snapshot", "PUT", {"data": base64.b64encode(data).decode()})

    def score(self) -> Score:
        """What it is worth as it stands."""
        return Score(**self._ask("/score"))

    def close(self) -> Score:
        """End it; what it was worth."""
        return Score(**self._ask("", "DELETE"))

    def _ask(self, path: str, *given: Any) -> Any:
        return ask(f"{self._url}/trainer/sessions/{self._name}{path}", self._token, *given)


class RemoteSessions:
    """Opens sessions; `create` takes what that of `aiops_gym.sessions.Sessions` takes."""

    def __init__(self, url: str, token: str) -> None:
        self._url, self._token = url, token

    def create(self, problem: str | None = None, **arguments: Any) -> RemoteSession:
        """A session."""
        given = {"problem": problem, **arguments}
        return RemoteSession(self._url, self._token, ask(f"{self._url}/trainer/sessions", self._token, "POST", given))
