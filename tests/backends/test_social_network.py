"""Social Network in the simulated cluster: what breaks it, what repairs it, and what AIOpsLab says of that."""

from dataclasses import replace

import gymnasium as gym
import pytest

import aiops_gym  # noqa: F401  (registers the environments)
from aiops_gym.backends import open_backend
from aiops_gym.backends.baseline import VARIANTS, make_baseline
from aiops_gym.catalog import registry
from aiops_gym.sim import traffic
from aiops_gym.testing.problems import submit_script

APP = registry.find_app("social_network")
NS = APP.namespace
MITIGATIONS = registry.problems(task="mitigation", app=APP.id)
HEALTHY = registry.find_problem("noop_detection_social_network-1")
ELSEWHERE = {
    "user-service": "text-service",
    "text-service": "user-service",
    "post-storage-service": "user-service",
    "url-shorten-mongodb": "user-mongodb",
}
each_problem = pytest.mark.parametrize("problem", MITIGATIONS, ids=lambda p: p.id)


def _after(problem, seed, *scripts, noise=True):
    backend = open_backend("simulated", problem, seed, noise=noise)
    for script in scripts:
        backend.shell.run(script, timeout=900)
    return backend.assess()


@pytest.mark.slow
@pytest.mark.parametrize("variant", range(VARIANTS))
def test_every_variant_boots_and_serves_everybody(variant):
    world = make_baseline(APP.id, variant)
    assert min(traffic.compute_success(world).values()) > 0.99
    assert max(traffic.compute_latency(world).values()) < 200
    pods = world.store.all("pods", NS)
    assert len(pods) == 27
    assert all(len(pod["status"]["containerStatuses"]) == 1 for pod in pods)


@pytest.mark.parametrize("seed", range(1, 9))
def test_a_busy_app_with_noise_is_healthy(seed):
    backend = open_backend("simulated", HEALTHY, seed)
    assert min(traffic.compute_success(backend.world).values()) > 0.99


HURT = {
    "k8s_target_port-misconfig-mitigation-1": {"compose", "login", "follow"},
    "k8s_target_port-misconfig-mitigation-2": {"compose"},
    "k8s_target_port-misconfig-mitigation-3": {"compose", "read home", "read user"},
    "auth_miss_mongodb-mitigation-1": {"compose"},
    "scale_pod_zero_social_net-mitigation-1": {"compose", "login", "follow"},
    "assign_to_non_existent_node_social_net-mitigation-1": {"compose", "login", "follow"},
}


@each_problem
def test_an_incident_hurts_those_whose_calls_go_through_it(problem):
    success = traffic.compute_success(open_backend("simulated", problem, 1, noise=False).world)
    assert {name for name, share in success.items() if share < 0.01} == HURT[problem.id]
    assert all(share > 0.99 for name, share in success.items() if name not in HURT[problem.id])


@each_problem
def test_the_right_repair_in_the_wrong_place_is_not_accepted(problem):
    fault = registry.find_fault(replace(problem, target=ELSEWHERE[problem.target]))
    for fix in fault.fixes:
        if "rollback" not in fix:  # it mends the whole release
            assert not _after(problem, 1, fix).success


@each_problem
def test_going_back_to_the_first_revision_repairs_what_the_chart_says(problem):
    script = f"helm rollback social-network 1 -n {NS}; kubectl rollout restart deploy -n {NS}; sleep 60"
    repaired = problem.id != "assign_to_non_existent_node_social_net-mitigation-1"  # the chart names no node at all
    backend = open_backend("simulated", problem, 1, noise=False)  # what was decided by hand since then would be undone
    assert submit_script(backend, script).success == repaired


OTHER_WAYS = {
    "k8s_target_port-misconfig-mitigation-1": (
        f"kubectl delete svc user-service -n {NS}; kubectl expose deploy user-service -n {NS} --port=9090",
        f"helm upgrade social-network socialnetwork -n {NS} --reuse-values",
    ),
    "scale_pod_zero_social_net-mitigation-1": (
        f"helm upgrade social-network socialnetwork -n {NS} --set user-service.replicas=2",
    ),
    "assign_to_non_existent_node_social_net-mitigation-1": (
        f"kubectl get deploy user-service -n {NS} -o yaml | sed 's/extra-node/kind-worker/' | kubectl apply -f -",
        f"kubectl delete deploy user-service -n {NS}; helm upgrade social-network socialnetwork -n {NS}",
    ),
}


@pytest.mark.parametrize(("id_", "script"), [(i, script) for i, scripts in OTHER_WAYS.items() for script in scripts])
def test_other_ways_to_the_same_end_are_accepted(id_, script):
    found = _after(
        registry.find_problem(id_), 2, script, "sleep 30", noise=False
    )  # or what was decided by hand is undone
    assert found.success, found.reasons


@pytest.mark.parametrize(
    "script",
    [
        f"kubectl label node kind-worker kubernetes.io/hostname=extra-node --overwrite -n {NS}",
        f"kubectl label node kind-control-plane kubernetes.io/hostname=extra-node --overwrite -n {NS}",
        f"helm uninstall social-network -n {NS}",
        f"kubectl delete deploy user-service -n {NS}",
    ],
)
def test_a_way_round_the_cause_is_not_accepted(script):
    problem = registry.find_problem("assign_to_non_existent_node_social_net-mitigation-1")
    assert not _after(problem, 1, script, "sleep 60").success


@pytest.mark.parametrize("id_", ["auth_miss_mongodb-mitigation-1", "k8s_target_port-misconfig-mitigation-1"])
def test_a_repair_with_helm_is_no_collateral(id_):
    script = f"helm rollback social-network 1 -n {NS}; kubectl rollout restart deploy/url-shorten-mongodb -n {NS}"
    client = f"sleep 20; kubectl delete pod -n {NS} -l app=url-shorten-service"
    found = _after(registry.find_problem(id_), 3, script, client, noise=False)
    assert found.success
    assert not found.left


def test_the_change_of_the_release_is_in_its_history():
    shell = open_backend("simulated", registry.find_problem("auth_miss_mongodb-detection-1"), 1).shell
    history = shell.run(f"helm history social-network -n {NS}").stdout.splitlines()
    assert [line.split("\t")[2].strip() for line in history[1:]] == ["superseded", "deployed"]
    values = shell.run(f"helm get values social-network -n {NS}").stdout
    assert "    mode: requireTLS\n" in values


def test_nothing_is_left_to_undo_of_a_deployment_that_was_made_anew():
    shell = open_backend(
        "simulated", registry.find_problem("assign_to_non_existent_node_social_net-detection-1"), 1
    ).shell
    told = shell.run(f"kubectl rollout undo deploy user-service -n {NS}")
    assert "no rollout history found" in told.output


def _upstream(id_, script):
    env = gym.make("aiops_gym/Mitigation-v0", problem=id_, evaluation="aiopslab", noise=False)
    env.reset(seed=1)
    env.step(f"```\nexec_shell({script!r}, timeout=600)\n```")
    _, reward, terminated, _, _ = env.step("```\nsubmit()\n```")
    assert terminated
    return reward


REPLICAS = f"kubectl scale deploy user-service -n {NS} --replicas={{}}; sleep 40"


@pytest.mark.parametrize(
    ("id_", "script", "reward"),
    [
        ("k8s_target_port-misconfig-mitigation-1", "true", 0.0),
        ("auth_miss_mongodb-mitigation-1", "true", 1.0),  # every pod is ready
        ("assign_to_non_existent_node_social_net-mitigation-1", "true", 1.0),  # the waiting pod is there by name
        ("scale_pod_zero_social_net-mitigation-1", "true", 0.0),
        ("scale_pod_zero_social_net-mitigation-1", REPLICAS.format(1), 1.0),
        ("scale_pod_zero_social_net-mitigation-1", REPLICAS.format(2), 0.0),  # one is asked for
    ],
)
def test_the_verdicts_of_aiopslab_are_its_own(id_, script, reward):
    assert _upstream(id_, script) == reward


@each_problem
def test_the_reference_satisfies_aiopslab_too(problem):
    assert _upstream(problem.id, f"{registry.find_fault(problem).fixes[0]}\nsleep 60") == 1.0
