"""Two hours of a bank with three servers, in the original's files: small enough to work out what should be found."""

from __future__ import annotations

import csv

from aiops_gym.openrca import clock
from aiops_gym.openrca.domains import find
from aiops_gym.openrca.layout import table_file
from aiops_gym.openrca.recording import Recording

DAY = "2021-03-04"
BANK, _ = find("bank")
TELECOM, _ = find("telecom")

CPU = "OSLinux-CPU_CPU_CPUUserTime"
WAITS = "OSLinux-OSLinux_NETWORK_NETWORK_TCP-FIN-WAIT"
SERVERS = ("IG01", "Tomcat01", "MG01")


def write(folder, domain, day, rows):
    """A day's files: rows by the name of the table; files without rows have their header only."""
    for table in domain.tables:
        path = table_file(folder, clock.parse_day(day), table)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(table.names)
            writer.writerows(rows.get(table.name, ()))


def minute(number, day=DAY):
    """Unix seconds of a minute of the day."""
    return clock.parse(day) // 1000 + 60 * number


def bank_rows(busy=range(72, 77), slow=range(80, 84), full=range(90, 93)):
    """Tomcat01's CPU is busy, then MG01's network is slow, then IG01's heap is full, in these minutes."""
    app = [(minute(m), 100.0, 100.0, 20 + m % 3, 50.0 + m % 5, "ServiceTest1") for m in range(120)]
    metrics, spans, logs = [], [], []
    for m in range(120):
        for server in SERVERS:
            more = 40.0 if server == "Tomcat01" and m in busy else 0.0
            metrics.append((minute(m), server, CPU, 20.0 + m % 7 + more))
            metrics.append((minute(m), server, WAITS, 4.0 if server == "MG01" and m in slow else 0.0))
        for n in range(3):
            start, wire = 1000 * minute(m) + 15_000 * n, 100 if m in slow else 0
            trace = f"gw01{m:04d}{n}"
            ids = [f"{10**19 + 1000 * m + 10 * n + depth}" for depth in range(3)]
            times = (100 + n + m % 4 + wire, 80 + n + m % 4 + wire, 30 + n)
            for depth, server in enumerate(SERVERS):
                parent = ids[depth - 1] if depth else f"{trace}@root"
                spans.append((start + 5 * depth, server, parent, ids[depth], trace, times[depth]))
        for n in range(2):
            logs.append((f"{m:030x}{n:02x}", minute(m) + n, "Tomcat01", "localhost_access_log", f"GET /a/{m} {n} ms"))
        if m in full:
            logs += [
                (f"f{m:029x}{n:02x}", minute(m) + n, "IG01", "gc", f"[Full GC, {m} K, 1.5 secs]") for n in range(9)
            ]
    return {"metric_app": app, "metric_container": metrics, "trace_span": spans, "log_service": logs}


def bank(folder, **changes):
    """The bank's recording in a folder that is made."""
    home = folder / "Bank"
    write(home, BANK, DAY, bank_rows(**changes))
    return Recording(BANK, home)


def telecom(folder, rows, day="2020-04-11"):
    """A recording of the telecom operator with these rows."""
    home = folder / "Telecom"
    write(home, TELECOM, day, rows)
    return Recording(TELECOM, home)
