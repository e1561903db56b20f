"""What a mitigation accepts and what it does not: every repair the catalogue lists, and no shortcut."""

from dataclasses import replace

import pytest

from aiops_gym.backends import open_backend
from aiops_gym.catalog import registry
from aiops_gym.testing import SHORTCUTS, check_backend, shortcut

MITIGATIONS = registry.problems(task="mitigation")
SEEDS = (1, 2, 3)
NS = "test-hotel-reservation"
ELSEWHERE = {"mongodb-geo": "mongodb-rate", "mongodb-rate": "mongodb-geo", "geo": "rate", "profile": "geo"}
UNDO_ALL = f"for d in $(kubectl get deploy -n {NS} -o name); do kubectl rollout undo $d -n {NS}; done"

each_problem = pytest.mark.parametrize("problem", MITIGATIONS, ids=lambda p: p.id)
each_seed = pytest.mark.parametrize("seed", SEEDS)


def _after(problem, seed, script):
    backend = open_backend("simulated", problem, seed)
    backend.shell.run(script, timeout=900)
    return backend.assess()


@each_seed
@each_problem
def test_each_listed_repair_is_accepted(problem, seed):
    for fix in registry.fault(problem).fixes:
        found = _after(problem, seed, fix)
        assert found.success, (fix, found.reasons)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHORTCUTS)
@each_seed
@each_problem
def test_no_shortcut_is_accepted(problem, seed, name):
    found = shortcut(problem, name, seed)
    assert not found.success


@each_seed
@each_problem
def test_the_right_repair_in_the_wrong_place_is_not_accepted(problem, seed):
    if problem.target:
        fixes = registry.fault(replace(problem, target=ELSEWHERE[problem.target])).fixes
    else:
        fixes = [line for line in registry.fault(problem).fixes[0].splitlines() if line.startswith("kubectl")]
        fixes = [line.replace("$name", "geo") for line in fixes]
    for fix in fixes:
        assert not _after(problem, seed, fix).success


@each_seed
@each_problem
def test_undoing_every_rollout_repairs_only_what_a_rollout_broke(problem, seed):
    found = _after(problem, seed, UNDO_ALL)
    assert found.success == (registry.fault(problem).id == "misconfig_app"), found.reasons


def test_the_simulated_backend_keeps_the_promises_of_a_backend():
    check_backend(open_backend("simulated", MITIGATIONS[0], 5))
