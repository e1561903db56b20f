"""What any cluster must pass: the served one here, that of `make test-live CONTEXT=x` where a context is named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import pytest
from served import serve

import aiops_gym  # noqa: F401  # registers the environments
from aiops_gym.backends import open_backend
from aiops_gym.backends.kubernetes import deploy
from aiops_gym.catalog import registry
from aiops_gym.errors import ArgumentError, BackendError, SnapshotError
from aiops_gym.testing import check_backend
from aiops_gym.types import Call

PROBLEM = "wrong_bin_usage-mitigation-1"
GIVEN = os.environ.get("AIOPS_GYM_CONTEXT", "")

Where = dict[str, Any]


@pytest.fixture(scope="module")
def where() -> Iterator[Where]:
    """Context and settings of the cluster."""
    if GIVEN:
        yield {"context": GIVEN, "cluster": {}}
        return
    with serve("hotel_reservation") as served:
        yield {"context": served.context, "cluster": served.cluster}


def shell(command: str) -> str:
    """The action that types a command."""
    return str(Call("exec_shell", (command,)))


@pytest.mark.full
def test_the_backend_keeps_the_promises_of_backends_and_leaves_nothing_behind(where: Where) -> None:
    backend = open_backend("kubernetes", registry.find_problem(PROBLEM), 3, **where)
    try:
        check_backend(backend) if not GIVEN else backend.shell.run("true")
        assert backend.find_symptom()
        for refused in (backend.snapshot, backend.fork):
            with pytest.raises(SnapshotError, match="only the simulated backend can"):
                refused()
        labelled = {each["metadata"]["name"] for each in backend.api.list("namespaces", labels=deploy.SELECTOR)}
        assert backend.app.namespace in labelled
    finally:
        backend.close()
    again = open_backend("kubernetes", registry.find_problem("noop_detection_hotel_reservation-1"), 3, **where)
    assert again.cleaned == []
    again.close()


@pytest.mark.full
def test_an_agent_works_with_kubectl_within_its_rights(where: Where) -> None:
    env = gym.make("aiops_gym/Mitigation-v0", problem=PROBLEM, backend="kubernetes", **where)
    env.reset(seed=1)
    space = env.unwrapped._backend.app.namespace
    assert "Running" in env.step(shell(f"kubectl get pods -n {space}"))[0]
    assert "cannot list resource" in env.step(shell("kubectl get secrets -n kube-system"))[0]
    assert "cannot delete resource" in env.step(shell("kubectl delete node --all"))[0]
    assert (
        "cannot create resource"
        in env.step(shell("kubectl create clusterrolebinding x --clusterrole=cluster-admin --user=y"))[0]
    )
    for action in env.unwrapped.reference_actions():
        _, reward, _, _, info = env.step(action)
    assert (reward, info["infra_error"]) == (1.0, False), info["results"]
    env.close()


@pytest.mark.full
def test_what_a_killed_process_left_is_cleaned_up_at_the_next_start(where: Where) -> None:
    killed = open_backend("kubernetes", registry.find_problem(PROBLEM), 3, **where)
    killed._begun = False  # as if it were not there any more
    again = open_backend("kubernetes", registry.find_problem(PROBLEM), 3, **where)
    assert f"namespace {again.app.namespace}" in again.cleaned
    again.close()
    for each in (killed.api, killed.agent, killed.clock):
        each.close()


@pytest.mark.full
@pytest.mark.parametrize(
    ("problem", "why"),
    [
        ("container_kill-detection", "it has no Chaos Mesh"),
        ("untolerated_taint_hotel_reservation-mitigation-geo", "a real cluster is spared that"),
        ("unexpected_password_hotel_reservation-mitigation-mongodb-profile", "cannot say whether a store refuses"),
    ],
)
def test_what_a_cluster_cannot_express_says_so(where: Where, problem: str, why: str) -> None:
    with pytest.raises(BackendError, match=why):
        open_backend("kubernetes", registry.find_problem(problem), 3, **where)


def test_arguments_that_make_no_sense_are_refused() -> None:
    posed = registry.find_problem(PROBLEM)
    for given, why in (
        ({}, "none is guessed"),
        ({"context": "x", "cluster": {"promtheus": ""}}, "did you mean prometheus"),
        ({"context": "x", "cluster": {"workload": "much"}}, "'job' or 'none'"),
        ({"context": "no-such-context-here", "cluster": {"kubeconfig": "/dev/null"}}, "cannot be used"),
    ):
        with pytest.raises((BackendError, ArgumentError), match=why):
            open_backend("kubernetes", posed, 1, **given)
    with pytest.raises(BackendError, match="leave `context` and `cluster` out"):
        open_backend("simulated", posed, 1, context="x")


@pytest.mark.full
def test_users_are_a_job_of_ours_that_goes_with_the_episode(where: Where) -> None:
    settings = {**where["cluster"], "workload": "job"}
    posed = registry.find_problem(PROBLEM)
    backend = open_backend("kubernetes", posed, 3, context=where["context"], cluster=settings)
    try:
        space = f"{backend.app.namespace}-users"
        (pod,) = backend.api.list("pods", space)
        assert pod["status"]["phase"] == "Running", pod["status"]
        assert backend.shell.run(posed_fix(backend)).code == 0
        assert backend.assess().success, backend.judged
    finally:
        backend.close()
    assert_gone(where, space)


def posed_fix(backend: Any) -> str:
    """The reference repair."""
    return str(backend.fault.fixes[0])


def assert_gone(where: Where, space: str) -> None:
    """Whether a namespace is gone, as another episode's start finds it."""
    again = open_backend("kubernetes", registry.find_problem("noop_detection_hotel_reservation-1"), 3, **where)
    try:
        assert again.cleaned == []
        assert again.api.get("namespaces", "", space) is None
    finally:
        again.close()
