"""A sample of the computed problems, played in every way; and what each new kind of fault does to the world."""

import json

import pytest
from samples import some

from aiops_gym.backends.simulated import Simulated
from aiops_gym.catalog import registry
from aiops_gym.sim import traffic
from aiops_gym.testing.admission import admit, list_pairs, measure_hurt
from aiops_gym.testing.figures import make_table, measure_rote, render_page
from aiops_gym.testing.problems import submit_script

SAMPLE = list_pairs(sample=0.01)
NS = "test-hotel-reservation"
TOLERATED = {
    "op": "add",
    "path": "/spec/template/spec/tolerations",
    "value": [{"key": "maintenance", "operator": "Exists"}],
}
SELDOM = (
    "kubectl patch deployment geo -n {ns} --type=json "
    '-p \'[{{"op": "add", "path": "/spec/template/spec/containers/0/livenessProbe/WHAT", "value": 3600}}]\''
)


@pytest.mark.slow
@pytest.mark.parametrize("pair", some(SAMPLE, 50), ids=lambda pair: f"{pair[0].fault}_{pair[0].app}-{pair[0].target}")
def test_a_pair_is_admitted(pair):
    assert admit(pair).broken == []


def _opened(fault, target, task="mitigation"):
    return Simulated(registry.find_problem(f"{fault}_hotel_reservation-{task}-{target}"), 1, noise=False)


def _says(backend, command):
    return backend.shell.run(command, timeout=300).output


SHOWN = [
    ("missing_configmap", "mongodb-rate", 'configmap "mongo-rate-script-v2" not found'),
    ("missing_secret", "geo", 'secret "geo-credentials" not found'),
    ("failing_readiness_probe", "memcached-rate", "Readiness probe failed: dial tcp"),
    ("failing_liveness_probe", "geo", "failed liveness probe, will be restarted"),
    ("missing_image_tag", "geo", 'Failed to pull image "yinfangchen/hotelreservation:release-1.4"'),
    ("small_memory_limit", "geo", "OOMKilled"),
    ("oversized_request", "geo", "Insufficient memory"),
    ("untolerated_taint", "geo", "had untolerated taint {maintenance: planned}"),
    ("unbound_claim", "mongodb-rate", "unbound immediate PersistentVolumeClaims"),
    ("wrong_command", "geo", 'exec: "start-geo": executable file not found in $PATH'),
    ("endless_init_container", "geo", "Init:0/1"),
]


@pytest.mark.parametrize(("fault", "target", "text"), SHOWN, ids=lambda value: value)
def test_a_pod_shows_why_it_does_not_run(fault, target, text):
    backend = _opened(fault, target, "detection")
    pods = f"-n {NS} -l io.kompose.service={target}"
    assert text in _says(backend, f"kubectl describe pod {pods}; kubectl get pods {pods}")


def test_a_quota_and_a_missing_service_account_keep_pods_from_being_made():
    refused = f"kubectl describe rs -n {NS} -l io.kompose.service=geo"
    assert "exceeded quota: team-budget" in _says(_opened("exhausted_quota", "geo"), refused)
    assert 'serviceaccount "geo-runner" not found' in _says(_opened("stuck_rollout", "geo"), refused)


def test_the_wrong_name_server_knows_no_service():
    assert "no such host" in _says(
        _opened("wrong_dns_policy", "search"), f"kubectl logs -n {NS} deploy/search --tail=20"
    )
    inside = _opened("wrong_dns_policy", "frontend")  # it asks for names with the first request only, and so it runs
    assert "nameserver 172.18.0.1" in _says(inside, f"kubectl exec -n {NS} deploy/frontend -- cat /etc/resolv.conf")
    assert "10.96.0.10" in _says(inside, f"kubectl exec -n {NS} deploy/search -- cat /etc/resolv.conf")


def test_a_service_that_offers_another_port_is_dialled_in_vain():
    backend = _opened("wrong_service_port", "frontend")
    assert set(traffic.compute_success(backend.world).values()) == {0.0}


def test_a_throttled_service_is_slow_and_loses_nothing():
    lost, slower = measure_hurt(_opened("small_cpu_limit", "profile"))
    assert lost < 0.01
    assert slower > 2.0


@pytest.mark.parametrize(
    ("fault", "target", "script"),
    [
        ("wrong_address", "geo", "kubectl set env deployment/geo -n {ns} REGISTRY_ADDRESS-"),
        ("small_memory_limit", "geo", "kubectl set resources deployment/geo -n {ns} --limits=memory=9Mi"),
        ("small_cpu_limit", "geo", "kubectl set resources deployment/geo -n {ns} --limits=cpu=20m --requests=cpu=20m"),
        ("mismatched_selector", "memcached-rate", "kubectl set selector svc memcached-rate -n {ns} a=b"),
        (
            "mismatched_selector",
            "memcached-rate",
            "kubectl patch svc memcached-rate -n {ns} --type=merge "
            """-p '{{"spec": {{"selector": {{"io.kompose.service": "memcached-profile"}}}}}}'""",
        ),
        ("failing_liveness_probe", "mongodb-profile", "true"),
        ("failing_liveness_probe", "geo", SELDOM.replace("WHAT", "initialDelaySeconds")),
        ("failing_liveness_probe", "geo", SELDOM.replace("WHAT", "failureThreshold")),
        ("failing_liveness_probe", "geo", SELDOM.replace("WHAT", "periodSeconds")),
        ("untolerated_taint", "geo", "kubectl taint nodes --all node-role.kubernetes.io/control-plane-; sleep 60"),
        ("blocking_network_policy", "geo", "kubectl label pod -n {ns} -l io.kompose.service=search role=geo-client"),
        ("untolerated_taint", "geo", "kubectl delete pod -n {ns} -l io.kompose.service=geo"),
        (
            "untolerated_taint",
            "geo",
            "for d in $(kubectl get deploy -n {ns} -o name); do kubectl patch $d -n {ns} --type=json "
            "-p '" + json.dumps([TOLERATED]).replace("{", "{{").replace("}", "}}") + "'; done",
        ),
    ],
)
def test_half_a_repair_is_none(fault, target, script):
    assert not submit_script(_opened(fault, target), script.format(ns=NS)).success


@pytest.mark.parametrize(
    ("fault", "target", "script"),
    [
        ("small_memory_limit", "geo", "kubectl set resources deployment/geo -n {ns} --limits=memory=64Mi"),
        ("exhausted_quota", "geo", "kubectl delete resourcequota --all -n {ns}"),
        ("blocking_network_policy", "geo", "kubectl delete networkpolicy --all -n {ns}"),
        (
            "missing_secret",
            "geo",
            "kubectl create secret generic geo-credentials -n {ns} --from-literal=a=b; sleep 120",
        ),
    ],
)
def test_another_way_to_the_same_end_is_accepted(fault, target, script):
    found = submit_script(_opened(fault, target), script.format(ns=NS))
    assert found.success, found.reasons


@pytest.mark.slow
def test_the_figures_are_those_of_the_rows():
    found = [admit(pair) for pair in list_pairs(app="hotel_reservation", fault="unbound_claim")[:1]]
    head, family, everything = make_table(found)
    assert (head[0], family[0], everything[0]) == ("family", "unbound_claim", "all")
    assert family[1:3] == ("1", "4")
    assert family[4:6] == ("100%", "100%")
    assert all(len(row) == 3 for row in measure_rote(found))
    assert "| unbound_claim | 1 | 4 |" in render_page(found)
