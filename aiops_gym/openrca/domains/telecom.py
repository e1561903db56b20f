"""A telecom operator: services in docker containers on hosts, Oracle databases, an enterprise bus in front.

The data come from the AIOps Challenge of 2020; schemas and candidates are those of microsoft/OpenRCA. Only the hours
from 0:00 to 6:00 are recorded, and there are no logs.
"""

from __future__ import annotations

from aiops_gym.openrca.model import Column, Domain, Table


def _samples(part: str, about: str, extra: bool = False) -> Table:
    return Table(
        path=f"metric/metric_{part}.csv",
        method=f"get_metric_{part}",
        component="cmdb_id",
        kpi="name",
        unit="ms",
        about=about,
        extra=extra,
        columns=(
            Column("itemid", "code", "id of the measured item"),
            Column("name", "code", "name of the measurement"),
            Column("bomc_id", "code", "id in the operator's inventory"),
            Column("timestamp", "time", "Unix milliseconds"),
            Column("value", "float", "in the KPI's own unit"),
            Column("cmdb_id", "code", "what was measured"),
        ),
    )


domain = Domain(
    name="telecom",
    title="Telecom",
    folders={"": "Telecom"},
    tables=(
        Table(
            path="metric/metric_app.csv",
            method="get_metric_app",
            component="serviceName",
            unit="ms",
            about="Calls of the bus, one row a minute; a minute may have two rows, which belong together.",
            columns=(
                Column("serviceName", "code", "service of the bus"),
                Column("startTime", "time", "Unix milliseconds"),
                Column("avg_time", "float", "mean response time, s"),
                Column("num", "int", "calls in the minute"),
                Column("succee_num", "int", "calls that succeeded"),
                Column("succee_rate", "float", "share that succeeded, 0 to 1"),
            ),
        ),
        _samples("container", "Measurements of the docker containers, every 1 to 5 minutes."),
        _samples("middleware", "Measurements of Redis, every 1 to 5 minutes.", extra=True),
        _samples("node", "Measurements of the hosts, every 1 to 5 minutes.", extra=True),
        _samples("service", "Measurements of the Oracle databases, every 1 to 5 minutes.", extra=True),
        Table(
            path="trace/trace_span.csv",
            method="get_traces",
            component="cmdb_id",
            unit="ms",
            about="Spans. JDBC and LOCAL spans are recorded by the caller, and dsName tells the database.",
            columns=(
                Column("callType", "code", "JDBC, LOCAL, CSF, RemoteProcess, FlyRemote or OSB"),
                Column("startTime", "time", "start, Unix milliseconds"),
                Column("elapsedTime", "float", "milliseconds"),
                Column("success", "code", "True or TRUE when it succeeded"),
                Column("traceId", "text", "id of the trace"),
                Column("id", "text", "id of the span"),
                Column("pid", "text", "span that called; the word None for a root"),
                Column("cmdb_id", "code", "container or host that recorded it"),
                Column("dsName", "code", "database, for JDBC and LOCAL"),
                Column("serviceName", "code", "service or method that was called"),
            ),
        ),
    ),
    components=(
        *(f"os_{number:03d}" for number in range(1, 23)),
        *(f"docker_{number:03d}" for number in range(1, 9)),
        *(f"db_{number:03d}" for number in range(1, 14)),
    ),
    reasons=("CPU fault", "network delay", "network loss", "db connection limit", "db close"),
    levels=("node", "pod", "service"),
    record_columns=("level", "reason", "component", "timestamp", "datetime"),
    record_time="int",
    about=(
        "A telecom operator's service platform. The bus (osb_001, on the hosts os_021 and os_022) calls services in "
        "docker containers, which call each other and Oracle databases. The containers run on the hosts os_017 "
        "(docker_001, docker_005), os_018 (docker_002, docker_006), os_019 (docker_003, docker_007) and os_020 "
        "(docker_004, docker_008). There are no logs, and only the hours from 0:00 to 6:00 are recorded."
    ),
    days=(
        *("2020-04-11", "2020-05-22", "2020-05-23", "2020-05-24", "2020-05-25", "2020-05-26", "2020-05-27"),
        *("2020-05-28", "2020-05-29", "2020-05-30", "2020-05-31"),
    ),
    decisive=(
        *("Proc_Used_Pct", "Sess_Connect", "Proc_User_Used_Pct", "On_Off_State", "tnsping_result_time"),
        *("container_cpu_used", "Memory_used_pct", "Disk_io_util", "Sent_queue", "Received_queue"),
    ),
    hours=(0, 6),
)
