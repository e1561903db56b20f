"""What the load balancer before the cluster counts: users' requests, as the traffic ended."""

from __future__ import annotations

import numpy as np
import pytest

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.sim.promql.series import Matcher
from aiops_gym.sim.telemetry.source import open_source

MINUTE = 60_000
ENDED = "haproxy_backend_http_responses_total"


@pytest.fixture(scope="module")
def world():
    """Ten minutes after searches began to fail."""
    found = Simulated(registry.find_problem("revoke_auth_mongodb-detection-1"), 3, noise=False).world
    found.run(10 * MINUTE)
    return found


def read(world, start, end, **labels):
    asked = [Matcher("__name__", "=", ENDED), *(Matcher(name, "=", value) for name, value in labels.items())]
    return {series.labels: series for series in open_source(world).select(asked, start, end)}


def test_counters_are_whole_and_never_fall(world):
    for series in read(world, world.now - 60 * MINUTE, world.now).values():
        assert (np.diff(series.values) >= 0).all()
        assert (series.values == np.floor(series.values)).all()


def test_a_short_look_has_the_numbers_of_a_long_one(world):
    long, short = (read(world, world.now - minutes * MINUTE, world.now) for minutes in (40, 3))
    for labels, series in short.items():
        assert (long[labels].values[-len(series.values) :] == series.values).all()


def test_what_users_asked_for_ended_as_the_traffic_did(world):
    proxy = f"{world.blueprint.namespace}_search"
    grown = {}
    for code in ("2xx", "5xx"):
        (series,) = read(world, world.now - 6 * MINUTE, world.now, proxy=proxy, code=code).values()
        grown[code] = series.values[-1] - series.values[0]
    assert grown["5xx"] > 100
    assert grown["2xx"] / grown["5xx"] < 0.02
    healthy = read(world, world.now - 6 * MINUTE, world.now, proxy=f"{world.blueprint.namespace}_recommend", code="5xx")
    assert [series.values[-1] - series.values[0] for series in healthy.values()] == [0.0]


def test_a_client_that_asks_too_often_is_refused_before_the_cluster(world):
    twin = world.fork()
    twin.table("clients")["recommend"] = {"share": 0.25, "every": 10 * MINUTE, "lasts": 10 * MINUTE, "phase": 0}
    proxy = f"{world.blueprint.namespace}_recommend"
    (bad,) = read(twin, twin.now - 30 * MINUTE, twin.now, proxy=proxy, code="5xx").values()
    (good,) = read(twin, twin.now - 30 * MINUTE, twin.now, proxy=proxy, code="2xx").values()
    refused, answered = bad.values[-1] - bad.values[0], good.values[-1] - good.values[0]
    assert refused / (refused + answered) == pytest.approx(0.25, abs=0.02)
    asked = [Matcher("__name__", "=", "haproxy_backend_requests_denied_total"), Matcher("proxy", "=", proxy)]
    (denied,) = open_source(twin).select(asked, twin.now - 30 * MINUTE, twin.now)
    assert (np.diff(denied.values) == np.diff(bad.values)).all()
