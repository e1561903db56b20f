"""The way from a cause to users is measured, for every kind of fault."""

from __future__ import annotations

import pytest

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.testing.admission import LOST, SLOWER, measure_hurt


def traced(id_, causes, seed=3):
    return Simulated(registry.find_problem(id_), seed, noise=False).trace(causes)


def test_the_way_leads_from_the_cause_through_its_callers_to_users():
    way = traced("misconfig_app_hotel_res-mitigation-1", ["geo"])
    assert way.nodes == ("frontend", "geo", "search")
    assert way.edges == (("frontend", "search"), ("search", "geo"))


def test_a_call_that_is_made_at_a_start_only_is_on_the_way_where_its_caller_does_not_come_up():
    way = traced("revoke_auth_mongodb-mitigation-1", ["mongodb-geo"])
    assert ("geo", "mongodb-geo") in way.edges
    assert way.nodes == ("frontend", "geo", "mongodb-geo", "search")


def test_without_a_component_it_ends_where_the_trouble_ends():
    way = traced("exhausted_quota_hotel_reservation-mitigation-recommendation", [])
    assert way.nodes == ("frontend", "recommendation")
    assert way.edges == (("frontend", "recommendation"),)


def test_who_died_of_what_lies_in_no_component_is_not_where_the_trouble_ends():
    way = traced("unanswered_webhook_hotel_reservation-incident-mongodb-geo", [""], seed=4)
    assert way.edges == (("frontend", "search"), ("geo", "mongodb-geo"), ("search", "geo"))


@pytest.mark.parametrize("family", ["retry_storm", "load_spike", "thundering_restart"])
def test_a_load_that_feeds_itself_is_on_the_way_though_each_call_alone_would_do_well(family):
    way = traced(f"{family}_hotel_reservation-incident-geo", [""], seed=1)
    assert way.edges == (("frontend", "search"), ("search", "geo"))


def test_nothing_is_on_the_way_where_nothing_is_wrong():
    backend = Simulated(registry.find_problem("noop_detection_hotel_reservation-1"), 3)
    assert backend.trace([]) == ((), ())
    assert backend.trace(["geo"]) == (("geo",), ())


def _one_of_each():
    """A mitigation of each family in each application, every second of them."""
    found = {}
    for split in ("train", "test"):
        for problem in registry.problems("mitigation", split=split):
            if "localization" in registry.faults()[problem.fault].tasks and problem.target:
                found.setdefault((problem.fault, problem.app), problem.id)
    return sorted(found.values())[::2]


@pytest.mark.full
@pytest.mark.parametrize("id_", _one_of_each())
def test_every_cause_has_a_way_to_users_where_any_are_hurt(id_):
    problem = registry.find_problem(id_)
    backend = Simulated(problem, 11)
    way = backend.trace([problem.target])
    callers = {caller for caller, _ in way.edges}
    called = {callee for _, callee in way.edges}
    assert problem.target in way.nodes
    assert callers | called | {problem.target} == set(way.nodes)
    entries = {callee for caller, callee in map(tuple, backend.calls()) if caller == ""}
    lost, slower = measure_hurt(backend)
    assert entries & set(way.nodes) or (lost <= LOST and slower < SLOWER)
    assert callers - called <= entries
