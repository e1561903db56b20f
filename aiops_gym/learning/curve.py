"""Learning curves as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aiops_gym.learning.checkpoints import State
from aiops_gym.learning.settings import Settings

SIZE, DOTS = (7.0, 4.0), 110
"""Inches, and dots an inch."""

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#999999"
"""Told apart by everybody."""

Line = tuple[str, str, Sequence[float], Sequence[Sequence[float]]]
"""Name, colour, steps, and success at each of them: one row a seed."""


def draw(state: State, settings: Settings, path: Path) -> None:
    """The curve of one run."""
    lines: list[Line] = [
        ("training, last 100 episodes", GREY, _column(state.training, "steps"), [_column(state.training, "success")])
    ]
    for mode, colour in (("sampled", ORANGE), ("deterministic", BLUE)):
        rows = [row[mode] for row in state.evaluations]
        lines.append((f"test, {mode}", colour, _column(state.evaluations, "steps"), [_column(rows, "success")]))
    draw_lines(f"{settings.task}, {settings.algorithm}, seed {settings.seed}", lines, path)


def draw_lines(title: str, lines: Sequence[Line], path: Path) -> None:
    """Lines with a band from the lowest to the highest seed, written all or nothing."""
    from matplotlib.figure import Figure  # noqa: PLC0415  # Without pyplot there is no window and no state.

    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.subplots()
    for name, colour, steps, rows in lines:
        middle = [sum(each) / len(rows) for each in zip(*rows, strict=True)]
        axes.plot(steps, middle, color=colour, label=name, linewidth=1.8)
        if len(rows) > 1:
            low, high = ([end(each) for each in zip(*rows, strict=True)] for end in (min, max))
            axes.fill_between(steps, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.set(title=title, xlabel="steps", ylabel="success", ylim=(0, 1.02))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right", frameon=False)
    half = path.with_name(f".{path.name}.half")
    figure.savefig(half, dpi=DOTS, format="png", metadata={"Software": None})
    half.replace(path)


def _column(rows: Sequence[dict[str, Any]], name: str) -> list[float]:
    return [float(row[name]) for row in rows]
