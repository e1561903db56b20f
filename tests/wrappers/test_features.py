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
from aiops_gym.wrappers.hashed_text import compute_features
from aiops_gym.wrappers.reading.indicators import read_pod
from aiops_gym.wrappers.reading.reader import Reader
from aiops_gym.wrappers.reading.seen import ALL
from aiops_gym.wrappers.reading.tables import parse_tables
from aiops_gym.wrappers.symptoms import CHANGE, COMPONENT, OTHER, WHOLE

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
    row = compute_features(text, size, grams)
    assert row.shape == (size,)
    assert row.dtype == np.float32
    assert float((row**2).sum()) == pytest.approx(1.0, abs=1e-5) or not row.any()


def test_hashed_text_is_pinned():
    row = compute_features("pod geo is Pending\n", 8, 2)
    assert [round(float(value), 4) for value in row] == PINNED


PINNED = [0.0, 0.6751, 0.0, -0.4259, -0.4259, 0.4259, 0.0, 0.0]


def test_words_count_and_random_ends_do_not():
    left, right = (
        compute_features(f"geo-{end} CrashLoopBackOff 5m", 256, 1) for end in ("84db68bc68-sdk6k", "5d6f88fff-abcde")
    )
    other = compute_features("geo-84db68bc68-sdk6k Running 5m", 256, 1)
    assert np.array_equal(left, right)
    assert float(left @ other) < 0.95


def test_pods_of_a_table_show_their_signs():
    rows = {row["NAME"]: read_pod(row) for row in parse_tables(PODS)[0].rows}
    assert rows == {
        "cart-5f6d888fff-8zb2l": set(),
        "pay-84db68bc68-sdk6k": {"crashing", "restarted", "unready", "young"},
        "report-export-9s2dv": set(),
    }


def test_a_table_that_was_cut_is_read_as_far_as_it_goes():
    cut = PODS[:180] + "\n[... 90 characters left out ...]\nsdk6k    0/1     CrashLoopBackOff   4\n"
    (table,) = parse_tables(cut)
    assert [row["NAME"] for row in table.rows] == ["cart-5f6d888fff-8zb2l", "pay-84db68bc68-sdk6k"]
    assert not table.whole


def test_tables_of_several_kinds_are_told_apart():
    both = (
        "NAME              TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE\n"
        "service/pay       ClusterIP   10.9.1.1     <none>        80/TCP    5m\n\n"
        "NAME            ENDPOINTS   AGE\nendpoints/pay   <none>      5m\n"
    )
    assert [(table.kind, table.rows[0]["NAME"]) for table in parse_tables(both)] == [
        ("service", "pay"),
        ("endpoints", "pay"),
    ]


def row_of(env, name, seen):
    """The numbers of a component, by their names."""
    rows = seen["components"].reshape(env.get_wrapper_attr("slots"), len(COMPONENT))
    return dict(zip(COMPONENT, rows[env.get_wrapper_attr("named")().index(name)].tolist(), strict=True))


def test_numbers_stand_in_the_row_of_their_component():
    env = Symptoms(PlayedEnv([PROMPT, PODS]), slots=3)
    env.reset()
    seen = env.step("look")[0]
    pay, cart = row_of(env, "pay", seen), row_of(env, "cart", seen)
    assert pay["there"] == pay["crashing"] == pay["unready"] == cart["there"] == 1.0
    assert cart["crashing"] == pay["scaled_to_zero"] == 0.0
    assert not seen["components"].reshape(3, -1)[2].any()
    whole = dict(zip(WHOLE, seen["whole"].tolist(), strict=True))
    assert whole["listed pod"] == whole["fresh pod"] == 1.0
    assert whole["listed event"] == 0.0


def test_what_was_listed_before_a_change_is_not_fresh():
    env = Symptoms(PlayedEnv([PROMPT, PODS, ""]))
    env.reset()
    env.step("kubectl get pods")
    seen = env.step("kubectl rollout restart deployment/pay -n shop")[0]
    whole = dict(zip(WHOLE, seen["whole"].tolist(), strict=True))
    assert (whole["listed pod"], whole["fresh pod"]) == (1.0, 0.0)
    assert row_of(env, "pay", seen)["touched"] == 1.0


def test_traces_tell_who_fails_and_who_only_calls():
    summary = (
        "10 spans, 9 failed, 300 us: cart cart_mongo_find_client -> \n"
        "10 spans, 0 failed, 2000000 us: pay charge_client -> cart\n"
    )
    env = Symptoms(PlayedEnv(["Namespace: shop\nThe components are: cart, pay, cart-mongodb.\n", summary]))
    env.reset()
    seen = env.step("awk")[0]
    database, cart, pay = (row_of(env, name, seen) for name in ("cart-mongodb", "cart", "pay"))
    assert database["called_fails"] == pytest.approx(0.9)
    assert database["failing_spans"] == cart["slow_spans"] == 1.0
    assert cart["called_slow"] > 0.8 > 0.0 == cart["fails_itself"]
    assert cart["calls_fail"] == pay["calls_slow"] == 1.0
    assert pay["failing_spans"] == pay["slow_spans"] == 0.0


def test_metrics_tell_who_loses_packets():
    printed = (
        "rate node-1.pay-84db68bc68-sdk6k network_transmit_packets_dropped: 50\n"
        "rate node-1.cart-5f6d888fff-8zb2l cpu_cfs_periods: 40\n"
    )
    env = Symptoms(PlayedEnv([PROMPT, printed, ""]))
    env.reset()
    seen = env.step("awk")[0]
    assert row_of(env, "pay", seen)["loses_packets"] == 0.5
    assert row_of(env, "pay", seen)["strained"] == 1.0
    assert row_of(env, "cart", seen)["strained"] == 0.0


def test_a_quota_that_is_used_up_and_blamed_shows_it():
    quota = "NAME     AGE   REQUEST      LIMIT\nbudget   5m    pods: 9/9    \n"
    event = (
        "LAST SEEN   TYPE      REASON         OBJECT                     MESSAGE\n"
        "5s          Warning   FailedCreate   replicaset/pay-84db68bc68   exceeded quota: budget\n"
    )
    env = Symptoms(PlayedEnv([PROMPT, quota, event]), other_slots=2)
    env.reset()
    env.step("look")
    seen = env.step("look")[0]
    row = dict(zip(OTHER, seen["others"].reshape(2, -1)[0].tolist(), strict=True))
    assert {name for name, value in row.items() if value} == {"there", "quota", "exhausted", "blamed", "new"}
    assert row_of(env, "pay", seen)["refused_pod"] == 1.0


@pytest.mark.parametrize(
    ("selector", "about"),
    [
        ("app=pay", True),
        ("app in (pay)", True),
        ("app in (cart,pay)", True),
        ("app notin (cart)", True),
        ("app!=pay", False),
        ("app in (cart)", False),
        ("tier in (pay)", False),
        ("<none>", True),
        ("!old,app", True),
        ("app=pay,zone in (a,b)", False),
    ],
)
def test_a_policy_is_about_those_that_its_selector_chooses(selector, about):
    policies = f"NAME   {'POD-SELECTOR':28}AGE\nwall   {selector:28}9m\n"
    lines = '{0}\t1\t{{"app":"{0}"}}\t{{"containers":[{{"image":"shop:v1"}}]}}\n'
    env = Symptoms(PlayedEnv([PROMPT, PODS, lines.format("cart") + lines.format("pay"), policies]), 3)
    env.reset()
    for _ in range(3):
        env.step("")
    ((_, other),) = env.others()
    assert ("about_trouble" in other.symptoms) is about


def test_while_no_labels_were_seen_a_selector_is_about_whom_it_names():
    policies = "NAME   POD-SELECTOR    AGE\nwall   app in (pay)    9m\n"
    env = Symptoms(PlayedEnv([PROMPT, PODS, policies]), 3)
    env.reset()
    env.step("")
    env.step("")
    assert "about_trouble" in env.others()[0][1].symptoms


def test_changes_of_the_focus_stand_in_the_row_of_their_action():
    line = '{0}\t1\t{{"app":"{0}"}}\t{{"containers":[{{"command":["{1}"],"image":"shop:v1"}}]}}\n'
    manifests = "".join(line.format(name, word) for name, word in (("cart", "cart"), ("pay", "cart"), ("user", "user")))
    env = Symptoms(MacroActions(PlayedEnv([PROMPT, manifests, ""]), slots=3))
    env.reset()
    env.step(0)
    names = env.get_wrapper_attr("macro_names")
    seen = env.step(names.index("focus 1"))[0]
    rows = seen["changes"].reshape(len(names), len(CHANGE))
    command = rows[names.index("match container command")]
    assert dict(zip(CHANGE, command.tolist(), strict=True)) == {"change": 1, "strength": 1, "odd": 1, "empties": 0}
    assert rows[names.index("match container image")].tolist() == [1, 0, 0, 0]
    assert not rows[names.index("status")].any()
    assert row_of(env, "pay", seen)["container differs much"] == 1.0


def test_signs_go_when_the_trouble_is_gone():
    env = Symptoms(PlayedEnv([PROMPT, PODS, PODS.replace("0/1     CrashLoopBackOff", "1/1     Running         ")]))
    env.reset()
    env.step("look")
    assert "crashing" in env.seen.components["pay"].symptoms
    env.step("look")
    assert env.seen.components["pay"].symptoms == {"restarted", "young"}
    assert ("pay", "crashing") in env.seen.ever


def test_history_follows_what_actions_stand_for():
    env = History(Symptoms(MacroActions(PlayedEnv([PROMPT, ""]), slots=2, macros=["status", "focus", "restart"])))
    env.reset()
    names = env.get_wrapper_attr("macro_names")
    assert names == ("status", "focus 0", "focus 1", "restart")
    assert env.step(1)[0]["used"].tolist() == [0, 1, 0, 0]
    assert env.step(3)[0]["used"].tolist() == [0, 1, 0, 1]
    seen = env.step(2)[0]
    assert seen["used"].tolist() == [0, 1, 1, 0]
    assert seen["last"].tolist() == [0, 0, 1, 0]


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
    assert not env.seen.components["pay"].symptoms


def test_what_was_cut_of_a_listing_is_to_be_read_next_and_nothing_is_read_of_half_a_line():
    line = '{0}\t1\t{{}}\t{{"containers":[{{"image":"{0}:v1","name":"c"}}]}}'.format
    seen = Reader()
    seen.read("", f"{line('ad')}\npostgr\n[... 9 characters left out ...]\n{line('esql')}\n{line('web')}\n")
    assert (sorted(seen.deployments), sorted(seen.components)) == (["ad", "web"], ["ad", "web"])
    assert seen.unread == r"/^ad\t/,/^web\t/"
    seen.read("", f"{line('ad')}\n{line('postgresql')}\n{line('web')}\n")
    assert (sorted(seen.deployments), seen.unread) == (["ad", "postgresql", "web"], ALL)
