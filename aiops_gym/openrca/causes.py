"""How a failure spread: its causal graph, and how much of one an answer names.

The official scorer knows no such thing: what is computed here is derived, and worth no reward.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

CAUSES = "causes.json"
"""File beside record.csv, of synthetic data: of each of its rows the graph."""


@dataclass(frozen=True)
class Graph:
    """Attributes: nodes, and edges from what caused to what was caused."""

    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]


def write_causes(folder: Path, graphs: Iterable[Graph]) -> None:
    """Write the graphs of all records, in their order."""
    found = [{"nodes": each.nodes, "edges": each.edges} for each in graphs]
    lines = ",\n".join(json.dumps(each) for each in found)
    (folder / CAUSES).write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def read_causes(folder: Path) -> tuple[Graph, ...]:
    """The graphs of all records; none where the data have none."""
    path = folder / CAUSES
    found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    return tuple(Graph(tuple(each["nodes"]), tuple(map(tuple, each["edges"]))) for each in found)


def join(graphs: Sequence[Graph]) -> Graph:
    """Several failures' graphs as one."""
    nodes = dict.fromkeys(node for each in graphs for node in each.nodes)
    return Graph(tuple(nodes), tuple(dict.fromkeys(edge for each in graphs for edge in each.edges)))


def judge_path(path: Any, graph: Graph) -> dict[str, float]:
    """Node and edge F1 of a path.

    Args:
        path: components from the cause on, each the cause of the next; or a list of such paths.

    >>> graph = Graph(("Redis01", "Tomcat01", "IG01"), (("Redis01", "Tomcat01"), ("Tomcat01", "IG01")))
    >>> judge_path(["Redis01", "Tomcat01"], graph)
    {'node_f1': 0.8, 'edge_f1': 0.67}
    """
    given = path if isinstance(path, list | tuple) else []
    paths = [list(map(str, each)) for each in given if isinstance(each, list | tuple)]
    paths += [[str(each) for each in given if not isinstance(each, list | tuple)]]
    nodes = {node for each in paths for node in each}
    edges = {pair for each in paths for pair in pairwise(each)}
    return {"node_f1": _f1(nodes, set(graph.nodes)), "edge_f1": _f1(edges, set(graph.edges))}


def _f1(said: set[Any], true: set[Any]) -> float:
    return round(2 * len(said & true) / (len(said) + len(true)), 2) if said or true else 1.0
