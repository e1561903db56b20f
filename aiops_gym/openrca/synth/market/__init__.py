"""The shop: an online boutique in two clusters, its measurements, spans and logs, and how it fails."""

from __future__ import annotations

from functools import partial

from aiops_gym.openrca.domains.market import NODES, PODS, SERVICES
from aiops_gym.openrca.domains.market import domain as market
from aiops_gym.openrca.synth.market import container, logs, mesh, node, runtime, service, trace
from aiops_gym.openrca.synth.market.reasons import REASONS
from aiops_gym.openrca.synth.market.topology import felt, reach
from aiops_gym.openrca.synth.model import Profile, World

CASES = {
    "cloudbed-1": {
        "container CPU load": (3, 4),
        "container memory load": (3, 4),
        "container network packet retransmission": (3, 2),
        "container network packet corruption": (3, 3),
        "container network latency": (1, 3),
        "container packet loss": (1, 2),
        "container process termination": (1, 3),
        "container read I/O load": (5, 3),
        "container write I/O load": (1, 1),
    },
    "cloudbed-2": {
        "container CPU load": (4, 2),
        "container memory load": (4, 2),
        "container network packet retransmission": (5, 3),
        "container network packet corruption": (3, 4),
        "container network latency": (2, 2),
        "container packet loss": (2, 4),
        "container process termination": (2, 1),
        "container read I/O load": (4, 5),
        "container write I/O load": (3, 1),
    },
}
"""Cloudbed -> reason -> how often a pod and a whole service has it."""

NODE_CASES = {
    "node CPU load": 4.5,
    "node CPU spike": 2,
    "node memory consumption": 4.5,
    "node disk read I/O consumption": 4.5,
    "node disk write I/O consumption": 5,
    "node disk space consumption": 5,
}
"""Reason -> how often a node has it."""

NODE_WEIGHTS = {
    "cloudbed-1": (5, 2, 2, 7, 5, 5),
    "cloudbed-2": (1, 5, 1, 4, 4, 10),
}
"""Cloudbed -> how readily each node fails."""

LOAD = (
    *(0.97, 0.96, 0.95, 0.95, 0.95, 0.96, 0.97, 0.99, 1.01, 1.03, 1.04, 1.04),
    *(1.03, 1.03, 1.04, 1.04, 1.03, 1.02, 1.01, 1.01, 1.0, 1.0, 0.99, 0.98),
)
"""Of each hour; visitors are a load generator's, of whom there are about as many all day."""


def world(cloudbed: str) -> World:
    """One cluster of the shop."""
    return World(
        profile=_profile(cloudbed),
        reasons=REASONS,
        reach=reach,
        felt=partial(felt, cloudbed),
        operations=trace.OPERATIONS,
        makers={
            "metric/metric_container.csv": container.rows,
            "metric/metric_mesh.csv": mesh.rows,
            "metric/metric_node.csv": node.rows,
            "metric/metric_runtime.csv": runtime.rows,
            "metric/metric_service.csv": service.rows,
            "trace/trace_span.csv": trace.rows,
            "log/log_service.csv": logs.service_rows,
            "log/log_proxy.csv": logs.proxy_rows,
        },
    )


def _profile(cloudbed: str) -> Profile:
    return Profile(
        hits=_hits(cloudbed),
        levels={
            component: "node" if component in NODES else "service" if component in SERVICES else "pod"
            for component in market.components
        },
        per_day=(32, 40),
        least_gap=8,
        pairs=0.6,
        hours=24 * (1.0,),
        load=LOAD,
        whole_minutes=False,
        fills=0.6,
        blocks="level",
    )


def _hits(cloudbed: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for reason, (pods, services) in CASES[cloudbed].items():
        found[reason] = {
            **dict.fromkeys(PODS, pods / len(PODS)),
            **dict.fromkeys(SERVICES, services / len(SERVICES)),
        }
    weights = NODE_WEIGHTS[cloudbed]
    for reason, cases in NODE_CASES.items():
        found[reason] = {name: cases * weight / sum(weights) for name, weight in zip(NODES, weights, strict=True)}
    return found
