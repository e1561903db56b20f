"""The next events: for each a mask that only it sees through, and the reference repair of the same problem."""

import pytest
from samples import some

from aiops_gym.backends import affected, events, steady, warmup
from aiops_gym.backends.affected import Affected
from aiops_gym.backends.assess import list_repaired
from aiops_gym.backends.baseline import VARIANTS, request
from aiops_gym.backends.events import Case
from aiops_gym.backends.simulated import Simulated
from aiops_gym.catalog import registry
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import key_of
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.testing.admission import list_pairs
from aiops_gym.testing.problems import submit_script

NS, SOCIAL = "test-hotel-reservation", "test-social-network"
SERVED = "missing_secret_hotel_reservation-mitigation-frontend"

RENAMED = (
    "kubectl get deploy {name} -n {ns} -o json | jq 'del(.metadata.uid, .metadata.resourceVersion, .status) "
    '| .spec.selector.matchLabels = {{"x": "{name}"}} | .spec.template.metadata.labels = {{"x": "{name}"}}\' > d.json\n'
    "kubectl delete deploy {name} -n {ns}; kubectl create -f d.json\n"
    'kubectl patch svc {name} -n {ns} --type=json -p \'[{{"op": "replace", "path": "/spec/selector", '
    '"value": {{"x": "{name}"}}}}]\'; sleep 40\n'
)
"""A deployment made anew under a label of which nobody knows; its Service follows."""

LARGE, USUAL = "2Ti", "32786088Ki"
FAKED = (
    "kubectl patch node kind-worker --subresource=status --type=merge "
    '-p \'{{"status": {{"capacity": {{"memory": "{0}"}}, "allocatable": {{"memory": "{0}"}}}}}}\''
)
QUOTA = f"kubectl get resourcequota {{quota}} -n {NS} -o jsonpath='{{.status.used.pods}}'"
LIMIT = f'kubectl patch resourcequota {{quota}} -n {NS} -p \'{{"spec": {{"hard": {{"pods": "\'$n\'"}}}}}}\'\n'
POD_IP = "kubectl get pod -n {ns} -l {label} -o jsonpath='{{.items[0].status.podIP}}'"


def _made_for_a_while(make, drop, name):
    """A thing that pods need when they start is there for as long as one of them takes to."""
    return f"{make}; sleep 5\n{RENAMED.format(name=name, ns=NS)}{drop}"


MASKS = {
    "a Secret made and deleted, under another label": (
        SERVED,
        _made_for_a_while(
            f"kubectl create secret generic {{target}}-{{secret_name}} -n {NS} --from-literal=a=b",
            f"kubectl delete secret {{target}}-{{secret_name}} -n {NS}",
            "frontend",
        ),
        "its Secret {target}-{secret_name} is missing",
    ),
    "a service account made and deleted": (
        "stuck_rollout_hotel_reservation-mitigation-frontend",
        _made_for_a_while(
            f"kubectl create sa {{target}}-{{account_name}} -n {NS}",
            f"kubectl delete sa {{target}}-{{account_name}} -n {NS}",
            "frontend",
        ),
        "its service account {target}-{account_name} is missing",
    ),
    "a Service that an init container waits for, made and deleted": (
        "endless_init_container_hotel_reservation-mitigation-frontend",
        _made_for_a_while(
            f"kubectl create service clusterip frontend-config -n {NS} --tcp=80:80",
            f"kubectl delete service frontend-config -n {NS}",
            "frontend",
        ),
        "its init container wait-for-config does not end",
    ),
    "a node that was large for a while": (
        "oversized_request_hotel_reservation-mitigation-reservation",
        _made_for_a_while(FAKED.format(LARGE), FAKED.format(USUAL), "reservation"),
        "Insufficient memory",
    ),
    "a node that is said to be large": (
        "oversized_request_hotel_reservation-mitigation-reservation",
        FAKED.format(LARGE) + "; sleep 60",
        "Insufficient memory",
    ),
    "a paused rollout": (SERVED, f"FIX\nsleep 40; kubectl rollout pause deploy/frontend -n {NS}", "rollout is paused"),
    "a quota without room": (
        "exhausted_quota_hotel_reservation-mitigation-search",
        f"n=100; {LIMIT}sleep 60; n=$({QUOTA}); {LIMIT}",
        "the quota {quota} has no room for its pods",
    ),
    "a budget that lets no pod go": (
        SERVED,
        f"FIX\nsleep 40; kubectl create pdb keep -n {NS} --selector=io.kompose.service=frontend --min-available=100%",
        "the node of frontend cannot be drained",
    ),
    "a running pod with a label of its own": (
        "mismatched_selector_hotel_reservation-mitigation-frontend",
        f"l=$(kubectl get svc frontend -n {NS} -o json | jq -r '.spec.selector | to_entries | "
        'map("\\(.key)=\\(.value)") | join(" ")\')\n'
        f"kubectl label pod -n {NS} -l io.kompose.service=frontend --overwrite $l; sleep 20",
        "login succeeds in 0% of requests after a restart",
    ),
    "the address of a cache's pod": (
        "slow_cache_social_network-mitigation-url-shorten-service",
        f"ip=$({POD_IP.format(ns=SOCIAL, label='app=url-shorten-memcached')})\n"
        f"kubectl get deploy url-shorten-service -n {SOCIAL} -o json | jq --arg ip $ip "
        "'.spec.template.spec.hostAliases[0].ip = $ip' | kubectl replace -f -; sleep 40",
        "compose takes 4006 ms instead of 7 ms after a restart",
    ),
    "the address of a client's pod in a policy": (
        "blocking_network_policy_hotel_reservation-mitigation-memcached-reserve",
        f"ip=$({POD_IP.format(ns=NS, label='io.kompose.service=reservation')})\n"
        f"kubectl get netpol {{target}}-{{policy}} -n {NS} -o json | jq --arg ip $ip/32 "
        "'.spec.ingress = [{from: [{ipBlock: {cidr: $ip}}]}]' | kubectl replace -f -; sleep 60",
        "after a restart",
    ),
}


def _opened(problem, seed=3):
    return Simulated(registry.find_problem(problem), seed)


def _posed(mask, seed):
    """An incident, the script of a mask there, and what the judge says."""
    problem, script, reason = MASKS[mask]
    backend = _opened(problem, seed)
    names = backend.names()
    whole = registry.fill_in(script, names).replace("FIX", backend.fault.fixes[0])
    return backend, whole, registry.fill_in(reason, names)


@pytest.mark.parametrize("mask", some(MASKS, 4))
def test_a_mask_is_seen_through_by_what_happens_next(mask):
    backend, script, reason = _posed(mask, 3)
    masked = submit_script(backend.fork(), script)
    assert not masked.success
    assert masked.complete
    assert "report" in masked.endures
    assert len(masked.endures) < len(events.EVENTS)
    assert any(reason in line for line in masked.reasons), masked.reasons
    repaired = submit_script(backend, backend.fault.fixes[0])
    assert repaired.success, repaired.reasons
    assert repaired.endures == tuple(event.name for event in events.EVENTS)


def test_a_node_that_nobody_runs_is_gone_when_kubelets_report():
    world = Simulated(registry.find_problem("noop_detection_hotel_reservation-1"), 1).world
    node = world.store.get("nodes", "", "kind-worker")
    request(world, "create", "nodes", "", body={**node, "metadata": {"name": "imagined"}})
    case = Case(world.fork(), world, registry.find_app(world.blueprint.app), (), Affected(frozenset(), frozenset()))
    before = case.world.fork()
    request(before, "delete", "nodes", "", "imagined")
    events.report_nodes(case._replace(before=before))
    assert case.world.store.get("nodes", "", "imagined") is None
    assert case.world.store.get("nodes", "", "kind-worker") is not None


def _everybody(world, app):
    """An event that concerns all pods of the namespace."""
    keys = {key_of(pod): affected.find_owner(world, pod) for pod in world.store.all("pods", app.namespace)}
    made = {key: owner for key, owner in keys.items() if owner[1] in app.components}
    return Affected(frozenset(made), frozenset(made.values()), wide=True)


WORLDS = [(app, variant, variant % warmup.WARMUPS) for app in registry.apps() for variant in range(VARIANTS)]


@pytest.mark.parametrize("healthy", some(WORLDS, 16), ids=str)
def test_a_healthy_world_survives_every_event_that_befalls_all(healthy):
    app_id, variant, number = healthy
    app, before = registry.find_app(app_id), warmup.make_warmed_up(app_id, variant, number)
    rolled = app.components[draws.pick(len(app.components), variant, "rolled", str(number))]
    world = before.fork()
    whole = _everybody(world, app)
    for event in events.EVENTS:
        hurt = (rolled,) if app.parameters.get(rolled) else ()
        assert event.happen(Case(world, before, app, hurt, whole)) == []


def test_pods_come_back_with_other_addresses_and_from_their_templates():
    app, before = registry.find_app("hotel_reservation"), warmup.make_warmed_up("hotel_reservation", 2, 0)
    world = before.fork()
    whole = _everybody(world, app)
    assert events.drain_nodes(Case(world, before, app, (), whole)) == []
    old = {pod["status"]["podIP"] for pod in before.store.all("pods", app.namespace) if key_of(pod) in whole.pods}
    assert len(old) >= len(app.components)
    assert not [pod for pod in world.store.all("pods", app.namespace) if pod["status"].get("podIP") in old]
    assert not [node for node in world.store.all("nodes") if node["spec"].get("unschedulable")]


def test_an_event_concerns_what_differs_and_who_calls_it():
    backend = _opened("missing_secret_hotel_reservation-mitigation-reservation", 1)
    backend.shell.run(backend.fault.fixes[0], timeout=60)
    backend.spend(30)
    before, found, app = backend.before_the_incident(), backend.as_found(), backend.app

    def concerned(script):
        twin = backend.fork()
        twin.shell.run(script, timeout=60)
        return {name for _, name in affected.find_affected(before, found, twin.world, app, ()).owners}

    plain = concerned("true")
    assert {"reservation", "frontend"} <= plain < set(app.components)
    write = f"kubectl exec -n {NS} deploy/geo -- sh -c 'echo a > /tmp/a'"
    assert concerned(write) - plain <= {"geo", "search"}
    assert "geo" in concerned(write)
    assert "geo" in concerned(f"kubectl annotate pod -n {NS} -l io.kompose.service=geo seen=yes")
    assert concerned(f"kubectl create quota q -n {NS} --hard=pods=90") >= set(app.components)
    assert concerned(f"kubectl create configmap remarks -n {NS} --from-literal=a=b") == plain


@pytest.mark.full
@pytest.mark.parametrize("mask", MASKS)
def test_events_that_befall_all_show_no_more_than_those_that_befall_whom_they_concern(mask):
    backend, script, _ = _posed(mask, 2)
    before, app = backend.before_the_incident(), backend.app
    backend.shell.run(script, timeout=900)
    world, hurt = backend.world.fork(), list_repaired(app, backend.fault)
    assert steady.hold(world, before, app) == []
    some_ = affected.find_affected(before, backend.as_found(), world, app, hurt)
    whole = _everybody(world, app)
    all_ = some_._replace(pods=some_.pods | whole.pods, owners=some_.owners | whole.owners, wide=True)
    ends = [events.endure(Case(world.fork(), before, app, hurt, each)) for each in (some_, all_)]
    assert ends[0].names == ends[1].names


def test_what_does_not_work_in_the_healthy_world_is_not_held_against_a_repair():
    backend = _opened(SERVED, 1)
    before = backend.before_the_incident().fork()
    budget = {"minAvailable": "100%", "selector": {"matchLabels": {"io.kompose.service": "frontend"}}}
    body = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "keep"}, "spec": budget}
    for world in (before, backend.world):
        request(world, "create", "poddisruptionbudgets.policy", NS, body=body)
    before.run(MINUTE)
    backend.shell.run(backend.fault.fixes[0], timeout=60)
    backend.spend(60)
    app = backend.app
    concerned = affected.find_affected(before, backend.as_found(), backend.world, app, ("frontend",))
    case = Case(backend.world.fork(), before, app, ("frontend",), concerned)
    assert [trouble.kind for trouble in events.drain_nodes(case._replace(world=backend.world.fork()))] == ["evicted"]
    assert events.endure(case).troubles == []


def test_a_slow_system_is_not_served_as_before():
    backend = _opened("slow_cache_social_network-mitigation-url-shorten-service", 1)
    found = submit_script(backend, "true")
    assert not found.served
    assert set(traffic.compute_success(backend.world).values()) == {1.0}
    assert any(line.startswith("compose takes ") for line in found.reasons)


def test_a_client_that_waits_out_a_back_off_is_waited_for():
    app, before = registry.find_app("hotel_reservation"), warmup.make_warmed_up("hotel_reservation", 1, 0)
    world, crashed = before.fork(1), 0
    for seed in range(8):
        world = before.fork(seed)
        for pod in world.store.labelled("pods", NS, {app.selector: "memcached-rate"}):
            request(world, "delete", "pods", NS, pod["metadata"]["name"])
        world.run(2_000)
        begun = world.now
        assert steady.hold(world, before, app) == []
        assert {s.success["search"] >= 0.99 for s in traffic.list_intervals(world, world.now - MINUTE, world.now)} == {
            True
        }
        crashed += world.now - begun > MINUTE
    assert crashed  # of some the client ended, and came back after its back-off


def test_a_crash_loop_is_not_taken_for_a_back_off():
    backend = _opened("small_memory_limit_hotel_reservation-mitigation-frontend", 1)
    assert steady.hold(backend.world.fork(), backend.before_the_incident(), backend.app) != []


SLOWLY = ("true", "sleep 77", "kubectl rollout restart deploy/{name} -n {ns}; sleep 9")
ROUNDABOUT = (
    "true",
    "kubectl delete pod -n {ns} -l {label}={name} --wait=false",
    "kubectl rollout restart deploy/{name} -n {ns}",
    "kubectl scale deploy/{name} -n {ns} --replicas=0; sleep 7; kubectl scale deploy/{name} -n {ns} --replicas={count}",
)
REPAIRS = [(pair, seed) for seed in (1, 2) for pair in list_pairs(sample=0.05) if pair[-1].task == "mitigation"]


@pytest.mark.parametrize("case", some(REPAIRS, 90), ids=lambda case: f"{case[0][-1].id}, {case[1]}")
def test_no_right_repair_is_refused_by_chance(case):
    (*_, problem), seed = case
    backend = Simulated(problem, seed)
    old = backend.before_the_incident().store.get("deployments.apps", backend.app.namespace, problem.target)
    names = {"name": problem.target, "ns": backend.app.namespace, "label": backend.app.selector}
    names["count"] = str(old["spec"].get("replicas", 1))

    def choose(scripts):
        return scripts[draws.pick(len(scripts), seed, "way", problem.id + scripts[1])].format(**names)

    fix = backend.fault.fixes[draws.pick(len(backend.fault.fixes), seed, "fix", problem.id)]
    first = "true" if "undo" in fix else choose(SLOWLY)  # one that was restarted meanwhile is undone to what it was
    for script in (first, fix):
        backend.shell.run(script, timeout=900)
    found = submit_script(backend, choose(ROUNDABOUT))
    assert found.success, found.reasons
