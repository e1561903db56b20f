"""A shop of microservices on Kubernetes with Istio, in two clusters ("cloudbeds").

The data come from the AIOps Challenge of 2022 (Google's Online Boutique); schemas and candidates are those of
microsoft/OpenRCA.
"""

from __future__ import annotations

from aiops_gym.openrca.model import Column, Domain, Table

SERVICES = (
    *("frontend", "shippingservice", "checkoutservice", "currencyservice", "adservice", "emailservice"),
    *("cartservice", "productcatalogservice", "recommendationservice", "paymentservice"),
)
PODS = tuple(f"{service}{end}" for service in SERVICES for end in ("-0", "-1", "-2", "2-0"))
NODES = tuple(f"node-{number}" for number in range(1, 7))

_SAMPLES = (
    Column("timestamp", "time", "Unix seconds"),
    Column("cmdb_id", "code", "what was measured"),
    Column("kpi_name", "code", "name of the measurement"),
    Column("value", "float", "in the KPI's own unit; counters are differences per sample"),
)
_LINES = (
    Column("log_id", "text", "id of the line"),
    Column("timestamp", "time", "Unix seconds"),
    Column("cmdb_id", "code", "pod"),
    Column("log_name", "code", "which log"),
    Column("value", "text", "the line"),
)


def _samples(part: str, about: str, extra: bool = False) -> Table:
    return Table(
        path=f"metric/metric_{part}.csv",
        method=f"get_metric_{part}",
        component="cmdb_id",
        kpi="kpi_name",
        unit="s",
        about=about,
        columns=_SAMPLES,
        extra=extra,
    )


def _lines(source: str, about: str) -> Table:
    return Table(
        path=f"log/log_{source}.csv",
        method="get_logs",
        source=source,
        component="cmdb_id",
        kpi="log_name",
        unit="s",
        about=about,
        columns=_LINES,
    )


domain = Domain(
    name="market",
    title="Market",
    folders={"cloudbed-1": "Market/cloudbed-1", "cloudbed-2": "Market/cloudbed-2"},
    tables=(
        _samples("container", "cAdvisor's measurements of containers, every 60 s; ids are node and pod."),
        _samples("mesh", "Istio's measurements of calls between pods, every 60 s."),
        _samples("node", "Measurements of the machines, every 60 or 300 s; memory in MB, disks in bytes."),
        _samples("runtime", "Measurements of the Java runtime of adservice, every 60 s.", extra=True),
        Table(
            path="metric/metric_service.csv",
            method="get_metric_service",
            component="service",
            unit="s",
            about="Requests to each service, one row a minute.",
            columns=(
                Column("service", "code", "service and protocol"),
                Column("timestamp", "time", "Unix seconds"),
                Column("rr", "float", "response rate, %"),
                Column("sr", "float", "success rate, %"),
                Column("mrt", "float", "mean response time, ms"),
                Column("count", "int", "requests in the minute"),
            ),
        ),
        Table(
            path="trace/trace_span.csv",
            method="get_traces",
            component="cmdb_id",
            unit="ms",
            about="Spans; the component is the pod that recorded it.",
            columns=(
                Column("timestamp", "time", "start, Unix milliseconds"),
                Column("cmdb_id", "code", "pod"),
                Column("span_id", "text", "id of the span"),
                Column("trace_id", "text", "id of the trace"),
                Column("duration", "int", "microseconds"),
                Column("type", "code", "rpc, http, db, telemetry or empty"),
                Column("status_code", "code", "0, Ok, OK or 200 when all is well"),
                Column("operation_name", "code", "what was called"),
                Column("parent_span", "text", "span that called; empty for a root"),
            ),
        ),
        _lines("service", "Lines of the services' own logs."),
        _lines("proxy", "Access lines of the Envoy proxies, and the services' lines once more."),
    ),
    components=(*NODES, *PODS, *SERVICES),
    reasons=(
        "container CPU load",
        "container memory load",
        "container network packet retransmission",
        "container network packet corruption",
        "container network latency",
        "container packet loss",
        "container process termination",
        "container read I/O load",
        "container write I/O load",
        "node CPU load",
        "node CPU spike",
        "node memory consumption",
        "node disk read I/O consumption",
        "node disk write I/O consumption",
        "node disk space consumption",
    ),
    levels=("node", "pod", "service"),
    record_columns=("timestamp", "level", "component", "reason", "datetime"),
    record_time="int",
    about=(
        "An online shop of ten microservices on Kubernetes with Istio, called cloudbeds. Each service has the pods -0, "
        "-1 and -2, and a second deployment with the pod 2-0 (frontend2-0) and a call tree of its own. A root cause is "
        "a node, a pod, or a service when all of its pods are hit. A fault of a node does not propagate; one of a pod "
        "hardly shows in the measurements of its service; one of a service does, and propagates to its callers."
    ),
    days=("2022-03-20", "2022-03-21"),
    decisive=(
        *("container_threads", "container_cpu_usage_seconds", "system.cpu.pct_usage", "system.mem.used"),
        *("container_memory_usage_MB", "container_fs_reads./dev/vda", "container_fs_writes./dev/vda"),
        *("system.io.r_s", "system.io.w_s", "system.disk.used", "system.disk.pct_usage"),
        *("container_network_receive_packets.eth0", "container_network_receive_MB.eth0"),
    ),
)
