"""Incidents of several faults: how they are composed, asked about, broken, and repaired as a whole only."""

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.catalog.composed import HASTY, HOW, SPREAD, STOPS, choose_spread
from aiops_gym.catalog.model import TASKS, Restart
from aiops_gym.envs.choice import Choice
from aiops_gym.errors import ArgumentError
from aiops_gym.tasks.base import Truth, find, find_truth
from aiops_gym.testing.admission import admit, list_pairs
from aiops_gym.testing.problems import solves

COMPOSED = [p for p in registry.problems(tier="hard") if p.how]
BY_HOW = {how: [p for p in COMPOSED if p.how == how and p.task == "mitigation"] for how in HOW}


def test_the_test_split_lists_enough_of_them_for_each_task():
    listed = [p for p in registry.problems(split="test", tier="hard") if p.fault]
    counts = Counter(p.task for p in listed)
    assert len(listed) >= 200
    assert min(counts[task] for task in TASKS) >= 50
    assert {p.how for p in listed} >= set(HOW)


def test_an_id_rebuilds_it_and_says_all_that_is_wrong():
    assert len({p.id for p in COMPOSED}) == len(COMPOSED)
    for problem in COMPOSED:
        assert registry.find_problem(problem.id) is problem
        assert all(f"{target}.{fault}" in problem.id for fault, target in problem.causes)


def test_no_pair_of_the_test_split_is_part_of_what_is_trained():
    tested = {(p.app, p.fault, p.target) for p in registry.problems(split="test") if p.fault}
    trained = (p for p in COMPOSED if p.split == "train")
    assert not {(p.app, *cause) for p in trained for cause in p.causes} & tested


def test_each_composition_is_what_its_name_says():
    for problem in COMPOSED:
        (_, target), further = problem.causes[0], problem.others
        known = registry.find_components(problem.app)
        if problem.how == "independent":
            assert len({where for _, where in problem.causes}) == len(problem.causes) in (2, 3)
        elif problem.how == "hidden":
            ((fault, caller),) = further
            assert fault in STOPS
            assert known[target].callers == {caller}
        elif problem.how == "failed_repair":
            ((fault, where),) = further
            assert (fault in HASTY, where) == (True, target)
        else:
            assert not further
            assert len(registry.find_fault(problem).changes) >= SPREAD


def test_a_cascade_takes_the_pods_of_nobody_twice():
    """They are gone, and what is not there cannot be deleted."""
    for problem in BY_HOW["cascade"]:
        changes = registry.find_fault(problem).changes
        taken = [name for each in changes if isinstance(each, Restart) for name in each.components if name]
        assert len(set(taken)) == len(taken), problem.id


def test_whom_a_cascade_spread_to_starts_anew_in_each_of_its_repairs():
    for problem in BY_HOW["cascade"]:
        spread = choose_spread(problem, registry.find_components(problem.app))
        begun = registry.find_fault(replace(problem, how="")).changes
        taken = {name for each in begun if isinstance(each, Restart) for name in each.components}
        for fix in registry.find_fault(problem).fixes:
            assert set(spread) - taken <= set(fix.splitlines()[-1].split()), problem.id


@pytest.mark.parametrize("how", HOW)
def test_only_all_of_its_repairs_together_are_one(how):
    backend = Simulated(BY_HOW[how][0], 1)
    fault = backend.fault
    assert solves(backend.fork(), fault.fixes[0])
    assert not any(solves(backend.fork(), part.fixes[0]) for part in fault.parts)


def test_the_same_seed_breaks_the_same_and_a_snapshot_goes_on_alike():
    problem, looks = BY_HOW["independent"][0], "kubectl get pods,events -A"
    one, other = Simulated(problem, 7), Simulated(problem, 7)
    again = Simulated.restored(one.snapshot())
    assert one.fork().shell.run(looks).output == other.shell.run(looks).output == again.shell.run(looks).output
    assert again.fault == one.fault


def _case(task):
    problem = next(p for p in COMPOSED if p.task == task and len(p.causes) == 2 and p.how == "independent")
    fault = registry.find_fault(problem)
    truth = find_truth(problem, fault, registry.find_app(problem.app))
    return SimpleNamespace(problem=problem, fault=fault, truth=truth, evaluation="strict")


def test_places_share_the_point_by_all_that_are_faulty_or_named():
    case = _case("localization")
    (right,) = find("localization").solution(case.truth)
    judged = [find("localization").judge(names, case).reward for names in (right, right[:1], [*right, "x", "y"], ["x"])]
    assert judged == [1.0, 0.5, 0.5, 0.0]


@pytest.mark.parametrize("also", [False, True])
def test_labels_are_paired_so_that_most_is_right(also):
    first, other = Truth("a", layer="Application", kind="Code Defect"), Truth("b", layer="Virtualization", kind="X")
    truth = Truth(first.target, layer=first.layer, kind=first.kind, others=(other,))
    case = SimpleNamespace(problem=SimpleNamespace(tier="hard"), truth=truth, evaluation="strict")
    (right,) = find("analysis").solution(truth)
    turned = {key: words[::-1] for key, words in right.items()}
    texts = {key: ", ".join(words) for key, words in right.items()}
    assert {find("analysis").judge(each, case).reward for each in (right, turned, texts)} == {1.0}
    one = {key: words[0] for key, words in right.items()}
    assert find("analysis").judge(one, case).reward == 0.5
    assert find("analysis").judge({"system_level": [1], "fault_type": {}} if also else None, case).reward == 0.0


def test_a_tier_is_drawn_from_and_aiopslab_has_none_that_is_hard():
    drawn = {Choice("mitigation", None, "test", tier="hard").draw(seed).tier for seed in range(20)}
    assert drawn == {"hard"}
    assert Choice("detection", None, None, tier="hard").several
    with pytest.raises(ArgumentError, match="hard"):
        Choice("detection", None, None, tier="harder")


@pytest.mark.full
@pytest.mark.parametrize("pair", list_pairs(tier="hard", sample=0.003), ids=lambda pair: pair[0].id)
def test_a_composition_is_admitted(pair):
    assert admit(pair).broken == []
