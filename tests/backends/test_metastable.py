"""Incidents that feed themselves, in the applications: as bad an hour later, and ended by each listed repair."""

import pytest

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.times import HOUR, MINUTE

ONE = "retry_storm_hotel_reservation-mitigation-geo"
OTHERS = (
    "retry_storm_hotel_reservation-mitigation-reservation",
    "cache_stampede_hotel_reservation-mitigation-mongodb-profile",
    "cache_stampede_social_network-mitigation-user-mongodb",
    "thundering_restart_hotel_reservation-mitigation-search",
)


def lost(world, before):
    """By how much the operation that is hit most succeeds more rarely."""
    now, usual = traffic.compute_success(world), traffic.compute_success(before)
    return max(usual[name] - now[name] for name in usual)


@pytest.mark.parametrize("id_", [ONE, *(pytest.param(each, marks=pytest.mark.full) for each in OTHERS)])
def test_it_lasts_until_it_is_repaired(id_):
    incident = Simulated(registry.find_problem(id_), 3, noise=False)
    before = incident.before_the_incident()
    assert not incident.world.table("effects")  # its trigger has passed
    later = incident.fork()
    later.world.run(HOUR)
    assert lost(incident.world, before) > 0.2
    assert lost(later.world, before) > 0.2
    for fix in incident.fault.fixes:
        twin = later.fork()
        twin.shell.run(fix, timeout=900)
        twin.world.run(5 * MINUTE)
        assert lost(twin.world, before) < 0.01, fix


def test_its_queue_is_told_to_prometheus_as_it_was():
    incident = Simulated(registry.find_problem(ONE), 3, noise=False)
    query = "/api/v1/query_range?query=grpc_server_queued_calls&step=60"
    begin, end = incident.world.now // 1000 - 300, incident.world.now // 1000
    first = incident.telemetry.ask("prometheus", f"{query}&start={begin}&end={end}")
    assert '"search' in first[1]
    incident.shell.run(incident.fault.fixes[0], timeout=900)
    incident.world.run(5 * MINUTE)
    assert incident.telemetry.ask("prometheus", f"{query}&start={begin}&end={end}") == first
