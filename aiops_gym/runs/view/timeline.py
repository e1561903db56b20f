"""The episode as a strip: what users got, and what the agent did, over the time of the world."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.envs.levels import SLOW, choose_component_level, format_percent
from aiops_gym.runs.view.markup import Html, format_seconds, join, tag
from aiops_gym.runs.view.story import Part, System, Turn

TICKS = 7
"""Numbers below the strip, at most."""

DENSE = 150
"""Steps from which there is no room for lines between them."""

STEPS_TOP, LANE = 16, 34
"""Pixels from the top to the steps, and by which all is lower where the requests of users are above them."""


def draw_timeline(turns: Sequence[Turn], system: System | None) -> Html:
    """An SVG as wide as the page; each step is a link to it."""
    timed = bool(turns) and turns[-1].end > 0
    whole = turns[-1].end if timed else float(max(1, len(turns)))
    spans = [(turn.begin, turn.end) if timed else (turn.number - 1.0, float(turn.number)) for turn in turns]
    parts = [_name("steps")]
    parts += [_step(turn, span, whole) for turn, span in zip(turns, spans, strict=True)]
    parts += [_tick(value, whole, format_seconds(value) if timed else f"{value:g}") for value in ticks(whole)]
    height, look = STEPS_TOP + 48, "timeline dense" if len(turns) > DENSE else "timeline"
    if system:
        above = join(_name("requests of users"), _served(turns, spans, system, whole))
        parts, height = [above, tag("g", *parts, transform=f"translate(0 {LANE})")], height + LANE
    return tag("svg", *parts, width="100%", height=height, class_=look, role="group", aria_label="Timeline of steps")


def ticks(whole: float) -> list[float]:
    """Round numbers from 0 to `whole`.

    >>> ticks(27.0)
    [0.0, 5.0, 10.0, 15.0, 20.0, 25.0]
    """
    step = 1.0
    while whole / step > TICKS:
        step *= 2.0 if f"{step:e}"[0] in "15" else 2.5
    return [i * step for i in range(int(whole / step) + 1)]


def _served(turns: Sequence[Turn], spans: Sequence[tuple[float, float]], system: System, whole: float) -> Html:
    """What users got: from each change to the next. A change is known from the end of a step on."""
    starts = [0.0, *(end for _, end in spans)]
    seen = [system.states[state].users for state in (0, *(turn.state for turn in turns))]
    changes = [i for i in range(len(seen)) if i == 0 or seen[i] != seen[i - 1]]
    parts = []
    for i, after in zip(changes, [*changes[1:], None], strict=True):
        start, users = starts[i], seen[i]
        until = whole if after is None else starts[after]
        width = max(until - start, whole / 150)
        left = min(start, whole - width)
        look = f"served {choose_component_level(users.ok, users.slow, 0, 0)}"
        parts.append(
            tag("rect", _hover(users), x=_at(left, whole), width=_at(width, whole), y=STEPS_TOP, height=14, class_=look)
        )
    return join(*parts)


def _hover(users: Part) -> Html:
    slower = f", {users.slow:.0f} times slower than usual" if users.slow is not None and users.slow >= SLOW else ""
    return tag("title", f"{format_percent(users.ok)} of the users' requests succeed{slower}")


def _step(turn: Turn, span: tuple[float, float], whole: float) -> Html:
    begin, end = span
    wrong = " wrong" if turn.error else ""
    hover = tag("title", f"step {turn.number}: {turn.headline}")
    width = _at(max(end - begin, whole / 1000), whole)
    box = tag("rect", x=_at(begin, whole), width=width, y=STEPS_TOP, height=24, class_=f"k-{turn.kind}{wrong}")
    return tag("a", hover, box, href=f"#step-{turn.number}", data_step=turn.number, class_="at", tabindex=-1)


def _name(text: str) -> Html:
    return tag("text", text, x=0, y=STEPS_TOP - 4, class_="tick")


def _tick(value: float, whole: float, name: str) -> Html:
    anchor = "start" if value == 0 else "end" if value > 0.97 * whole else "middle"
    text = tag("text", name, x=_at(value, whole), y=STEPS_TOP + 44, text_anchor=anchor, class_="tick")
    line = tag("line", x1=_at(value, whole), x2=_at(value, whole), y1=STEPS_TOP + 24, y2=STEPS_TOP + 30, class_="tick")
    return join(line, text)


def _at(value: float, whole: float) -> str:
    return f"{100 * value / whole:.3f}%"
