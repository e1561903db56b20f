"""Whom an incident is about: what else happens in the world does not befall it."""

import pytest

from aiops_gym.backends.inject import find_concerned
from aiops_gym.catalog import registry


def _about(problem):
    row = registry.find_problem(problem)
    return find_concerned(registry.find_app(row.app), registry.find_fault(row))


@pytest.mark.parametrize(
    ("problem", "about"),
    [
        ("misconfig_k8s_social_network-detection-media-service", {"media-service"}),
        ("frozen_endpoints_social_network-detection-user-mongodb", {"user-mongodb", "user-service"}),
        ("stray_pod_social_network-detection-text-service", {"text-service"}),
    ],
)
def test_an_incident_is_about_its_target_and_who_needs_it_at_its_start(problem, about):
    assert _about(problem) == about


def test_what_befalls_the_whole_cluster_is_about_all():
    assert _about("untolerated_taint_social_network-detection-text-service") == set(
        registry.find_app("social_network").components
    )
