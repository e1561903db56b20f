"""The files of the shop have the original's columns, values, sizes and order."""

import csv
import re
from hashlib import blake2b

import numpy as np
import pytest
from samples import some

from aiops_gym.openrca.domains.market import NODES, PODS
from aiops_gym.openrca.synth import files
from aiops_gym.openrca.synth.market import logs, pages, trace

NUMBER = re.compile(r"-?\d+(\.\d+)?(e-\d+)?")
METRICS = ("metric_container", "metric_mesh", "metric_node", "metric_runtime")
DECISIVE = {
    "metric_container": {
        "container_threads", "container_cpu_usage_seconds", "container_memory_usage_MB",
        "container_fs_reads./dev/vda", "container_fs_writes./dev/vda", "container_fs_writes./dev/vda1",
        "container_network_receive_packets.eth0", "container_network_receive_MB.eth0",
        "container_cpu_cfs_throttled_seconds", "container_cpu_cfs_throttled_periods",
        "container_memory_failures.container.pgfault", "container_memory_failcnt", "container_fs_writes_MB./dev/vda",
        "container_fs_reads_MB./dev/vda", "container_network_transmit_packets.eth0", "container_start_time_seconds",
    },
    "metric_node": {
        "system.cpu.pct_usage", "system.mem.used", "system.io.r_s", "system.io.w_s", "system.disk.used",
        "system.disk.pct_usage", "system.cpu.user", "system.mem.free", "system.mem.real.used",
        "system.mem.real.pct_useage", "system.io.rkb_s", "system.io.util", "system.io.w_await", "system.io.await",
        "system.io.avg_q_sz",
    },
}  # fmt: skip
"""What tells root causes apart; there at any scale."""


def rise(times):
    """Rows that are later than the one before them, as a share."""
    return (np.diff(times) >= 0).mean()


@pytest.mark.parametrize("name", some(["cloudbed-1", "cloudbed-2"], 2))
def test_written_files_are_read_back_with_their_columns(beds, tmp_path, name):
    bed = beds[name]
    for table in bed.domain.tables:
        count = files.write(tmp_path / table.path, table, bed.world.makers[table.path](bed.day))
        with (tmp_path / table.path).open(encoding="utf-8", newline="") as file:
            reader = csv.reader(file)
            assert tuple(next(reader)) == table.names
            width, read = len(table.names), 0
            numbers = [place for place, column in enumerate(table.columns) if column.kind == "float"]
            for row in reader:
                assert len(row) == width
                assert all(NUMBER.fullmatch(row[place]) for place in numbers), row
                read += 1
        assert read == count > 1000


def test_the_same_seed_makes_the_same_bytes_and_another_does_not(beds, tmp_path):
    bed = beds["cloudbed-2"]
    other = type(bed)("cloudbed-2", seed=8)
    for table in bed.domain.tables:
        if "container" in table.path or "mesh" in table.path:
            continue
        digests = []
        for each in (bed, bed, other):
            files.write(tmp_path / "one.csv", table, each.world.makers[table.path](each.day))
            digests.append(blake2b((tmp_path / "one.csv").read_bytes()).digest())
        assert digests[0] == digests[1] != digests[2], table.path


@pytest.mark.parametrize("table", METRICS)
def test_samples_have_a_value_at_each_step_of_the_day_and_decisive_ones_at_any_scale(bed, table):
    found = bed.table(table)
    assert set(found["timestamp"] % 60) == {0}
    assert (found["timestamp"].min(), found["timestamp"].max()) == (bed.day.start, bed.day.end - 60)
    assert np.isfinite(found["value"]).all()
    assert DECISIVE.get(table, set()) <= set(found["kpi_name"])
    ids = set(found["cmdb_id"])
    if table == "metric_container":
        assert {each.partition(".")[2] for each in ids} > set(PODS)
        assert all(each.partition(".")[0] in NODES for each in ids)
    elif table == "metric_node":
        assert ids == set(NODES)


def test_only_the_machines_file_is_sorted_by_time(bed):
    assert rise(bed.table("metric_node")["timestamp"]) == 1
    for table in ("metric_container", "metric_mesh", "metric_runtime", "metric_service"):
        found = bed.table(table)
        fallen = np.flatnonzero(np.diff(found["timestamp"]) < 0)
        assert len(fallen) >= (20 if table == "metric_runtime" else 200), table
        keys = [found[name] for name in ("cmdb_id", "kpi_name", "service") if name in found]
        changed = np.zeros(len(found["timestamp"]) - 1, bool)
        for key in keys:
            changed |= key[1:] != key[:-1]
        # Within a run of a series the time rises; it falls where the next series or the next hour begins.
        assert changed[fallen].mean() > 0.95, table


def test_a_name_with_a_comma_is_there_at_any_scale_and_is_quoted(bed, tmp_path):
    (table,) = (each for each in bed.domain.tables if each.name == "metric_mesh")
    files.write(tmp_path / "one.csv", table, bed.world.makers[table.path](bed.day))
    lines = [line for line in (tmp_path / "one.csv").read_text().splitlines() if "UF,URX" in line]
    assert len(lines) >= 1440
    assert all(',"istio_tcp_' in line for line in lines)


def test_services_have_their_eleven_rows(bed):
    found = bed.table("metric_service")
    assert len(found["service"]) == 11 * 1440
    assert {"frontend-http", "adservice-http", "adservice-grpc"} < set(found["service"])
    assert (found["rr"] <= 100).all() and (found["sr"] <= 100).all()
    assert found["count"].dtype.kind == "i" and (found["count"] > 0).all()
    assert (found["rr"] == 100).mean() > 0.9


def test_starts_and_sightings_are_moments(bed):
    failure = bed.failure("emailservice-0", "container process termination")
    quiet, failing = bed.table("metric_container"), bed.table("metric_container", failure)
    starts = quiet["kpi_name"] == "container_start_time_seconds"
    assert (quiet["value"][starts] < bed.day.start).all()
    changed = np.flatnonzero(quiet["value"] != failing["value"])
    starts = changed[failing["kpi_name"][changed] == "container_start_time_seconds"]
    assert set(failing["cmdb_id"][starts]) == {"node-6.emailservice-0"}
    (start,) = set(failing["value"][starts])
    assert failure.onset - 60 <= start < failure.onset + 120
    assert failing["timestamp"][starts].min() < failure.onset + 120
    assert failing["timestamp"][starts].max() == bed.day.end - 60, "it does not start before it has started"


def test_spans_are_of_forty_pods_in_shards_of_the_night_and_the_day(bed):
    found = bed.table("trace_span")
    assert set(found["cmdb_id"]) == set(PODS)
    falls = np.flatnonzero(np.diff(found["timestamp"]) < -600_000)
    assert len(falls) + 1 in (9, 10)
    night = found["timestamp"] < 1000 * (bed.day.midnight + 8 * 3600)
    assert np.flatnonzero(night).max() - np.flatnonzero(~night).min() < 20, "the night's come first"


def test_spans_have_the_originals_mixture_of_types_and_status_codes(bed):
    found = bed.table("trace_span")
    share = {name: (found["type"] == name).mean() for name in ("rpc", "telemetry", "http", "", "db")}
    for name, usual in {"rpc": 0.69, "telemetry": 0.126, "http": 0.08, "": 0.06, "db": 0.044}.items():
        assert abs(share[name] - usual) < 0.04
    assert set(found["status_code"]) == {"0", "Ok", "OK", "200"}
    assert abs((found["status_code"] == "0").mean() - 0.89) < 0.04
    assert abs((found["parent_span"] == "").mean() - 0.045) < 0.01
    assert 1000 < np.median(found["duration"]) < 5000
    assert set(found["type"][found["operation_name"] == "HGET"]) == {"db"}
    assert "grpc.hipstershop.CurrencyService/Convert" in set(found["operation_name"])


def test_children_lie_inside_their_parents_in_microseconds(bed):
    found = bed.table("trace_span")
    assert len(set(found["span_id"])) == len(found["span_id"])
    assert all(re.fullmatch("[0-9a-f]{16}", each) for each in found["span_id"][:500])
    assert all(re.fullmatch("[0-9a-f]{32}", each) for each in found["trace_id"][:500])
    at = {span: row for row, span in enumerate(found["span_id"])}
    children = np.flatnonzero(found["parent_span"] != "")
    parents = np.array([at[each] for each in found["parent_span"][children]])
    assert (found["trace_id"][children] == found["trace_id"][parents]).all()
    assert (found["timestamp"][children] >= found["timestamp"][parents]).all()
    ends = found["timestamp"] + found["duration"] / 1000
    assert (ends[children] <= ends[parents] + 2).all()


def test_the_callers_span_is_its_own_pods_and_the_called_ones_child_of_it(bed):
    found = bed.table("trace_span")
    at = {span: row for row, span in enumerate(found["span_id"])}
    served = np.flatnonzero(found["operation_name"] == "hipstershop.AdService/GetAds")
    pairs = [(row, at[found["parent_span"][row]]) for row in served if found["cmdb_id"][row].startswith("adservice")]
    assert pairs
    for row, asked in pairs:
        assert found["cmdb_id"][asked].startswith("frontend")
        assert found["operation_name"][asked] == "hipstershop.AdService/GetAds"
        assert found["duration"][asked] > found["duration"][row]
        second = found["cmdb_id"][row] == "adservice2-0"
        assert second == (found["cmdb_id"][asked] == "frontend2-0")


def test_volumes_are_those_of_the_original_at_full_scale():
    spans = sum(
        each.weight * sum(share * ((m.asked != "") + (m.done != "")) for share, m in shares(each.call))
        for each in pages.operations()
    )
    assert abs(pages.PAGES * spans * 1440 / 9.1e6 - 1) < 0.05
    for kinds, rows in ((logs._service_kinds(), 4.6e6), (logs._proxy_kinds("cloudbed-1"), 7.9e6)):
        assert abs(1440 * sum(each.rate * len(each.at) for each in kinds) / rows - 1) < 0.1


def shares(call, share=1.0):
    yield share * call.chance, pages.Marks(*call.marks)
    for below in call.calls:
        yield from shares(below, share * call.chance)


def test_logs_are_of_the_originals_forms(bed):
    service, proxy = bed.table("log_service"), bed.table("log_proxy")
    assert all(re.fullmatch(r"log_[a-z-]+-service_application", each) for each in set(service["log_name"]))
    assert {each.rpartition("-")[2] for each in set(proxy["log_name"])} == {"envoy_gateway", "service_application"}
    access = [line for line, log in zip(proxy["value"], proxy["log_name"], strict=True) if log.endswith("gateway")]
    form = re.compile(
        r'"(GET|POST) \S+ HTTP/\S+" \d+ \S+ .*"\S+:\d+" .*'
        r"(inbound|outbound)\|\d+\|\|\S* \S+ \S+:\d+ \S+:\d+ \S+ default"
    )
    matched = sum(bool(form.fullmatch(line)) for line in access)
    assert matched > 0.98 * len(access)
    assert not any(mark in line for line in proxy["value"] for mark in "\x01\x02\x03")
    assert sum("via_upstream" in line for line in access) > 0.98 * len(access)
    assert any(line.startswith("etCartAsync called with userId=") for line in service["value"])
    assert any(line == "severity: info, message: Getting supported currencies..." for line in service["value"])


def test_lines_stand_in_many_runs_and_have_ids_of_their_own(bed):
    for name in ("log_service", "log_proxy"):
        found = bed.table(name)
        assert len(set(found["log_id"])) == len(found["log_id"])
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{20}", each) for each in found["log_id"][:500])
        assert (np.abs(np.diff(found["timestamp"])) > logs.RUN).sum() > 200


def test_the_kinds_of_spans_fit_into_a_byte():
    assert len(trace.KINDS) < 127
