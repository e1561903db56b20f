"""What causes in the cluster do to a world, and that a platform beside an application does no harm."""

import pytest

from aiops_gym.backends.intent import compare
from aiops_gym.backends.simulated import Simulated
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import Schedule
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.testing.admission import measure_hurt
from aiops_gym.testing.problems import submit_script

NS = "test-hotel-reservation"


def opened(fault, target, task="detection", **more):
    problem = registry.find_problem(f"{fault}_hotel_reservation-{task}-{target}")
    return Simulated(problem, 1, **{"noise": False, **more})


def says(backend, command):
    return backend.shell.run(command, timeout=300).output


REFUSED = "kubectl get events -n {ns} | grep FailedCreate"
SHOWN = [
    ("unanswered_webhook", "geo", REFUSED, 'failed calling webhook "image-policy.podguard.io": failed to call webhook'),
    ("narrow_registry", "geo", REFUSED, "image yinfangchen/hotelreservation:latest is from no known registry"),
    ("strict_namespace", "geo", REFUSED, 'violates PodSecurity "restricted:v1.32": allowPrivilegeEscalation != false'),
    ("tight_injector", "geo", "kubectl describe pods -n {ns} -l io.kompose.service=geo", "OOMKilled"),
    ("misled_injector", "geo", "kubectl get pods -n {ns} -l io.kompose.service=geo -o yaml", "dnsPolicy: Default"),
    ("silent_name_server", "memcached-rate", "kubectl logs -n kube-system deploy/coredns", "Reloading complete"),
    ("night_shift", "geo", "kubectl get deploy geo -n {ns}", "0/0"),
    ("greedy_batch", "geo", "kubectl get events -n {ns}", "Preempted by pod"),
    ("leaking_release", "geo", "kubectl describe pods -n {ns} -l io.kompose.service=geo", "OOMKilled"),
    ("filling_sidecar", "geo", "kubectl get events -n {ns}", 'Usage of EmptyDir volume "spool" exceeds the limit'),
    ("eager_cleanup", "geo", "kubectl get jobs -n {ns}", "stale-pods"),
    ("stubborn_policy", "geo", "kubectl logs -n {ns} deploy/config-sync", "geo-ingress created"),
    ("reverted_service", "memcached-rate", "kubectl logs -n {ns} deploy/config-sync", "memcached-rate configured"),
    ("redirected_name", "memcached-rate", "kubectl get cm coredns -n kube-system -o yaml", "rewrite name"),
]

OF_GEO = "-l io.kompose.service=geo"
SHOWN += [
    ("unmet_quota", "geo", REFUSED, "must specify limits.cpu for: hotel-reserv-geo"),
    (
        "narrow_ratio",
        "geo",
        REFUSED,
        "memory max limit to request ratio per Container is 4, but provided ratio is 16.000000",
    ),
    ("meagre_defaults", "geo", f"kubectl get pods -n {{ns}} {OF_GEO} -o yaml", "cpu: 10m"),
    ("hardened_injector", "geo", f"kubectl describe pods -n {{ns}} {OF_GEO}", "image will run as root"),
    ("misplacing_injector", "geo", f"kubectl describe pods -n {{ns}} {OF_GEO}", "match Pod's node affinity/selector"),
    ("gated_injector", "mongodb-user", "kubectl get pods -n {ns} -o yaml", "ReadinessGatesNotReady"),
    ("foreign_user", "mongodb-geo", "kubectl logs -n {ns} deploy/mongodb-geo", "on a read-only directory: /data/db"),
    ("held_deletion", "geo", "kubectl get deploy geo -n {ns} -o yaml", "deletionTimestamp"),
    ("thrifty_job", "geo", "kubectl get deploy geo -n {ns} -o yaml", "cpu: 10m"),
    ("absent_name_server", "memcached-rate", "kubectl get deploy coredns -n kube-system", "0/0"),
    ("conflicting_index", "mongodb-profile", "kubectl logs -n {ns} deploy/profile", "Index must have unique name."),
    ("renamed_release", "geo", "kubectl get deploy geo -n {ns} -o yaml", "hotelreservation:3.0.0"),
    ("skewed_canary", "geo", "kubectl get deploy -n {ns} -o wide", "hotelreservation:3.0.0"),
    ("waiting_circle", "geo", "kubectl logs -n {ns} deploy/geo -c wait-for-peer", "waiting for search"),
    ("exhausted_injector", "geo", "kubectl logs -n platform deploy/pod-defaults", "accept4: too many open files"),
    ("bloated_policy", "geo", "kubectl top pods -n platform", "122Mi"),
    ("expired_policy", "geo", REFUSED, "x509: certificate has expired or is not yet valid"),
]


@pytest.mark.parametrize(
    ("fault", "target", "command", "text"), SHOWN, ids=lambda value: value if " " not in value else ""
)
def test_a_family_shows_its_cause_and_hurts_users(fault, target, command, text):
    backend = opened(fault, target)
    assert text in says(backend.fork(), command.format(ns=NS))
    lost, slower = measure_hurt(backend)
    assert lost > 0.01 or slower >= 2.0


NOBODY_WROTE = ("exhausted_injector", "bloated_policy", "expired_policy")


@pytest.mark.parametrize("fault", NOBODY_WROTE)
def test_what_a_server_has_come_to_keep_is_gone_with_its_process_and_no_restart_of_the_app_helps(fault):
    backend = opened(fault, "geo", "mitigation")
    assert not submit_script(backend.fork(), f"kubectl rollout restart deploy -n {NS}; sleep 300").success
    assert not submit_script(backend.fork(), f"kubectl delete pods --all -n {NS}; sleep 300").success
    for fix in backend.fault.fixes:
        found = submit_script(backend.fork(), fix)
        assert found.success, (fix, found.reasons)


def test_a_repair_inside_a_pod_waits_until_what_runs_there_listens():
    composed = (
        "failed_repair_hotel_reservation-mitigation-mongodb-rate.revoke_auth--mongodb-rate.failing_liveness_probe"
    )
    backend = Simulated(registry.find_problem(composed), 37)
    for fix in backend.fault.fixes:
        found = submit_script(backend.fork(), fix)
        assert found.success, (fix, found.reasons)


def test_to_be_rid_of_a_job_is_no_repair_of_what_it_did():
    backend = opened("greedy_batch", "geo", "mitigation")
    found = submit_script(backend.fork(), f"kubectl delete cronjob usage-report -n {NS}; sleep 60")
    assert not found.success
    assert found.collateral == ("cronjob usage-report: is gone",)
    again = f"kubectl get cronjob usage-report -n {NS} -o yaml > j.yaml; kubectl replace --force -f j.yaml"
    assert submit_script(backend.fork(), f"{backend.fault.fixes[0]}\n{again}").success


COMES_BACK = [
    ("night_shift", "kubectl scale deploy geo -n {ns} --replicas=1", 4, "kubectl get deploy geo -n {ns}", "0/0"),
    (
        "stubborn_policy",
        "kubectl delete networkpolicy geo-ingress -n {ns}",
        2,
        "kubectl get netpol -n {ns}",
        "geo-ingress",
    ),
]


@pytest.mark.parametrize(("fault", "repair", "minutes", "command", "text"), COMES_BACK, ids=["night_shift", "stubborn"])
def test_what_recurs_undoes_a_repair_of_its_symptom(fault, repair, minutes, command, text):
    backend = opened(fault, "geo", "mitigation")
    says(backend, repair.format(ns=NS))
    assert text not in says(backend, f"sleep 5; {command.format(ns=NS)}")
    backend.world.run(minutes * MINUTE)
    assert text in says(backend, command.format(ns=NS))
    assert not submit_script(backend, repair.format(ns=NS)).success


def test_an_account_in_a_pod_may_what_its_role_says():
    backend = Simulated(registry.find_problem("noop_hotel_reservation-detection-hard"), 1, noise=False)
    inside = f"kubectl exec -n {NS} deploy/config-sync -- "
    assert "platform-info" in says(backend, f"{inside}kubectl get configmap platform-info")
    refused = says(backend, f"{inside}kubectl delete deployment geo")
    assert 'User "system:serviceaccount:test-hotel-reservation:config-sync" cannot' in refused
    assert "geo" in says(backend, f"kubectl get deploy geo -n {NS}")


@pytest.mark.parametrize("app", sorted(registry.apps()))
def test_a_platform_beside_an_app_does_no_harm(app):
    backend = Simulated(registry.find_problem(f"noop_{app}-detection-hard"), 2, noise=False)
    assert min(traffic.compute_success(backend.before_the_incident()).values()) > 0.97
    twin = backend.fork()
    says(twin, f"kubectl delete pods --all -n {twin.app.namespace}; sleep 120")
    assert min(traffic.compute_success(twin.world).values()) > 0.97
    assert not [each for each in compare(backend.world, twin.world, backend.app, None) if each.hard]


def test_an_effect_on_a_schedule_comes_and_goes_and_twins_see_the_same():
    backend = opened("flapping_network", "rate")
    assert any(isinstance(change, Schedule) for change in backend.fault.changes)
    seen, twin = [], backend.fork()
    for _ in range(30):
        backend.world.run(10_000)
        seen.append(any(each["pod"] for each in backend.world.table("effects").values()))
    assert 5 < sum(seen) < 25
    twin.world.run(300_000)
    assert twin.world.difference(twin.before_the_incident()) == backend.world.difference(twin.before_the_incident())


def test_what_leaks_is_seen_to_grow():
    backend = opened("leaking_release", "geo")
    query = "container_memory_working_set_bytes"
    rows = backend.telemetry.metrics(query, NS, backend.now() - 200, backend.now())
    levels = [row.value for row in rows if ".geo-" in row.series]
    assert max(levels) > 1.5 * min(levels)


def test_a_snapshot_holds_what_runs_beside_the_app():
    backend = opened("stubborn_policy", "geo")
    data = backend.snapshot()
    twin = Simulated.restored(data)
    assert twin.snapshot() == data
    for each in (backend, twin):
        each.world.run(3 * MINUTE)
    assert twin.snapshot() == backend.snapshot()


@pytest.mark.parametrize(("fault", "target"), [("stubborn_policy", "geo"), ("reverted_service", "memcached-rate")])
def test_a_repair_holds_at_whatever_moment_of_its_round_a_controller_is_told_otherwise(fault, target):
    """What changes in a ConfigMap reaches it up to a minute and a half later, and it applies what it has meanwhile."""
    begun = opened(fault, target, "mitigation")
    for late in range(0, 90, 15):
        backend = begun.fork()
        backend.world.run(late * 1000)
        told = submit_script(backend, backend.fault.fixes[0] + "\nsleep 150")
        assert told.success, (late, told.reasons)
