"""One chat completion over HTTP, with everything that a server may do wrong.

Faults of the server or of the way to it are retried with growing pauses; what no retry can mend, and what is used up,
ends in one `AgentError`. The key is in no text that leaves this module.
"""

from __future__ import annotations

import importlib
import logging
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from aiops_gym.agents.base import AgentError
from aiops_gym.agents.chat.answers import Answer, Malformed, read_reason, read_stream, read_whole
from aiops_gym.agents.chat.history import Called, Message, estimate
from aiops_gym.agents.chat.options import Options
from aiops_gym.agents.chat.refusals import has_no_tools, is_too_long, is_transient, make_hint, read_retry_after
from aiops_gym.agents.chat.usage import Usage
from aiops_gym.agents.chat.watch import Watch
from aiops_gym.envs.tokens import count
from aiops_gym.types import Json

LOG = logging.getLogger(__name__)

BODY = 16 * 2**20
"""Bytes of an answer at most."""

SAID = 300
"""Characters that are repeated of what a server says."""

SECRET = 16
"""Characters from which on a key is taken out of answers too: shorter ones, such as `EMPTY`, are words like others."""

LOOPBACK = ("127.0.0.1", "::1", "localhost")


class TooLong(Exception):
    """The conversation is longer than the model's window."""


class NoTools(Exception):
    """The server takes no tools, or this model does not."""


class _Again(Exception):
    """A fault that a retry may mend. `pause` is how long the server asks to wait, in seconds."""

    def __init__(self, message: str, pause: float = 0.0) -> None:
        super().__init__(message)
        self.pause = pause


class Client:
    """Asks a server for completions. Not to be shared by threads, `interrupt` apart: each episode has its own.

    Args:
        options: the model, and how it is asked.
        seed: sent along where the options say so, and that of the pauses' chance.
        sleep: waits so many seconds; without it, until an interrupt at most.
        clock: seconds that only grow.

    Raises:
        AgentError: httpx is not installed.
    """

    def __init__(
        self,
        options: Options,
        seed: int = 0,
        sleep: Callable[[float], object] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.options, self.seed, self.clock = options, seed, clock
        try:
            self.httpx: Any = importlib.import_module("httpx")
        except ModuleNotFoundError:
            raise AgentError("the agent 'chat' needs httpx: pip install 'aiops_gym[llm]'") from None
        self._http: Any = None
        self._watch = Watch()
        self.sleep = sleep or self._watch.ended.wait
        self.reset()

    def reset(self) -> None:
        """A new episode: nothing is used yet, and chance begins anew."""
        self.usage = Usage(prices=self.options.prices.get(self.options.model))
        self.chance = np.random.default_rng(self.seed)
        self.begun = self.clock()
        self._watch.ended.clear()

    def complete(self, messages: list[Message], tools: Sequence[Json] = ()) -> Answer:
        """What the model answers to a conversation, in which it may call one of the tools.

        Raises:
            AgentError: the server refuses, all retries failed, a budget is used up, or it was interrupted.
            TooLong: the model's window is shorter than the conversation.
            NoTools: it would answer without the tools.
        """
        for retry in range(self.options.max_retries + 1):
            self._afford()
            try:
                answer = self._ask(messages, tools)
            except _Again as fault:
                if retry == self.options.max_retries:
                    raise AgentError(f"{self.options.url} failed {retry + 1} times, at last with {fault}") from None
                self._pause(retry, fault)
            else:
                self._count(messages, answer)
                return answer
        raise AssertionError("a last try either answers or raises")

    def interrupt(self) -> None:
        """End what is asked for and waited for, from another thread: `complete` raises AgentError until a reset."""
        self._watch.end()

    def close(self) -> None:
        """Close the connection; it is opened again when it is needed."""
        if self._http is not None:
            self._http.close()
            self._http = None

    def _ask(self, messages: list[Message], tools: Sequence[Json]) -> Answer:
        self.usage.requests += 1
        httpx, http, patience = self.httpx, self._connection(), self._patience()
        try:
            with (
                self._watch.within(patience),
                http.stream("POST", self.options.url, timeout=patience, **self._request(messages, tools)) as response,
            ):
                return self._read(response, bool(tools))
        except httpx.TimeoutException:
            raise _Again(f"no answer in {patience:g} s") from None
        except httpx.RequestError as error:
            raise self._fault(f"{type(error).__name__}: {error}", patience) from None
        except Malformed as error:
            raise self._fault(str(error), patience) from None

    def _read(self, response: Any, tools: bool) -> Answer:
        pieces = _limited(response.iter_bytes())
        if response.status_code != 200:
            body = b"".join(pieces)
            if tools and has_no_tools(response.status_code, body):
                raise NoTools(self._safe(read_reason(body))[:SAID])
            self._refused(response, body)
        kind = response.headers.get("content-type", "")
        streamed = "event-stream" in kind or (self.options.stream and "json" not in kind)
        answer = read_stream(_lines(pieces)) if streamed else read_whole(b"".join(pieces))
        if len(self.options.key) < SECRET:
            return answer
        called = answer.called and Called(*map(self._safe, answer.called))
        return replace(answer, text=self._safe(answer.text), called=called)

    def _fault(self, what: str, patience: float) -> _Again:
        """A fault of the connection, which may be our own doing."""
        return _Again(f"no answer in {patience:g} s" if self._watch.over else self._safe(what)[:SAID])

    def _request(self, messages: list[Message], tools: Sequence[Json]) -> dict[str, Any]:
        options = self.options
        body: dict[str, Any] = {"model": options.model, "messages": messages}
        if tools:
            body["tools"] = list(tools)
        if options.temperature is not None:
            body["temperature"] = options.temperature
        if options.max_tokens is not None:
            body["max_tokens"] = options.max_tokens
        if options.send_seed:
            body["seed"] = self.seed
        if options.stop:
            body["stop"] = list(options.stop)
        if options.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        headers = {"Authorization": f"Bearer {options.key}"} if options.key else {}
        return {"json": body | dict(options.extra), "headers": headers, "extensions": {"trace": self._watch.trace}}

    def _refused(self, response: Any, body: bytes) -> None:
        """Raises what an answer that is no completion means."""
        status, why = response.status_code, self._safe(read_reason(body))[:SAID]
        said = f"status {status}{': ' if why else ''}{why}"
        if is_transient(status, body):
            raise _Again(said, read_retry_after(response.headers))
        if is_too_long(status, body):
            raise TooLong(said)
        more = self._safe(make_hint(status, response.headers, urlsplit(self.options.base_url).path))[:SAID]
        raise AgentError(f"{self.options.url} refuses: {said}{more}")

    def _pause(self, retry: int, fault: _Again) -> None:
        """Wait before a retry; as long as the server asks, where it asks."""
        options = self.options
        self._go_on()
        if fault.pause > options.max_retry_after:
            raise AgentError(
                f"{options.url} asks to wait {fault.pause:g} s, and max_retry_after is "
                f"{options.max_retry_after:g} s: {fault}"
            )
        grown = min(options.max_wait, options.wait * 2.0 ** min(retry, 60))
        pause = max(grown * (1 - self.chance.random() / 2), fault.pause)
        left = self._left()
        if left is not None and pause >= left:
            raise AgentError(f"the budget of {options.budget_seconds:g} s ends before a retry after {fault}")
        LOG.warning("%s: %s; again in %.1f s", options.url, fault, pause)
        self.sleep(pause)
        self.usage.retries += 1

    def _go_on(self) -> None:
        """Raises AgentError after an interrupt."""
        if self._watch.ended.is_set():
            raise AgentError("interrupted")

    def _afford(self) -> None:
        """Raises AgentError when a budget is used up, or after an interrupt."""
        options, usage = self.options, self.usage
        self._go_on()
        left = self._left()
        if left is not None and left <= 0:
            raise AgentError(f"the budget of {options.budget_seconds:g} s is used up")
        if options.budget_tokens is not None and usage.tokens >= options.budget_tokens:
            raise AgentError(f"the budget of {options.budget_tokens} tokens is used up")
        if options.budget_cost is not None and (usage.cost or 0.0) >= options.budget_cost:
            raise AgentError(f"the budget of {options.budget_cost:g} is used up")

    def _left(self) -> float | None:
        """Seconds of the budget; None for no end."""
        given = self.options.budget_seconds
        return None if given is None else given - (self.clock() - self.begun)

    def _patience(self) -> float:
        """Seconds that a request may take from now on."""
        left = self._left()
        return self.options.timeout if left is None else max(0.001, min(self.options.timeout, left))

    def _count(self, messages: list[Message], answer: Answer) -> None:
        read, written = answer.prompt_tokens, answer.completion_tokens
        self.usage.estimated += read is None or written is None
        self.usage.prompt_tokens += estimate(messages) if read is None else read
        self.usage.completion_tokens += _length(answer) if written is None else written

    def _connection(self) -> Any:
        if self._http is None:
            address = urlsplit(self.options.url)
            direct = address.scheme == "http" and address.hostname in LOOPBACK  # no proxy leads to this machine
            try:
                self._http = self.httpx.Client(trust_env=not direct)
            except (ImportError, ValueError, OSError, self.httpx.InvalidURL) as error:
                raise AgentError(f"a proxy or certificate that the environment names is of no use: {error}") from None
            weakref.finalize(self, self._http.close)
        return self._http

    def _safe(self, text: str) -> str:
        """A text of the server's without the key, which some repeat."""
        return text.replace(self.options.key, "***") if self.options.key else text


def _length(answer: Answer) -> int:
    """Tokens that the model wrote, as we count them."""
    return count(answer.text) + sum(map(count, answer.called[:2] if answer.called else ()))


def _limited(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces of a body, which must have an end."""
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > BODY:
            raise Malformed(f"an answer of more than {BODY} bytes")
        yield piece


def _lines(pieces: Iterator[bytes]) -> Iterator[str]:
    """Lines of a body that comes in pieces; a last one without an end is none."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        yield from (line.decode("utf-8", "replace").rstrip("\r") for line in whole)
