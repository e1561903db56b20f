"""The catalogue: what is in it, and how it is found."""

import pytest

from aiops_gym.catalog import registry
from aiops_gym.errors import CatalogError

UPSTREAM = {"detection": 13, "localization": 11, "analysis": 7, "mitigation": 7}
COMMENTED_OUT = {
    "disk_woreout-detection-1",
    "disk_woreout-localization-1",
    "kernel_fault_hotel_reservation-detection-1",
    "kernel_fault_hotel_reservation-localization-1",
    "redeploy_without_PV-localization-1",
}
"""What stands in AIOpsLab's registry as a comment, but for its TiDB operator."""


def test_the_fixed_ids_of_hotel_reservation_are_those_of_aiopslab():
    known = [p for p in registry.problems(app="hotel_reservation") if p.registered_upstream]
    assert {task: sum(p.task == task for p in known) for task in UPSTREAM} == UPSTREAM
    ids = {p.id for p in registry.problems()}
    assert {
        "revoke_auth_mongodb-detection-1",
        "user_unregistered_mongodb-analysis-2",
        "misconfig_app_hotel_res-mitigation-1",
        "container_kill-localization",
        "pod_kill_hotel_res-detection-1",
        "network_delay_hotel_res-localization-1",
        "redeploy_without_PV-analysis-1",
        "wrong_bin_usage-mitigation-1",
        "noop_detection_hotel_reservation-1",
    } <= ids


def test_all_of_aiopslabs_registry_is_there_and_marked():
    listed = registry.problems()
    assert sum(p.registered_upstream for p in listed) == 89
    assert {p.id for p in listed if not p.registered_upstream} == COMMENTED_OUT
    assert not any(p.registered_upstream for p in registry.problems(split="test"))
    assert not registry.find_problem("noop_analysis_hotel_reservation-1").registered_upstream


def test_healthy_episodes_are_drawn_but_not_listed():
    drawn = {p.id for p in registry.list_healthy("localization")}
    assert drawn == {f"noop_localization_{app}-1" for app in registry.apps()}
    assert not drawn & {p.id for p in registry.problems()}
    assert registry.list_healthy("mitigation") == ()


SHARES = [("detection", 0.3, 0.5), ("localization", 0.1, 0.2), ("analysis", 0.1, 0.2)]


@pytest.mark.parametrize(("task", "low", "high"), SHARES)
def test_the_share_of_healthy_episodes_is_as_promised(task, low, high):
    drawn = [registry.draw(task, seed) for seed in range(2_000)]
    assert low < sum(not p.fault for p in drawn) / len(drawn) < high


def test_a_draw_is_a_function_of_its_arguments():
    assert [registry.draw("mitigation", s) for s in range(50)] == [registry.draw("mitigation", s) for s in range(50)]


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(CatalogError, match="did you mean wrong_bin_usage-mitigation-1"):
        registry.find_problem("wrong_bin_usage-mitigation-2")
    with pytest.raises(CatalogError, match="no task 'detect'"):
        registry.problems(task="detect")


@pytest.mark.parametrize("fault", registry.faults().values(), ids=lambda fault: fault.id)
def test_a_fault_is_named_as_its_file_or_as_what_it_repeats(fault):
    assert fault.id in registry.faults()
    assert fault.layer
    assert fault.kind
    assert (fault.cause is None) == (not fault.fixes)
    assert len(fault.fixes) in {0, 2, 3}


@pytest.mark.parametrize("problem", registry.problems(), ids=lambda problem: problem.id)
def test_every_placeholder_of_a_problem_is_filled(problem):
    fault = registry.find_fault(problem)
    if fault is not None:
        text = repr((fault.changes, fault.cause, fault.fixes, fault.looks))
        for name in ("target", "service", "database", "namespace", "selector", "container"):
            assert f"{{{name}}}" not in text


def test_every_image_of_an_app_is_known():
    for app in registry.apps().values():
        used = {
            (name if ":" in name else f"{name}:latest").removeprefix("docker.io/").removeprefix("library/")
            for manifest in app.manifests
            if manifest["kind"] == "Deployment"
            for container in manifest["spec"]["template"]["spec"]["containers"]
            for name in (container["image"],)
        }
        assert used <= {name.removeprefix("docker.io/") for name in app.images}


def test_names_are_filled_into_the_keys_of_data_too():
    found = registry.fill_in({"{key}": {"{other}": "{key}"}}, {"key": "app"})
    assert found == {"app": {"{other}": "app"}}
