"""Each root cause shows where it should, as strongly as measured, and not elsewhere."""

import re
from dataclasses import replace

import numpy as np
import pytest

from aiops_gym.openrca.synth import calls, series
from aiops_gym.openrca.synth.bank import OPERATIONS
from aiops_gym.openrca.synth.bank.kpis import measurements
from aiops_gym.openrca.synth.telecom.kpis import MEASUREMENTS

BANK = [
    ("high CPU usage", "Tomcat01", "OSLinux-CPU_CPU_CPUUserTime", 40, 100),
    ("network packet loss", "Tomcat03", "OSLinux-OSLinux_NETWORK_NETWORK_TCP-FIN-WAIT", 15, 45),
    ("network latency", "MG02", "OSLinux-OSLinux_NETWORK_NETWORK_TCP-FIN-WAIT", 3, 14),
    ("high disk I/O read usage", "apache01", "OSLinux-OSLinux_LOCALDISK_LOCALDISK-sdb_DSKReadWrite", 50_000, 300_000),
    ("high memory usage", "Redis02", "OSLinux-OSLinux_MEMORY_MEMORY_CacheMem", 10, 1700),
    ("JVM Out of Memory (OOM) Heap", "MG01", "JVM-Operating System_7779_JVM_JVM_CPULoad", 8, 60),
    ("high disk space usage", "Tomcat04", "OSLinux-OSLinux_FILESYSTEM_-tomcat_FSCapacity", 45, 100),
    ("high JVM CPU load", "IG01", "JVM-Operating System_7778_JVM_JVM_CPULoad", 25, 100),
]
TELECOM = [
    ("CPU fault", "docker_004", "container", "container_cpu_used", 35, 100),
    ("network delay", "os_018", "node", "Sent_queue", 60, 400),
    ("network loss", "os_021", "node", "Sent_queue", 150, 700),
    ("db connection limit", "db_003", "service", "Proc_User_Used_Pct", 300, 1100),
    ("db close", "db_007", "service", "tnsping_result_time", 10_000, 15_000),
]


def means(day, found, kpi, failure):
    """Of each component, while the failure lasts, and in the half hour before."""
    for grid in series.make_grids(day, [each for each in found if each.kpi.name == kpi], "test"):
        inside = (grid.times >= failure.onset) & (grid.times < failure.end)
        before = (grid.times >= failure.onset - 1800) & (grid.times < failure.onset)
        for row, each in enumerate(grid.series):
            yield each.owner, grid.values[row][inside[row]].mean(), grid.values[row][before[row]].mean()


@pytest.mark.parametrize(("reason", "component", "kpi", "low", "high"), BANK)
def test_of_the_bank(bank, reason, component, kpi, low, high):
    failure = bank.failure(component, reason, 2.0)
    day = bank.day.failing((failure,))
    quiet = {owner: now for owner, now, _ in means(bank.day, measurements(bank.day), kpi, failure)}
    for owner, now, _ in means(day, measurements(day), kpi, failure):
        assert (now == quiet[owner]) == (owner != component)
        assert owner != component or (low <= now <= high and not low <= quiet[owner] <= high)


@pytest.mark.parametrize(("reason", "component", "part", "kpi", "low", "high"), TELECOM)
def test_of_the_operator(telecom, reason, component, part, kpi, low, high):
    failure = telecom.failure(component, reason, 2.0)
    day = telecom.day.failing((failure,))
    for owner, now, before in means(day, MEASUREMENTS[part](day), kpi, failure):
        assert (low <= now <= high) == (owner == component)
        assert not low <= before <= high


@pytest.mark.parametrize("name", ["bank", "telecom"])
def test_every_effect_meets_a_measurement_of_a_component_that_it_hits(request, name):
    """A name that is spelled wrong would be a signal that never comes."""
    small = request.getfixturevalue(name)
    day, world = small.day, small.job.world
    found = measurements(day) if name == "bank" else [each for make in MEASUREMENTS.values() for each in make(day)]
    known = {(each.owner, each.kpi.name) for each in found}
    business = {"mrt", "sr", "avg_time", "rate"}
    for reason in world.reasons.values():
        owners = {one for where in world.profile.hits[reason.name] for one in world.reach(where, "self")}
        for effect in reason.metrics:
            pattern = re.compile(".*".join(map(re.escape, effect.kpi.split("*"))))
            met = any(owner in owners and pattern.fullmatch(kpi) for owner, kpi in known)
            assert met or effect.kpi in business, (reason.name, effect.kpi)


def test_main_signals_are_kept_at_any_scale(bank, telecom):
    names = {kpi for _, _, kpi, *_ in BANK}
    kept = {
        each.kpi.name for grid in series.make_grids(bank.day, measurements(bank.day), "test") for each in grid.series
    }
    assert names <= kept
    for _, component, part, kpi, *_ in TELECOM:
        found = series.make_grids(telecom.day, MEASUREMENTS[part](telecom.day), "test")
        assert (component, kpi) in {(each.id, each.kpi.name) for grid in found for each in grid.series}


def played(bank, *failures):
    day = bank.day.failing(failures)
    start = day.start + 7200
    return calls.spans(day, OPERATIONS, 20_000, start, start + 600, "test")


def outside(spans):
    """The time of each span that its calls do not take."""
    inner = np.zeros(spans.count)
    called = spans.parent >= 0
    np.add.at(inner, spans.parent[called], spans.duration[called])
    return spans.duration - inner


def test_calls_lie_inside_the_calls_that_make_them(bank):
    failures = [bank.failure("Tomcat01", "network latency", 2.0), bank.failure("MG02", "high CPU usage", 2.0)]
    spans = played(bank, *failures)
    called = np.flatnonzero(spans.parent >= 0)
    above = spans.parent[called]
    assert len(called) > 1000
    assert (spans.start[called] >= spans.start[above]).all()
    ends = spans.start + spans.duration
    assert (ends[called] <= ends[above] + 1e-6).all()
    assert (outside(spans) > 0).all()


def test_a_slow_network_shows_as_the_callers_time_minus_the_called_ones_and_only_there(bank):
    quiet, failing = played(bank), played(bank, bank.failure("MG01", "network latency", 2.0))
    more = outside(failing) - outside(quiet)
    name = np.array(failing.instances)[failing.instance]
    hit = np.flatnonzero((failing.parent >= 0) & (name == "MG01"))
    assert (more[failing.parent[hit]] > 20).all()
    others = np.setdiff1d(np.flatnonzero(name != "MG01"), failing.parent[hit])
    assert np.allclose(more[others], 0)


def test_a_busy_processor_slows_the_component_and_through_it_its_callers(bank):
    quiet, failing = played(bank), played(bank, bank.failure("Tomcat02", "high CPU usage", 2.0))
    name = np.array(failing.instances)[failing.instance]
    more = failing.duration - quiet.duration
    hit = np.flatnonzero(name == "Tomcat02")
    assert more[hit].min() > 0
    assert np.allclose(more[failing.parent[hit]], more[hit])
    assert np.allclose(more[name == "MG01"], 0)


def test_a_closed_database_fails_calls_up_to_the_bus(telecom, tmp_path):
    failure = telecom.failure("db_003", "db close", 2.0)
    header, *rows = telecom.rows("trace/trace_span.csv", tmp_path, [failure])
    at = {name: place for place, name in enumerate(header)}
    failed = [row for row in rows if row[at["success"]].lower() == "false"]
    assert {row[at["dsName"]] for row in failed if row[at["callType"]] == "JDBC"} == {"db_003"}
    assert any(row[at["callType"]] == "OSB" for row in failed)
    inside = [failure.onset - 60 <= int(row[at["startTime"]]) / 1000 < failure.end + 60 for row in failed]
    assert all(inside)


def test_a_full_heap_fills_its_collectors_log(bank, tmp_path):
    failure = bank.failure("MG01", "JVM Out of Memory (OOM) Heap", 12.0)
    rows = [row for row in bank.rows("log/log_service.csv", tmp_path, [failure])[1:] if row[3] == "gc"]
    inside = [row for row in rows if failure.onset <= int(row[1]) < failure.end]
    full = {name: [("Full GC (All" in row[4]) for row in inside if row[2] == name] for name in ("MG01", "MG02")}
    assert 0.5 < np.mean(full["MG01"]) < 0.95
    assert not any(full["MG02"])
    assert sum("Full GC (All" in row[4] for row in rows) == sum(full["MG01"])


def test_a_stronger_failure_says_more(bank, tmp_path):
    told = []
    for intensity in (0.6, 1.0, 1.8):
        failure = replace(bank.failure("IG02", "JVM Out of Memory (OOM) Heap", 12.0), intensity=intensity)
        told.append(bank.written("log/log_service.csv", tmp_path, [failure]).count(b"Full GC (All"))
    assert told == sorted(set(told))
