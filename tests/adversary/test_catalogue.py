"""The adversary's catalogue itself: it covers what it says, and is the same each time."""

from collections import Counter

import pytest
from offenders import ACCEPTED, REFUSED

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.testing.adversary import memory, play, universal
from aiops_gym.testing.adversary.masks import MASKS
from aiops_gym.testing.adversary.recipe import LAYERS, STRICT, Recipe, check_names, write_script
from aiops_gym.testing.adversary.repairs import FAMILIES, list_repairs
from aiops_gym.testing.adversary.repairs.goals import diff_to_json_patch, diff_to_merge_patch, find_goals
from aiops_gym.testing.adversary.table import Measured
from aiops_gym.testing.kept import Kept

ONE_EACH = play.draw_mitigations(1)
HARD = play.draw_mitigations(1, tier="hard")
HOTEL = registry.find_app("hotel_reservation")


def test_each_layer_has_its_masks():
    counted = Counter(mask.layer for mask in MASKS)
    assert set(counted) == set(LAYERS)
    assert min(counted.values()) >= 5


def test_each_family_has_masks_of_its_own():
    own = Counter(family for mask in MASKS for family in mask.families)
    lacking = {problem.fault for problem in ONE_EACH} - set(own)
    assert not lacking


def test_each_hard_family_has_masks_of_its_own():
    own = Counter(family for mask in MASKS for family in mask.families)
    assert {problem.fault for problem in HARD} == {f.id for f in registry.faults().values() if f.features and f.fixes}
    assert {problem.fault: own[problem.fault] for problem in HARD if own[problem.fault] < 3} == {}


@pytest.mark.parametrize("problem", HARD[::7], ids=lambda p: p.id)
def test_a_hard_family_has_half_a_dozen_good_repairs(problem):
    begun = Simulated(problem, 1, noise=False)
    assert len([r for r in list_repairs(begun) if write_script(r, begun)]) >= 6


@pytest.mark.full
def test_every_hard_family_has_half_a_dozen_good_repairs():
    begun = [Simulated(problem, 1, noise=False) for problem in HARD]
    counts = {each.problem.fault: sum(bool(write_script(r, each)) for r in list_repairs(each)) for each in begun}
    assert {family: count for family, count in counts.items() if count < 6} == {}


@pytest.mark.parametrize("problem", ONE_EACH[::12], ids=lambda p: p.id)
def test_a_family_has_a_dozen_good_repairs(problem):
    begun = Simulated(problem, 1)
    assert len([r for r in list_repairs(begun) if write_script(r, begun)]) >= 12


@pytest.mark.full
def test_every_family_has_a_dozen_good_repairs():
    begun = [Simulated(problem, 1) for problem in ONE_EACH]
    counts = {each.problem.fault: sum(bool(write_script(r, each)) for r in list_repairs(each)) for each in begun}
    assert {family: count for family, count in counts.items() if count < 12} == {}


def test_a_name_stands_once():
    twice = Recipe(name="twice", layer="labels", script="true")
    with pytest.raises(ValueError, match="twice"):
        check_names([twice, twice])
    with pytest.raises(ValueError, match="nowhere"):
        check_names([Recipe(name="once", layer="nowhere", script="true")])


def test_what_is_known_is_in_the_catalogue():
    spelled = {r.name for p in ONE_EACH[::6] for r in list_repairs(Simulated(p, 1))}
    assert set(ACCEPTED) <= {mask.name for mask in MASKS}
    assert {name for name in REFUSED if ":" in name} <= {recipe.name for recipe in FAMILIES}
    assert {name for name in REFUSED if ":" not in name} <= spelled


def test_a_recipe_is_written_only_where_all_its_names_stand_for_something():
    geo = Simulated(registry.find_problem("wrong_command_hotel_reservation-mitigation-geo"), 1)
    mongodb = Simulated(registry.find_problem("wrong_command_hotel_reservation-mitigation-mongodb-geo"), 1)
    claim = Recipe(name="claim", layer="data", script="echo {claim} {service} {role: 'x'}")
    assert write_script(claim, geo) == ""
    assert write_script(claim, mongodb) == f"{STRICT}echo geo-pvc geo {{role: 'x'}}"
    assert write_script(Recipe(name="no", layer="data", script="x", repairs=("wrong_command",)), geo) == ""
    after = write_script(Recipe(name="after", layer="data", script="x", after=True), geo)
    assert after.startswith(geo.fault.fixes[0])


def test_a_script_that_finds_nothing_to_do_is_not_counted():
    problem = ONE_EACH[0]
    recipe = Recipe(name="nothing", layer="data", script="exit 44")
    verdict = play.play(problem, 1, recipe)
    assert verdict is not None
    assert not verdict.tried
    assert list(play.play_all(problem, 1, [recipe])) == []


def test_a_command_that_errs_ends_a_script():
    problem = registry.find_problem("wrong_command_hotel_reservation-mitigation-geo")
    verdict = play.play(problem, 1, Recipe(name="errs", layer="data", script="kubectl get nothing | cat\necho after"))
    assert verdict is not None
    assert not verdict.typed
    assert "after" not in verdict.output


def test_scripts_without_a_question_are_the_same_each_time_and_differ():
    made = [universal.generate(number, HOTEL) for number in range(30)]
    assert made == [universal.generate(number, HOTEL) for number in range(30)]
    assert len({each.script for each in made}) == 30
    assert {each.source for each in made} == set(universal.SOURCES)
    assert not [each.name for each in made if "{namespace}" in each.script]


def test_what_is_memorised_belongs_to_no_cluster():
    learnt = memory.memorise(HOTEL.id, 9001, noisy=False, kinds=memory.KINDS)
    kinds = Counter(item["kind"] for item in learnt["items"])
    assert kinds["Deployment"] == len(HOTEL.components)
    for item in learnt["items"]:
        assert not {"uid", "resourceVersion"} & set(item["metadata"])
        assert "clusterIP" not in item.get("spec", {})


def test_a_goal_is_what_the_fault_rewrote():
    begun = Simulated(registry.find_problem("wrong_command_hotel_reservation-mitigation-geo"), 1)
    (goal,) = find_goals(begun)
    path = "/spec/template/spec/containers/0/command/0"
    assert diff_to_json_patch(goal.now, goal.right) == [{"op": "replace", "path": path, "value": "geo"}]
    assert diff_to_merge_patch(goal.now, goal.now) == {}


def test_the_goals_of_a_hard_incident_are_all_that_it_wrote_and_what_came_of_it_last():
    def names(id_):
        begun = Simulated(registry.find_problem(id_), 1, noise=False)
        return [(goal.kind, goal.name, goal.space, bool(goal.right)) for goal in find_goals(begun)]

    own = "{namespace}"
    assert names("night_shift_hotel_reservation-mitigation-geo") == [
        ("cronjob", "business-hours", own, True),
        ("deployment", "geo", own, True),
    ]
    assert names("narrow_registry_hotel_reservation-mitigation-geo") == [
        ("configmap", "image-policy", "platform", True)
    ]
    assert names("skewed_canary_hotel_reservation-mitigation-geo") == [("deployment", "geo-canary", own, False)]
    assert names("expired_policy_hotel_reservation-mitigation-geo") == []


def test_a_table_is_kept_with_its_offenders(tmp_path):
    found = Measured("wrong_address", 9, Counter({"a mask": 2}), 5, Counter({"a repair": 1}), Counter())
    Kept(Measured.read, tmp_path).keep("one", found)
    assert Kept(Measured.read, tmp_path).find("one") == found
    assert Kept(Measured.read, None).find("one") is None
