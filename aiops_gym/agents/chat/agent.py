"""The agent: thinks, acts, observes, as the model behind it does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from aiops_gym.agents.base import AgentError, Env
from aiops_gym.agents.chat.answers import Answer
from aiops_gym.agents.chat.client import Client, NoTools, TooLong
from aiops_gym.agents.chat.history import Called, History, estimate
from aiops_gym.agents.chat.options import Options
from aiops_gym.envs.tokens import count
from aiops_gym.errors import ToolError
from aiops_gym.tools.parser import parse, write_call
from aiops_gym.tools.schemas import list_schemas
from aiops_gym.types import Json

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

TOOLED = (
    COMMON
    + """\
The calls are your tools. With each one, write what you learned, and what to do next and why, in a few sentences. Where
the first message asks for a call in a fenced block, call the tool of that name instead."""
)

SHORTER = 0.7
"""What is left of a conversation each time that a server finds it too long."""


class Chat:
    """Plays with a chat model.

    Args:
        options: the model, and how it is asked.
        client: asks for it.
        strict: the environment refuses thoughts around the call.
        tools: what may be called, in OpenAI's shape; none where calls are text anyway.
    """

    def __init__(self, options: Options, client: Client, strict: bool = False, tools: Sequence[Json] = ()) -> None:
        self.options, self.client, self.strict = options, client, strict
        self.name = f"chat/{options.model}"
        self.tools = () if options.tools == "never" else tools
        self.reset("")

    @property
    def system(self) -> str:
        """The system message."""
        return self.options.system or (TOOLED if self.tools else BARE if self.strict else THINK)

    def reset(self, prompt: str) -> None:
        """A new conversation, in which nothing is spent yet."""
        self.history = History(system=self.system, prompt=prompt, room=self.options.room, beside=self._beside())
        self.said: str | None = None
        self.called: Called | None = None
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
            self.history.add(self.said, observation, self.called)
        answer = self._answer()
        self.said, self.called, self.remark = answer.text, answer.called, answer.remark
        action = self.said if self.called is None else write_action(self.said, self.called, self.strict)
        if not self.tools:  # none was asked for, so the server may take no such message back
            self.said, self.called = action, None
        self.invalid = 0 if _is_call(action) else self.invalid + 1
        return action

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
                answer = self.client.complete(messages, self.tools)
            except NoTools as error:
                if self.options.tools == "always":
                    raise AgentError(f"{self.options.url} takes no tools: {error}") from None
                self.tools = ()
                history.system, history.beside = self.system, 0
            except TooLong as error:
                history.room = min(history.room, history.size())
                if not history.shorten(history.size() * SHORTER):
                    raise AgentError(f"{self.options.url} finds the prompt alone too long: {error}") from None
            else:
                history.learn(estimate(messages), answer.prompt_tokens or 0)
                return answer

    def _beside(self) -> int:
        return count(json.dumps(list(self.tools))) if self.tools else 0


def write_action(thought: str, called: Called, bare: bool = False) -> str:
    """The action text of a tool that was called: the thought, and the call in its block.

    >>> write_action("So many!", Called("exec_shell", '{"command": "ls", "timeout": 5}'))
    "So many!\\n```\\nexec_shell(command='ls', timeout=5)\\n```"
    """
    try:
        given = json.loads(called.arguments or "{}")
    except (ValueError, RecursionError):
        given = None
    # What is no JSON object is shown as it is to the parser, which says what a call looks like.
    block = (
        write_call(called.name, given) if isinstance(given, dict) else f"```\n{called.name}({called.arguments})\n```"
    )
    around = "" if bare or "```" in thought else thought.strip()
    return f"{around}\n{block}" if around else block


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
    short = env.has_wrapper_attr("budget") and env.get_wrapper_attr("budget") is not None
    tools = list_schemas(env.get_wrapper_attr("tools"), short) if env.has_wrapper_attr("tools") else ()
    return Chat(chosen, Client(chosen, seed), strict, tools)
