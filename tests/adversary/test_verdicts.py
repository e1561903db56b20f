"""The judge under attack and before good work: a drawn sample always, the whole catalogue in the long suite."""

from collections import Counter

import pytest
from offenders import ACCEPTED, REFUSED, REPAIRING

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.catalog.splits import hash_to_fraction
from aiops_gym.testing.adversary import play, table, universal
from aiops_gym.testing.adversary.masks import MASKS
from aiops_gym.testing.adversary.repairs import list_repairs
from tests.samples import some

DRAWN = play.draw_mitigations(2)
SAMPLE = DRAWN[3::13]
HARD = play.draw_mitigations(1, tier="hard")[::2]
SHARE = 0.03
"""Share of the masks that make sense everywhere, played by the long suite on each problem."""

QUARTER = 0.25
"""Share of the good repairs likewise; `make admission` plays all."""

ERRS = {mask.name for mask in MASKS if mask.errs}
each_problem = pytest.mark.parametrize("problem", SAMPLE, ids=lambda p: p.id)


def _few(recipes, problem, share):
    return [r for r in recipes if hash_to_fraction("played", problem.id, r.name) < share]


@each_problem
def test_a_drawn_mask_is_refused(problem):
    chosen = _few([mask for mask in MASKS if mask.name not in ACCEPTED], problem, 0.07)
    played = list(play.play_all(problem, 1, chosen))
    assert played
    assert not [(v.recipe, v.output) for v in played if not v.typed and v.recipe not in ERRS]
    assert not [v.recipe for v in played if v.accepted]


@each_problem
def test_a_drawn_repair_is_accepted(problem):
    begun = Simulated(problem, 1)
    chosen = _few([repair for repair in list_repairs(begun) if repair.name not in REFUSED], problem, 0.3)
    played = [v for r in chosen if (v := play.play(problem, 1, r, begun)) is not None and v.tried]
    assert played
    assert not [(v.recipe, v.reasons, v.output) for v in played if not v.accepted or not v.typed]


def _play_own(problem):
    """The masks of a hard family's own and all of its good repairs, in a world where nothing else goes on."""
    begun = Simulated(problem, 1, noise=False)
    masks = [mask for mask in MASKS if problem.fault in mask.families]
    for recipe in (*masks, *list_repairs(begun)):
        verdict = play.play(problem, 1, recipe, begun)
        if verdict is not None and verdict.tried:
            yield verdict, recipe in masks


@pytest.mark.parametrize("problem", some(HARD, 6), ids=lambda p: p.id)
def test_a_hard_family_is_over_when_it_is_mended_and_no_sooner(problem):
    played = list(_play_own(problem))
    assert len([1 for _, is_mask in played if is_mask]) >= 3
    assert not [verdict.recipe for verdict, is_mask in played if is_mask and verdict.accepted]
    wrong = [verdict for verdict, is_mask in played if not is_mask and not (verdict.accepted and verdict.typed)]
    assert not [(verdict.recipe, verdict.reasons, verdict.output) for verdict in wrong]


@pytest.mark.full
def test_every_mask_is_refused():
    tried, accepted, mistyped = Counter(), {}, []
    for place, problem in enumerate(DRAWN):
        own = [mask for mask in MASKS if mask.families and (place % 2 == 0 or mask.name in ACCEPTED)]
        others = _few([mask for mask in MASKS if not mask.families], problem, SHARE if place % 2 == 0 else 0.0)
        for verdict in play.play_all(problem, 2, [*own, *others]):
            tried[verdict.recipe] += 1
            if verdict.accepted:
                accepted.setdefault(verdict.recipe, problem.id)
            if not verdict.typed and verdict.recipe not in ERRS:
                mistyped.append((problem.id, verdict.recipe, verdict.output))
    assert not mistyped
    assert {name: where for name, where in accepted.items() if name not in ACCEPTED} == {}
    mended = {name for name in ACCEPTED if tried[name] and name not in accepted}
    assert mended == set(), "these are refused now: take them out of offenders.py"


@pytest.mark.full
def test_every_good_repair_is_accepted():
    tried, refused = set(), {}
    for problem in DRAWN[1::2]:
        begun = Simulated(problem, 2)
        for repair in _few(list_repairs(begun), problem, QUARTER):
            verdict = play.play(problem, 2, repair, begun)
            if verdict is not None and verdict.tried:
                tried.add(verdict.recipe)
            if verdict is not None and verdict.tried and not (verdict.accepted and verdict.typed):
                refused.setdefault(verdict.recipe, (problem.id, verdict.reasons, verdict.output))
    assert {name: why for name, why in refused.items() if name not in REFUSED} == {}
    assert (set(REFUSED) & tried) - set(refused) == set(), "these are accepted now: take them out of offenders.py"


@pytest.mark.full
@pytest.mark.parametrize("number", range(0, 30, 11))
def test_a_script_without_a_question_repairs_next_to_nothing(number):
    problems = [p for split in ("train", "test") for p in play.draw_split(4, split)]
    made = [universal.generate(number, registry.find_app(p.app)) for p in problems]
    accepted = [p.id for p, u in zip(problems, made, strict=True) if play.play_script(p, 1, u.name, u.script).accepted]
    assert (len(accepted) > 0.05 * len(problems)) == (number in REPAIRING), accepted


def test_the_table_counts_what_was_played():
    found = table.Measured(
        "wrong_command", tried=3, accepted=Counter({"a mask": 2}), mended=4, refused=Counter({"b": 1})
    )
    head, row, total = table.make_rows([found])
    assert len(head) == len(row) == len(total)
    assert row == ("wrong_command", "2", "3", "1", "4", "a mask; b")
    assert total == ("all", "2", "3", "1", "4", "")
