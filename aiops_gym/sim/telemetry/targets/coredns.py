"""CoreDNS with the plugins that kubeadm gives it: questions that go on all the time, and those asked in vain."""

from __future__ import annotations

import numpy as np

from aiops_gym.sim.telemetry.courses import Floats
from aiops_gym.sim.telemetry.families import Family, Kind, Scrape, constant, count_more, histogram, never, steady
from aiops_gym.sim.telemetry.processes import describe_go
from aiops_gym.sim.traffic import timeline

SERVER = {"server": "dns://:53", "zone": "."}
LATENCY = "0.00025 0.0005 0.001 0.002 0.004 0.008 0.016 0.032 0.064 0.128 0.256 0.512 1.024 2.048 4.096 8.192"
SIZES = "0 100 200 300 400 511 1023 2047 4095 8291 16000 32000 48000 64000"
PLUGINS = "cache errors forward kubernetes loadbalance loop prometheus"
FAMILY = {**SERVER, "family": "1", "proto": "udp"}

QUERIES = 1.9
"""Queries per second: of each name that is not fully qualified, most are tries of the search path."""

SERVERS = 2.0
"""Pods of kubeadm's deployment, over which the cluster's questions spread."""


def _count_vain(scrape: Scrape) -> Floats:
    """Questions since the server began for names that there are not, by programs that call them for a user."""
    if not len(scrape.times):
        return scrape.constant(0.0)
    intervals = timeline.list_intervals(scrape.world, scrape.started, int(scrape.times[-1]) + 1)
    if not any(each.outcome.get("lookups") for each in intervals):
        return scrape.constant(0.0)
    edges = [intervals[0].start, *(each.end for each in intervals)]
    asked = [each.outcome.get("lookups", 0.0) * (each.end - each.start) / 1000.0 for each in intervals]
    found: Floats = np.interp(scrape.times, edges, np.cumsum([0.0, *asked])) / SERVERS
    return found


IN_CLUSTER = {"plugin": "kubernetes", "rcode": "NXDOMAIN"}
kind = Kind(
    (
        constant("coredns_build_info", "Version of CoreDNS", goversion="go1.21.11", revision="a7ed346",
                 version="1.11.3"),
        constant("coredns_cache_entries", "Entries of the cache", 41.0, **SERVER, type="denial"),
        steady("coredns_cache_hits_total", "Answers from the cache", QUERIES, ({**SERVER, "type": "denial"}, 0.34),
               ({**SERVER, "type": "success"}, 0.29)),
        steady("coredns_cache_misses_total", "Answers that were not in the cache", QUERIES, (SERVER, 0.37)),
        steady("coredns_cache_requests_total", "Questions to the cache", QUERIES, (SERVER, 1.0)),
        histogram("coredns_dns_request_duration_seconds", "Seconds that a question takes", LATENCY, QUERIES, 0.0003,
                  SERVER, more=_count_vain),
        histogram("coredns_dns_request_size_bytes", "Bytes of a question", SIZES, QUERIES, 62.0,
                  {**SERVER, "proto": "udp"}, more=_count_vain),
        count_more(
            steady("coredns_dns_requests_total", "Questions", QUERIES, ({**FAMILY, "type": "A"}, 0.52),
                   ({**FAMILY, "type": "AAAA"}, 0.48)),
            _count_vain, ({"type": "A"}, 0.5), ({"type": "AAAA"}, 0.5)),
        histogram("coredns_dns_response_size_bytes", "Bytes of an answer", SIZES, QUERIES, 130.0,
                  {**SERVER, "proto": "udp"}, more=_count_vain),
        count_more(
            steady("coredns_dns_responses_total", "Answers by code", QUERIES,
                   ({**SERVER, "plugin": "kubernetes", "rcode": "NOERROR"}, 0.58),
                   ({**SERVER, **IN_CLUSTER}, 0.31), ({**SERVER, "plugin": "forward", "rcode": "NXDOMAIN"}, 0.11)),
            _count_vain, (IN_CLUSTER, 1.0)),
        never("coredns_forward_max_concurrent_rejects_total", "Questions refused because there were too many"),
        histogram("coredns_forward_request_duration_seconds", "Seconds that a server above takes", LATENCY,
                  QUERIES * 0.11, 0.004, {"rcode": "NXDOMAIN", "to": "172.18.0.1:53"}),
        never("coredns_forward_healthcheck_broken_total", "Times that no server above was well"),
        histogram("coredns_health_request_duration_seconds", "Seconds that its own health check takes",
                  "0.00025 0.0025 0.025 0.25 2.5", 1.0, 0.0004),
        never("coredns_health_request_failures_total", "Own health checks that failed"),
        constant("coredns_hosts_reload_timestamp_seconds", "When the file of hosts was read", 0.0),
        never("coredns_local_localhost_requests_total", "Questions about localhost"),
        never("coredns_panics_total", "Panics"),
        Family("coredns_plugin_enabled", "gauge", "Plugins that are on",
               lambda scrape: [({**SERVER, "name": name}, scrape.constant(1.0)) for name in PLUGINS.split()]),
        never("coredns_reload_failed_total", "Reloads that failed"),
        *describe_go("go1.21.11", 62.0),
    ),
    seconds=0.004,
)  # fmt: skip
