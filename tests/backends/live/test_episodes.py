"""Whole episodes on a served cluster as if it were a real one, and the verdicts of the simulator beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import gymnasium as gym
import pytest
from served import Served, serve

import aiops_gym  # noqa: F401  # registers the environments
from aiops_gym.catalog import registry
from aiops_gym.types import Call

BUSY = "kubectl rollout restart deployment/{} -n {}"
ELSEWHERE = {"hotel_reservation": "memcached-user", "social_network": "user-timeline-redis", "astronomy_shop": "quote"}
"""A component of each app that none of these incidents is about."""

SOME = ("wrong_bin_usage-mitigation-1", "revoke_auth_mongodb-localization-1", "misconfig_app_hotel_res-analysis-1")

EVERY = (
    "noop_detection_hotel_reservation-1",
    "revoke_auth_mongodb-detection-1",
    "user_unregistered_mongodb-mitigation-1",
    "misconfig_app_hotel_res-mitigation-1",
    "redeploy_without_PV-mitigation-1",
    "wrong_bin_usage-analysis-1",
    "k8s_target_port-misconfig-localization-3",
    "k8s_target_port-misconfig-mitigation-1",
    "auth_miss_mongodb-mitigation-1",
    "scale_pod_zero_social_net-mitigation-1",
    "assign_to_non_existent_node_social_net-mitigation-1",
    "missing_configmap_hotel_reservation-mitigation-mongodb-geo",
    "noop_detection_astronomy_shop-1",
    "astronomy_shop_payment_service_unreachable-detection-1",
    "astronomy_shop_product_catalog_service_failure-localization-1",
    "failing_ads_astronomy_shop-analysis-ad",
    "misled_charges_astronomy_shop-mitigation-checkout",
    "mismatched_selector_astronomy_shop-mitigation-payment",
)


def make(problem: str, **more: Any) -> gym.Env[str, str]:
    """An environment for one problem."""
    task = registry.find_problem(problem).task.capitalize()
    return gym.make(f"aiops_gym/{task}-v0", problem=problem, noise=False, **more)


def make_real(problem: str, served: Served, **more: Any) -> gym.Env[str, str]:
    """The same on a served cluster."""
    return make(problem, backend="kubernetes", context=served.context, cluster={**served.cluster, **more})


def list_answers(env: gym.Env[str, str], problem: str) -> Mapping[str, list[str]]:
    """Ways to end an episode: as the reference does, with nothing, in a wrong place, destructively."""
    posed = registry.find_problem(problem)
    space = registry.find_app(posed.app).namespace
    found = {"reference": env.unwrapped.reference_actions()}
    elsewhere, submit = ELSEWHERE[posed.app], str(Call("submit"))
    if posed.task == "mitigation":
        found["empty"] = [submit]
        found["wrong place"] = [shell(BUSY.format(elsewhere, space)), submit]
        found["destructive"] = [
            *found["reference"][:-1],
            shell(f"kubectl delete deployment {elsewhere} -n {space}"),
            submit,
        ]
    else:
        wrong = {
            "detection": ("No",),
            "localization": ([elsewhere],),
            "analysis": ({"system_level": "x", "fault_type": "y"},),
        }
        found["wrong"] = [str(Call("submit", wrong[posed.task]))]
    return found


def shell(command: str) -> str:
    """The action that types a command."""
    return str(Call("exec_shell", (command, 300)))


def play(env: gym.Env[str, str], actions: Iterable[str]) -> tuple[float, bool, str]:
    """Reward, success and reasons of an episode that has begun."""
    reward, info = 0.0, {}
    for action in actions:
        _, reward, _, _, info = env.step(action)
        assert not info["infra_error"], action
    return float(reward), bool(info["is_success"]), str(info["results"].get("reasons", ""))


def compare(problem: str, ways: Iterable[str]) -> None:
    """Play a problem on both backends: their verdicts are the same."""
    simulated = make(problem)
    simulated.reset(seed=5)
    expected = {}
    for way, actions in list_answers(simulated, problem).items():
        expected[way] = play(simulated.unwrapped.fork()[0], actions)[:2]
    with serve(registry.find_problem(problem).app) as served:
        for way in ways:
            if way not in expected:
                continue
            real = make_real(problem, served)
            text, _ = real.reset(seed=5)
            assert text == simulated.unwrapped.prompt
            found = play(real, list_answers(real, problem)[way])
            real.close()
            assert found[:2] == expected[way], (way, found)
        left = served.door.call(lambda world: [n["metadata"]["name"] for n in world.store.all("namespaces")])
        assert registry.find_problem(problem).app.replace("_", "-") not in " ".join(left)


@pytest.mark.parametrize("problem", SOME)
def test_a_problem_ends_as_on_the_simulator(problem: str) -> None:
    compare(problem, ("reference",))


@pytest.mark.full
@pytest.mark.parametrize("problem", EVERY)
def test_verdicts_are_those_of_the_simulator(problem: str) -> None:
    compare(problem, ("reference",))


@pytest.mark.full
@pytest.mark.parametrize("problem", EVERY[1::7])
def test_a_wrong_answer_and_none_are_worth_what_they_are_there(problem: str) -> None:
    compare(problem, ("wrong", "empty"))


@pytest.mark.full
@pytest.mark.parametrize("problem", ["k8s_target_port-misconfig-mitigation-1"])
def test_neither_a_wrong_place_nor_destruction_wins(problem: str) -> None:
    compare(problem, ("wrong place", "destructive"))
