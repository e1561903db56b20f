"""How hard an incident is, and that what is hard shifts nothing that was there before it."""

from dataclasses import replace
from hashlib import blake2b

import pytest

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import FEATURES, POSED, TIERS, Fault
from aiops_gym.catalog.tiers import count_commands, find_tier
from aiops_gym.errors import CatalogError

FIELDS = ("id", "task", "app", "fault", "target", "split", "rate", "distance", "steps")
APPS = ("hotel_reservation", "social_network")
LISTED, DRAWN = "a878febd9463eb58", "394e234468c58e08"
"""Of all of these apps that could be listed, and of 300 draws a task from the last one, before there were tiers."""

FOUND = "ec51041e50d0ad15"
"""Of what can be read in two drawn episodes, before there were tiers: worlds that change on purpose change it."""

PLAIN = Fault(id="plain", layer="Application", kind="Misconfiguration", changes=(), fixes=("kubectl edit",))


def _digest(problems):
    found = blake2b(digest_size=8)
    for problem in problems:
        found.update(repr(tuple(getattr(problem, name) for name in FIELDS)).encode())
    return found.hexdigest()


def test_what_could_be_listed_and_drawn_before_there_were_tiers_is_the_same():
    splits = (None, "train", "test")
    listed = (p for split in splits for task in (None, *POSED) for p in registry.problems(task, split=split))
    since = {p.id for p in registry.problems() if not p.registered_upstream}
    assert _digest(p for p in listed if p.app in APPS and p.id not in since) == LISTED
    rows = ((task, seed, split, APPS[-1]) for split in splits for task in POSED for seed in range(300))
    assert _digest(registry.draw(*row) for row in rows) == DRAWN


def test_what_is_found_in_a_drawn_episode_is_the_same_as_before_there_were_tiers():
    read = blake2b(digest_size=8)
    for task, seed in (("detection", 3), ("mitigation", 2)):
        backend = Simulated(registry.draw(task, seed, "train", "hotel_reservation"), seed)
        read.update(backend.shell.run("kubectl get all,events -A -o yaml", timeout=300).output.encode())
    assert read.hexdigest() == FOUND


def test_a_feature_is_one_of_the_list_and_makes_its_family_hard():
    for fault in registry.faults().values():
        assert set(fault.features) <= set(FEATURES), fault.id
        assert not fault.features or find_tier([fault], 0) == "hard"
    for feature in FEATURES:
        assert find_tier([replace(PLAIN, features=(feature,))], 0) == "hard"


def test_a_tier_follows_from_faults_distance_and_repair():
    assert [find_tier([PLAIN], distance) for distance in (0, 1, 2, 4)] == ["basic", "basic", "standard", "standard"]
    assert find_tier([replace(PLAIN, fixes=("a; b\nc && d", "a | b | c"))], 0) == "standard"
    assert find_tier([PLAIN, PLAIN], 0) == "hard"
    assert find_tier([], 0) == "basic"
    assert count_commands(replace(PLAIN, fixes=("a; b\nc && d", "a | b"))) == 2


@pytest.mark.parametrize("split", ["train", "test"])
def test_a_split_is_its_basic_and_its_standard_problems_and_none_that_are_hard(split):
    every, hard = registry.problems(split=split), registry.problems(split=split, tier="hard")
    basic, standard = (set(registry.problems(split=split, tier=tier)) for tier in TIERS[:2])
    assert set(every) == basic | standard
    assert not {p.id for p in hard} & {p.id for p in every}
    assert all(not p.fault for p in basic & standard)
    assert all(p.tier == "hard" for p in hard)


def test_a_tier_without_a_split_is_of_both_and_lists_nothing_twice():
    ids = [p.id for p in registry.problems(tier="standard")]
    assert len(ids) == len(set(ids))
    faulty = {p.id for split in ("train", "test") for p in registry.problems(split=split, tier="standard") if p.fault}
    assert faulty <= set(ids)


@pytest.mark.parametrize("tier", ["basic", "standard"])
def test_what_is_drawn_is_of_the_tier_or_healthy_in_a_world_like_it(tier):
    drawn = {registry.draw("detection", seed, "train", tier=tier) for seed in range(200)}
    assert {p.tier for p in drawn if p.fault} == {tier}
    assert any(not p.fault for p in drawn)
    assert drawn <= set(registry.problems("detection", split="train", tier=tier))


def test_a_tier_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(CatalogError, match="basic"):
        registry.problems(tier="easy")
