"""Completes the pages of environments from the environments themselves, so that nothing is written twice.

A page whose front matter has `env:` gets a table of facts below its title, and behind its own text the sections of the
class's docstring: spaces, rewards, start, end, arguments, versions.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import gymnasium as gym

import aiops_gym  # noqa: F401  # Registers the environments.
from aiops_gym.tools import get_actions
from aiops_gym.tools.registry import toolbox

ONE_WORLD = (
    'The backend is `"simulated"`, or `"kubernetes"` for [a real cluster](../howto/real-cluster.md), '
    "which is experimental."
)

SEED = 7
"""Of the episode whose prompt is shown."""

END = {"aiops_gym/Incident-v0": "the end"}
"""What is not ended by `submit`."""

HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Called by MkDocs for each page."""
    id_ = page.meta.get("env")
    if not id_:
        return markdown
    title, _, own = markdown.lstrip().partition("\n")
    return "\n\n".join([title, _facts(id_), own.strip(), *_sections(id_)])


def _facts(id_: str) -> str:
    """What a reader wants to know first."""
    env, spec = gym.make(id_), gym.spec(id_)
    space = env.observation_space
    assert isinstance(space, gym.spaces.Text)
    text = f"text, 0 to {space.max_length:,} characters"
    rows = {
        "Made by": f"`gymnasium.make({id_!r})`",
        "Action": f"{text}: one fenced API call",
        "Observation": text,
        "Reward": f"0 until {END.get(id_, '`submit`')}, then 0 to 1",
        "Steps at most": str(getattr(env.unwrapped, "steps", spec.max_episode_steps)),
    }
    (head, made), *rest = rows.items()
    return "\n".join([f"| {head} | {made} |", "|---|---|", *(f"| {name} | {value} |" for name, value in rest)])


def _sections(id_: str) -> Iterator[str]:
    """The docstring's sections, each with what can be computed of it."""
    env = gym.make(id_).unwrapped
    documentation = inspect.getdoc(type(env)) or ""
    _, *parts = HEADING.split(documentation)
    box = _box(env)
    more = {
        "Action Space": lambda: _calls(box),
        "Observation Space": lambda: _prompt(id_),
        "Arguments": lambda: _arguments(env),
    }
    for heading, text in zip(parts[::2], parts[1::2], strict=True):
        added = more[heading]() if heading in more else ""
        yield f"## {heading}\n\n{text.strip()}\n\n{added}".rstrip()


def _box(env: Any) -> str:
    """Name of the task or domain by which its tools are found."""
    return str(env.task) if hasattr(env, "choice") else f"openrca_{env.domain.name}"


def _calls(box: str) -> str:
    """All that may be called."""
    rows = [f"| `{_usage(tool)}` | {tool.kind} | {_first(manual)}{_extra(tool)} |" for tool, manual in _tools(box)]
    return "\n".join(["| API | kind | |", "|---|---|---|", *rows])


def _tools(box: str) -> Iterator[tuple[Any, str]]:
    manuals = get_actions(box, tools="all")
    for name, tool in sorted(toolbox(box, "all").items()):
        yield tool, manuals[name].partition("\n")[2]


def _usage(tool: Any) -> str:
    """How to call it, without the types."""
    given = [each.replace(annotation=each.empty) for each in tool.signature.parameters.values()]
    return f"{tool.name}{inspect.Signature(given)}"


def _extra(tool: Any) -> str:
    """Who is offered it."""
    return ' *Only with `tools="all"`.*' if tool.extra else ""


def _first(manual: str) -> str:
    """The first paragraph, in a table."""
    return " ".join(manual.strip().partition("\n\n")[0].split()).replace("|", "\\|")


def _prompt(id_: str) -> str:
    """The first observation of one episode, to unfold."""
    env = gym.make(id_)
    text, info = env.reset(seed=SEED)
    indented = "\n".join(f"    {line}".rstrip() for line in text.splitlines())
    return f'??? example "The whole prompt of `{info["problem"]}`, seed {SEED}"\n\n    ````text\n{indented}\n    ````'


def _arguments(env: Any) -> str:
    """Names and defaults, as `gymnasium.make` takes them."""
    given = dict(env.spec.kwargs) if env.spec else {}
    parameters = inspect.signature(type(env).__init__).parameters.values()
    rows = [
        f"| `{each.name}` | `{given.get(each.name, each.default)!r}` | {_annotation(each)} |"
        for each in parameters
        if each.name != "self"
    ]
    table = "\n".join(["| argument | default | type |", "|---|---|---|", *rows])
    return f"{table}\n\n{ONE_WORLD}" if any(each.name == "backend" for each in parameters) else table


def _annotation(parameter: inspect.Parameter) -> str:
    return f"`{parameter.annotation}`"  # the bar in it divides no cells, since it is code
