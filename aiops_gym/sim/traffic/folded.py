"""Outcomes as data in which each node of a call graph stands once: a history has few of them, time and again."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from aiops_gym.sim.traffic.solutions import share_node
from aiops_gym.types import Json


def fold(outcomes: Mapping[str, Json]) -> Json:
    """Put the nodes of all outcomes into one list, and their places in it in the outcomes.

    >>> fold({"a": {"nodes": [{"ms": 2.0}, {"ms": 3.0}]}, "b": {"nodes": [{"ms": 3.0}]}})
    {'nodes': [{'ms': 2.0}, {'ms': 3.0}], 'outcomes': {'a': {'nodes': [0, 1]}, 'b': {'nodes': [1]}}}
    """
    places: dict[bytes, int] = {}
    nodes: list[Json] = []
    folded = {}
    for digest, outcome in outcomes.items():
        numbers = []
        for node in outcome["nodes"]:
            number = places.setdefault(orjson.dumps(node), len(nodes))
            if number == len(nodes):
                nodes.append(node)
            numbers.append(number)
        folded[digest] = {**outcome, "nodes": numbers}
    return {"nodes": nodes, "outcomes": folded}


def unfold(folded: Json) -> dict[str, Json]:
    """The outcomes again; equal nodes are one object, in all worlds of the process.

    >>> outcomes = {"a": {"rate": 1.0, "nodes": [{"ms": 2.0}, {"ms": 3.0}]}}
    >>> unfold(fold(outcomes)) == outcomes
    True
    """
    nodes = [share_node(node) for node in folded["nodes"]]
    return {
        digest: {**outcome, "nodes": [nodes[number] for number in outcome["nodes"]]}
        for digest, outcome in folded["outcomes"].items()
    }
