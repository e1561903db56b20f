"""What is no symptom tells nothing: the classifiers find what is there, and in resets they find nothing."""

import numpy as np
import pytest

from aiops_gym.testing.leaks import learners, measure, played, rules

FEW = 160


def _made_up(told):
    """Numbers of 400 episodes; the third one tells what is wrong, if it is to."""
    chance = np.random.Generator(np.random.Philox(key=1))
    numbers, labels = chance.normal(size=(400, 5)), chance.random(400) < 0.6
    if told:
        numbers[:, 2] += 2.0 * labels
    return numbers, labels, [str(place // 4) for place in range(400)]


@pytest.mark.parametrize("learner", learners.LEARNERS.values(), ids=learners.LEARNERS)
def test_a_learner_finds_what_tells_and_nothing_where_nothing_does(learner):
    for told in (True, False):
        numbers, labels, groups = _made_up(told)
        found = learners.score(learners.predict(learner, numbers, labels, groups), labels)
        assert found.low <= found.value <= found.high
        assert found.low > 0.7 if told else found.low < 0.55


def test_somebody_who_weighs_differences_names_the_telling_one():
    seen = [({"geo": {"odd"}, "rate": {"usual"}}, "geo"), ({"geo": {"usual"}, "rate": {"odd"}}, "rate")] * 5
    weigher = rules.Weigher(seen)
    assert weigher.weigh({"odd", "usual"}) == weigher.weigh({"odd"}) > weigher.weigh({"usual"})


def test_a_rule_that_names_several_is_right_by_lot():
    assert rules.Guess(frozenset({"geo", "rate"}), "geo", 19).right == 0.5
    assert rules.Guess(frozenset(), "geo", 19).right == 1 / 19
    assert rules.Guess(frozenset({"rate"}), "geo", 19).right == 0.0


@pytest.mark.full
def test_ages_counts_versions_and_names_tell_nothing_and_symptoms_do():
    found = list(measure.play("detection", "test", range(FEW)))
    rows = {(what, who): text for what, who, text in measure.judge_detection(found)}
    for who in learners.LEARNERS:
        low = float(rows["ages, counts, versions, names", who].partition("(")[2].split()[0])
        assert low < 0.55, rows
    assert float(rows["symptoms", "decision tree"].split()[0]) > 0.6
    assert "## Localization" in measure.render_page(found, found, {"wait": [0.0, 1.0]}, "test")


@pytest.mark.full
@pytest.mark.parametrize("split", ["train", "test"])
def test_nobody_who_goes_by_age_alone_repairs_one_in_twenty(split):
    found = played.play_scripts(split, range(40))
    assert max(sum(found[name]) / len(found[name]) for name in played.SCRIPTS) <= 0.05, found
