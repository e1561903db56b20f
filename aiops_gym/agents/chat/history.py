"""The conversation with a model, within a window of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from aiops_gym.agents.base import AgentError
from aiops_gym.envs.tokens import count
from aiops_gym.tools.clip import clip, utf8

Message = dict[str, Any]

SHORT = 240
"""Characters that are left of an old observation."""

LEAST = 1_000
"""Characters that are left at least of the newest one, and of the answer before it."""

AFTER = 0.75
"""To what share of the window a conversation is shortened, so that the next turns only append to it: what a server has
cached of it stays good."""

RATIOS = (0.75, 16.0)
"""Tokens of a server for one of ours: what lies outside is no count of all messages, as where a server leaves out those
that it had in its cache."""

FRAME = 4
"""Tokens around a message, roughly: its role and its ends."""

NOTHING = "(no answer)"
"""Stands for an empty answer, since many servers refuse messages without a text."""


class Called(NamedTuple):
    """A tool that the model called by the server's own format; the arguments are the text of a JSON object."""

    name: str
    arguments: str
    id: str = "call"


@dataclass
class Turn:
    """What the model said and perhaps called, and what it read then."""

    said: str
    heard: str
    called: Called | None = None

    def messages(self) -> list[Message]:
        """As a server takes them: what a call printed is a tool's message."""
        if self.called is None:
            return [_message("assistant", self.said), _message("user", self.heard)]
        name, arguments, id_ = self.called
        call = {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}
        answer = {**_message("tool", self.heard), "tool_call_id": id_}
        return [{**_message("assistant", self.said), "tool_calls": [call]}, answer]


@dataclass
class History:
    """The messages so far.

    The system message and the prompt always stay. When there is no room, the oldest observations are shortened first,
    then the oldest turns are left out; of the newest observation and answer at least the head and the tail stay.

    Attributes:
        room: tokens that the messages may have, and what is sent beside them.
        beside: tokens that are sent with every request, those of the tools.
        ratio: tokens of the server for one of ours, as last reported.

    >>> history = History(system="Be brief.", prompt="What is wrong?", room=1_000)
    >>> history.add("I look.", "all is well")
    >>> [message["role"] for message in history.messages()]
    ['system', 'user', 'assistant', 'user']
    """

    system: str
    prompt: str
    room: int
    turns: list[Turn] = field(default_factory=list)
    left_out: int = 0
    beside: int = 0
    ratio: float = 1.0

    def add(self, said: str, heard: str, called: Called | None = None) -> None:
        """A turn is over."""
        nothing = "" if called else NOTHING
        self.turns.append(Turn(utf8(said) if said.strip() else nothing, utf8(heard), called))

    def messages(self) -> list[Message]:
        """What to send."""
        more = f"\n\n[The first {self.left_out} turns are left out.]" if self.left_out else ""
        found = [_message("system", self.system), _message("user", utf8(self.prompt) + more)]
        for turn in self.turns:
            found += turn.messages()
        return found

    def learn(self, estimated: int, reported: int) -> None:
        """The server counted `reported` tokens where we had counted `estimated`."""
        if estimated and reported:
            least, most = RATIOS
            self.ratio = min(most, max(least, reported / (estimated + self.beside)))

    def size(self) -> int:
        """Tokens of all messages, in those of the server as far as known."""
        return int((estimate(self.messages()) + self.beside) * self.ratio)

    def trim_to_window(self) -> None:
        """Shorten it until it fits.

        Raises:
            AgentError: the prompt alone does not.
        """
        if self.size() <= self.room:
            return
        self.shorten(self.room * AFTER)
        if self.size() > self.room:
            raise AgentError(
                f"the prompt does not fit into the model's window: about {self.size()} tokens, "
                f"and {self.room} are left for it by context_tokens and max_tokens"
            )

    def shorten(self, goal: float) -> bool:
        """Shorten it to so many tokens, or as far as it can be; whether anything could."""
        changed = False
        for _ in self._shorter():
            changed = True
            if self.size() <= goal:
                break
        return changed

    def _shorter(self) -> Iterator[None]:
        """Shortens step by step, the least loss first."""
        for turn in self.turns[:-1]:
            if len(turn.heard) > SHORT:
                turn.heard = clip(turn.heard, SHORT)
                yield
        while len(self.turns) > 1:
            del self.turns[0]
            self.left_out += 1
            yield
        while self.turns and len(self.turns[-1].heard) > LEAST:
            self.turns[-1].heard = clip(self.turns[-1].heard, max(LEAST, len(self.turns[-1].heard) // 2))
            yield
        while self.turns and len(self.turns[-1].said) > LEAST:
            self.turns[-1].said = clip(self.turns[-1].said, max(LEAST, len(self.turns[-1].said) // 2))
            yield


def estimate(messages: list[Message]) -> int:
    """Tokens of messages, as we count them."""
    return sum(
        count(message["content"]) + FRAME + sum(map(_size, message.get("tool_calls", ()))) for message in messages
    )


def _size(call: Message) -> int:
    return count(call["function"]["name"]) + count(call["function"]["arguments"])


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}
