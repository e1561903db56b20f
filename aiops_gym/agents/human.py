"""A person at a prompt."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence

from aiops_gym.agents.kinds import Agent, Env
from aiops_gym.envs import render
from aiops_gym.errors import AgentError, ArgumentError, ask_did_you_mean, make_hint
from aiops_gym.tasks.form import Form
from aiops_gym.tools import Tool
from aiops_gym.types import Call

LEFT = "left without a submission"
"""Why an episode ends that somebody leaves."""

FENCE = "```"

SHELL = "Type commands of a shell, such as  kubectl get pods -A  and calls of APIs, such as\n  {example}\n"

RECORDED = "Type calls of APIs, such as\n  {example}\n"

MORE = """\
When you know the answer, type  submit  and you are asked for it.  help  says what else can be typed,  exit  leaves.
"""

HELP = """\
What can be typed:
  {lines}
  help NAME   what an API takes and does
  help task   the task again
  submit      asks for the answer; the episode ends with it
  exit        leaves without an answer, as Ctrl-D and Ctrl-C do
The APIs:
  {apis}"""

NOT_SUBMITTED = "Nothing was submitted, and the episode goes on."


class Human:
    """Shows what was printed and reads what to do next, until that is an action.

    Args:
        env: whose task, tools and form of an answer it shows.
        width: columns at which prose is broken; 0 for none. What tools print is shown as it is.
    """

    name = "human"

    def __init__(self, env: Env, width: int = 0, ask: str = "aiops> ") -> None:
        self.env, self.width, self.ask = env, width, ask
        self._told = False

    @property
    def tools(self) -> Mapping[str, Tool]:
        """What may be called."""
        found: Mapping[str, Tool] = self.env.get_wrapper_attr("tools")
        return found

    def reset(self, prompt: str) -> None:
        """A new episode: its task comes first."""
        self._told = False

    def act(self, observation: str) -> str:
        """What the person typed. Raises AgentError for one who leaves."""
        if self._told:
            render.show(observation.rstrip())
        else:
            self._told = True
            self._begin()
        while (action := self._action(self._read(self.ask).strip())) is None:
            pass
        return action

    def _begin(self) -> None:
        """The task, and how to go about it; the rules of the prompt are for programs."""
        example: str = self.env.get_wrapper_attr("example")
        start = (SHELL if "exec_shell" in self.tools else RECORDED).format(example=example.strip(f"{FENCE}\n"))
        self._say(f"{self._task()}\n\n{start}{MORE}")

    def _action(self, line: str) -> str | None:
        """The action that a line means; None where it is answered here."""
        word, _, rest = line.partition(" ")
        if line in ("exit", "quit"):
            raise AgentError(LEFT)
        if word == "help":
            return self._say(self._help(rest.strip()))
        if word == "submit" and not rest.strip().startswith("("):
            return self._submission(rest.strip())
        if line.startswith(FENCE):
            return self._block(line)
        if not line:
            return None
        return parse_action(line, tuple(self.tools)) or self._say(explain_unclear(line, self.tools))

    def _submission(self, said: str) -> str | None:
        """What to submit, asked for once; None where it is no answer, or the person would rather not."""
        form: Form = self.env.get_wrapper_attr("form")()
        values: dict[str, str | list[str]] = {}
        for field in form.fields:
            if not said:
                self._say(field.question)
                said = self._read("> ").strip()
            if said == "exit":
                raise AgentError(LEFT)
            try:
                if not said:
                    return self._say(NOT_SUBMITTED)
                values[field.name], said = field.read(said), ""
            except ArgumentError as error:
                return self._say(f"{error}\n{NOT_SUBMITTED}")
            if field.last and values[field.name] == field.last:
                break
        arguments = form.arguments(values)
        return self._say(NOT_SUBMITTED) if arguments is None else str(Call(form.name, arguments))

    def _block(self, line: str) -> str:
        """A fenced block that was pasted."""
        lines = [line]
        while len(lines) == 1 or lines[-1].strip() != FENCE:
            lines.append(self._read(""))
        return "\n".join(lines)

    def _help(self, about: str) -> str:
        if about == "task":
            return self._task()
        if about in self.tools:
            return self.tools[about].manual
        lines = "NAME(...)   a call of an API"
        if "exec_shell" in self.tools:
            lines += "\n  other lines commands of the shell, run by exec_shell"
        text = HELP.format(lines=lines, apis="\n  ".join(tool.usage for _, tool in sorted(self.tools.items())))
        return f"no API {about!r}: {make_hint(about, self.tools)}\n{text}" if about else text

    def _task(self) -> str:
        task: str = self.env.get_wrapper_attr("prompt_parts").task
        return task

    def _read(self, ask: str) -> str:
        try:
            line = input(ask)
        except EOFError:
            raise AgentError(LEFT) from None
        except UnicodeDecodeError as error:
            render.show(f"the line is no text in UTF-8: {error.reason}")
            return ""
        if not sys.stdin.isatty():  # what nobody types would not be seen either
            render.show(line)
        return line

    def _say(self, text: str) -> str | None:
        """Answer a line here: no action comes of it."""
        render.show(render.wrap_lines(text, self.width))
        return None


def parse_action(line: str, apis: Sequence[str]) -> str | None:
    r"""The action that a line means: a call, or else a command of the shell; None for what is unclear.

    >>> parse_action("get_logs('shop', 'cart')", ("get_logs",))
    "```\nget_logs('shop', 'cart')\n```"
    >>> parse_action("kubectl get pods", ("exec_shell", "get_logs"))
    "```\nexec_shell('kubectl get pods')\n```"
    >>> parse_action("get_log('shop')", ("exec_shell", "get_logs")) is None
    True
    """
    name = _called(line)
    if name in apis:
        return f"{FENCE}\n{line}\n{FENCE}"
    if "exec_shell" not in apis or line in apis or (name and ask_did_you_mean(name, apis)):
        return None
    return str(Call("exec_shell", (line,)))


def explain_unclear(line: str, tools: Mapping[str, Tool]) -> str:
    """What to say to a line that is no action."""
    if line in tools:
        return f"{line} is an API, and is called so: {tools[line].usage}"
    name = _called(line) or line.split(maxsplit=1)[0]
    return f"no API {name[:80]!r}: {make_hint(name, tools)}"


def _called(line: str) -> str:
    """The name in front of a parenthesis, "" where there is none."""
    found = re.match(r"(\w+)\s*\(", line)
    return found[1] if found else ""


def make(env: Env, seed: int = 0) -> Agent:
    """Reads the terminal."""
    return Human(env)
