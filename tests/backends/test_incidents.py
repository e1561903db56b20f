"""Every incident in the simulated cluster: healthy before, broken after, and nothing says so but the symptoms."""

import re

import pytest
from samples import some

from aiops_gym.backends import Simulated, open_backend
from aiops_gym.backends.baseline import VARIANTS, _booted, make_baseline
from aiops_gym.backends.steady import find_troubles
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import Rollout
from aiops_gym.sim import traffic

DETECTIONS = [p for p in registry.problems(task="detection") if p.fault and p.app in registry.apps()]
HEALTHY = {p.app: p for p in registry.problems(task="detection") if not p.fault and p.app in registry.apps()}
each_app = pytest.mark.parametrize("app", HEALTHY)
WORDS = re.compile(
    r"revoke|unregister|misconfig|wrong.?bin|container.?kill|pod.?kill|pod.?failure|network.?loss|network.?delay"
    r"|redeploy|chaos|inject|fault|noop|aiops|auth.?miss|non.?exist|scale.?pod|pods.?to.?zero|target.?port.?mis",
    re.IGNORECASE,
)


@each_app
@pytest.mark.parametrize("variant", range(3))
def test_a_baseline_is_healthy(app, variant):
    success = traffic.compute_success(make_baseline(app, variant))
    assert all(share > 0.99 for share in success.values()), success


@pytest.mark.parametrize("problem", DETECTIONS, ids=lambda p: p.id)
def test_a_fault_hurts_some_operation_or_some_pod(problem):
    backend = open_backend("simulated", problem, 1, noise=False)
    hurt = min(traffic.compute_success(backend.world).values()) < 0.9
    ends = [s for p in backend.pods() for s in p["status"].get("containerStatuses", ()) if s.get("lastState")]
    slow = max(traffic.compute_latency(backend.world).values()) > 1_000
    assert hurt or ends or slow


OVER = (("load_spike", "geo", 3), ("retry_storm", "profile", 2), ("thundering_restart", "profile", 2))
"""Families, targets and seeds where what happened beside the incident had ended it before its page was sent."""

MONGO = "kubectl exec -n test-hotel-reservation deploy/mongodb-geo --"
INSIDE = {
    "hotel_reservation": (
        f"{MONGO} ls -R /docker-entrypoint-initdb.d",
        f"{MONGO} cat /docker-entrypoint-initdb.d/k8s-geo-mongo.sh",
    ),
    "social_network": (
        "for r in $(helm list -n test-social-network -q); do helm history $r -n test-social-network;"
        " for v in 1 2; do helm get all $r -n test-social-network --revision $v; done; done",
        "cat socialnetwork/* socialnetwork/*/*",
    ),
    "astronomy_shop": (
        "helm history astronomy-shop -n astronomy-shop; helm get all astronomy-shop -n astronomy-shop",
        "cat opentelemetry-demo/* opentelemetry-demo/*/*",
        "kubectl exec -n astronomy-shop deploy/flagd -c flagd-ui -- cat /app/data/demo.flagd.json",
    ),
}


def _readable(backend) -> str:
    """Everything that an agent can list, and the logs and files of each pod."""
    kinds = (
        "pods,services,deployments,replicasets,endpoints,configmaps,secrets,persistentvolumeclaims,events,jobs,"
        "serviceaccounts"
    )
    ns = backend.app.namespace
    script = [
        f"kubectl get {kinds} -n {ns} -o yaml",
        "kubectl get pv,nodes,ns,storageclasses -o yaml",
        "kubectl get events -A -o yaml",
        "kubectl api-resources",
        f"for p in $(kubectl get pods -n {ns} -o name); do kubectl describe -n {ns} $p;"
        f" kubectl logs -n {ns} $p --tail=200; kubectl exec -n {ns} $p -- env; done",
        *INSIDE[backend.app.id],
        "env; ls -laR / ; cat /etc/* 2>/dev/null",
    ]
    return "".join(backend.shell.run(line, timeout=900).output for line in script)


@pytest.mark.slow
@pytest.mark.parametrize("problem", some(DETECTIONS, 12), ids=lambda p: p.id)
def test_nothing_an_agent_can_read_names_the_fault(problem):
    text = _readable(open_backend("simulated", problem, 2))
    found = {m[0].lower() for m in WORDS.finditer(text)}
    usual = {m[0].lower() for m in WORDS.finditer(_readable(open_backend("simulated", HEALTHY[problem.app], 2)))}
    assert found <= usual | {"default"}, found - usual


def _specs(world) -> dict[str, object]:
    store = world.store
    resources = ("deployments.apps", "services", "configmaps", "secrets", "persistentvolumes", "nodes", "namespaces")
    return {
        f"{resource}/{obj['metadata']['name']}": [obj.get("spec"), obj.get("data"), obj["metadata"].get("labels")]
        for resource in resources
        for obj in store.all(resource)
    }


@pytest.mark.parametrize("problem", some(DETECTIONS, 3), ids=lambda p: p.id)
def test_objects_differ_from_the_healthy_world_by_the_declared_change_only(problem):
    sick = open_backend("simulated", problem, 3)
    before, after = _specs(sick.before_the_incident()), _specs(sick.world)
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    changes = registry.find_fault(problem).changes
    declared = {f"{c.resource}/{c.name}" for c in changes if hasattr(c, "ops")}
    declared |= {f"{resource}/{name}" for c in changes for resource, name in getattr(c, "writes", ())}
    declared |= {f"deployments.apps/{name}" for c in changes if isinstance(c, Rollout) for name in c.components}
    for release in [c.release for c in changes if hasattr(c, "release")]:  # its database's settings, and its history
        declared |= {f"secrets/sh.helm.release.v1.{release}.v{n}" for n in (1, 2)} | {f"configmaps/{problem.target}"}
        declared |= {f"deployments.apps/{problem.target}"}
    if registry.find_fault(problem).id != "redeploy_without_pv":
        assert changed == declared


@pytest.mark.parametrize("problem", some(DETECTIONS, 4), ids=lambda p: p.id)
def test_a_snapshot_goes_on_as_the_original_does(problem):
    first = open_backend("simulated", problem, 4)
    twin, other = type(first).restored(first.snapshot()), first.fork()
    ns, name = first.app.namespace, problem.target or "geo"
    script = f"kubectl get pods -n {ns} -o yaml; sleep 40; kubectl get events -n {ns}"
    script += f"; kubectl logs -n {ns} deploy/{name}"
    outputs = {backend.shell.run(script, timeout=300).output for backend in (first, twin, other)}
    assert len(outputs) == 1
    assert len(first.snapshot()) < 1_000_000


def test_a_process_keeps_every_healthy_world_that_it_has_booted():
    assert _booted.cache_parameters()["maxsize"] >= VARIANTS * len(registry.apps())


@pytest.mark.parametrize(("family", "target", "seed"), OVER)
def test_no_noise_ends_a_load_that_feeds_itself_before_the_page(family, target, seed):
    backend = Simulated(registry.find_problem(f"{family}_hotel_reservation-incident-{target}"), seed)
    assert find_troubles(backend.world, backend.before_the_incident(), backend.app)


@pytest.mark.parametrize(
    "id_", ["skewed_canary_hotel_reservation-incident-rate", "gated_injector_social_network-incident-text-service"]
)
def test_what_the_fault_itself_made_is_nobodys_collateral(id_):
    assert Simulated(registry.find_problem(id_), 3).assess().collateral == ()


def test_a_canary_of_the_right_version_is_as_good_as_none():
    backend = Simulated(registry.find_problem("skewed_canary_hotel_reservation-incident-rate"), 2)
    image = "hotel-reserv-rate=yinfangchen/hotelreservation:latest"
    backend.shell.run(f"kubectl set image deploy/rate-canary {image} -n {backend.app.namespace}")
    backend.world.run(120_000)
    assert backend.assess().success
