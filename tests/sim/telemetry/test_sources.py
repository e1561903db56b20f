"""What the cluster's Prometheus has: the same whoever asks when, true to the objects, and without a word on faults."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache

import numpy as np
import pytest

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.sim.kernel.objects import assoc, name_of
from aiops_gym.sim.kernel.times import HOUR, MINUTE
from aiops_gym.sim.promql.series import Matcher, is_stale
from aiops_gym.sim.telemetry import exposition, journal
from aiops_gym.sim.telemetry.source import open_source
from aiops_gym.sim.telemetry.targets import find_kinds

NAMESPACE = "test-hotel-reservation"
LOOPING = "misconfig_app_hotel_res-mitigation-1"
ALL = Matcher("__name__", "=~", ".+")


def named(name, **labels):
    return [Matcher("__name__", "=", name), *(Matcher(label, "=", value) for label, value in labels.items())]


@cache
def played(problem, minutes):
    backend = Simulated(registry.find_problem(problem), 3)
    backend.world.run(minutes * MINUTE)
    return backend


@pytest.fixture
def world():
    return played(LOOPING, 12).world.fork()


def select(world, *matchers, start=None, end=None):
    end = world.now if end is None else end
    return open_source(world).select(matchers, end - HOUR if start is None else start, end)


def same(one, other):
    """Equal to the last bit, marks of an end included."""
    return [s.labels for s in one] == [s.labels for s in other] and all(
        a.times.tobytes() == b.times.tobytes() and a.values.tobytes() == b.values.tobytes()
        for a, b in zip(one, other, strict=True)
    )


def last(world, name, **labels):
    """The newest value by pod."""
    return {dict(s.labels)["pod"]: s.values[-1] for s in select(world, *named(name, **labels))}


def test_each_kind_of_target_is_scraped_and_up(world):
    up = select(world, *named("up"), start=world.now - 3 * MINUTE)
    assert {float(s.values[-1]) for s in up} == {1.0}
    jobs = {dict(s.labels)["job"] for s in up}
    assert {"kubernetes-apiservers", "kubernetes-nodes", "kubernetes-nodes-cadvisor", "prometheus"} <= jobs
    exposed = {dict(s.labels)["__name__"] for s in select(world, ALL, start=world.now - MINUTE)}
    for name, kind in find_kinds().items():
        assert exposed & {family.name for family in kind.families}, name


def test_series_are_sorted_unique_and_lie_in_the_window(world):
    start = world.now - 4 * MINUTE
    found = select(world, ALL, start=start)
    labels = [s.labels for s in found]
    assert labels == sorted(set(labels)) and len(found) > 4_000
    for series in found:
        assert list(series.labels) == sorted(series.labels) and all(value for _, value in series.labels)
        assert (series.times > start).all() and (series.times <= world.now).all() and (np.diff(series.times) > 0).all()


def test_asked_twice_in_another_order_after_a_fork_or_a_restore_they_are_the_same_bytes(world):
    first = [
        named("container_cpu_usage_seconds_total"),
        named("kube_pod_status_phase"),
        named("scrape_samples_scraped"),
    ]
    found = [select(world, *each) for each in first]
    fork = world.fork()
    backend = played(LOOPING, 12)
    restored = Simulated.restored(backend.snapshot()).world
    for other in (world, fork, restored):
        again = [select(other, *each) for each in reversed(first)][::-1]
        assert all(same(one, two) for one, two in zip(found, again, strict=True))


def test_what_happens_later_changes_nothing_that_was_scraped(world):
    start, end = world.now - 20 * MINUTE, world.now
    names = "up|kube_.*|container_(cpu|memory|network).*|node_.*|apiserver_storage_objects|kubelet_.*|coredns_.*"
    asked = Matcher("__name__", "=~", names)
    before = select(world, asked, start=start, end=end)
    for resource in ("pods", "services", "deployments.apps"):
        for obj in world.store.all(resource, NAMESPACE)[:3]:
            world.store.remove(resource, f"{NAMESPACE}/{name_of(obj)}")
    world.run(7 * MINUTE)
    assert same(before, select(world, asked, start=start, end=end))


def test_states_are_those_of_the_objects(world):
    world.run(journal.floor(world.now) + MINUTE - world.now)  # a scrape is due now
    pods = world.store.all("pods", NAMESPACE)
    restarts = {name_of(p): s["restartCount"] for p in pods for s in p["status"].get("containerStatuses", ())}
    assert last(world, "kube_pod_container_status_restarts_total", namespace=NAMESPACE).items() >= restarts.items()
    assert max(restarts.values()) > 3
    for series in select(world, *named("kube_pod_status_phase", namespace=NAMESPACE), start=world.now - MINUTE):
        phase, pod = dict(series.labels)["phase"], dict(series.labels)["pod"]
        obj = world.store.get("pods", NAMESPACE, pod)
        if obj is not None:
            assert series.values[-1] == float(obj["status"]["phase"] == phase)
    reasons = {dict(s.labels)["reason"] for s in select(world, *named("kube_pod_container_status_waiting_reason"))}
    assert "CrashLoopBackOff" in reasons


def test_counters_never_fall(world):
    counters = {
        name for kind in find_kinds().values() for f in kind.families if f.kind == "counter" for name in [f.name]
    }
    checked = 0
    for series in select(world, ALL, start=world.now - 15 * MINUTE):
        if dict(series.labels)["__name__"] in counters:
            values = series.values[~is_stale(series.values)]
            assert (np.diff(values) >= 0).all(), series
            checked += len(values) > 1
    assert checked > 1_000


def test_a_node_uses_more_than_its_containers(world):
    for name in ("container_cpu_usage_seconds_total", "container_memory_working_set_bytes"):
        found = select(world, *named(name, instance="kind-worker"), start=world.now - 5 * MINUTE)
        grown = {}
        for series in found:
            labels, values = dict(series.labels), series.values[~is_stale(series.values)]
            use = values[-1] - values[0] if name.endswith("_total") else values[-1]
            kind = "node" if labels["id"] == "/" else "container" if "container" in labels else "pod"
            grown[kind] = grown.get(kind, 0.0) + use
        assert 1.0 < grown["node"] / grown["container"] < 4.0


def test_a_series_ends_with_its_pod(world):
    pod = next(p for p in world.store.all("pods", NAMESPACE) if name_of(p).startswith("search-"))
    world.store.remove("pods", f"{NAMESPACE}/{name_of(pod)}")
    gone = world.now
    world.run(3 * MINUTE)
    for name in ("kube_pod_info", "container_memory_rss"):
        for series in select(world, *named(name, pod=name_of(pod))):
            assert is_stale(series.values).sum() == 1 and is_stale(series.values[-1:])[0]
            assert gone < series.times[-1] <= gone + 2 * MINUTE


def test_a_silent_kubelet_is_down_and_so_are_its_series(world):
    world.table("nodes_down")["kind-worker"] = world.now
    world.run(2 * MINUTE)
    up = {dict(s.labels)["job"]: s.values[-1] for s in select(world, *named("up", instance="kind-worker"))}
    assert up == {"kubernetes-nodes": 0.0, "kubernetes-nodes-cadvisor": 0.0}
    cpu = select(world, *named("container_cpu_usage_seconds_total", instance="kind-worker"))
    assert all(is_stale(series.values)[-1] for series in cpu)


def test_while_prometheus_is_away_nothing_is_scraped(world):
    key = next(key for key, row in world.table("processes").items() if row["program"] == "prometheus")
    world.table("processes")[key] = {**world.table("processes")[key], "ended": world.now, "running": False}
    away = world.now
    world.run(5 * MINUTE)
    assert not select(world, ALL, start=away)


@pytest.mark.parametrize("cores", ["300m", "20m"])
def test_nothing_uses_more_than_its_quota(world, cores):
    world.table("load")["rate"] = {"value": 900.0}
    deployment = world.store.get("deployments.apps", NAMESPACE, "frontend")
    path = ("spec", "template", "spec", "containers", 0, "resources")
    world.store.put("deployments.apps", assoc(deployment, path, {"limits": {"cpu": cores}}))
    world.touch()
    world.run(8 * MINUTE)
    pod = next(name_of(p) for p in world.store.all("pods", NAMESPACE) if name_of(p).startswith("frontend-"))
    asked = {"pod": pod, "container": "hotel-reserv-frontend"}
    rates, sums = {}, {}
    for name in ("usage_seconds_total", "cfs_periods_total", "cfs_throttled_periods_total"):
        (series,) = select(world, *named(f"container_cpu_{name}", **asked), start=world.now - 5 * MINUTE)
        sums[name], rates[name] = series.values, np.diff(series.values)
    limit = float(cores[:-1]) / 1000
    assert (rates["usage_seconds_total"] <= limit * 60 + 1e-6).all()
    assert (rates["usage_seconds_total"] > limit * 50).all()
    assert (rates["cfs_periods_total"] <= 600).all()
    assert (sums["cfs_throttled_periods_total"] <= sums["cfs_periods_total"]).all()
    assert (rates["cfs_throttled_periods_total"] > 100 * limit).all()


def test_a_looping_pod_costs_a_row_a_minute(world):
    rows = [rows for key, rows in world.table("journal").items() if key.startswith(f"pods {NAMESPACE}/geo")]
    times = [row[0] for row in max(rows, key=len)]
    slots = [journal.floor(time) for time in times]
    assert len(times) > 4 and len(set(slots)) == len(slots)


def test_nothing_tells_of_a_fault_and_a_healthy_cluster_has_the_same_metrics(world):
    healthy = Simulated(registry.find_problem("noop_detection_hotel_reservation-1"), 3).world.fork()
    healthy.run(12 * MINUTE)
    texts = [written(each) for each in (world, healthy)]
    names = [set(re.findall(r"^# TYPE (\S+)", text, re.M)) for text in texts]
    assert {name for name in names[0] ^ names[1] if "_reason" not in name and "exitcode" not in name} == set()
    for fault in registry.faults():
        assert fault not in texts[0], fault


def written(world):
    """All that targets answer."""
    texts = {row["params"].get("metrics", ""): row for row in world.table("processes").values()}
    found = [exposition.write_process(world, row) for kind, row in sorted(texts.items()) if kind]
    paths = ("metrics", "metrics/cadvisor")
    return "".join([*found, *(str(exposition.write_node(world, "kind-worker", path)) for path in paths)])


LINE = re.compile(r'([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\n"])*",?)*\})? [-+\d.eE]+(?:Inf)?')


def test_the_text_is_well_formed_and_each_sample_belongs_to_the_family_above_it(world):
    family, seen = "", set()
    text = exposition.write_node(world, "kind-worker", "metrics/cadvisor") + exposition.write_api_server(world)
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            family = line.split()[2]
            assert family not in seen, family
            seen.add(family)
        elif not line.startswith("# HELP "):
            match = LINE.fullmatch(line)
            assert match and re.fullmatch(rf"{family}(_bucket|_sum|_count)?", match[1]), line
    assert exposition.write_node(world, "kind-worker", "nothing") is None


def test_they_answer_inside(world):
    shell = played(LOOPING, 12).shell
    done = shell.run("kubectl get --raw /api/v1/nodes/kind-worker/proxy/metrics/cadvisor | grep -c ^container_cpu")
    assert int(done.stdout) > 100
    assert "apiserver_request_total" in shell.run("kubectl get --raw /metrics").stdout
    assert shell.run("kubectl get --raw /api/v1/nodes/kind-worker/proxy/nothing").code == 1
    for service, name in (("kube-state-metrics", "kube_pod_info"), ("prometheus-node-exporter", "node_load1")):
        address = (
            f"kubectl get svc -n observe prometheus-{service} -o jsonpath='{{.spec.clusterIP}}:{{.spec.ports[0].port}}'"
        )
        assert name in shell.run(f"curl -s $({address})/metrics").stdout
    assert "coredns_dns_requests_total" in shell.run("curl -s 10.96.0.10:9153/metrics").stdout


REAL = ("node_memory", "node_netstat", "cadvisor_version_info", "_renew_errors", "node_timex")
"""What the linter has against names that are the real ones."""


@pytest.mark.skipif(shutil.which("promtool") is None, reason="no promtool here")
def test_promtool_reads_what_they_answer(world):
    call = ["promtool", "check", "metrics"]
    done = subprocess.run(call, input=written_once(world), capture_output=True, text=True, check=False)
    complaints = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    assert not [line for line in complaints if not any(name in line for name in REAL)]


def written_once(world):
    """All that targets answer, each family once, as one text may hold it."""
    parts = re.split(r"(?m)^(?=# HELP )", written(world))
    return "".join({part.split(" ", 3)[2]: part for part in parts if part}.values())
