"""Harmless things around an incident: they leave the app well, mislead who asks what is new, and must outlive it."""

import pytest
from samples import some, some_rows

from aiops_gym.backends.baseline import VARIANTS
from aiops_gym.backends.simulated import Simulated
from aiops_gym.catalog import registry
from aiops_gym.catalog.splits import SPLITS
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.testing.leaks import rules
from aiops_gym.testing.problems import submit_script

pytestmark = pytest.mark.slow

NS = "test-hotel-reservation"
HEALTHY = {p.app: p for p in registry.list_healthy("detection") if p.app in registry.apps()}
SWEEP = f"kubectl delete networkpolicies,resourcequotas --all -n {NS}"
STRIP = (
    f"kubectl get deploy -n {NS} -o json | jq 'del(.items[].spec.template.spec.containers[0].resources)' "
    "| kubectl replace -f -; sleep 60"
)


@pytest.mark.parametrize("app", HEALTHY)
@pytest.mark.parametrize("seed", range(4))
def test_noise_leaves_the_app_healthy(app, seed):
    world = Simulated(HEALTHY[app], seed).world.fork()
    world.run(MINUTE)
    assert all(share > 0.99 for share in traffic.compute_success(world).values())


def _targets(fault, variants, count=24):
    """Problems with seeds that share a few healthy worlds: to make those is most of the work."""
    splits = (registry.problems("localization", "social_network", split) for split in SPLITS)
    found = [p for problems in splits for p in problems if p.fault == fault and registry.is_lived_in(p)]
    seeds = [seed for seed in range(200) if draws.pick(VARIANTS, seed, "variant") < variants][:count]
    return [(found[place % len(found)], seed) for place, seed in enumerate(seeds)]


def _named_last(backend, kind, key):
    ns = backend.app.namespace
    script = f"kubectl get {kind} -n {ns} -o json | jq -r '.items | sort_by({key}) | last.metadata.name'"
    return backend.shell.run(script).output.strip()


@pytest.mark.full
def test_the_youngest_deployment_is_broken_only_now_and_then():
    kind, key = "deployments", ".metadata.creationTimestamp"
    found = [_named_last(Simulated(p, seed), kind, key) == p.target for p, seed in _targets("missing_secret", 3)]
    assert 0 < sum(found) / len(found) < 0.8


SERVICES = ("mismatched_selector", "misconfig_k8s", "wrong_service_port", "frozen_endpoints")
WRITTEN = {
    "services": SERVICES,
    "configmaps": ("empty_pool", "wrong_upstream_port", "wrong_listen_port", "unexpected_password"),
}


@pytest.mark.parametrize(
    ("kind", "fault"), some_rows([(kind, fault) for kind, faults in WRITTEN.items() for fault in faults], 4)
)
def test_what_was_written_last_tells_nothing(kind, fault):
    found = [rules.find_last_written(Simulated(problem, seed))[kind][0] for problem, seed in _targets(fault, 2)]
    assert sum(found) / len(found) < 0.25


@pytest.mark.parametrize("fault", some(["wrong_upstream_port", "slow_cache", "wrong_listen_port"], 3))
def test_the_youngest_pod_is_rarely_of_the_incident(fault):
    named = rules.RULES["the component of the youngest pod"]
    found = [problem.target in named(Simulated(problem, seed)) for problem, seed in _targets(fault, 2)]
    assert sum(found) / len(found) < 0.4


@pytest.mark.full
def test_a_repair_gives_back_the_replicas_that_were_decided():
    found = set()
    for problem, seed in _targets("scale_pods_to_zero", VARIANTS, 160):
        backend = Simulated(problem, seed)
        store = backend.before_the_incident().store
        target = store.get("deployments.apps", "test-social-network", problem.target)
        assert f"--replicas={target['spec']['replicas']}" in backend.fault.fixes[0]
        found.add(target["spec"]["replicas"])
        if len(found) > 1:
            return
    pytest.fail(f"of all only {found}")


def _with(problem, test):
    """The first incident in whose healthy world something is the case."""
    found = (Simulated(problem, seed) for seed in range(60))
    return next(backend for backend in found if test(backend.before_the_incident().store))


WITH_A_QUOTA = {"resourcequotas": "exhausted_quota", "networkpolicies.networking.k8s.io": "blocking_network_policy"}


@pytest.mark.parametrize(("resource", "fault"), WITH_A_QUOTA.items())
def test_to_sweep_away_what_others_have_decided_is_damage(resource, fault):
    problem = registry.find_problem(f"{fault}_hotel_reservation-mitigation-geo")
    backend = _with(problem, lambda store: store.all(resource, NS))
    assert submit_script(backend.fork(), backend.fault.fixes[0]).success
    found = submit_script(backend.fork(), f"{SWEEP}; sleep 60")
    assert found.cause_gone
    assert not found.success
    kind = {"resourcequotas": "resourcequota"}.get(resource, "networkpolicy")
    assert any(line.startswith(f"{kind} ") and line.endswith("is gone") for line in found.collateral)


def test_a_taint_that_was_there_before_is_missed():
    backend = Simulated(registry.find_problem("untolerated_taint_hotel_reservation-mitigation-geo"), 1)
    others = "kubectl taint nodes --all node-role.kubernetes.io/control-plane-"
    found = submit_script(backend, f"{backend.fault.fixes[0]}; {others}")
    taint = "taint node-role.kubernetes.io/control-plane:NoSchedule"
    assert found.collateral == (f"node kind-control-plane: {taint} changed",)


def test_a_repair_may_not_take_the_limits_of_others():
    backend = Simulated(registry.find_problem("oversized_request_hotel_reservation-mitigation-geo"), 1)
    assert submit_script(backend.fork(), backend.fault.fixes[2]).success  # that of the target goes with its resources
    found = submit_script(backend.fork(), STRIP)
    assert found.cause_gone
    assert any(line.startswith("deployment search: limit of cpu") for line in found.collateral)
    assert not any(line.startswith("deployment geo:") for line in found.collateral)


def test_to_apply_every_manifest_anew_undoes_what_was_scaled_by_hand():
    problem = registry.find_problem("missing_secret_hotel_reservation-mitigation-geo")
    backend = _with(problem, lambda store: any(d["spec"]["replicas"] == 2 for d in store.all("deployments.apps", NS)))
    assert submit_script(backend.fork(), backend.fault.fixes[0]).success
    found = submit_script(backend.fork(), f"{backend.fault.fixes[0]}; kubectl scale deploy --all -n {NS} --replicas=1")
    assert any("fewer replicas than before" in line for line in found.reasons)
