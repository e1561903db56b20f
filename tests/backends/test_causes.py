"""Checks that a cause is gone: there at the beginning, gone after a repair of whichever kind, and not without one."""

import pytest

from aiops_gym.backends import Simulated, causes
from aiops_gym.catalog import registry
from aiops_gym.testing.problems import submit_script

RENEW = "kubectl rollout restart deployment/{target} -n {namespace}; sleep 20"
REPAIRS = {
    "stale_host_entry_hotel_reservation-mitigation-geo": "kubectl patch deployment geo -n {namespace} --type=json "
    '-p \'[{"op": "remove", "path": "/spec/template/spec/hostAliases"}]\'; sleep 20',
    "forgotten_dns_hotel_reservation-mitigation-rate": "kubectl delete networkpolicy --all -n {namespace}",
    "stray_pod_social_network-mitigation-user-mongodb": "kubectl delete deploy toolbox -n {namespace}; sleep 40",
    "frozen_endpoints_social_network-mitigation-text-service": "kubectl set selector service text-service "
    "service=text-service -n {namespace}; sleep 5",
    "wrong_upstream_port_social_network-mitigation-text-service": "kubectl patch service url-shorten-service "
    "-n {namespace} --type=json "
    '-p \'[{"op": "add", "path": "/spec/ports/-", "value": {"name": "b", "port": 9091, "targetPort": 9090}}]\''
    "; sleep 5",
    "foreign_settings_hotel_reservation-mitigation-rate": "kubectl get cm {target}-{map_name} -n {namespace} -o yaml "
    f"| sed 's/[.]staging//' | kubectl replace -f -; {RENEW}",
    "unexpected_password_social_network-mitigation-home-timeline-redis": "kubectl get cm home-timeline-redis "
    f"-n {{namespace}} -o yaml | sed '/requirepass/d' | kubectl replace -f -; {RENEW}",
    "blocking_network_policy_hotel_reservation-mitigation-geo": "kubectl patch networkpolicy {target}-{policy} "
    "-n {namespace} --type=json "
    '-p \'[{"op": "add", "path": "/spec/ingress/0/from/-", "value": {"podSelector": {"matchExpressions": '
    '[{"key": "io.kompose.service", "operator": "In", "values": ["search"]}]}}}]\'; sleep 5',
}


@pytest.mark.parametrize("problem", REPAIRS)
def test_a_cause_is_there_until_it_is_mended(problem):
    row = registry.find_problem(problem)
    backend = Simulated(row, seed=1)
    before, app, fault = backend.before_the_incident(), backend.app, backend.fault
    reasons = []
    assert not causes.is_cause_gone(before, backend.world, app, fault, reasons)
    assert len(reasons) == 1
    assert row.target in reasons[0]
    backend.shell.run(registry.fill_in(REPAIRS[problem], backend.names()), timeout=300)
    assert causes.is_cause_gone(before, backend.world, app, fault, reasons)


def test_a_pool_that_holds_none_is_no_connection():
    backend = Simulated(registry.find_problem("empty_pool_social_network-mitigation-text-service"), seed=1)
    reasons = []
    assert not causes.is_cause_gone(backend.before_the_incident(), backend.world, backend.app, backend.fault, reasons)
    assert reasons == ["text-service has no connection to url-shorten-service"]


@pytest.mark.parametrize("kind", ["wrong_upstream_port", "empty_pool"])
def test_a_file_that_is_mended_is_no_repair_until_the_program_has_read_it(kind):
    backend = Simulated(registry.find_problem(f"{kind}_social_network-mitigation-text-service"), seed=1)
    mended, renewed = backend.fault.fixes[0].split("\n")
    half = submit_script(backend.fork(), mended)
    assert not half.success
    assert half.reasons[0] == "compose succeeds in 0% of requests before any restart"
    assert not half.served
    assert submit_script(backend, f"{mended}\n{renewed}").success


def test_who_calls_whom():
    backend = Simulated(registry.find_problem("blocking_network_policy_hotel_reservation-mitigation-geo"), seed=1)
    asked = causes.SimulatedSystem(backend.before_the_incident(), backend.app)
    callers = {name: sorted(asked.callers(name)) for name in ("geo", "mongodb-geo", "frontend", "memcached-rate")}
    assert callers == {"geo": ["search"], "mongodb-geo": ["geo"], "frontend": [], "memcached-rate": ["rate"]}
    assert "frontend" in asked.callers("consul")


def test_a_policy_that_lets_in_only_who_called_is_a_repair():
    backend = Simulated(registry.find_problem("blocking_network_policy_hotel_reservation-mitigation-geo"), seed=1)
    peers = '[{"from": [{"podSelector": {"matchLabels": {"io.kompose.service": "search"}}}]}]'
    patch = '[{"op": "add", "path": "/spec/ingress", "value": PEERS}]'.replace("PEERS", peers)
    kubectl = f"kubectl -n {backend.app.namespace}"
    name = f"$({kubectl} get networkpolicy -o name | grep geo-)"
    assert submit_script(backend, f"{kubectl} patch {name} --type=json -p '{patch}'").success


def test_a_policy_that_lets_in_only_who_never_called_is_no_repair():
    backend = Simulated(registry.find_problem("blocking_network_policy_hotel_reservation-mitigation-geo"), seed=1)
    peer = '{"podSelector": {"matchLabels": {"io.kompose.service": "frontend"}}}'
    patch = '[{"op": "add", "path": "/spec/ingress/0/from/-", "value": PEER}]'.replace("PEER", peer)
    backend.shell.run(f"kubectl patch networkpolicy geo-ingress -n {backend.app.namespace} --type=json -p '{patch}'")
    reasons = []
    assert not causes.is_cause_gone(backend.before_the_incident(), backend.world, backend.app, backend.fault, reasons)
    assert reasons == ["packets to geo are not let through"]
