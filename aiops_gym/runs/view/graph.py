"""The system as an SVG: components in the colours of health, callers left of those whom they call."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.envs.layout import USERS, lay_out
from aiops_gym.envs.levels import choose_component_level, choose_level, describe_component, format_percent, lines_of
from aiops_gym.runs.view.markup import Html, join, tag
from aiops_gym.runs.view.story import Health, System

WIDTH, HEIGHT = 118, 44
"""Of a component."""

ACROSS, DOWN = 142, 52
"""From one component to the next."""

DEEP = 5
"""Columns that fit beside the steps."""

NAME = 14
"""Characters that fit into a component."""

Place = tuple[float, float]


def draw_graph(system: System) -> Html:
    """The first state; the page's script shows the others."""
    places, width, height = _places(system)
    first = system.states[0]
    edges = join(*(_edge(i, system, places, first) for i in range(len(system.calls))))
    nodes = join(*(_node(i, name, places[name], first) for i, name in enumerate(system.components)))
    users = join(*(_users(*places[name]) for name in (USERS,) if name in places))
    return tag(
        "svg",
        tag("title", "Who calls whom, and how each component does"),
        *(edges, users, nodes),
        viewBox=f"0 0 {width:g} {height:g}",
        width=f"{width:g}",
        height=f"{height:g}",
        role="img",
        class_="graph",
    )


def list_looks(system: System) -> list[dict[str, object]]:
    """Each state as classes and texts, in the order of the elements of `draw_graph` and `render_operations`."""
    return [
        {
            "nodes": [
                [choose_component_level(*_figures(state, i)), describe_component(*_figures(state, i))]
                for i in range(len(state.parts))
            ],
            "edges": [choose_level(share) for share in state.calls],
            "operations": [[choose_level(share), format_percent(share)] for share in state.operations],
        }
        for state in system.states
    ]


def is_deep(system: System) -> bool:
    """Whether there are so many columns that they need more room than usual."""
    return len(lay_out(system.components, system.calls).columns) > DEEP


def render_operations(system: System) -> Html:
    """What users ask, and how often they get it."""
    rows = [
        tag(
            "li",
            tag("span", name),
            tag("b", format_percent(share)),
            class_=f"operation {choose_level(share)}",
            data_i=i,
        )
        for i, (name, share) in enumerate(zip(system.operations, system.states[0].operations, strict=True))
    ]
    return tag("ul", *rows, class_="operations") if rows else Html()


def _figures(state: Health, i: int) -> tuple[float | None, float | None, int, int]:
    part = state.parts[i]
    return part.ok, part.slow, part.ready, part.wanted


def _places(system: System) -> tuple[dict[str, Place], float, float]:
    """Upper left corners, and the size of it all."""
    order = lay_out(system.components, system.calls)
    tall, wide = max(order.height, 1) * DOWN, max(len(order.columns) - 1, 0) * ACROSS + 24
    places: dict[str, Place] = {}
    for x, column in enumerate(order.columns):
        top = (tall - len(column) * DOWN) / 2
        left = 0 if x == 0 else 24 + (x - 1) * ACROSS + 34
        places.update({name: (left, top + y * DOWN + 4) for y, name in enumerate(column)})
    a_row = max(1, int((wide + 34) // ACROSS))
    for i, name in enumerate(order.apart):
        row, column_ = divmod(i, a_row)
        places[name] = (58 + column_ * ACROSS, tall + 14 + row * DOWN)
    rows = -(-len(order.apart) // a_row)
    return places, max(wide + 34, WIDTH + 62), tall + (rows * DOWN + 14 if rows else 0)


def _edge(i: int, system: System, places: Mapping[str, Place], state: Health) -> Html:
    caller, callee = system.calls[i]
    (x, y), (to_x, to_y) = places[caller], places[callee]
    x += 22 if caller == USERS else WIDTH
    y, to_y = y + HEIGHT / 2, to_y + HEIGHT / 2
    bend = max(30.0, abs(to_x - x) / 2)
    path = f"M{x:g} {y:g}C{x + bend:g} {y:g} {to_x - bend:g} {to_y:g} {to_x:g} {to_y:g}"
    return tag("path", d=path, class_=f"edge {choose_level(state.calls[i])}", data_i=i)


def _node(i: int, name: str, place: Place, state: Health) -> Html:
    x, y = place
    lines = lines_of(name, NAME)
    low = 17 if len(lines) == 1 else 14
    texts = [tag("text", line, x=8, y=low + 12 * n, class_="name") for n, line in enumerate(lines)]
    texts.append(
        tag("text", describe_component(*_figures(state, i)), x=8, y=34 if len(lines) == 1 else 39, class_="words")
    )
    box = tag("rect", width=WIDTH, height=HEIGHT, rx=6)
    hover = tag("title", name)
    look = choose_component_level(*_figures(state, i))
    return tag("g", hover, box, *texts, transform=f"translate({x:g} {y:g})", class_=f"node {look}", data_i=i)


def _users(x: float, y: float) -> Html:
    head = tag("circle", cx=11, cy=13, r=5)
    body = tag("path", d="M2 33C2 16 20 16 20 33Z")
    return tag("g", tag("title", "users"), head, body, transform=f"translate({x:g} {y:g})", class_="users")
