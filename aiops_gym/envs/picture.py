"""One moment of an episode as a picture, for people and films; it shows what an agent must not see.

Drawn with Pillow, which is asked for at the first picture only. The same moment gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiops_gym.envs import levels
from aiops_gym.envs.layout import USERS, Layout, lay_out
from aiops_gym.envs.panel import draw_panel, measure_panel
from aiops_gym.envs.sheet import (
    ACCENT,
    FILL,
    HEIGHT,
    LINE,
    SOFT,
    STROKE,
    TEXT,
    WIDTH,
    WRONG,
    Frame,
    Picture,
    Place,
    find_font,
)
from aiops_gym.types import Json

MARGIN = 28
TOP = 84
"""Pixels of the head line."""

GRAPH, DEEP_GRAPH, DEEP = 690, 850, 5
"""Pixels of the left part, where there is a graph: of up to so many columns, and of more."""

BOX_HEIGHT = 46


def draw_picture(
    last: tuple[str | None, str, float],
    info: Mapping[str, Json],
    calls: Sequence[Sequence[str]] = (),
    health: Mapping[str, Json] | None = None,
    words: str = "",
    signals: Mapping[str, Json] | None = None,
) -> Frame:
    """The system, the last turn, alerts and golden signals, and the verdict once there is one.

    Args:
        last: action (None for the prompt), observation, reward.
        info: of that turn.
        calls: who calls whom, see `LiveEnv.calls`; with `health` empty there is no graph.
        health: see `LiveEnv.health`.
        words: the verdict, "" while the episode goes on.
        signals: see `LiveEnv.signals`; empty, they are not drawn.

    Returns:
        720 x 1280 x 3, RGB.

    Raises:
        BackendError: Pillow is not installed.
    """
    sheet = Picture()
    _head(sheet, info, words)
    left = MARGIN
    if health:
        left += _system(sheet, calls, health)
    bottom = float(HEIGHT - MARGIN)
    if signals:
        top = bottom - measure_panel(signals)
        draw_panel(sheet, signals, (left, top, WIDTH - MARGIN, bottom))
        bottom = top - 14
    _turn(sheet, (left, bottom), last, info)
    return sheet.array()


def _head(sheet: Picture, info: Mapping[str, Json], words: str) -> None:
    end = sheet.text((MARGIN, 20), str(info["problem"]), 26, TEXT, 760)
    about = f"{info['task']}    step {info['step']}    {info['time']:.1f} s"
    sheet.text((MARGIN, 54), about, 15, SOFT)
    if words:
        level = levels.HURT if not info["results"] else levels.WELL if info["is_success"] else levels.DOWN
        left = end + 24
        sheet.card(left, 20, WIDTH - MARGIN, 52, FILL[level], STROKE[level])
        sheet.text((left + 12, 26), words, 16, STROKE[level], WIDTH - MARGIN - left - 24)


def _turn(sheet: Picture, corner: Place, last: tuple[str | None, str, float], info: Mapping[str, Json]) -> None:
    """The call and what it printed, down to a lower left corner."""
    (action, observation, _), (left, bottom), right = last, corner, WIDTH - MARGIN
    sheet.card(left, TOP, right, bottom)
    width, y = right - left - 28, TOP + 12.0
    if action is not None:
        call = "\n".join(line for line in action.strip().splitlines() if not line.lstrip().startswith("```"))
        y = sheet.lines((left + 14, y), call, ACCENT, width, 150) + 6
        sheet.draw.line((left + 14, y, right - 14, y), fill=LINE)
        y += 8
    sheet.lines((left + 14, y), observation, WRONG if info["error"] else TEXT, width, bottom - 10 - y)


def _system(sheet: Picture, calls: Sequence[Sequence[str]], health: Mapping[str, Json]) -> int:
    """Returns how wide it is."""
    edges = [(str(pair[0]), str(pair[1])) for pair in calls]
    order = lay_out(health["components"], edges)
    whole = DEEP_GRAPH if len(order.columns) > DEEP else GRAPH
    places, width = _places(order, whole - 42.0)
    sheet.card(MARGIN, TOP, whole + MARGIN - 14, HEIGHT - MARGIN)
    curves = []
    for (caller, callee), share in zip(edges, health["calls"], strict=True):
        (x, y), (to_x, to_y), level = places[caller], places[callee], levels.choose_level(share)
        start = x + (20 if caller == USERS else width), y + BOX_HEIGHT / 2
        curves.append((start, (to_x, to_y + BOX_HEIGHT / 2), LINE if level == levels.IDLE else STROKE[level]))
    sheet.curves(curves)
    for name, part in health["components"].items():
        _component(sheet, places[name], width, name, part)
    if USERS in places:
        x, y = places[USERS]
        sheet.draw.ellipse((x + 5, y + 9, x + 15, y + 19), fill=SOFT)
        sheet.draw.pieslice((x, y + 21, x + 20, y + 45), 180, 360, fill=SOFT)
    _operations(sheet, health["operations"], whole)
    return whole


def _operations(sheet: Picture, operations: Mapping[str, float], whole: int) -> None:
    """What users ask, as large as it fits."""
    texts = [
        (f"{name} {levels.format_percent(share)}", levels.choose_level(share)) for name, share in operations.items()
    ]
    line = "    ".join(text for text, _ in texts)
    size = next((size for size in (15, 14, 13, 12) if find_font(size).getlength(line) < whole - 42), 11)
    x = MARGIN + 14.0
    for text, level in texts:
        x = sheet.text((x, HEIGHT - MARGIN - 30.0), text, size, STROKE[level], whole - x)
        x += find_font(size).getlength("    ")


def _component(sheet: Picture, at: Place, width: float, name: str, part: Mapping[str, Json]) -> None:
    x, y = at
    figures = part["ok"], part["slow"], part["ready"], part["wanted"]
    level = levels.choose_component_level(*figures)
    sheet.card(x, y, x + width, y + BOX_HEIGHT, FILL[level], STROKE[level])
    lines = levels.lines_of(name, int(width // 6.6) - 2)
    for i, line in enumerate(lines):
        sheet.text((x + 7, y + (5 if len(lines) == 1 else 2) + 13 * i), line, 12, TEXT, width - 8)
    sheet.text(
        (x + 7, y + (24 if len(lines) == 1 else 29)), levels.describe_component(*figures), 12, STROKE[level], width - 10
    )


def _places(order: Layout, room: float) -> tuple[dict[str, Place], float]:
    """Upper left corners, and the width of a component: as much as there is room for."""
    left, top = MARGIN + 14.0, TOP + 12.0
    tall = HEIGHT - MARGIN - 44.0 - top
    callers = [column for column in order.columns if column != (USERS,)]
    first = 44.0 if len(callers) < len(order.columns) else 0.0
    across = (room - first) / max(1, len(callers))
    width = min(124.0, across - 18)
    a_row = max(1, int(room // (width + 14)))
    rows = -(-len(order.apart) // a_row)
    down = min(62.0, tall / max(1, order.height + rows))
    places = {USERS: (left, 0.0)} if first else {}
    height = max(1.0, order.height * down)
    for i, column in enumerate(callers):
        above = top + (height - len(column) * down) / 2
        places.update({name: (left + first + i * across, above + j * down) for j, name in enumerate(column)})
    if first:
        places[USERS] = (left, top + (height - down) / 2)
    for i, name in enumerate(order.apart):
        row, place = divmod(i, a_row)
        places[name] = (left + place * (width + 14), top + tall - (rows - row) * down)
    return places, width
