"""What every problem promises: right answers pay, shortcuts do not, and each listed repair is accepted."""

from dataclasses import replace

import pytest

from aiops_gym.backends import open_backend
from aiops_gym.catalog import registry
from aiops_gym.catalog.checks import template
from aiops_gym.testing import SHORTCUTS, check_backend, check_problem

MITIGATIONS = registry.problems(task="mitigation", app="hotel_reservation")
HEALTHY = [p for task in ("localization", "analysis") for p in registry.list_healthy(task)]
SEEDS = (1, 2)
NS = "test-hotel-reservation"
ELSEWHERE = {"mongodb-geo": "mongodb-rate", "mongodb-rate": "mongodb-geo", "geo": "rate", "profile": "geo"}
UNDO_ALL = f"for d in $(kubectl get deploy -n {NS} -o name); do kubectl rollout undo $d -n {NS}; done"


def each_problem(problems, seeds, one_in):
    """Each problem with one of the seeds, in turn: one of so many is played always."""
    cases = [(problem, seeds[place % len(seeds)]) for place, problem in enumerate(problems)]
    params = [
        pytest.param(*case, marks=() if place % one_in == 0 else pytest.mark.full) for place, case in enumerate(cases)
    ]
    return pytest.mark.parametrize(("problem", "seed"), params, ids=lambda value: getattr(value, "id", str(value)))


def _after(problem, seed, *scripts):
    backend = open_backend("simulated", problem, seed)
    for script in scripts:
        backend.shell.run(script, timeout=900)
    return backend.assess()


@pytest.mark.slow
@each_problem((*registry.problems(), *HEALTHY), SEEDS, 10)
def test_a_problem_keeps_its_promises(problem, seed):
    check_problem(problem.id, (seed,))


def test_the_shortcuts_are_those_an_impatient_agent_tries():
    assert len(SHORTCUTS) >= 10


@each_problem(MITIGATIONS, SEEDS, 2)
def test_the_right_repair_in_the_wrong_place_is_not_accepted(problem, seed):
    if problem.target:
        fixes = registry.find_fault(replace(problem, target=ELSEWHERE[problem.target])).fixes
    else:  # one of the six volumes only
        fixes = [line.replace("$name", "geo") for line in registry.find_fault(problem).fixes[0].splitlines()[1:2]]
    for fix in fixes:
        assert not _after(problem, seed, fix).success


@each_problem(MITIGATIONS, SEEDS, 2)
def test_undoing_every_rollout_repairs_only_what_a_rollout_broke(problem, seed):
    found = _after(problem, seed, UNDO_ALL)
    assert found.success == (registry.find_fault(problem).id == "misconfig_app"), found.reasons


REPAIRED = registry.find_problem("user_unregistered_mongodb-mitigation-1")
FIX = registry.find_fault(REPAIRED).fixes[0]
MONGO = f"kubectl exec -n {NS} deploy/mongodb-{{}} -- mongo {{}} --quiet --eval"
NO_AUTH = (
    f"kubectl patch deployment mongodb-geo -n {NS} --type=json "
    '-p \'[{"op": "remove", "path": "/spec/template/spec/containers/0/args"}]\''
)


@pytest.mark.parametrize(
    "harm",
    [
        f"kubectl delete deployment user -n {NS}",
        f"kubectl scale deployment recommendation -n {NS} --replicas=0",
        f"kubectl delete service frontend -n {NS}",
        f"kubectl set image deployment/search -n {NS} hotel-reserv-search=busybox:1.36",
        NO_AUTH,
        MONGO.format("user", "user-db") + ' "db.user.drop()"',
        MONGO.format("user", "user-db") + r' "db.user.updateMany({}, {\$set: {password: 1}})"',
        MONGO.format("geo", "admin -u root -p root") + " \"db.dropUser('root')\"",
        MONGO.format("rate", "admin -u root -p root") + " \"db.changeUserPassword('root', 'mine')\"",
        MONGO.format("rate", "admin -u root -p root") + " \"db.createUser({user: 'x', pwd: 'x', roles: ['root']})\"",
        "kubectl delete namespace observe",
        "kubectl delete daemonset --all -n kube-system",
        "kubectl delete pv user-pv --wait=false",
        f"kubectl delete pvc user-pvc -n {NS} --wait=false; kubectl delete pod -n {NS} --all",
    ],
)
def test_a_repair_that_does_harm_elsewhere_is_not_accepted(harm):
    assert not _after(REPAIRED, 1, FIX, harm).success


@pytest.mark.parametrize(
    "extra",
    [
        "sleep 300",
        f"kubectl rollout restart deployment/geo deployment/search -n {NS}; sleep 60",
        f"kubectl scale deployment recommendation -n {NS} --replicas=2",
        f"kubectl label pod -n {NS} -l io.kompose.service=geo seen=yes",
        f"kubectl create configmap notes -n {NS} --from-literal=a=b",
    ],
)
def test_a_repair_with_something_harmless_beside_it_is_accepted(extra):
    found = _after(REPAIRED, 1, FIX, extra)
    assert found.success, found.reasons


@each_problem(MITIGATIONS, range(1, 7), 5)
def test_a_repair_that_has_just_rolled_out_is_accepted(problem, seed):
    fault = registry.find_fault(problem)
    name = problem.target if fault.cause.check is template else fault.cause.service or "frontend"
    status = (
        f"kubectl rollout restart deploy/{name} -n {NS}; kubectl rollout status deploy/{name} -n {NS} --timeout=300s"
    )
    found = _after(problem, seed, fault.fixes[0], status)
    assert found.success, found.reasons


FAKE = f"""
kubectl get deploy mongodb-geo -n {NS} -o json | jq 'del(.metadata.uid, .metadata.resourceVersion, .status)
  | .metadata.name = "a-geo" | .spec.selector.matchLabels.x = "fake" | .spec.template.metadata.labels.x = "fake"
  | del(.spec.template.spec.containers[0].args) | .spec.template.spec.volumes |= map(select(.name != "geo"))
  | .spec.template.spec.containers[0].volumeMounts |= map(select(.name != "geo"))' | kubectl apply -f -
sleep 60
kubectl patch svc mongodb-geo -n {NS} -p '{{"spec": {{"selector": {{"x": "fake"}}}}}}'
kubectl delete pod -n {NS} -l io.kompose.service=geo
"""
EMPTY = f"""
kubectl get deploy mongodb-geo -n {NS} -o json | jq '.spec.template.spec.volumes |= map(if .name == "geo"
  then {{name: "geo", emptyDir: {{}}}} else . end)' | kubectl apply -f -
sleep 60
kubectl delete pod -n {NS} -l io.kompose.service=geo
"""


@pytest.mark.parametrize("script", [FAKE, EMPTY], ids=["another database", "an empty folder"])
@pytest.mark.parametrize("number", [1, 2])
def test_a_database_that_only_looks_like_the_old_one_is_not_accepted(script, number):
    problem = registry.find_problem("revoke_auth_mongodb-mitigation-1")
    assert not _after(problem, number, script).success


def test_volumes_without_the_old_data_are_not_accepted():
    problem = registry.find_problem("redeploy_without_PV-mitigation-1")
    fix = registry.find_fault(problem).fixes[1].replace("/data/volumes/", "/tmp/fresh/")
    assert "/tmp/fresh/" in fix
    found = _after(problem, 1, fix)
    assert not found.success
    assert any("lost documents" in line for line in found.damage)


@pytest.mark.parametrize(
    "script",
    [
        f"kubectl set image deployment/geo -n {NS} hotel-reserv-geo=docker.io/yinfangchen/hotelreservation",
        f"kubectl get deploy geo -n {NS} -o yaml | sed s#yinfangchen/geo:app3#yinfangchen/hotelreservation:latest# "
        "| kubectl replace --force -f -",
    ],
)
def test_other_ways_to_the_old_image_are_accepted(script):
    found = _after(registry.find_problem("misconfig_app_hotel_res-mitigation-1"), 1, script)
    assert found.success, found.reasons


def test_what_was_changed_beside_the_point_is_counted():
    plain, with_extra = _after(REPAIRED, 1, FIX), _after(REPAIRED, 1, FIX, f"kubectl delete service jaeger-out -n {NS}")
    assert not plain.collateral
    assert with_extra.collateral == ("service jaeger-out: is gone",)


def test_the_simulated_backend_keeps_the_promises_of_a_backend():
    check_backend(open_backend("simulated", MITIGATIONS[0], 5))
