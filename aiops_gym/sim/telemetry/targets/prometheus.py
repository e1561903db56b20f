"""Prometheus itself."""

from __future__ import annotations

from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.telemetry.families import Family, Kind, constant, histogram, never, steady
from aiops_gym.sim.telemetry.processes import describe_go

SECONDS = "0.1 0.2 0.4 1 3 8 20 60 120"
SERIES = 4_100.0
"""Series of the cluster; a sample of each is taken a minute."""

kind = Kind(
    (
        constant("prometheus_build_info", "Version of Prometheus", branch="HEAD", goarch="amd64", goos="linux",
                 goversion="go1.21.3", revision="3f3172cde1ee37f1c7b3a5f3d9b031190509b3ad", tags="netgo",
                 version="2.47.2"),
        constant("prometheus_config_last_reload_successful", "Whether its configuration could be read last"),
        Family("prometheus_config_last_reload_success_timestamp_seconds", "gauge", "When that was",
               lambda scrape: [({}, scrape.constant(scrape.started // 1000))]),
        constant("prometheus_engine_queries", "Queries that run", 0.0),
        histogram("prometheus_http_request_duration_seconds", "Seconds that a request takes", SECONDS, 0.2, 0.002,
                  {"handler": "/-/healthy"}, {"handler": "/-/ready"}),
        steady("prometheus_http_requests_total", "Requests", 0.2, ({"code": "200", "handler": "/-/healthy"}, 0.3),
               ({"code": "200", "handler": "/-/ready"}, 0.7)),
        constant("prometheus_notifications_alertmanagers_discovered", "Alertmanagers that are known", 1.0),
        never("prometheus_notifications_dropped_total", "Alerts that could not be sent"),
        never("prometheus_rule_evaluation_failures_total", "Evaluations of rules that failed"),
        steady("prometheus_tsdb_head_samples_appended_total", "Samples taken", SERIES / (MINUTE / 1000),
               ({"type": "float"}, 1.0)),
        constant("prometheus_tsdb_head_series", "Series in memory", SERIES),
        never("prometheus_tsdb_wal_corruptions_total", "Damages of the log"),
        *describe_go("go1.21.3", 130.0),
    ),
    seconds=0.006,
)  # fmt: skip
