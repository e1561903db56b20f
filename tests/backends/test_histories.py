"""The hours before a hard incident, what people edit beside it, and that it can be answered by reading."""

from dataclasses import replace

import pytest

from aiops_gym.backends import Simulated, shadows, warmup
from aiops_gym.backends.baseline import is_furnished
from aiops_gym.backends.cluster import SimulatedCluster
from aiops_gym.backends.intent import compare
from aiops_gym.backends.upkeep import TABLE, edit, note_edits
from aiops_gym.catalog import registry, upkeep
from aiops_gym.catalog.model import POSED, Script
from aiops_gym.catalog.splits import SPLITS
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.times import MINUTE, SECOND
from aiops_gym.testing.chains import find_chain
from aiops_gym.testing.problems import submit_script
from aiops_gym.tools import Context, run, toolbox
from aiops_gym.tools.changes import NOBODY, list_changes
from aiops_gym.types import Call
from tests.samples import some

NS = "test-hotel-reservation"


def opened(id_, seed=1, **more):
    return Simulated(registry.find_problem(id_), seed, **more)


@pytest.fixture(scope="module")
def healthy():
    return opened("noop_hotel_reservation-detection-hard")


@pytest.fixture(scope="module")
def released():
    return opened("noop_social_network-detection-hard")


def says(backend, command):
    return backend.fork().shell.run(command, timeout=300).output


def test_a_hard_world_has_hours_behind_it_that_clients_show(healthy, released):
    revisions = says(
        healthy, f"for d in $(kubectl get deploy -n {NS} -o name); do kubectl rollout history $d -n {NS}; done"
    )
    assert any(f"{author}: " in revisions for author in upkeep.AUTHORS)
    assert revisions.count("\n2 ") > 3
    history = says(released, "helm history social-network -n test-social-network")
    assert len(history.splitlines()) > 2 and "superseded" in history


def test_an_incident_and_its_healthy_twin_have_the_same_hours(healthy):
    incident = opened("night_shift_hotel_reservation-detection-geo")
    assert incident.before_the_incident() is healthy.before_the_incident()


def test_a_standard_world_has_nobody_who_writes():
    backend = opened("noop_hotel_reservation-detection-all")
    assert not is_furnished(backend.world)
    assert not backend.world.table("managers") and not backend.world.table(TABLE)


def test_every_edit_changes_what_is_there_and_no_meaning(healthy):
    twin = healthy.fork()
    before = twin.world.fork()
    for place in upkeep.list_places(twin.app):
        old = twin.world.store.get(*place)
        assert edit(twin.world, twin.app, place, 5), place
        new = twin.world.store.get(*place)
        assert {**old, "metadata": None} != {**new, "metadata": None} or old["metadata"].get("labels") != new[
            "metadata"
        ].get("labels"), place
    note_edits(twin.world, twin.before_the_incident(), twin.app)
    twin.world.run(90 * SECOND)
    wanted, served = (traffic.compute_success(each.world) for each in (healthy, twin))
    assert all(served[key] >= wanted[key] - 0.001 for key in wanted)
    assert before.store.get("configmaps", "kube-system", "coredns") is not twin.world.store.get(
        "configmaps", "kube-system", "coredns"
    )


HURT = (
    "redirected_name_hotel_reservation-mitigation-memcached-rate",
    "narrow_registry_hotel_reservation-mitigation-geo",
)


@pytest.mark.parametrize("id_", HURT)
def test_an_edit_of_what_is_broken_leaves_it_broken_and_is_nobodys_fault(id_):
    backend = opened(id_)
    place = next(
        (resource, *full.rpartition("/")[::2])
        for change in backend.fault.changes
        if isinstance(change, Script)
        for resource, full in change.writes
    )
    assert edit(backend.world, backend.app, place, 9)
    again = backend.fork()
    assert not submit_script(again, "true").success
    found = submit_script(backend, backend.fault.fixes[0])
    assert found.success, found.reasons


def test_what_people_edit_while_an_incident_unfolds_is_taken_as_if_it_had_been_so():
    for seed in range(12):
        backend = opened("night_shift_hotel_reservation-mitigation-geo", seed)
        if backend.world.table(TABLE):
            found = compare(backend.before_the_incident(), backend.world, backend.app, backend.fault)
            edited = {key.split(" ")[2] for key in backend.world.table(TABLE)}
            assert not [each for each in found if any(name in each.what for name in edited)]
            return
    pytest.fail("nobody edits anything in twelve incidents")


def test_the_programs_that_count_their_calls_are_not_those_that_are_hurt(healthy):
    def counted(backend):
        objects = backend.world.store.all("deployments.apps", NS)
        notes = ((o["metadata"]["name"], o["spec"]["template"]["metadata"].get("annotations") or {}) for o in objects)
        return {name for name, each in notes if each.get("prometheus.io/scrape") == "true"}

    incident = opened("retry_storm_hotel_reservation-detection-geo")
    assert counted(incident) == counted(healthy) == set(upkeep.list_counted(healthy.app))


def test_shadows_of_hard_worlds_are_those_of_hard_incidents(healthy):
    world, app = healthy.world.fork(), healthy.app
    drawn = {part.id for seed in range(120) for part in shadows.draw_shadow(world, app, seed).each}
    hard = {fault.id for fault in registry.faults().values() if fault.features}
    assert len(drawn & hard) > 6
    plain = opened("noop_hotel_reservation-detection-all").world
    assert not hard & {shadows.draw_shadow(plain, app, seed).id for seed in range(60)}


def test_a_shadow_of_a_script_is_an_edit_of_what_it_writes(healthy):
    problem = registry.find_problem("redirected_name_hotel_reservation-detection-memcached-rate")
    twin = healthy.fork()
    fault = shadows.find_live_fault(twin.world, twin.app, problem, 1, bare=True)
    old = twin.world.store.get("configmaps", "kube-system", "coredns")
    shadows.cast(twin.world, twin.app, fault, 3)
    new = twin.world.store.get("configmaps", "kube-system", "coredns")
    assert new["data"] != old["data"] and "rewrite" not in new["data"]["Corefile"]


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("task", POSED)
def test_in_a_quarter_of_hard_incidents_no_change_is_to_blame(task, split):
    drawn = [registry.draw(task, seed, split, tier="hard") for seed in range(400)]
    sick = [each for each in drawn if each.fault]
    innocent = [each for each in sick if not registry.blames_any(each)]
    assert 0.19 < len(innocent) / len(sick) < 0.31
    assert len({each.fault for each in innocent}) >= 3
    assert len({each.app for each in innocent}) == len(registry.apps())


def _list_families():
    """An incident of each hard family that can be repaired."""
    every = registry.problems("mitigation", "hotel_reservation", tier="hard")
    return {each.fault: each for each in every if each.fault and not each.how}


@pytest.mark.parametrize("family", some(sorted(_list_families()), 6))
def test_a_change_is_to_blame_where_the_cluster_remembers_one(family):
    backend = Simulated(_list_families()[family], 1, noise=False)
    before, after = (
        set(list_changes(SimulatedCluster(world), "", 0)) for world in (backend.before_the_incident(), backend.world)
    )
    written = [each for each in after - before if each.who != NOBODY and not each.who.endswith("-controller")]
    assert bool(written) == registry.blames_any(backend.problem)


def changes(backend, **asked):
    return run(Call("get_changes", (), asked), toolbox("detection", "all"), Context(backend.fork(), limit=16_000)).text


def test_changes_tell_who_wrote_what_in_any_world(healthy):
    told = changes(healthy, duration=2_880)
    assert len(told) <= 16_000
    assert "kubectl-patch" in told and "revision" in told
    incident = opened("night_shift_hotel_reservation-detection-geo")
    rows = [line.split() for line in changes(incident).splitlines() if "cronjob/business-hours" in line]
    assert any(row[1] == "kubectl-patch" and ".spec.schedule" in row for row in rows)
    plain = changes(opened("wrong_address_hotel_reservation-detection-rate"))
    assert "deployment/rate" in plain and "deployment-controller" in plain


ANSWERED = (
    "redirected_name_hotel_reservation-detection-memcached-rate",
    pytest.param("slow_replica_hotel_reservation-detection-search", marks=pytest.mark.full),
    pytest.param(
        "hidden_hotel_reservation-detection-memcached-profile.stuck_rollout--profile.wrong_command",
        marks=pytest.mark.full,
    ),
)


@pytest.mark.parametrize("id_", ANSWERED)
def test_reads_lead_from_the_page_to_the_cause(id_):
    backend = opened(id_)
    chain, missing = find_chain(backend)
    assert missing == []
    assert len(chain) >= len(backend.fault.each) + 1


@pytest.mark.full
def test_an_incident_without_a_cause_that_can_be_read_is_not_answerable():
    incident = opened("night_shift_hotel_reservation-detection-geo")
    backend = incident.without_fault()
    backend.fault = replace(incident.fault, looks=())
    _, missing = find_chain(backend)
    assert len(missing) == 2


@pytest.mark.parametrize("name", some(registry.apps(), 3))
def test_the_shadow_of_every_hard_fault_can_be_cast_once_and_again(name):
    app = registry.find_app(name)
    begun = warmup.make_lived_in(app.id, 0, 0, furnished=True)
    for problems in shadows._list_pairs(app.id, hard=True).values():
        world = begun.fork(1)
        fault = shadows.find_live_fault(world, app, problems[0], 1, bare=True)
        for seed in (1, 2):
            shadows.cast(world, app, fault, seed)


def test_a_second_version_has_a_shadow_that_is_of_the_same_version(healthy):
    problem = registry.find_problem("skewed_canary_hotel_reservation-detection-geo")
    twin = healthy.fork()
    shadows.cast(twin.world, twin.app, shadows.find_live_fault(twin.world, twin.app, problem, 1, bare=True), 3)
    twin.world.run(MINUTE)
    old, new = (twin.world.store.get("deployments.apps", NS, name) for name in ("geo", "geo-canary"))
    assert new["spec"]["template"]["spec"] == old["spec"]["template"]["spec"]
    assert new["status"]["readyReplicas"] == new["spec"]["replicas"] == 1
    wanted, served = (traffic.compute_success(each.world) for each in (healthy, twin))
    assert all(served[key] >= wanted[key] - 0.001 for key in wanted)
