"""Each root cause shows where it should, as strongly as measured, and not elsewhere."""

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from samples import some

from aiops_gym.openrca.domains.market import NODES, PODS, SERVICES
from aiops_gym.openrca.synth.lines import write
from aiops_gym.openrca.synth.market import container, mesh, node, proxy, runtime, service, words
from aiops_gym.openrca.synth.market.topology import pods_of

CONTAINER = [
    ("container CPU load", "container_cpu_cfs_throttled_seconds", 300, 2000),
    ("container CPU load", "container_cpu_cfs_throttled_periods", 250, 600),
    ("container CPU load", "container_cpu_usage_seconds", 12, 60),
    ("container memory load", "container_memory_failures.container.pgfault", 8_000, 200_000),
    ("container memory load", "container_memory_usage_MB", 120, 256),
    ("container network packet retransmission", "container_network_transmit_packets.eth0", 1.3, 2.5),
    ("container read I/O load", "container_fs_reads./dev/vda", 20_000, 150_000),
    ("container write I/O load", "container_fs_writes./dev/vda", 3_000, 20_000),
    ("container write I/O load", "container_fs_writes_MB./dev/vda", 1_500, 10_000),
]
"""Reason, measurement, least and most mean while it lasts; of packets as a multiple of before."""

MACHINE = [
    ("node CPU load", "system.cpu.pct_usage", 20, 80),
    ("node CPU load", "system.cpu.user", 18, 80),
    ("node memory consumption", "system.mem.real.used", 16_000, 30_000),
    ("node disk read I/O consumption", "system.io.rkb_s", 12_000, 90_000),
    ("node disk write I/O consumption", "system.io.w_await", 15, 120),
    ("node disk write I/O consumption", "system.io.await", 12, 90),
    ("node disk space consumption", "system.disk.pct_usage", 35, 80),
]


def around(found, failure, times):
    before = (found["timestamp"] * times >= (failure.onset - 1800) * 1000) & (
        found["timestamp"] * times < failure.onset * 1000
    )
    inside = (found["timestamp"] * times >= failure.onset * 1000) & (found["timestamp"] * times < failure.end * 1000)
    return before, inside


@pytest.mark.parametrize("name", some(["cloudbed-1", "cloudbed-2"], 2))
@pytest.mark.parametrize("component", ["cartservice-1", "cartservice"])
def test_containers_show_what_loads_them_and_others_do_not(beds, name, component):
    bed = beds[name]
    hours = {reason: 2.0 + number for number, (reason, *_) in enumerate(CONTAINER)}
    failures = [bed.failure(component, reason, hour) for reason, hour in hours.items()]
    quiet, found = bed.table("metric_container"), bed.table("metric_container", *failures)
    hit = pods_of("cartservice") if component == "cartservice" else (component,)
    changed = quiet["value"] != found["value"]
    assert {each.partition(".")[2] for each in found["cmdb_id"][changed]} == set(hit)
    own = np.array([each.endswith(f".{hit[0]}") for each in found["cmdb_id"]])
    by_reason = {each.reason: each for each in failures}
    for reason, kpi, low, high in CONTAINER:
        before, inside = around(found, by_reason[reason], 1000)
        rows = own & (found["kpi_name"] == kpi)
        was, now = found["value"][rows & before].mean(), found["value"][rows & inside].mean()
        if "packets" in kpi:
            was, now = 1.0, now / was
        assert low <= now <= high, (reason, kpi, was, now)
        assert was < low, (reason, kpi, was, now)


@pytest.mark.parametrize("name", some(["cloudbed-1", "cloudbed-2"], 2))
def test_a_machine_shows_what_loads_it_and_it_stays_there(beds, name):
    bed = beds[name]
    failures = [bed.failure("node-2", reason, 2.0 + 2 * number) for number, (reason, *_) in enumerate(MACHINE)]
    by_reason = {each.reason: each for each in failures}
    quiet, found = bed.table("metric_node"), bed.table("metric_node", *by_reason.values())
    assert set(found["cmdb_id"][quiet["value"] != found["value"]]) == {"node-2"}
    for reason, kpi, low, high in MACHINE:
        before, inside = around(found, by_reason[reason], 1000)
        rows = (found["cmdb_id"] == "node-2") & (found["kpi_name"] == kpi)
        was, now = found["value"][rows & before].mean(), found["value"][rows & inside].mean()
        assert low <= now <= high, (reason, kpi, was, now)
        assert was < 0.9 * now, (reason, kpi, was, now)
    for table in ("metric_service", "metric_container", "trace_span", "log_service", "log_proxy"):
        before, after = bed.table(table), bed.table(table, *by_reason.values())
        assert all((before[column] == after[column]).all() for column in before), table


def test_a_spike_of_a_machine_is_short_and_steep(bed):
    failure = bed.failure("node-4", "node CPU spike")
    found = bed.table("metric_node", failure)
    rows = (found["cmdb_id"] == "node-4") & (found["kpi_name"] == "system.cpu.pct_usage")
    _, inside = around(found, failure, 1000)
    high = found["value"][rows & inside] > 35
    assert high[:3].all() and high.sum() == 3


def responses(bed, *failures):
    """Row of a service -> mean response time and success rate while the failure lasts."""
    found = bed.table("metric_service", *failures)
    failure = failures[0] if failures else bed.failure("frontend", "container CPU load")
    _, inside = around(found, failure, 1000)
    return {
        row: tuple(found[name][inside & (found["service"] == row)].mean() for name in ("mrt", "sr"))
        for row in set(found["service"])
    }


@pytest.mark.parametrize(
    ("reason", "longer", "success"),
    [
        ("container CPU load", 60, 95),
        ("container network latency", 90, 95),
        ("container packet loss", 700, 60),
        ("container network packet corruption", 450, 85),
    ],
)
def test_a_service_slows_its_row_and_those_of_its_callers_but_no_others(bed, reason, longer, success):
    usual, now = responses(bed), responses(bed, bed.failure("shippingservice", reason))
    assert now["shippingservice-grpc"][0] > usual["shippingservice-grpc"][0] + longer
    assert now["shippingservice-grpc"][1] >= success
    for row in ("checkoutservice-grpc", "frontend-http"):
        assert now[row][0] > usual[row][0] + 0.3 * longer
    assert now["paymentservice-grpc"] == usual["paymentservice-grpc"]
    assert now["recommendationservice-grpc"] == usual["recommendationservice-grpc"]


def test_lost_packets_fail_requests_and_broken_ones_some(bed):
    lost = responses(bed, bed.failure("cartservice", "container packet loss"))["cartservice-grpc"][1]
    broken = responses(bed, bed.failure("cartservice", "container network packet corruption"))["cartservice-grpc"][1]
    late = responses(bed, bed.failure("cartservice", "container network latency"))["cartservice-grpc"][1]
    assert lost < 90 < broken < 99 < late


def test_a_single_pod_hardly_moves_the_row_of_its_service(bed):
    usual, now = responses(bed), responses(bed, bed.failure("shippingservice-0", "container CPU load"))
    assert now["shippingservice-grpc"][0] < usual["shippingservice-grpc"][0] + 3
    assert now["frontend-http"] == usual["frontend-http"]


@pytest.fixture(scope="module")
def busy(bed):
    """With enough spans for medians of single pods."""
    return type(bed)("cloudbed-1", scale=0.05)


def spans(busy, *failures):
    found = busy.table("trace_span", *failures)
    _, inside = around(found, busy.failure("frontend", "container CPU load"), 1)
    return {name: column[inside] for name, column in found.items()}


def medians(found, operation, *pods):
    rows = found["operation_name"] == operation
    return [np.median(found["duration"][rows & (found["cmdb_id"] == pod)]) for pod in pods]


def test_a_slow_network_shows_as_the_callers_time_without_the_called_ones(busy):
    ads = "hipstershop.AdService/GetAds"
    found = spans(busy, busy.failure("adservice", "container network latency"))
    asked, served = medians(found, ads, "frontend-0"), medians(found, ads, "adservice-0")
    assert asked[0] > 100_000 > 1000 > served[0]


def test_a_busy_container_slows_its_own_spans_and_all_above(busy):
    name = "hipstershop.ProductCatalogService/GetProduct"
    usual, found = spans(busy), spans(busy, busy.failure("productcatalogservice", "container CPU load"))
    pods = ("productcatalogservice-0", "productcatalogservice2-0")
    for now, was in zip(medians(found, name, *pods), medians(usual, name, *pods), strict=True):
        assert now > 8 * was
    root = "hipstershop.Frontend/Recv."
    for now, was in zip(*(medians(each, root, "frontend-1", "frontend2-0") for each in (found, usual)), strict=True):
        assert now > 1.5 * was


def test_a_failing_pod_of_one_deployment_leaves_the_other_alone(busy):
    found = {True: spans(busy, busy.failure("currencyservice2-0", "container network latency")), False: spans(busy)}
    slow, usual = (
        medians(found[each], "hipstershop.CurrencyService/Convert", "frontend-0", "frontend2-0") for each in found
    )
    assert slow[0] == usual[0]
    assert slow[1] > 30 * usual[1]


def test_the_second_recommendationservice_waits_for_the_first_productcatalogservice(busy):
    name = "/hipstershop.ProductCatalogService/ListProducts"
    usual = spans(busy)
    for component, waits in (("productcatalogservice2-0", False), ("productcatalogservice", True)):
        found = spans(busy, busy.failure(component, "container network latency"))
        (now,), (was,) = (medians(each, name, "recommendationservice2-0") for each in (found, usual))
        assert (now > 10 * was) == waits


def test_lost_packets_fail_spans_at_both_ends_with_the_codes_of_the_original(busy):
    found = spans(busy, busy.failure("cartservice", "container packet loss"))
    failed = ~np.isin(found["status_code"], ["0", "OK", "Ok", "200"])
    assert set(found["status_code"][failed]) <= {"2", "4", "13", "9", "1"}
    assert {each.rpartition("-")[0] for each in found["cmdb_id"][failed]} <= {
        "frontend",
        "frontend2",
        "checkoutservice",
        "checkoutservice2",
    }
    assert failed.sum() > 3


def lines(bed, kinds, log, failure, *parts, scale=0.05):
    """Each pod that writes a log: its lines while the failure lasts, and the share that has one of the parts."""
    day = replace(bed.day.failing((failure,)), scale=scale)
    made = write(day, kinds, failure.onset, failure.end, "test")
    names, pods = np.array(made.log.names)[made.log.codes], np.array(made.component.names)[made.component.codes]
    for pod in sorted(set(pods[names == log])):
        said = made.values.filter(pa.array((names == log) & (pods == pod))).to_pylist()
        yield pod, len(said), np.mean([any(part in line for part in parts) for line in said])


COMPLAINT = "could not retrieve cart: rpc error"


@pytest.mark.parametrize(("component", "low", "high"), [("cartservice", 0.4, 0.7), ("cartservice-1", 0.2, 0.5)])
def test_callers_in_vain_complain_of_the_lost_service_in_a_part_of_their_lines(bed, component, low, high):
    failure = bed.failure(component, "container packet loss")
    kinds = list(words.lines())
    callers = list(lines(bed, kinds, words.application("frontend"), failure, COMPLAINT))
    assert len(callers) == 3
    assert all(low < part < high for _, _, part in callers)
    others = lines(bed, kinds, words.application("recommendationservice"), failure, "error", "warning")
    assert not any(part for _, _, part in others)


def test_calls_to_the_lost_pod_come_to_nothing_at_its_proxy_alone(bed):
    failure = bed.failure("currencyservice-1", "container packet loss")
    kinds, resets = list(proxy.lines("cloudbed-1")), (" 503 U", " 0 DC ", " 504 UT ")
    for pod, count, part in lines(bed, kinds, proxy.access("currencyservice"), failure, *resets):
        assert count > 20
        assert 0.5 < part < 0.9 if pod == "currencyservice-1" else part < 0.1


def test_what_callers_say_stands_out_at_a_small_scale(bed):
    failure = bed.failure("cartservice", "container packet loss")
    told = lines(bed, list(words.lines()), words.application("frontend"), failure, COMPLAINT, scale=0.005)
    assert sum(count * part for _, count, part in told) >= 5


def test_the_mesh_tells_which_calls_take_longer_at_both_ends(bed):
    failure = bed.failure("checkoutservice", "container network latency")
    quiet, found = bed.table("metric_mesh"), bed.table("metric_mesh", failure)
    changed = set(found["cmdb_id"][quiet["value"] != found["value"]])
    assert {
        "frontend-1.source.frontend.checkoutservice",
        "checkoutservice2-0.source.checkoutservice2.emailservice2",
    } < changed
    assert "checkoutservice-0.destination.frontend.checkoutservice" in changed
    assert all("checkoutservice" in each for each in changed)


def test_every_effect_meets_a_measurement_of_something_that_it_reaches(bed):
    """A name that is spelled wrong would be a signal that never comes."""
    made = (container.series, node.series, mesh.series)
    known = [each for make in made for each in make("cloudbed-1")] + [*runtime.series(), *service.series()]
    for reason in bed.world.reasons.values():
        for effect in reason.metrics:
            hit = {
                owner for where in bed.world.profile.hits[reason.name] for owner in bed.world.reach(where, effect.scope)
            }
            pattern = re.compile(".*".join(map(re.escape, effect.kpi.split("*"))))
            assert any(each.owner in hit and pattern.fullmatch(each.kpi.name) for each in known), (reason.name, effect)


def test_every_reason_has_its_level_and_all_may_happen(beds):
    for bed in beds.values():
        hits = bed.world.profile.hits
        assert set(hits) == set(bed.domain.reasons) == set(bed.world.reasons)
        for reason, where in hits.items():
            assert set(where) == (set(NODES) if reason.startswith("node") else {*PODS, *SERVICES})
        assert all(0.3 <= each.solvable <= 1 for each in bed.world.reasons.values())
        assert set(bed.world.makers) == {table.path for table in bed.domain.tables}
