"""Numbers made of text."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_world import PlayedEnv

from aiops_gym.types import Call
from aiops_gym.wrappers import ClipObservation, HashedText, History, MacroActions, Symptoms
from aiops_gym.wrappers.hashed_text import features
from aiops_gym.wrappers.signs import LOOKS, SIGNS, of_pod
from aiops_gym.wrappers.tables import tables

PROMPT = "Namespace: shop\nThe components are: cart, pay.\n"
PODS = """\
NAME                    READY   STATUS             RESTARTS      AGE
cart-5f6d888fff-8zb2l   1/1     Running            0             32m
pay-84db68bc68-sdk6k    0/1     CrashLoopBackOff   4 (66s ago)   2m44s
report-export-9s2dv     0/1     Completed          0             114s
"""


@given(st.text(max_size=400), st.sampled_from([1, 2, 64, 512]), st.sampled_from([1, 2, 3]))
@settings(max_examples=150, deadline=None)
def test_hashed_text_has_length_one_or_is_empty(text, size, grams):
    row = features(text, size, grams)
    assert row.shape == (size,)
    assert row.dtype == np.float32
    assert float((row**2).sum()) == pytest.approx(1.0, abs=1e-5) or not row.any()


def test_hashed_text_is_pinned():
    row = features("pod geo is Pending\n", 8, 2)
    assert [round(float(value), 4) for value in row] == PINNED


PINNED = [0.0, 0.6751, 0.0, -0.4259, -0.4259, 0.4259, 0.0, 0.0]


def test_words_count_and_random_ends_do_not():
    left, right = (
        features(f"geo-{end} CrashLoopBackOff 5m", 256, 1) for end in ("84db68bc68-sdk6k", "5d6f88fff-abcde")
    )
    other = features("geo-84db68bc68-sdk6k Running 5m", 256, 1)
    assert np.array_equal(left, right)
    assert float(left @ other) < 0.95


def test_pods_of_a_table_show_their_signs():
    rows = {row["NAME"]: of_pod(row) for row in tables(PODS)[0].rows}
    assert rows == {
        "cart-5f6d888fff-8zb2l": set(),
        "pay-84db68bc68-sdk6k": {"crashing", "restarted", "unready", "young"},
        "report-export-9s2dv": set(),
    }


def test_a_table_that_was_cut_is_read_as_far_as_it_goes():
    cut = PODS[:180] + "\n[... 90 characters left out ...]\nsdk6k    0/1     CrashLoopBackOff   4\n"
    (table,) = tables(cut)
    assert [row["NAME"] for row in table.rows] == ["cart-5f6d888fff-8zb2l", "pay-84db68bc68-sdk6k"]
    assert not table.whole


def test_tables_of_several_kinds_are_told_apart():
    both = (
        "NAME              TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE\n"
        "service/pay       ClusterIP   10.9.1.1     <none>        80/TCP    5m\n\n"
        "NAME            ENDPOINTS   AGE\nendpoints/pay   <none>      5m\n"
    )
    assert [(table.kind, table.rows[0]["NAME"]) for table in tables(both)] == [("service", "pay"), ("endpoints", "pay")]


def test_flags_stand_in_the_row_of_their_slot():
    env = Symptoms(PlayedEnv([PROMPT, PODS]), slots=3)
    env.reset()
    row = dict(zip(env.columns, env.step("look")[0].tolist(), strict=True))
    assert env.ranked() == ["pay", "cart"]
    assert row["0 crashing"] == row["0 unready"] == row["listed pod"] == 1.0
    assert row["1 crashing"] == row["2 crashing"] == 0.0
    assert row["any crashing"] == row["suspects"] == 0.5


def test_signs_go_when_the_trouble_is_gone():
    env = Symptoms(PlayedEnv([PROMPT, PODS, PODS.replace("0/1     CrashLoopBackOff", "1/1     Running         ")]))
    env.reset()
    env.step("look")
    assert "crashing" in env.seen.components["pay"].signs
    env.step("look")
    assert env.seen.components["pay"].signs == {"restarted", "young"}
    assert ("pay", "crashing") in env.seen.ever


def test_columns_are_named_once_each():
    env = Symptoms(PlayedEnv([PROMPT]), slots=3)
    assert len(set(env.columns)) == len(env.columns) == env.observation_space.shape[0]
    assert {f"2 {name}" for name in (*SIGNS, *LOOKS)} <= set(env.columns)


def test_history_follows_names_and_not_slots():
    texts = [PROMPT, "cart is well", PODS, PODS]
    env = History(Symptoms(MacroActions(PlayedEnv(texts), slots=2, macros=["pods", "logs", "undo"])))
    env.reset()
    first = env.get_wrapper_attr("macro_names").index("logs 0")
    seen = env.step(first)[0]
    assert seen["used"].tolist() == [0, 1, 0, 0, 0]
    seen = env.step(0)[0]
    assert env.get_wrapper_attr("ranked")() == ["pay", "cart"]
    assert seen["used"].tolist() == [1, 0, 1, 0, 0]
    assert seen["last"].tolist() == [1, 0, 0, 0, 0]


def test_history_tells_refusals_repetitions_and_the_budget():
    env = History(HashedText(MacroActions(gym.make("aiops_gym/Detection-v0", max_episode_steps=4), slots=2), 8))
    env.reset(seed=1)
    masked = int(np.flatnonzero(~env.get_wrapper_attr("action_masks")())[0])
    budgets = []
    for action, result in (
        (0, [1, 0, 0, 0, 0, 0, 0, 0]),
        (masked, [0, 1, 0, 0, 0, 0, 0, 0]),
        (masked, [0, 1, 0, 0, 0, 0, 0, 1]),
    ):
        seen = env.step(action)[0]
        assert seen["results"].tolist() == result
        budgets.append(float(seen["budget"][0]))
    assert budgets == [0.75, 0.5, 0.25]


def test_clipping_keeps_the_prompt_within_the_limit_too():
    env = ClipObservation(gym.make("aiops_gym/Detection-v0"), 300)
    assert len(env.reset(seed=1)[0]) <= 300
    text = env.step(str(Call("exec_shell", ("kubectl get pods -A",))))[0]
    assert len(text) <= 300
    assert text in env.observation_space


def test_what_was_clipped_is_not_seen():
    env = MacroActions(ClipObservation(PlayedEnv([PROMPT, "x" * 500 + PODS + "x" * 500]), 200))
    env.reset()
    env.step(0)
    assert not env.seen.components["pay"].signs
