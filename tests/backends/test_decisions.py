"""What people have decided for good is innocent, outlives a restart, and stands on anybody, a fault's target too."""

import pytest

from aiops_gym.backends import decisions, leftovers, shadows, warmup
from aiops_gym.backends.baseline import is_rolled_out, make_baseline, request
from aiops_gym.backends.decisions.site import ALL
from aiops_gym.backends.inject import replace_around_pods
from aiops_gym.backends.intent.compare import compare
from aiops_gym.backends.simulated import Simulated
from aiops_gym.catalog import registry
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.testing.admission import measure_hurt
from aiops_gym.testing.problems import submit_script

pytestmark = pytest.mark.slow

PAIRS = [p for split in ("train", "test") for p in registry.problems("mitigation", split=split)]
SOME = 8
COMPUTED = [p for p in PAIRS if registry.is_lived_in(p)]


def _well(world, app):
    usual, now = (traffic.compute_success(each) for each in (make_baseline(app.id, 1), world))
    return is_rolled_out(world, app, app.components) and all(now[key] >= usual[key] - 0.001 for key in usual)


def _decided(app_id, made):
    app = registry.find_app(app_id)
    world = make_baseline(app_id, 1).fork(5)
    decisions.make_decisions(world, app, 7, [made])
    world.run(MINUTE)
    return world, app


def _list_made():
    """All that can be decided: it takes a world of each application to know."""
    return [(app, *made) for app in registry.apps() for made in decisions.list_possible(app)]


@pytest.mark.parametrize("place", range(SOME))
def test_a_decision_leaves_the_app_well_and_outlives_a_restart(place):
    made = _list_made()
    _holds(*made[place * len(made) // SOME])


@pytest.mark.full
def test_every_decision_about_everybody_leaves_the_app_well():
    for app, name, whom in _list_made()[::25]:
        _holds(app, name, whom)


def _holds(app_id, name, whom):
    world, app = _decided(app_id, (name, whom))
    assert _well(world, app), (name, whom)
    if "restart" in app.parameters.get(whom, {}):
        return  # who forgets the others when it starts is no better without the decision
    for pod in world.store.labelled("pods", app.namespace, {app.selector: whom}):
        request(world, "delete", "pods", app.namespace, pod["metadata"]["name"])
    world.run(2 * MINUTE)
    assert _well(world, app), (name, whom)


def test_as_many_are_made_as_in_a_cluster_that_is_lived_in_and_never_the_same_twice():
    for app in registry.apps().values():
        found = [decisions.draw_decisions(app, seed) for seed in range(200)]
        assert {len(each) for each in found} == set(range(decisions.FEWEST, decisions.MOST + 1))
        assert all(len(set(each)) == len(each) for each in found)
        assert {whom for each in found for _, whom in each} == {ALL, *app.components}
        assert {name for each in found for name, _ in each} == {name for name, _ in decisions.list_possible(app.id)}


def _merge_manifests(world, app):
    """What `helm rollback` or `kubectl apply` of the manifests does: fields that they do not have stay as they are."""
    kind = "application/strategic-merge-patch+json"
    for manifest in app.manifests:
        resource = {"Deployment": "deployments.apps", "Service": "services", "ConfigMap": "configmaps"}
        if manifest["kind"] in resource:
            body = {key: manifest[key] for key in ("spec", "data") if key in manifest}
            where = (resource[manifest["kind"]], app.namespace, manifest["metadata"]["name"])
            request(world, "patch", *where, body=body, content_type=kind)
    world.run(MINUTE)


REPLACING = [(app, *made) for app in registry.apps() for made in sorted(decisions.list_replacing(app))]


@pytest.mark.parametrize(("app", "name", "whom"), REPLACING[3::40])
def test_who_applies_the_manifests_undoes_what_contradicts_them(app, name, whom):
    _is_undone(app, name, whom)


@pytest.mark.full
def test_who_applies_the_manifests_undoes_all_that_contradicts_them():
    for app, name, whom in REPLACING[::3]:
        _is_undone(app, name, whom)


def _is_undone(app_id, name, whom):
    world, app = _decided(app_id, (name, whom))
    now = world.fork(1)
    _merge_manifests(now, app)
    assert [each for each in compare(world, now, app, None) if each.hard], (name, whom)


@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize("app_id", registry.apps())
def test_each_world_has_decisions_about_three_components_that_manifests_would_undo(app_id, number):
    app, world = registry.find_app(app_id), warmup.make_lived_in(app_id, 1, number)
    now = world.fork(1)
    _merge_manifests(now, app)
    words = [word for each in compare(world, now, app, None) if each.hard for word in each.what.split()]
    assert len({name for name in app.components if name in words}) >= decisions.REPLACING


def test_upstreams_problems_have_none_and_healthy_twins_have_them_as_computed_ones():
    for problem in (*registry.problems(), *registry.list_healthy("detection")):
        assert not registry.is_lived_in(problem)
    for seed in range(60):
        for split in ("train", "test"):
            problem = registry.draw("detection", seed, split)
            assert problem.split == split
            assert problem == registry.find_problem(problem.id) or not problem.fault
    drawn = [registry.draw("detection", seed, "test") for seed in range(60)]
    assert any(not p.fault for p in drawn)
    assert all(registry.is_lived_in(p) for p in drawn)


def test_decisions_stand_on_targets_as_often_as_on_others():
    on_target = expected = count = 0.0
    for seed in range(800):
        problem = registry.draw("localization", seed, "train")
        if not (problem.target and registry.is_lived_in(problem)):
            continue
        app = registry.find_app(problem.app)
        found = warmup.find_decisions(app, draws.pick(16, seed, "variant"), seed, problem)
        on_target, expected = on_target + (problem.target in found), expected + len(found) / len(app.components)
        count += 1
    assert count > 400
    assert abs(on_target - expected) / count < 0.06


def test_a_port_that_was_renumbered_breaks_when_one_side_is_put_back():
    world, app = _decided("social_network", ("another number", "user-memcached"))
    old = make_baseline("social_network", 1).store.get("services", app.namespace, "user-memcached")
    body = {"spec": {"ports": [{"$patch": "replace"}, *old["spec"]["ports"]]}}
    kind = "application/strategic-merge-patch+json"
    request(world, "patch", "services", app.namespace, "user-memcached", body=body, content_type=kind)
    world.run(MINUTE)
    usual, now = (traffic.compute_latency(each) for each in (make_baseline("social_network", 1), world))
    assert max(now[key] - usual[key] for key in usual) > 1.0 or not _well(world, app)


def _with_a_decision(problem):
    """An incident about whose target something was decided."""
    app = registry.find_app(problem.app)
    for seed in range(400):
        variant = draws.pick(16, seed, "variant")
        if variant < 2 and problem.target in warmup.find_decisions(app, variant, seed, problem):
            return Simulated(problem, seed)
    return Simulated(problem, 1)


@pytest.mark.parametrize("problem", COMPUTED[60::250], ids=lambda p: p.id)
def test_listed_repairs_are_accepted_where_something_was_decided_about_the_target(problem):
    _repairs(problem)


@pytest.mark.full
@pytest.mark.parametrize("problem", COMPUTED[::40], ids=lambda p: p.id)
def test_more_listed_repairs_are_accepted_there(problem):
    _repairs(problem)


def _repairs(problem):
    backend = _with_a_decision(problem)
    lost, slower = measure_hurt(backend)
    assert lost > 0.01 or slower >= 2.0
    for fix in backend.fault.fixes:
        found = submit_script(backend.fork(), fix)
        assert found.success, (fix, found.reasons)


def test_a_shadow_breaks_nothing():
    for app in registry.apps().values():
        world = warmup.make_lived_in(app.id, 1, 0).fork(3)
        for seed in range(12):
            shadows.cast(world, app, shadows.draw_shadow(world, app, seed), seed)
        world.run(2 * MINUTE)
        assert _well(world, app)


GUARDS = ("networkpolicies.networking.k8s.io", "resourcequotas")


def test_what_people_create_while_an_incident_unfolds_must_stay():
    problem = registry.find_problem("blocking_network_policy_social_network-mitigation-user-mongodb")
    backend = next(b for seed in range(9) if _list_late_guards(b := Simulated(problem, seed)))
    resource, name = _list_late_guards(backend)[0]
    fix, sweep = backend.fault.fixes[0], f"kubectl delete {resource} {name} -n {backend.app.namespace}"
    assert submit_script(backend.fork(), fix).success
    swept = submit_script(backend.fork(), f"{fix}\n{sweep}")
    assert [each for each in swept.collateral if name in each and "is gone" in each]
    restored = Simulated.restored(backend.snapshot())
    assert submit_script(restored.fork(), fix).success
    assert not submit_script(restored, f"{fix}\n{sweep}").success


def _list_late_guards(backend):
    return [(kind, each["metadata"]["name"]) for kind in GUARDS for each in leftovers.list_new(backend.world, kind)]


@pytest.mark.parametrize("app_id", registry.apps())
def test_a_deployment_that_is_replaced_around_its_pods_is_young_and_its_pods_are_not(app_id):
    app, name = registry.find_app(app_id), sorted(registry.find_app(app_id).components)[0]
    world = warmup.make_lived_in(app_id, 1, 0).fork(3)
    labels = {app.selector: name}
    before = [pod["metadata"]["uid"] for pod in world.store.labelled("pods", app.namespace, labels)]
    since = world.timestamp
    replace_around_pods(world, app, name)
    world.run(MINUTE)
    sets = world.store.labelled("replicasets.apps", app.namespace, labels)
    owners = [world.store.get("deployments.apps", app.namespace, name), *sets]
    assert sum(each["metadata"]["creationTimestamp"] >= since for each in owners) == 2
    assert [pod["metadata"]["uid"] for pod in world.store.labelled("pods", app.namespace, labels)] == before
    assert _well(world, app)
    assert not compare(warmup.make_lived_in(app_id, 1, 0), world, app, None)


def test_the_same_seed_gives_the_same_world():
    problem = registry.find_problem("noop_social_network-detection-all")
    assert Simulated(problem, 9).snapshot() == Simulated(problem, 9).snapshot()
    assert Simulated.restored(Simulated(problem, 9).snapshot()).snapshot() == Simulated(problem, 9).snapshot()
