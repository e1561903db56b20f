"""A page is sent for each incident, is about it, and has the same form where nothing is wrong."""

from __future__ import annotations

import pytest

from aiops_gym.backends import Simulated, paging
from aiops_gym.catalog import registry
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.times import MINUTE, SECOND

APP = registry.find_app("hotel_reservation")


def opened(id_, seed=3, **options):
    return Simulated(registry.find_problem(id_), seed, **options)


def list_names(page):
    return {alert["labels"]["alertname"] for alert in paging.list_alerts(page)}


def test_the_page_names_the_operation_that_fails_and_comes_when_the_alert_fires():
    backend = opened("misconfig_app_hotel_res-incident-1")
    page = backend.page
    assert list_names(page) == {"ErrorBudgetBurn"}
    assert page["ticket"] == ""
    assert any("search" in str(alert["labels"]["proxy"]) for alert in paging.list_alerts(page))
    waited = backend.world.now - backend.before_the_incident().now
    assert 3 * MINUTE < waited < paging.LONGEST


def test_where_no_alert_fires_a_user_complains_about_the_operation_that_does_worst():
    backend = opened("misconfig_app_hotel_res-mitigation-1", 1)
    before = backend.before_the_incident()
    page = paging.await_page(before.fork(), before, APP, 1)
    assert page["ticket"].startswith("A user says that ")
    assert page["groups"] == []
    assert "search" in paging._complain(backend.world, before, APP, 1)


def test_an_alert_that_fires_all_the_time_is_on_the_page_and_no_reason_for_it():
    before = opened("misconfig_app_hotel_res-mitigation-1", 2).before_the_incident()
    page = paging.await_page(before.fork(), before, APP, 2)
    assert list_names(page) == {"ErrorBudgetBurn"}
    assert page["ticket"]


def test_a_healthy_episode_is_paged_for_what_somebody_has_mended_by_then():
    forms = []
    for seed in (0, 5):  # two of those in which an alert knows of it still
        backend = opened("noop_incident_hotel_reservation-1", seed)
        before = traffic.compute_success(backend.before_the_incident())
        now = traffic.compute_success(backend.world)
        assert backend.fault is None
        assert all(now[name] >= before[name] - 0.01 for name in before)
        forms.append(backend.page)
    sick = opened("misconfig_app_hotel_res-incident-1").page
    assert any(list_names(page) for page in forms)
    assert {tuple(page) for page in forms} == {tuple(sick)}
    assert {tuple(each) for page in (*forms, sick) for each in paging.list_alerts(page)} == {
        ("labels", "annotations", "since")
    }


def test_the_page_and_what_was_found_survive_a_snapshot():
    backend = opened("misconfig_app_hotel_res-incident-1")
    backend.spend(30)
    again = Simulated.restored(backend.snapshot())
    assert again.page == backend.page
    assert again.as_found().now == backend.as_found().now == round(backend.began * 1000)
    assert again.count_harm() == backend.count_harm()


@pytest.mark.parametrize(
    ("seconds", "chronic"),
    [([], False), ([-600], False), ([-600, -585, -570], False), ([-600, -300], True), ([-15, 0, 15], True)],
)
def test_what_fires_just_before_or_again_and_again_is_nothing_new(seconds, chronic):
    assert paging._is_chronic([each * SECOND for each in seconds], 0) == chronic
