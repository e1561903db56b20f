"""Intervals against known values, and the page of documentation."""

from __future__ import annotations

import math

import pytest

from aiops_gym.runs import markdown
from aiops_gym.runs.intervals import bootstrap, wilson
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
    assert wilson(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_the_bootstrap_of_many_single_values_is_the_normal_interval():
    low, high = bootstrap([[float(at % 2)] for at in range(400)])
    half = 1.96 * 0.5 / math.sqrt(400)
    assert (low, high) == pytest.approx((0.5 - half, 0.5 + half), abs=0.005)


def test_the_bootstrap_draws_problems_and_not_episodes():
    alone = bootstrap([[float(at % 2)] for at in range(40)])
    together = bootstrap([[float(at % 2)] * 10 for at in range(40)])
    assert together == pytest.approx(alone)
    assert bootstrap([[0.0], [1.0]] * 9, seed=3) == bootstrap([[0.0], [1.0]] * 9, seed=3)


def test_the_mean_of_nothing_has_no_interval():
    assert all(math.isnan(end) for end in bootstrap([[], []]))


def row(agent, by="all", group="", **more):
    numbers = dict.fromkeys(("reward_low", "success_low", "submitted", "seconds", "reasoning"), 0.0)
    numbers |= {"reward": 0.5, "reward_high": 1.0, "success": 0.25, "success_high": 0.625, "steps": 3.0}
    numbers |= {"in_tokens": 1234.0, "out_tokens": 56.0, "problems": 2, "episodes": 4}
    errors = {"agent_errors": 0, "infra_errors": 0, "missing": 0}
    return Row(agent=agent, split="test", by=by, group=group, **{**numbers, **errors, **more})


def test_a_page_has_a_line_an_agent_and_a_column_an_agent():
    arguments = {"version": "1.2", "sample": 200.0, "seeds": 1, "agents": ["b", "a"]}
    rows = (row("b", agent_errors=2, missing=1), row("a", reward=0.25), row("a", "task", "analysis"))
    lines = markdown.page(Summary(arguments=arguments, rows=rows)).splitlines()
    assert "at most 200 problems a split" in "".join(lines[:4])
    assert [line for line in lines if line.startswith(("| a ", "| b "))] == [
        "| a | 4 | 0.25 (0.00-1.00) | 25 % (0-62) | 3.0 | 0 | 1,234 | 56 | 0 |",
        "| b | 4 | 0.50 (0.00-1.00) | 25 % (0-62) | 3.0 | 0 | 1,234 | 56 | 2 agent, 1 not played |",
    ]
    assert "| analysis | 2 | 0.50 (0.00-1.00) |" in lines
