"""A bank's online service: web and application servers, message gateways, databases and caches on virtual machines.

The data come from the AIOps Challenge of 2021; schemas and candidates are those of microsoft/OpenRCA.
"""

from __future__ import annotations

from aiops_gym.openrca.model import Column, Domain, Table

domain = Domain(
    name="bank",
    title="Bank",
    folders={"": "Bank"},
    tables=(
        Table(
            path="metric/metric_app.csv",
            method="get_metric_app",
            component="tc",
            unit="s",
            about="Business transactions, one row a minute and transaction code.",
            columns=(
                Column("timestamp", "time", "Unix seconds"),
                Column("rr", "float", "response rate, %"),
                Column("sr", "float", "success rate, %"),
                Column("cnt", "int", "requests in the minute"),
                Column("mrt", "float", "mean response time, ms"),
                Column("tc", "code", "transaction code"),
            ),
        ),
        Table(
            path="metric/metric_container.csv",
            method="get_metric_container",
            component="cmdb_id",
            kpi="kpi_name",
            unit="s",
            about="Measurements of operating systems, JVMs, Tomcats, databases and caches, every 60 or 120 s.",
            columns=(
                Column("timestamp", "time", "Unix seconds"),
                Column("cmdb_id", "code", "component"),
                Column("kpi_name", "code", "what was measured"),
                Column("value", "float", "in the KPI's own unit"),
            ),
        ),
        Table(
            path="trace/trace_span.csv",
            method="get_traces",
            component="cmdb_id",
            unit="ms",
            about="Spans; the component is the one that was called.",
            columns=(
                Column("timestamp", "time", "start, Unix milliseconds"),
                Column("cmdb_id", "code", "component"),
                Column("parent_id", "text", "span that called"),
                Column("span_id", "text", "id of the span"),
                Column("trace_id", "text", "id of the trace"),
                Column("duration", "int", "milliseconds"),
            ),
        ),
        Table(
            path="log/log_service.csv",
            method="get_logs",
            component="cmdb_id",
            kpi="log_name",
            unit="s",
            about="Lines of garbage collector, access, start-up and slow-query logs.",
            columns=(
                Column("log_id", "text", "id of the line"),
                Column("timestamp", "time", "Unix seconds"),
                Column("cmdb_id", "code", "component"),
                Column("log_name", "code", "which log"),
                Column("value", "text", "the line"),
            ),
        ),
    ),
    components=(
        *("apache01", "apache02", "Tomcat01", "Tomcat02", "Tomcat04", "Tomcat03", "MG01", "MG02", "IG01", "IG02"),
        *("Mysql01", "Mysql02", "Redis01", "Redis02"),
    ),
    reasons=(
        "high CPU usage",
        "high memory usage",
        "network latency",
        "network packet loss",
        "high disk I/O read usage",
        "high disk space usage",
        "high JVM CPU load",
        "JVM Out of Memory (OOM) Heap",
    ),
    levels=("pod",),
    record_columns=("level", "component", "timestamp", "datetime", "reason"),
    record_time="float",
    about=(
        "An online banking platform. Requests pass the web servers (apache) and the gateways IG to the Tomcats, which "
        "call the message gateways MG and, behind them, docker services, databases (Mysql) and caches (Redis). "
        "apache, Mysql and Redis record no spans."
    ),
    days=(
        *("2021-03-04", "2021-03-05", "2021-03-06", "2021-03-07", "2021-03-09", "2021-03-10", "2021-03-12"),
        *("2021-03-23", "2021-03-24", "2021-03-25"),
    ),
    decisive=(
        *("JVM_CPULoad", "HeapMemoryUsed", "HeapMemoryUsage", "CPUCpuUtil", "CPU-0_SingleCpuUtil", "MEMUsedMemPerc"),
        *("NoCacheMemPerc", "MEMFreeMem", "sda_DSKReadWrite", "sda_DSKRTps", "sda_DSKRead", "sda_DSKBps"),
        *("sda_DSKPercentBusy", "sdb_DSKRead", "sdb_DSKRTps", "TCP-FIN-WAIT", "TCP-CLOSE-WAIT", "TotalTcpConnNum"),
        *("NETBandwidthUtil", "NETPacketsIn", "NETPacketsOut", "NETKBTotalPerSec"),
    ),
)
