"""Incidents that feed themselves, as curves of one SVG: who is served an hour after the trigger, and after a repair."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.runs.view.markup import Html, join, tag
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.times import HOUR, MINUTE

PLAYED: Mapping[str, str] = {
    "Retry storm on geo": "retry_storm_hotel_reservation-mitigation-geo",
    "Cache stampede on mongodb-profile": "cache_stampede_hotel_reservation-mitigation-mongodb-profile",
    "Connections lost at a restart of search": "thundering_restart_hotel_reservation-mitigation-search",
}
SEED = 3
BEFORE, AFTER = 10 * MINUTE, 10 * MINUTE
"""Time that is shown before the agent's first look, and after the repair, which is done an hour after that look."""

LEFT, WIDTH, HEIGHT, ROW, TOP = 46, 720, 84, 132, 30
TEXT, SOFT, LINE, CURVE, MARK = "#1f2328", "#59636e", "#d1d9e0", "#0969da", "#1a7f37"


def draw() -> str:
    """The picture as the text of a file."""
    panels = [_panel(TOP + ROW * row, *each) for row, each in enumerate(PLAYED.items())]
    height, width = TOP + ROW * len(PLAYED), LEFT + WIDTH + 20
    paper = tag("rect", width="100%", height="100%", fill="#ffffff")
    font = "system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif"
    size = {"viewBox": f"0 0 {width} {height}", "width": width, "height": height, "font_family": font}
    told = _text("Share of users' requests that succeed; time since the first look, minutes", LEFT, 18, TEXT, 13)
    return f"{tag('svg', paper, told, *panels, xmlns='http://www.w3.org/2000/svg', role='img', **size)}\n"


def _panel(top: float, title: str, problem: str) -> Html:
    incident = Simulated(registry.find_problem(problem), SEED, noise=False)
    world, look = incident.world, incident.world.now
    world.run(HOUR)
    mended = world.now
    assert incident.fault is not None
    incident.shell.run(incident.fault.fixes[0], timeout=900)
    world.run_until(mended + AFTER)
    start, end = look - BEFORE, mended + AFTER

    def across(time: int) -> float:
        return LEFT + WIDTH * (time - start) / (end - start)

    points = []
    for interval in traffic.list_intervals(world, start, end):
        weights, success = interval.outcome["weights"], interval.success
        y = top + 22 + HEIGHT * (1.0 - sum(weights[name] * success[name] for name in weights))
        points += [f"{across(interval.start):.1f},{y:.1f}", f"{across(interval.end):.1f},{y:.1f}"]
    parts = [_text(title, LEFT, top + 12, TEXT, 12)]
    for share in (0.0, 0.5, 1.0):
        y = top + 22 + HEIGHT * (1.0 - share)
        parts.append(tag("line", x1=LEFT, x2=LEFT + WIDTH, y1=f"{y:g}", y2=f"{y:g}", stroke=LINE))
        parts.append(_text(f"{share:.0%}", LEFT - 6, y + 4, SOFT, 10, "end"))
    for minutes in range(-10, 71, 10):
        parts.append(_text(str(minutes), across(look + minutes * MINUTE), top + HEIGHT + 36, SOFT, 10, "middle"))
    x = f"{across(mended):.1f}"
    parts.append(tag("line", x1=x, x2=x, y1=top + 18, y2=top + 22 + HEIGHT, stroke=MARK, stroke_dasharray="4 3"))
    parts.append(_text("repair", across(mended) - 4, top + 14, MARK, 10, "end"))
    return join(*parts, tag("polyline", points=" ".join(points), fill="none", stroke=CURVE, stroke_width="1.6"))


def _text(text: str, x: float, y: float, fill: str, size: int, anchor: str = "start") -> Html:
    return tag("text", text, x=f"{x:.1f}", y=f"{y:.1f}", fill=fill, font_size=size, text_anchor=anchor)
