"""metric_mesh.csv: what Istio's proxies measure of the calls between pods, at both ends; and the two gateways."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.openrca.synth.market import chunks
from aiops_gym.openrca.synth.market.pages import rate
from aiops_gym.openrca.synth.market.service import USUAL
from aiops_gym.openrca.synth.market.topology import CALLS, STORE, asking, called, pods_of, row_of
from aiops_gym.openrca.synth.model import Block, Day, Kpi, Series

SLOT = "mesh"
GOOD = "grpc.200.0.0"
REQUESTS, DURATION = "istio_requests", "istio_request_duration_milliseconds"
FAMILIES = {REQUESTS: 1.0, DURATION: 0.0, "istio_request_bytes": 520.0, "istio_response_bytes": 610.0}
"""Measurement -> how much of it a call adds; durations are those of the called service."""

UNAVAILABLE, BROKEN = "grpc.200.14.0", "grpc.0.2.0"
"""Kinds of answers when something fails: at the caller's proxy, and at that of the called."""

RARE = {
    ("frontend", "adservice"): ("grpc.200.4.0",),
    ("checkoutservice", "cartservice"): ("grpc.200.9.0",),
    ("frontend", "checkoutservice"): ("grpc.200.13.0", "grpc.200.2.0"),
}
"""Caller and called -> further kinds that have been seen there: too late, refused, internal, unknown."""

GATEWAYS = {
    "cloudbed-1": ("istio-egressgateway-7bfdcc9d86-zpjpg", "istio-ingressgateway-565bffd4d-6bl7m"),
    "cloudbed-2": ("istio-egressgateway-7bfdcc9d86-g2d4q", "istio-ingressgateway-565bffd4d-7m9xk"),
}
AGENT_SERVICES = (
    *("adservice", "checkoutservice", "emailservice", "frontend", "paymentservice", "productcatalogservice"),
    *("recommendationservice", "shippingservice"),
)
"""Services that send their spans to Jaeger through the mesh."""

NOTHING = (
    *("conflict_inbound_listener", "conflict_outbound_listener_http_over_current_tcp", "destrule_subsets"),
    *("conflict_outbound_listener_tcp_over_current_http", "conflict_outbound_listener_tcp_over_current_tcp"),
    *("duplicate_envoy_clusters", "eds_no_instances", "endpoint_not_ready", "no_ip", "virt_services"),
    "vservice_dup_domain",
)
"""What the agent's pilot counts and never sees."""

MACHINE = {
    "go_goroutines": 62,
    "go_info.go1.16.6": 1,
    "go_memstats_alloc_bytes": 2.1e7,
    "go_memstats_buck_hash_sys_bytes": 1.6e6,
    "go_memstats_gc_cpu_fraction": 2e-5,
    "go_memstats_heap_alloc_bytes": 2.1e7,
    "go_memstats_heap_idle_bytes": 3.9e7,
    "go_memstats_heap_inuse_bytes": 2.5e7,
    "go_memstats_heap_objects": 1.2e5,
    "go_memstats_heap_released_bytes": 3.4e7,
    "go_memstats_heap_sys_bytes": 6.4e7,
    "go_memstats_lookups": 0,
    "go_memstats_mcache_inuse_bytes": 9600,
    "go_memstats_mcache_sys_bytes": 16_384,
    "go_memstats_mspan_inuse_bytes": 3.4e5,
    "go_memstats_mspan_sys_bytes": 4.1e5,
    "go_memstats_next_gc_bytes": 2.6e7,
    "go_memstats_other_sys_bytes": 2.2e6,
    "go_memstats_stack_inuse_bytes": 1.9e6,
    "go_memstats_stack_sys_bytes": 1.9e6,
    "go_memstats_sys_bytes": 7.6e7,
    "go_threads": 16,
    "num_outgoing_requests": 0.02,
    "outgoing_latency": 0.9,
    "pilot_xds.1.10.3": 1,
    "process_cpu_seconds": 0.2,
    "process_max_fds": 1_048_576,
    "process_open_fds": 21,
    "process_resident_memory_bytes": 6.7e7,
    "process_virtual_memory_bytes": 8.2e8,
    "process_virtual_memory_max_bytes": -1,
    "scrapes": 4,
    "startup_duration_seconds": 2.573041117,
    "wasm_cache_entries": 0,
    **{f"pilot_{name}": 0 for name in NOTHING},
}
"""Measurement of an Istio agent -> usual value."""

LIVELY = (
    "go_goroutines",
    "alloc_bytes",
    "heap_idle",
    "heap_inuse",
    "heap_objects",
    "next_gc",
    "latency",
    "cpu_seconds",
)


def series(cloudbed: str) -> tuple[Series, ...]:
    """The curves of a cloudbed. Calls are owned by who asks whom where the caller's proxy tells of them."""
    return (*_calls(), *_others(), *_gateways(cloudbed))


def rows(day: Day) -> Iterator[Block]:
    """The file's rows."""
    yield from chunks.samples(day, series(day.cloudbed), SLOT)


def _calls() -> Iterator[Series]:
    for caller, callees in CALLS.items():
        for callee in callees:
            for deployment in ("", "2"):
                yield from _edge(caller, callee, deployment)


def _edge(caller: str, callee: str, deployment: str) -> Iterator[Series]:
    there = called(caller, callee, deployment)
    asked, askers = pods_of(callee, there), pods_of(caller, deployment)
    names = f"{caller}{deployment}.{callee}{there}"
    each = rate(callee, caller) / len(pods_of(caller))
    for pod in askers:
        for kpi in _edge_kpis(caller, callee, each, UNAVAILABLE):
            yield Series(f"{pod}.source.{names}", kpi, asking(pod, f"{callee}{there}"))
    for pod in asked:
        for kpi in _edge_kpis(caller, callee, each * len(askers) / len(asked), BROKEN):
            yield Series(f"{pod}.destination.{names}", kpi, pod)


def _edge_kpis(caller: str, callee: str, calls: float, failed: str) -> Iterator[Kpi]:
    if callee == STORE:
        yield from _connection(calls)
        return
    yield from _answers(GOOD, calls, USUAL[row_of(callee)][0])
    for name in ("istio_request_messages", "istio_response_messages"):
        yield Kpi(name=name, base=calls, spread=0.08, daily=1.0, decimals=6)
    for kind in (failed, *RARE.get((caller, callee), ())):
        yield from _never(kind)


def _answers(kind: str, calls: float, duration: float) -> Iterator[Kpi]:
    for name, each in FAMILIES.items():
        level = calls * (duration if name == DURATION else each)
        bursts, decisive = 0.3 if name == DURATION else 0.0, (name, kind) == (DURATION, GOOD)
        yield Kpi(
            name=f"{name}.{kind}",
            base=level,
            spread=0.1,
            daily=1.0,
            decimals=6,
            bursts=bursts,
            burst=2.5,
            decisive=decisive,
        )


def _never(kind: str) -> Iterator[Kpi]:
    """Answers that hardly occur, and sometimes do though nothing fails."""
    for name, each in FAMILIES.items():
        height = {REQUESTS: 1.4, DURATION: 4000.0}.get(name, 1.2 * each)
        decisive = (name, kind) == (REQUESTS, UNAVAILABLE)
        yield Kpi(
            name=f"{name}.{kind}", base=0, counts=True, bursts=0.1, burst=1 + height, decimals=3, decisive=decisive
        )


def _connection(calls: float, flags: str = "-") -> Iterator[Kpi]:
    """What is counted of connections; their names with a comma are there at any scale."""
    decisive = "," in flags
    for name, each in (("sent_bytes", 130.0), ("received_bytes", 210.0)):
        level = calls * each
        yield Kpi(name=f"istio_tcp_{name}.{flags}", base=level, spread=0.1, daily=1.0, decimals=3, decisive=decisive)
    for name in ("connections_opened", "connections_closed"):
        yield Kpi(name=f"istio_tcp_{name}.{flags}", base=0.02, counts=True, decimals=3, decisive=decisive)


def _others() -> Iterator[Series]:
    """What calls no service of the shop, or is called from outside."""
    for deployment in ("", "2"):
        for service in ("checkoutservice", "frontend", "recommendationservice"):
            for pod in pods_of(service, deployment):
                yield from _all(f"{pod}.source.{service}{deployment}.unknown", pod, [*_answers(GOOD, 0.5, 4.0)])
        for service in AGENT_SERVICES:
            for pod in pods_of(service, deployment):
                name = f"{pod}.source.{service}{deployment}.jaeger-collector"
                yield from _all(name, pod, [*_answers("http.202.", 12, 3.0), *_never("http.503.")])
        for service, calls, answers in (("adservice", 4, ("http.200.",)), ("frontend", 95, ("http.200.", "http.302."))):
            for pod in pods_of(service, deployment):
                name = f"{pod}.destination.unknown.{service}{deployment}"
                fine = [kpi for kind in answers for kpi in _answers(kind, calls / len(answers), 30.0)]
                yield from _all(name, pod, [*fine, *_never("http.503."), *_never("http.500.")])
    for pod in pods_of("adservice", ""):
        kpis = [*_connection(3.0), *_connection(0.0, "UF,URX")]
        yield from _all(f"{pod}.source.adservice.basic-tidb", pod, kpis)


def _gateways(cloudbed: str) -> Iterator[Series]:
    for gateway in GATEWAYS[cloudbed]:
        for name, value in MACHINE.items():
            spread = 0.08 if any(part in name for part in LIVELY) else 0.0
            kpi = Kpi(name=f"istio_agent_{name}", base=value, spread=spread, low=-1, decimals=9)
            yield Series(gateway, kpi, gateway)


def _all(name: str, owner: str, kpis: list[Kpi]) -> Iterator[Series]:
    return (Series(name, kpi, owner) for kpi in kpis)
