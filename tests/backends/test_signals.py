"""Alerts and golden signals of an incident: what an agent would be told, and nothing of it changes the world."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import numpy as np
import pytest

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry

WINDOW = 120
"""Seconds that each point looks back."""


@pytest.fixture(scope="module")
def broken():
    """A minute and a half into an incident in which searches fail."""
    backend = Simulated(registry.find_problem("revoke_auth_mongodb-detection-1"), 4)
    backend.spend(90)
    return backend


@pytest.fixture(scope="module")
def signals(broken):
    return broken.signals()


def points(text):
    return [None if each == "-" else float(each) for each in text.split()]


def ask(backend, server, path, **query):
    status, body = backend.telemetry.ask(server, f"{path}?{urlencode(query)}")
    assert status == 200, body
    return json.loads(body)["data"]


def test_looking_changes_nothing_and_says_the_same_again(broken, signals):
    before = broken.snapshot()
    assert broken.signals() == signals
    assert broken.fork().signals() == signals
    assert broken.snapshot() == before
    assert json.loads(json.dumps(signals)) == signals


def test_points_reach_from_before_the_episode_to_now(broken, signals):
    assert signals["end"] == pytest.approx(broken.now() - broken.began)
    assert signals["start"] == pytest.approx(-600, abs=signals["step"])
    many = {
        len(text.split())
        for kind in ("operations", "components")
        for s in signals[kind].values()
        for text in s.values()
    }
    assert many == {round((signals["end"] - signals["start"]) / signals["step"]) + 1}


def test_a_long_episode_has_no_more_points_than_a_picture_shows(broken):
    later = broken.fork()
    later.spend(3000)
    found = later.signals()
    assert 30 < len(found["operations"]["search"]["rate"].split()) <= 65
    assert found["start"] > -600  # telemetry reaches back for an hour


def test_operations_are_what_prometheus_answers(broken, signals):
    query = "sum by (proxy) (rate(haproxy_backend_http_responses_total[2m]))"
    told = {
        row["metric"]["proxy"]: row["value"][1]
        for row in ask(broken, "prometheus", "/api/v1/query", query=query)["result"]
    }
    for name, series in signals["operations"].items():
        now = float(told[f"{broken.app.namespace}_{name.replace(' ', '-')}"])
        assert points(series["rate"])[-1] == pytest.approx(now, rel=0.005)
    assert points(signals["operations"]["search"]["errors"])[-1] > 0.95
    assert points(signals["operations"]["search"]["errors"])[0] < 0.05


def test_components_are_what_jaeger_has(broken, signals):
    now = int(broken.now() * 1e6)
    told = ask(broken, "jaeger", "/api/traces", service="user", start=now - WINDOW * 1_000_000, end=now, limit=1500)
    asked = [span for trace in told for span in trace["spans"] if span["operationName"] == "/user.User/CheckUser"]
    asked = [s for s in asked if {"key": "span.kind", "type": "string", "value": "client"} in s["tags"]]
    took = sorted(s["duration"] / 1000 for s in asked if s["startTime"] > now - WINDOW * 1_000_000)
    series = signals["components"]["user"]
    assert points(series["rate"])[-1] == pytest.approx(len(took) / WINDOW, rel=0.01)
    assert points(series["p50"])[-1] == pytest.approx(took[-(-len(took) // 2) - 1], rel=0.01)
    assert points(series["p99"])[-1] == pytest.approx(took[-1], rel=0.01)
    assert set(points(series["errors"])) <= {0.0, None}


def test_whoever_does_not_answer_is_blamed_by_its_callers(signals):
    assert points(signals["components"]["geo"]["errors"])[-1] > 0.95
    assert points(signals["components"]["rate"]["rate"])[-1] == 0.0
    assert points(signals["components"]["rate"]["rate"])[0] > 1.0


def test_saturation_is_use_by_limit(broken, signals):
    for series in signals["components"].values():
        if "saturation" in series:
            assert all(0 <= share <= 1.05 for share in points(series["saturation"]) if share is not None)
    limit = 'kube_pod_container_resource_limits{resource="cpu",pod=~"search-.*"}'
    (row,) = ask(broken, "prometheus", "/api/v1/query", query=limit)["result"]
    cpu, share = (points(signals["components"]["search"][key])[-1] for key in ("cpu", "saturation"))
    assert share == pytest.approx(cpu / float(row["value"][1]), rel=0.01)


def test_alerts_are_in_the_state_that_prometheus_says(broken, signals):
    told = sorted(
        (each["labels"]["alertname"], each["state"]) for each in ask(broken, "prometheus", "/api/v1/alerts")["alerts"]
    )
    mine = []
    for alert in signals["alerts"]:
        for since, fired, ended in alert["spans"]:
            assert since <= (fired or since) and (ended is None or ended > since)
            if ended is None:
                mine.append((alert["name"], "pending" if fired is None else "firing"))
    assert sorted(mine) == told
    assert ("Watchdog", "firing") in told and "pending" in {state for _, state in told}


def test_without_servers_nothing_is_known(broken):
    fork = broken.fork()
    rows = fork.world.table("processes")
    for key, row in list(rows.items()):
        if row["program"] in ("prometheus", "jaeger"):
            rows[key] = {**row, "running": False}
    found = fork.signals()
    assert found["alerts"] == []
    assert not any(found["operations"].values()) and not any(found["components"].values())


def test_a_collector_that_began_anew_knows_nothing_of_before(broken):
    fork = broken.fork()
    rows = fork.world.table("processes")
    for key, row in list(rows.items()):
        if row["program"] == "jaeger":
            rows[key] = {**row, "started": fork.world.now - 300_000}
    rates = points(fork.signals()["components"]["search"]["rate"])
    known = np.array([rate is not None for rate in rates])
    assert known[-1] and not known[0] and 5 <= known.sum() <= 8
