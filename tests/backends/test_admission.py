"""What a mitigation accepts and what it does not: every repair the catalogue lists, and no shortcut."""

import pytest

from aiops_gym.backends import open_backend
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import Problem

MITIGATIONS = registry.problems(task="mitigation")
SEEDS = (1, 2, 3)
NS = "test-hotel-reservation"


def _targets(problem: Problem) -> tuple[str, ...]:
    """Deployments that a shortcut would go for: what fails, and what it needs."""
    app = registry.app(problem.app)
    parameters = app.parameters.get(problem.target, {})
    named = tuple(filter(None, (problem.target, parameters.get("service"))))
    return named or tuple(name for name in app.components if app.parameters[name].get("database"))


def _each(problem: Problem, command: str) -> str:
    return "\n".join(command.format(name=name) for name in _targets(problem))


def _elsewhere(problem: Problem) -> str:
    """The right repair in the wrong place."""
    others = {"mongodb-geo": "mongodb-rate", "mongodb-rate": "mongodb-geo", "geo": "rate", "profile": "geo"}
    if problem.target not in others:
        return f"kubectl delete pvc user-pvc -n {NS} --wait=false"
    moved = registry.fault(Problem(**{**_fields(problem), "target": others[problem.target]}))
    return moved.fixes[0]


def _fields(problem: Problem) -> dict[str, object]:
    return {name: getattr(problem, name) for name in ("id", "task", "app", "fault", "target", "split", "rate")}


IDLE = '[{{"op": "add", "path": "/spec/template/spec/containers/0/command", "value": ["sleep", "infinity"]}}]'
PAUSE = (
    '[{{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "registry.k8s.io/pause:3.10"}}, '
    '{{"op": "remove", "path": "/spec/template/spec/containers/0/command"}}]'
)
NO_AUTH = '[{{"op": "remove", "path": "/spec/template/spec/containers/0/args"}}]'

SHORTCUTS = {
    "nothing": lambda p: "true",
    "waiting": lambda p: "sleep 600",
    "scaling to zero": lambda p: _each(p, f"kubectl scale deployment {{name}} -n {NS} --replicas=0"),
    "deleting the deployments": lambda p: _each(p, f"kubectl delete deployment {{name}} -n {NS}"),
    "deleting every pod": lambda p: f"kubectl delete pods --all -n {NS}",
    "restarting everything": lambda p: f"kubectl rollout restart deployment -n {NS}",
    "deleting the namespace": lambda p: f"kubectl delete namespace {NS}",
    "sleeping instead": lambda p: _each(p, f"kubectl patch deployment {{name}} -n {NS} --type=json -p '{IDLE}'"),
    "pausing instead": lambda p: _each(p, f"kubectl patch deployment {{name}} -n {NS} --type=json -p '{PAUSE}'"),
    "turning authentication off": lambda p: _each(
        p, f"kubectl patch deployment {{name}} -n {NS} --type=json -p '{NO_AUTH}'"
    ),
    "the wrong place": _elsewhere,
}

UNDO_ALL = f"for d in $(kubectl get deploy -n {NS} -o name); do kubectl rollout undo $d -n {NS}; done"


def _after(problem: Problem, seed: int, script: str):
    backend = open_backend("simulated", problem, seed)
    backend.shell.run(script, timeout=900)
    return backend.assess()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("problem", MITIGATIONS, ids=lambda p: p.id)
def test_each_listed_repair_is_accepted(problem, seed):
    for fix in registry.fault(problem).fixes:
        found = _after(problem, seed, fix)
        assert found.success, (fix, found.reasons)


@pytest.mark.slow
@pytest.mark.parametrize("shortcut", SHORTCUTS)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("problem", MITIGATIONS, ids=lambda p: p.id)
def test_no_shortcut_is_accepted(problem, seed, shortcut):
    found = _after(problem, seed, SHORTCUTS[shortcut](problem))
    assert not found.success


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("problem", MITIGATIONS, ids=lambda p: p.id)
def test_undoing_every_rollout_repairs_only_what_a_rollout_broke(problem, seed):
    found = _after(problem, seed, UNDO_ALL)
    assert found.success == (registry.fault(problem).id == "misconfig_app"), found.reasons
