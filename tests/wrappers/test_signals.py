"""Alerts and changes, where an environment offers all tools: looks that fill columns of their own."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from aiops_gym.learning.agent import Told
from aiops_gym.learning.stack import wrap
from aiops_gym.wrappers import MacroActions, Symptoms, fork
from aiops_gym.wrappers.reading.macros import EVERYWHERE
from aiops_gym.wrappers.reading.reader import Reader
from aiops_gym.wrappers.symptoms import COMPONENT, LISTED, WHOLE

PROBLEM = "failed_repair_hotel_reservation-localization-geo.wrong_command--geo.scale_pods_to_zero"


def _stack(tools="all"):
    env = gym.make("aiops_gym:aiops_gym/Localization-v0", tools=tools)
    return Symptoms(MacroActions(env, looks_first=False))


def _look(env, *names):
    for name in names:
        seen = env.step(env.get_wrapper_attr("macro_names").index(name))[0]
    return seen


def _column(env, seen, name):
    rows = seen["components"].reshape(-1, len(COMPONENT))[:, COMPONENT.index(name)]
    return {each: float(row) for each, row in zip(env.named(), rows, strict=False) if row}


@pytest.fixture(scope="module")
def hard():
    env = _stack()
    env.reset(seed=3, options={"problem": PROBLEM})
    return env


def test_only_all_tools_have_these_looks_and_notes_of_several_components():
    names, basic = (set(_stack(*tools).get_wrapper_attr("macro_names")) for tools in ((), ("basic",)))
    assert {name.partition(" ")[0] for name in names - basic} == {"alerts", "changes", "suspect"}
    assert EVERYWHERE[-2:] == ("alerts", "changes")


def test_what_alerts_name_and_what_was_changed_is_shown(hard):
    (env,) = fork(hard)
    before = _look(env, "status")
    assert not _column(env, before, "alerted")
    after = _look(env, "alerts", "changes")
    said = env.get_wrapper_attr("seen").told
    alerted, edited = _column(env, after, "alerted"), _column(env, after, "edited")
    assert all(name in said["alerts"] for name in alerted)
    assert alerted
    assert max(edited.values()) == 1.0
    assert 0 < len(edited) < len(env.named())
    assert [WHOLE[i] for i in np.flatnonzero(after["whole"] != before["whole"])] == [
        f"{how} {kind}" for how in ("listed", "fresh") for kind in LISTED if kind in ("alerts", "changes")
    ]


def test_the_order_of_the_looks_is_no_matter(hard):
    one, other = fork(hard, 2)
    first, second = _look(one, "status", "alerts", "changes"), _look(other, "alerts", "changes", "status")
    rows = [seen["components"].reshape(-1, len(COMPONENT)) for seen in (first, second)]
    assert np.array_equal(*(each[:, COMPONENT.index("alerted")] for each in rows))


def test_what_is_told_anew_takes_the_place_of_what_was_told_before():
    seen = Reader()
    seen.read("", "Namespace: shop\nThe components are: cart, pay.")
    for name in ("cart", "pay"):
        seen.read("get_alerts()", f" firing 2026-03-03T10:48:14Z critical PodDown pod={name}-5d8-x9 -")
        seen.read("get_changes('shop', 20)", f"2026-03-03T10:48:14Z kubectl deployment/{name} wrote .spec.replicas")
        marked = {each for each, found in seen.components.items() if "alerted" in found.symptoms and found.edited}
        assert marked == {name}


def test_a_policy_that_is_told_texts_has_the_same_actions():
    env = gym.make("aiops_gym:aiops_gym/Localization-v0", tools="all")
    assert (
        wrap(Told(env)).action_space
        == wrap(env).action_space
        != wrap(gym.make("aiops_gym:aiops_gym/Localization-v0")).action_space
    )
