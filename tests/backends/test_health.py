"""How components do, as people see it: it agrees with the traffic, and looking changes nothing."""

from __future__ import annotations

import pytest

from aiops_gym import backends
from aiops_gym.catalog import registry
from aiops_gym.sim import traffic


def opened(problem, seed=1):
    return backends.open_backend("simulated", registry.find_problem(problem), seed, noise=False)


def test_in_a_healthy_system_all_is_well():
    health = opened("noop_detection_hotel_reservation-1").health()
    assert {part["ok"] for part in health["components"].values()} == {None, 1.0}
    assert {part["slow"] for part in health["components"].values()} == {None, 1.0}
    assert all(part["ready"] == part["wanted"] == 1 for part in health["components"].values())
    assert set(health["calls"]) == {None, 1.0}
    assert set(health["operations"].values()) == {1.0}
    assert health["users"] == {"ok": 1.0, "slow": 1.0}


def test_the_calls_are_those_of_the_application():
    calls = opened("noop_detection_hotel_reservation-1").calls()
    assert calls[0] == ["", "frontend"]
    for edge in (["frontend", "search"], ["search", "geo"], ["rate", "memcached-rate"], ["geo", "mongodb-geo"]):
        assert edge in calls
    assert len(calls) == len({tuple(edge) for edge in calls})


def test_a_component_that_is_down_hurts_those_that_call_it_and_nobody_else():
    backend = opened("misconfig_app_hotel_res-mitigation-1")
    health = backend.health()
    parts = health["components"]
    assert (parts["geo"]["ok"], parts["geo"]["slow"]) == (0.0, None)
    assert (parts["geo"]["ready"], parts["geo"]["wanted"]) == (0, 1)
    assert parts["search"]["ok"] == 0.0
    assert parts["search"]["ready"] == 1
    assert 0.0 < parts["frontend"]["ok"] < 1.0
    assert parts["user"]["ok"] == 1.0
    assert health["users"] == {"ok": parts["frontend"]["ok"], "slow": parts["frontend"]["slow"]}
    along = dict(zip(map(tuple, backend.calls()), health["calls"], strict=True))
    assert (along["search", "geo"], along["search", "rate"]) == (0.0, 1.0)
    assert along["geo", "mongodb-geo"] is None


def test_a_slow_network_shows_as_time_and_not_as_pods():
    parts = opened("network_delay_hotel_res-detection-1").health()["components"]
    slow = {name for name, part in parts.items() if part["ok"] == 0.0 or (part["slow"] or 0) > 2}
    assert slow
    assert all(part["ready"] == part["wanted"] for part in parts.values())


@pytest.mark.parametrize("app", sorted(registry.apps()))
def test_every_application_is_seen_whole(app):
    problem = next(each for each in registry.problems("detection", app) if each.fault is None or not each.fault)
    backend = opened(problem.id)
    health, calls = backend.health(), backend.calls()
    assert set(health["components"]) == set(backend.app.components)
    assert {name for edge in calls for name in edge} - {""} <= set(backend.app.components)
    assert len({callee for _, callee in calls}) > len(backend.app.components) / 2
    assert health["users"]["ok"] > 0.99


@pytest.mark.parametrize("problem", ["revoke_auth_mongodb-mitigation-1", "container_kill-detection"])
def test_looking_changes_nothing(problem):
    watched, left_alone = opened(problem), opened(problem)
    for _ in range(4):
        health = watched.health()
        assert health == watched.health()
        assert health["operations"] == {
            name: round(s, 3) for name, s in traffic.compute_success(watched.world.fork()).items()
        }
        for each in (watched, left_alone):
            each.shell.run("kubectl rollout restart deployment/geo -n test-hotel-reservation")
            if each is watched:
                each.health()
            each.spend(7)
    assert watched.snapshot() == left_alone.snapshot()


def test_a_restored_incident_is_measured_alike():
    backend = opened("misconfig_app_hotel_res-mitigation-1")
    twin = type(backend).restored(backend.snapshot())
    assert (twin.calls(), twin.health()) == (backend.calls(), backend.health())


def test_what_is_told_is_not_what_is_kept():
    backend = opened("misconfig_app_hotel_res-mitigation-1")
    backend.health()["components"]["geo"]["ok"] = 1.0
    backend.health()["calls"].clear()
    assert backend.health()["components"]["geo"]["ok"] == 0.0
    assert backend.health()["calls"]
