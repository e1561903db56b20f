"""Intervals against known values, and the page of documentation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.runs import markdown
from aiops_gym.runs.intervals import compute_interval, compute_wilson
from aiops_gym.runs.summary import Row, Summary


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [  # The first four are in Newcombe, Statistics in Medicine 17 (1998), table I.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (10, 10, 0.7225, 1.0),
        (0, 0, 0.0, 1.0),
    ],
)
def test_wilsons_interval_has_the_published_values(successes, trials, low, high):
    rate = successes / trials if trials else 0.0
    assert compute_wilson(rate, trials) == pytest.approx((low, high), abs=5e-5)
    values = [[1.0]] * successes + [[0.0]] * (trials - successes)
    assert compute_interval(values) == pytest.approx((low, high), abs=5e-5)


def test_the_interval_of_many_values_is_the_normal_one():
    low, high = compute_interval([[at / 1000] for at in range(1001)])
    half = 1.96 * math.sqrt(1 / 12) / math.sqrt(1001)
    assert low <= 0.5 - half < 0.5 + half <= high  # values in between scatter less, which counts for nothing
    low, high = compute_interval([[float(at % 2)] for at in range(400)])
    half = 1.96 * 0.5 / math.sqrt(400)
    assert (low, high) == pytest.approx((0.5 - half, 0.5 + half), abs=0.005)


def test_episodes_that_are_alike_tell_less_than_others():
    alone = compute_interval([[float(at % 2)] for at in range(40)])
    together = compute_interval([[float(at % 2)] * 10 for at in range(40)])
    apart = compute_interval([[0.0, 1.0] * 5 for _ in range(40)])
    assert together == pytest.approx(alone, abs=0.01)
    assert apart == pytest.approx(alone, abs=0.01)  # the problems do not differ: that may be an accident
    assert together[0] < compute_interval([[float(at % 2)] for at in range(400)])[0]


def test_small_differences_are_told_apart_from_none():
    same = [[0.5]] * 195
    low, high = compute_interval([*same, *[[1.0]] * 5], bounded=False)
    assert 0.5 < low < high < 0.53
    assert compute_interval([*same, *[[1.0]] * 5])[0] < 0.45


def test_a_few_values_that_agree_are_no_certainty():
    assert compute_interval([[1.0]])[0] < 0.25
    assert compute_interval([[0.5], [0.5]])[0] < 0.2
    assert compute_interval([[1.0] * 50]) == compute_interval([[1.0]])


@settings(max_examples=200)
@given(st.lists(st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0]), max_size=4), max_size=8))
def test_an_interval_holds_its_mean(groups):
    values = [value for group in groups for value in group]
    low, high = compute_interval(groups)
    assert 0.0 <= low <= high <= 1.0
    if values:
        assert low - 1e-9 <= sum(values) / len(values) <= high + 1e-9


@pytest.mark.parametrize(
    ("groups", "of_each", "rate", "alike"), [(8, 3, 0.9, 0.9), (25, 3, 0.6, 0.4), (60, 1, 0.95, 0.0)]
)
def test_nineteen_of_twenty_intervals_hold_the_truth(groups, of_each, rate, alike):
    chance = np.random.default_rng(groups)
    held = 0
    for _ in range(400):
        own = chance.random(groups) < rate
        same = chance.random((groups, of_each)) < alike
        drawn = np.where(same, own[:, None], chance.random((groups, of_each)) < rate)
        low, high = compute_interval(drawn.astype(float).tolist())
        held += low <= rate <= high
    assert held / 400 >= 0.92


def test_the_mean_of_nothing_may_be_anything():
    assert compute_interval([[], []]) == (0.0, 1.0)


def row(agent, by="all", group="", **more):
    numbers = dict.fromkeys(("reward_low", "success_low", "submitted", "seconds", "reasoning"), 0.0)
    numbers |= {"reward": 0.5, "reward_high": 1.0, "success": 0.25, "success_high": 0.625, "steps": 3.0}
    numbers |= {"reward_with_errors": 0.4, "in_tokens": 1234.0, "out_tokens": 56.0, "problems": 2, "episodes": 4}
    errors = {"agent_errors": 0, "infra_errors": 0, "missing": 0}
    return Row(agent=agent, split="test", by=by, group=group, **{**numbers, **errors, **more})


def test_a_page_has_a_line_an_agent_and_a_column_an_agent():
    asked = {"version": "1.2", "sample": 200.0, "seeds": 1, "agents": ["b", "a"]}
    more = (row("a", "task", "analysis"), row("b", "task", "analysis", infra_errors=1, missing=1, episodes=0))
    rows = (row("b", agent_errors=2), row("a", reward=0.25, reward_with_errors=0.25), *more)
    lines = markdown.render_page(Summary(asked=(asked,), agents=("b", "a"), rows=rows)).splitlines()
    assert "at most 200 problems a split" in "".join(lines[:4])
    assert [line for line in lines if line.startswith(("| a ", "| b "))] == [
        "| a | 4 | 0.25 (0.00-1.00) | 25 % (0-62) | 3.0 | 0 | 1,234 | 56 | 0 |",
        "| b | 4 of 6 | 0.50 (0.00-1.00), 0.40 with 2 errors as 0 | 25 % (0-62) | 3.0 | 0 | 1,234 | 56 | 2 agent |",
    ]
    assert "| analysis | 2 | -, 0.40 with 1 error as 0 | 0.50 (0.00-1.00) |" in lines


def test_agents_are_in_the_order_of_their_rewards_with_errors_as_nothing():
    rows = (row("sure", reward=1.0, reward_with_errors=0.1, infra_errors=9), row("plain", reward_with_errors=0.5))
    names = [line.split(" | ")[0] for line in markdown.render_overview(rows)]
    assert names[2:] == ["| sure", "| plain"]
