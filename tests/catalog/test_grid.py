"""The computed problems: which there are, how they are split, and how they are drawn."""

import itertools
from collections import Counter
from dataclasses import replace

import pytest

import aiops_gym
from aiops_gym.catalog import registry
from aiops_gym.catalog.splits import TEST_SHARE
from aiops_gym.catalog.traits import Component, fits
from aiops_gym.envs.choice import Choice
from aiops_gym.tasks.analysis import KINDS, LAYERS

FIXED = registry.problems()
TRAIN, TEST = (registry.problems(split=split) for split in ("train", "test"))
COMPUTED = [p for p in (*TRAIN, *TEST) if p.fault and p not in FIXED]
PAIRS = {(p.app, p.fault, p.target): p.split for p in (*TRAIN, *TEST) if p.fault}
HOTEL = registry.find_components("hotel_reservation")


def test_an_id_says_what_where_and_as_which_task():
    for problem in COMPUTED:
        assert problem.id == f"{problem.fault}_{problem.app}-{problem.task}-{problem.target}"
        assert registry.find_problem(problem.id) == problem


def test_ids_are_unique_and_those_of_aiopslab_stay_as_they_are():
    assert len({p.id for p in (*FIXED, *COMPUTED)}) == len(FIXED) + len(COMPUTED)
    assert not {p.id for p in FIXED} & {p.id for p in COMPUTED}
    assert registry.problems() == FIXED


def test_a_pair_is_posed_as_each_of_its_tasks_in_one_split_only():
    seen = {}
    for problem in COMPUTED:
        seen.setdefault((problem.app, problem.fault, problem.target), set()).add(problem.split)
    assert all(len(splits) == 1 for splits in seen.values())


def test_what_aiopslab_poses_is_for_training():
    for problem in FIXED:
        if problem.fault and problem.app in registry.apps():  # what runs in Docker is in no split
            assert PAIRS[problem.app, problem.fault, problem.target] == "train"
            assert problem in TRAIN


def test_the_test_split_has_unseen_pairs_of_known_families_and_unseen_families():
    trained = {p.fault for p in TRAIN}
    whole = {p.fault for p in TEST if p.fault} - trained
    assert whole == {fault.id for fault in registry.faults().values() if fault.held_out and not fault.features}
    assert 3 <= len(whole) <= len(trained) / 4
    of_trained = [split for (_, fault, _), split in PAIRS.items() if fault in trained]
    assert abs(of_trained.count("test") / len(of_trained) - TEST_SHARE) < 0.05


def test_healthy_episodes_belong_to_both_splits():
    for split in (TRAIN, TEST):
        assert {p.task for p in split if not p.fault} == {"detection", "localization", "analysis"}


def test_the_split_of_a_pair_does_not_depend_on_the_others():
    problem = next(p for p in COMPUTED if p.split == "test" and not registry.faults()[p.fault].held_out)
    alone = registry.grid.compute_problems(
        {problem.app: registry.find_app(problem.app)},
        {problem.fault: registry.faults()[problem.fault]},
        {problem.app: registry.find_components(problem.app)},
        (),
    )
    assert problem in list(alone)


@pytest.mark.parametrize("task", ["detection", "mitigation"])
@pytest.mark.parametrize("split", ["train", "test"])
def test_no_family_dominates_what_is_drawn(task, split):
    drawn = [registry.draw(task, seed, split) for seed in range(3_000)]
    faulty = [p.fault for p in drawn if p.fault]
    families = {p.fault for p in registry.problems(task, split=split) if p.fault}
    assert {p.split for p in drawn if p.fault} == {split}
    assert set(faulty) == families
    assert max(Counter(faulty).values()) < 2 * len(faulty) / len(families)
    if task == "detection":
        assert 0.37 < sum(not p.fault for p in drawn) / len(drawn) < 0.43


SEEDS = 2_000
WORST = {None: 0.45, "train": 0.46, "test": 0.46}
"""What the best constant answer to Analysis may earn of what is drawn."""


@pytest.mark.parametrize("split", WORST)
def test_no_one_answer_to_analysis_is_right_most_of_the_time(split):
    drawn = [registry.faults().get(registry.draw("analysis", seed, split).fault) for seed in range(SEEDS)]
    count = Counter(fault.id for fault in drawn if fault)
    kinds = Counter(fault.kind for fault in drawn if fault)
    assert max(kinds.values()) < 1.3 * min(kinds.values())
    earned = {
        answer: sum(n * _worth(registry.faults()[name], answer) for name, n in count.items()) / SEEDS
        for answer in itertools.product(LAYERS, KINDS)
    }
    best = max(earned, key=earned.__getitem__)
    assert earned[best] <= WORST[split], best
    assert drawn.count(None) / SEEDS < 0.2


def _worth(fault, answer):
    labels = [(fault.layer, fault.kind), *fault.also_accept]
    return max((answer[0] == layer) / 2 + (answer[1] == kind) / 2 for layer, kind in labels)


def test_accepted_labels_are_words_of_the_question_and_none_is_said_twice():
    for fault in registry.faults().values():
        labels = [(fault.layer, fault.kind), *fault.also_accept]
        assert len(set(labels)) == len(labels)
        assert {layer for layer, _ in labels} <= set(LAYERS)
        assert {kind for _, kind in labels} <= set(KINDS)
        assert len(labels) <= 3, fault.id


def test_no_change_of_the_test_split_is_known_from_training_under_another_name():
    known = {(p.app, repr(registry.find_fault(p).changes)) for p in TRAIN if p.fault}
    assert not {p.id for p in TEST if p.fault and (p.app, repr(registry.find_fault(p).changes)) in known}


def test_an_environment_draws_from_its_split():
    assert {Choice("mitigation", None, "test").draw(seed).split for seed in range(100)} == {"test"}
    assert {Choice("mitigation", None, None).draw(seed) for seed in range(300)} <= set(FIXED)


def test_both_splits_can_be_asked_for_by_task_and_app():
    found = aiops_gym.problems(task="localization", app="hotel_reservation", split="test")
    assert found
    assert {(p.task, p.app, p.split) for p in found} == {("localization", "hotel_reservation", "test")}


def test_a_harder_problem_is_farther_from_the_users_or_takes_more_steps():
    by_id = {p.id: p for p in (*FIXED, *COMPUTED)}
    assert by_id["revoke_auth_mongodb-mitigation-1"].distance == 3
    near = by_id["wrong_command_hotel_reservation-detection-frontend"]
    far = by_id["wrong_command_hotel_reservation-mitigation-mongodb-rate"]
    assert (near.distance, far.distance) == (0, 3)
    assert near.steps < far.steps


def test_traits_follow_from_what_the_app_is_made_of():
    def having(trait):
        return {name for name, component in HOTEL.items() if trait in component.traits}

    assert having("login") == {"mongodb-geo", "mongodb-rate"} == having("configmap")
    assert having("claim") == {name for name in HOTEL if name.startswith("mongodb-")}
    assert "jaeger" not in having("needed")
    assert "consul" not in having("needed")
    assert "mongodb-geo" in having("dialled") - having("asked")  # read once, when geo starts
    assert "geo" not in having("served")  # found through the registry, not by its Service
    assert "memcached-rate" in having("served")
    assert having("addressed") == having("executable")
    assert having("resolves").isdisjoint(name for name in HOTEL if name.startswith("m"))


def test_a_rule_may_ask_for_a_trait_that_is_not_there():
    plain, prepared = Component(frozenset({"needed"}), {}, 0), Component(frozenset({"needed", "prepared"}), {}, 0)
    assert fits(plain, ("needed", "!prepared"))
    assert not fits(prepared, ("needed", "!prepared"))
    assert not fits(plain, ())


@pytest.mark.parametrize("problem", [p for p in COMPUTED if p.task == "mitigation"][::7], ids=lambda p: p.id)
def test_every_placeholder_of_a_computed_problem_is_filled(problem):
    fault = registry.find_fault(problem)
    text = repr((fault.changes, fault.cause, fault.fixes, fault.looks))
    names = {*registry.find_components(problem.app)[problem.target].names, "memory", "configmap", "claim", "flag"}
    assert not [name for name in names if f"{{{name}}}" in text]


def test_the_same_fault_elsewhere_has_other_fixes():
    one = registry.find_problem("missing_image_tag_hotel_reservation-mitigation-geo")
    other = replace(one, target="rate")
    assert registry.find_fault(one).fixes != registry.find_fault(other).fixes
