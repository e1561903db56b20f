"""What a scrape target answers: its families as text, format 0.0.4."""

from __future__ import annotations

import numpy as np

from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.telemetry.families import Labels, Scrape, list_names
from aiops_gym.sim.telemetry.lives import make_life
from aiops_gym.sim.telemetry.targets import find_kinds

NODE_PATHS = {"metrics": "kubelet", "metrics/cadvisor": "cadvisor"}
"""What a kubelet answers, by path."""


def write_process(world: World, process: Process, kind: str = "") -> str:
    """What a process answers at `/metrics`, "" if it tells nothing of itself.

    Args:
        world: where.
        process: a row of `processes`.
        kind: of target, if its parameters do not say.
    """
    name = kind or str(process["params"].get("metrics", ""))
    return _write(world, name, process["node"], process) if name else ""


def write_node(world: World, node: str, path: str) -> str | None:
    """What a kubelet answers; None for a path that it does not know."""
    kind = NODE_PATHS.get(path)
    return _write(world, kind, node, None) if kind else None


def write_api_server(world: World) -> str:
    """What the API server answers at `/metrics` to those who may ask."""
    processes = world.table("processes").values()
    found = next((row for row in processes if row["params"].get("metrics") == "apiserver"), None)
    return write_process(world, found) if found is not None else ""


def _write(world: World, kind: str, node: str, process: Process | None) -> str:
    now = np.array([world.now], dtype=np.int64)
    life = make_life(f"{process['uid']}/{process['container']}", process["id"], process) if process else None
    scrape, lines = Scrape(world, node, life, now, now), []
    for family in sorted(find_kinds()[kind].families):
        rows = [(labels, float(values[0])) for labels, values in family.read(scrape) if not np.isnan(values[0])]
        if rows:
            lines += [f"# HELP {family.name} {family.help}", f"# TYPE {family.name} {family.kind}"]
            order = {name: i for i, name in enumerate(list_names(family))}
            named = sorted((order[labels.get("__name__", family.name)], i) for i, (labels, _) in enumerate(rows))
            lines += [_line(family.name, *rows[i]) for _, i in named]
    return "".join(f"{line}\n" for line in lines)


def _line(name: str, labels: Labels, value: float) -> str:
    inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items() if label != "__name__")
    return f"{labels.get('__name__', name)}{f'{{{inside}}}' if inside else ''} {_number(value)}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    """As Go writes it.

    >>> _number(3.0), _number(1772792177.3), _number(0.5)
    ('3', '1.7727921773e+09', '0.5')
    """
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    if 1e-4 <= abs(value) < 1e21 and abs(value) < 1e6:
        return repr(value)
    digits, _, power = f"{value!r}".partition("e")
    if not power:
        digits, _, power = np.format_float_scientific(value, trim="-").partition("e")
    return f"{digits}e{int(power):+03d}"
