"""With `evaluation="aiopslab"` what noise leaves behind is no part of a verdict, and nothing else is left out."""

from __future__ import annotations

import gymnasium as gym
import pytest

import aiops_gym
from aiops_gym.backends import leftovers, noise
from aiops_gym.backends.simulated import Simulated
from aiops_gym.catalog import registry
from aiops_gym.tasks.base import Case, find, find_truth

HEALTHY = {problem.app: problem for problem in registry.list_healthy("detection") if problem.app in registry.apps()}
DENIED = registry.find_problem("revoke_auth_mongodb-mitigation-1")
NOISY = 0
"""A seed of `reset` with which a job of the noise has failed."""


def accepted(backend, problem=DENIED):
    case = Case(problem, backend.fault, find_truth(problem, backend.fault, backend.app), backend, "aiopslab")
    return find("mitigation").judge(None, case).success


def left_out(backend):
    return [pod for pod in backend.world.store.all("pods", backend.app.namespace) if pod not in backend.pods()]


def with_a_failed_job(problem):
    found = (Simulated(problem, seed) for seed in range(20))
    return next(each for each in found if [pod["status"]["phase"] for pod in left_out(each)] == ["Failed"])


def well(backend):
    """What the original looks at, in a system in which nothing has to be repaired."""
    return accepted(backend, HEALTHY[backend.app.id])


@pytest.mark.parametrize("app", HEALTHY)
@pytest.mark.parametrize("kind", noise.KINDS)
def test_no_kind_of_noise_counts_not_even_while_it_happens(app, kind):
    for seed in range(3):
        backend = Simulated(HEALTHY[app], 5, noise=False)
        noise.make_noise(kind, backend.world, backend.app, seed)
        assert well(backend)


@pytest.mark.parametrize("app", HEALTHY)
def test_what_noise_left_in_the_past_is_in_the_cluster_and_not_in_the_verdict(app):
    backend = with_a_failed_job(HEALTHY[app])
    (pod,) = left_out(backend)
    assert well(backend)
    assert well(Simulated.restored(backend.snapshot()))
    backend.shell.run(f"kubectl delete jobs --all --cascade=orphan -n {backend.app.namespace}")
    backend.spend(5)
    assert pod["metadata"]["name"] in backend.shell.run(f"kubectl get pods -n {backend.app.namespace}").output
    assert well(backend)


NS = "test-hotel-reservation"
OWNER = (
    f"uid=$(kubectl get jobs -n {NS} -o jsonpath='{{.items[0].metadata.uid}}'); "
    f"name=$(kubectl get jobs -n {NS} -o jsonpath='{{.items[0].metadata.name}}'); "
)
ADOPT = (
    f"{OWNER} for pod in $(kubectl get pods -n {NS} -l io.kompose.service=geo -o name); do kubectl patch $pod -n {NS} "
    '--type=merge -p \'{"metadata": {"ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "controller": true, '
    '"name": "\'$name\'", "uid": "\'$uid\'"}]}}\'; done; '
)
DISGUISES = {
    "nothing": "true",
    "a name like the noise's": f"kubectl create job smoke-test-2 -n {NS} --image=busybox:1.36 -- false",
    "an owner of the noise's": f"{ADOPT} kubectl scale deployment geo -n {NS} --replicas=0",
    "the noise's program": (
        f"{OWNER} image=busybox:1.36; kubectl get job $name -n {NS} -o json | jq '.spec.template.spec.containers' > c; "
        f"kubectl get deployment geo -n {NS} -o json | jq --slurpfile c c '.spec.template.spec.containers = $c[0]' "
        "| kubectl replace -f -"
    ),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_nothing_broken_can_be_passed_off_as_noise(disguise):
    backend = with_a_failed_job(DENIED)
    run = backend.shell.run(DISGUISES[disguise], timeout=60)
    assert run.code == 0, run.output
    backend.spend(30)
    assert len(left_out(backend)) == 1
    assert not accepted(backend)


def test_a_verdict_moves_no_clock():
    backend = Simulated(DENIED, 9)
    before = backend.snapshot()
    accepted(backend)
    assert backend.snapshot() == before
    calm = backend.calm()
    assert calm.world.now == max(backend.world.now, leftovers.calm_at(backend.world)) > backend.world.now


def repaired(problem, seed):
    """What the reference earns."""
    env = gym.make("aiops_gym/Mitigation-v0", problem=problem, evaluation="aiopslab")
    env.reset(seed=seed)
    return sum(float(env.step(action)[1]) for action in env.unwrapped.reference_actions())


def test_correct_repairs_are_accepted_in_spite_of_noise():
    for problem in (DENIED.id, "scale_pod_zero_social_net-mitigation-1", "misconfig_app_hotel_res-mitigation-1"):
        assert repaired(problem, NOISY) == 1.0


@pytest.mark.full
@pytest.mark.parametrize("problem", [problem.id for problem in aiops_gym.problems("mitigation")])
def test_every_correct_repair_of_every_problem_of_aiopslab_is_accepted(problem):
    assert [repaired(problem, seed) for seed in range(8)] == [1.0] * 8
