"""The agent: thinks, acts, observes, as the model behind it does."""

from __future__ import annotations

from typing import Any

from aiops_gym.agents.base import AgentError, Env
from aiops_gym.agents.chat.answers import Answer
from aiops_gym.agents.chat.client import Client, TooLong
from aiops_gym.agents.chat.history import History, estimate
from aiops_gym.agents.chat.options import Options
from aiops_gym.errors import ToolError
from aiops_gym.tools.parser import parse

COMMON = """\
You act on a system through text. The first message describes the system, your task and the calls that there are.
After that, each message is what your last call printed; a long output may be shortened, with a note in brackets.

- Make one call at a time and wait for its output. Never write an output yourself.
- Look before you change anything, and change no more than you must.
- When a call fails, read why; the same call again rarely helps.
- Steps are limited: submit once the evidence is clear. A submission cannot be taken back.

"""

THINK = (
    COMMON
    + """\
Write each answer in this form, and nothing after it:

Thought: what you learned, and what to do next and why, in a few sentences
```
one_call("with its arguments")
```"""
)

BARE = (
    COMMON
    + """\
Write each answer in this form, with no other text:

```
one_call("with its arguments")
```"""
)

SHORTER = 0.7
"""What is left of a conversation each time that a server finds it too long."""


class Chat:
    """Plays with a chat model.

    Args:
        options: the model, and how it is asked.
        client: asks for it.
        strict: the environment refuses thoughts around the call.
    """

    def __init__(self, options: Options, client: Client, strict: bool = False) -> None:
        self.options, self.client = options, client
        self.name = f"chat/{options.model}"
        self.system = options.system or (BARE if strict else THINK)
        self.reset("")

    def reset(self, prompt: str) -> None:
        """A new conversation, in which nothing is spent yet."""
        self.history = History(system=self.system, prompt=prompt, room=self.options.room)
        self.said: str | None = None
        self.invalid, self.remark = 0, ""
        self.client.reset()

    def act(self, observation: str) -> str:
        """What the model says to all it has seen, as it is: the environment explains what is wrong with it.

        Raises:
            AgentError: the server fails for good, a budget is used up, or the model makes no call for too long.
        """
        if self.invalid >= self.options.max_invalid:
            last = f"; the last one {self.remark}" if self.remark else ""
            raise AgentError(f"{self.options.model} gave {self.invalid} answers in a row without a readable call{last}")
        if self.said is None:
            self.history.prompt = observation
        else:
            self.history.add(self.said, observation)
        answer = self._answer()
        self.said, self.remark = answer.text, answer.remark
        self.invalid = 0 if _is_call(self.said) else self.invalid + 1
        return self.said

    def report(self) -> dict[str, Any]:
        """The model, the options and what was used, as JSON data without secrets."""
        return {"model": self.options.model, "options": self.options.to_json(), "usage": self.client.usage.to_json()}

    def interrupt(self) -> None:
        """End a wait for the server, from another thread: the episode is over."""
        self.client.interrupt()

    def close(self) -> None:
        """Close the connection."""
        self.client.close()

    def _answer(self) -> Answer:
        history = self.history
        history.trim_to_window()
        while True:
            messages = history.messages()
            try:
                answer = self.client.complete(messages)
            except TooLong as error:
                history.room = min(history.room, history.size())
                if not history.shorten(history.size() * SHORTER):
                    raise AgentError(f"{self.options.url} finds the prompt alone too long: {error}") from None
            else:
                history.learn(estimate(messages), answer.prompt_tokens or 0)
                return answer


def _is_call(text: str) -> bool:
    try:
        parse(text)
    except ToolError:
        return False
    return True


def make(env: Env, seed: int = 0, **options: Any) -> Chat:
    """Plays with the model that the options name; see `Options` for all of them.

    Raises:
        CatalogError: options or a key that make no sense.
        AgentError: httpx is not installed.
    """
    chosen = Options.of(options)
    strict = env.has_wrapper_attr("action_format") and env.get_wrapper_attr("action_format") == "strict"
    return Chat(chosen, Client(chosen, seed), strict)
