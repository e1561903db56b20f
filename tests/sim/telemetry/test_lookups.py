"""What CoreDNS counts of names that programs ask for in vain."""

from __future__ import annotations

import numpy as np
import pytest

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.promql.series import Matcher
from aiops_gym.sim.telemetry.source import open_source

NAMESPACE = "test-social-network"


@pytest.fixture(scope="module")
def searching():
    """A world in which a Service is missing that many calls name."""
    backend = Simulated(registry.find_problem("noop_detection_social_network-1"), 3, noise=False)
    backend.world.run(3 * MINUTE)
    assert backend.shell.run(f"kubectl delete service user-service -n {NAMESPACE}").code == 0
    backend.world.run(6 * MINUTE)
    return backend


def grown(world, name, minutes, **labels):
    """By how much counters grew in the last minutes, all of them together."""
    matchers = [Matcher("__name__", "=", name), *(Matcher(key, "=", value) for key, value in labels.items())]
    found = open_source(world).select(matchers, world.now - minutes * MINUTE, world.now)
    return sum(float(series.values[-1] - series.values[0]) for series in found)


ANSWERS, QUESTIONS, NO = "coredns_dns_responses_total", "coredns_dns_requests_total", {"rcode": "NXDOMAIN"}


def test_each_call_of_a_name_that_there_is_not_is_asked_for_in_vain(searching):
    world = searching.world
    outcome = world.table("outcomes")[list(world.table("timeline").values())[-1]]
    assert outcome["lookups"] > 10.0
    vain = grown(world, ANSWERS, 4, plugin="kubernetes", **NO)
    assert vain == pytest.approx(outcome["lookups"] * 180, rel=0.1)  # the first and last of four scrapes
    assert grown(world, QUESTIONS, 4) == pytest.approx(grown(world, ANSWERS, 4), rel=0.05)
    timed = grown(world, "coredns_dns_request_duration_seconds_count", 4)
    assert timed == pytest.approx(grown(world, QUESTIONS, 4), rel=0.05)
    assert grown(world, ANSWERS, 4, rcode="NOERROR") < vain / 10


def test_when_the_name_is_back_nobody_asks_in_vain(searching):
    twin = searching.fork()
    manifest = (
        '{"apiVersion":"v1","kind":"Service","metadata":{"name":"user-service"},"spec":{"selector":'
        '{"app":"user-service"},"ports":[{"port":9090,"targetPort":9090}]}}'
    )
    done = twin.shell.run(f"echo '{manifest}' | kubectl apply -n {NAMESPACE} -f -")
    assert done.code == 0, done.stderr
    twin.world.run(7 * MINUTE)
    usual = grown(twin.world, ANSWERS, 3, rcode="NOERROR")
    assert grown(twin.world, ANSWERS, 3, plugin="kubernetes", **NO) < usual


def test_counters_never_fall_and_stay_as_they_were_read(searching):
    world = searching.world.fork()

    def read():
        found = open_source(world).select([Matcher("__name__", "=", ANSWERS)], world.now - 20 * MINUTE, world.now)
        return {s.labels: dict(zip(s.times.tolist(), s.values.tolist(), strict=True)) for s in found}

    before = read()
    world.run(5 * MINUTE)
    after = read()
    for labels, points in before.items():
        assert (np.diff(list(after[labels].values())) >= 0).all()
        assert all(after[labels][time] == value for time, value in points.items() if time in after[labels])
