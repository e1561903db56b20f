"""What a page tells of an episode, read from its file with tolerance: older files lack much, and others' are odd."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from aiops_gym.errors import ToolError
from aiops_gym.runs.episode import Episode
from aiops_gym.tools.parser import parse
from aiops_gym.types import Json

_BLOCK = re.compile(r"`{3,}[ \t]*[\w+.#-]*[ \t]*\r?\n(.*?)\n[ \t]*`{3,}", re.DOTALL)

HEADLINE = 160
"""Characters of a call that fit on one line."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One action and what came of it.

    Attributes:
        number: from 1.
        begin, end: seconds since the start; equal numbers in files that keep no times.
        thought: text around the call; "" where there is none.
        raw: all of the action, as it was typed.
        call: the part of it that calls, as it was written.
        command: what is typed at the shell by it, with its line ends; "" where nothing is.
        headline: the call on one line, a shell command without its wrapping.
        kind: `shell`, `tool`, `submit`, or `none` where nothing was called.
        error: why it was refused, "" where it was not.
        state: index of the state of the system after it, see `System.states`.
    """

    number: int
    begin: float
    end: float
    thought: str
    raw: str
    call: str
    command: str
    headline: str
    output: str
    tool: str
    kind: str
    error: str
    reward: float
    state: int


@dataclass(frozen=True, kw_only=True)
class Part:
    """How one component does: see `envs.live.LiveEnv.health`."""

    ok: float | None
    slow: float | None
    ready: int
    wanted: int


@dataclass(frozen=True, kw_only=True)
class Health:
    """The system at a moment: what users get, the parts as `System.components`, and shares of success."""

    users: Part
    parts: tuple[Part, ...]
    calls: tuple[float | None, ...]
    operations: tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True)
class System:
    """The application and its different states; the first one is that of the start."""

    components: tuple[str, ...]
    operations: tuple[str, ...]
    calls: tuple[tuple[str, str], ...]
    states: tuple[Health, ...]


def tell(episode: Episode) -> tuple[list[Turn], System | None]:
    """The turns of an episode in order, and the system, where the file says how it did."""
    steps = [step for step in episode.steps if isinstance(step, Mapping)] or _from_trace(episode)
    system, places = _system(episode, steps)
    found: list[Turn] = []
    now = 0.0
    for number, (step, state) in enumerate(zip(steps, places, strict=True), 1):
        begin, now = now, max(now, number_of(step.get("time")) or 0.0)
        found.append(_turn(number, begin, now, step, state))
    return found, system


def number_of(value: Json) -> float | None:
    """A finite number, or None for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    return None


def _turn(number: int, begin: float, end: float, step: Mapping[str, Json], state: int) -> Turn:
    action, tool = _text(step.get("action")), _text(step.get("tool"))
    thought, call, command = _split(action)
    return Turn(
        number=number,
        begin=begin,
        end=end,
        thought=thought,
        raw=action,
        call=call,
        command=command,
        headline=_line(command or call),
        output=_text(step.get("observation")),
        tool=tool,
        kind={"exec_shell": "shell", "submit": "submit", "": "none"}.get(tool, "tool"),
        error=_text(step.get("error")),
        reward=number_of(step.get("reward")) or 0.0,
        state=state,
    )


def _text(value: Json) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _split(action: str) -> tuple[str, str, str]:
    """Thought, call and shell command; all is call where there is not exactly one block."""
    blocks = list(_BLOCK.finditer(action))
    if len(blocks) != 1:
        return "", action, ""
    (block,) = blocks
    around = (action[: block.start()].strip(), action[block.end() :].strip())
    return "\n\n".join(filter(None, around)), block[1], _command(action)


def _command(action: str) -> str:
    """The shell command that an action runs, "" for other actions."""
    try:
        call = parse(action)
    except ToolError:
        return ""
    given = call.args[0] if call.args else call.kwargs.get("command")
    return given if call.name == "exec_shell" and isinstance(given, str) else ""


def _line(text: str) -> str:
    lines = text.strip().splitlines() or [""]
    cut = lines[0][:HEADLINE]
    return cut if len(lines) == 1 and cut == lines[0] else f"{cut} …"


def _from_trace(episode: Episode) -> list[dict[str, Json]]:
    """Steps of a session file of AIOpsLab, which keeps texts only."""
    found: list[dict[str, Json]] = []
    for message in episode.trace:
        role, content = message.get("role"), message.get("content")
        if role == "assistant":
            found.append({"action": content, "tool": _tool(_text(content))})
        elif found:
            found[-1]["observation"] = _text(found[-1].get("observation")) + _text(content)
    return found


def _tool(action: str) -> str:
    try:
        return parse(action).name
    except ToolError:
        return ""


def _system(episode: Episode, steps: list[Json]) -> tuple[System | None, list[int]]:
    """The system, and for each step the index of its state."""
    start = episode.health if isinstance(episode.health, Mapping) else {}
    parts = start.get("components")
    if not isinstance(parts, Mapping) or not parts:
        return None, [0] * len(steps)
    names, operations = tuple(parts), tuple(_mapping(start.get("operations")))
    calls = tuple((str(pair[0]), str(pair[1])) for pair in episode.calls if isinstance(pair, list) and len(pair) == 2)
    states = {_health(start, names, operations, len(calls)): 0}
    places, place = [], 0
    for step in steps:
        if isinstance(step.get("health"), Mapping):
            place = states.setdefault(_health(step["health"], names, operations, len(calls)), len(states))
        places.append(place)
    return System(components=names, operations=operations, calls=calls, states=tuple(states)), places


def _health(data: Mapping[str, Json], names: tuple[str, ...], operations: tuple[str, ...], calls: int) -> Health:
    parts, shares = _mapping(data.get("components")), _mapping(data.get("operations"))
    given = data.get("calls")
    along: list[Json] = [*(given if isinstance(given, list) else ()), *[None] * calls]
    return Health(
        users=_part(_mapping(data.get("users"))),
        parts=tuple(_part(_mapping(parts.get(name))) for name in names),
        calls=tuple(number_of(share) for share in along[:calls]),
        operations=tuple(number_of(shares.get(name)) for name in operations),
    )


def _part(data: Mapping[str, Json]) -> Part:
    ready, wanted = (int(number_of(data.get(name)) or 0) for name in ("ready", "wanted"))
    return Part(ok=number_of(data.get("ok")), slow=number_of(data.get("slow")), ready=ready, wanted=wanted)


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}
