"""A person at a prompt."""

from __future__ import annotations

import sys

from aiops_gym.agents.base import Agent, Env
from aiops_gym.types import Call


class Human:
    """Shows what was printed and reads the next line; a line that is no API call is a shell command."""

    name = "human"

    def __init__(self, apis: tuple[str, ...], ask: str = "aiops> ") -> None:
        self.apis = apis
        self.ask = ask

    def reset(self, prompt: str) -> None:
        """Nothing: the prompt is the first observation."""

    def act(self, observation: str) -> str:
        """What the person typed. Raises EOFError when the input ends."""
        sys.stdout.write(observation.encode("utf-8", "replace").decode("utf-8").rstrip() + "\n")
        while not (line := input(self.ask).strip()):
            pass
        return action(line, self.apis)


def action(line: str, apis: tuple[str, ...]) -> str:
    r"""The action that a line means.

    >>> action("get_logs('shop', 'cart')", ("get_logs",))
    "```\nget_logs('shop', 'cart')\n```"
    >>> action("kubectl get pods", ("exec_shell", "get_logs"))
    "```\nexec_shell('kubectl get pods')\n```"
    """
    name, parenthesis, _ = line.partition("(")
    if line == "submit" and "submit" in apis:
        return str(Call("submit"))
    if (parenthesis and name.strip() in apis) or "exec_shell" not in apis:
        return f"```\n{line}\n```"
    return str(Call("exec_shell", (line,)))


def make(env: Env, seed: int = 0) -> Agent:
    """Reads the terminal."""
    return Human(tuple(env.get_wrapper_attr("tools")))
