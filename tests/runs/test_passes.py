"""pass@k and pass^k: against counting, against the rate of success, and in what is printed."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from evaluations import ODD, PROBLEM, play
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.cli import run
from aiops_gym.runs import evaluate, markdown
from aiops_gym.runs.passes import Tried, choose_tries, compute_passes, pass_at, pass_hat


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.data())
def test_the_figures_are_the_shares_of_all_choices_of_k_episodes(solved, data):
    k = data.draw(st.integers(1, len(solved)))
    choices = list(itertools.combinations(solved, k))
    assert pass_at(len(solved), sum(solved), k) == pytest.approx(sum(map(any, choices)) / len(choices))
    assert pass_hat(len(solved), sum(solved), k) == pytest.approx(sum(map(all, choices)) / len(choices))


@pytest.mark.parametrize(
    ("episodes", "solved", "k", "at", "hat"),
    [(5, 0, 3, 0.0, 0.0), (5, 5, 3, 1.0, 1.0), (5, 3, 3, 1.0, 0.1), (4, 2, 2, 5 / 6, 1 / 6), (200, 100, 1, 0.5, 0.5)],
)
def test_known_values(episodes, solved, k, at, hat):
    assert pass_at(episodes, solved, k) == pytest.approx(at)
    assert pass_hat(episodes, solved, k) == pytest.approx(hat)


def test_both_estimators_are_without_bias():
    chance = np.random.default_rng(3)
    drawn = chance.binomial(6, 0.3, 20_000)
    assert np.mean([pass_at(6, int(c), 3) for c in drawn]) == pytest.approx(1 - 0.7**3, abs=0.01)
    assert np.mean([pass_hat(6, int(c), 3) for c in drawn]) == pytest.approx(0.3**3, abs=0.01)


PROBLEMS = st.lists(
    st.tuples(st.integers(0, 3), st.booleans(), st.lists(st.booleans(), max_size=6)).map(
        lambda drawn: Tried(drawn[:2], drawn[1], tuple(range(len(drawn[2]))), tuple(drawn[2]))
    ),
    max_size=6,
)


@given(PROBLEMS)
def test_more_tries_help_to_solve_once_and_not_to_solve_each_time_and_intervals_hold_their_figures(tried):
    found = list(compute_passes("a", "test", "all", "", tried))
    for each in found:
        assert 0 <= each.pass_at_low <= each.pass_at <= each.pass_at_high <= 1
        assert 0 <= each.pass_hat_low <= each.pass_hat <= each.pass_hat_high <= 1
        assert each.pass_hat <= each.pass_at
        assert each.k <= each.fewest <= each.most
        assert each.problems + each.short == len(tried)
    same = [each for each in found if not each.short]
    assert sorted(same, key=lambda each: each.pass_at) == same
    assert sorted(same, key=lambda each: -each.pass_hat) == same


def test_the_largest_k_is_the_number_of_seeds_and_healthy_systems_do_not_raise_it():
    faulty, healthy = Tried("x", False, (0, 1, 2), (True,) * 3), Tried("h", True, tuple(range(40)), (True,) * 40)
    assert [each.k for each in compute_passes("a", "", "all", "", [faulty, healthy])] == [1, 2, 3]
    assert (
        [each.k for each in compute_passes("a", "", "all", "", [healthy])]
        == choose_tries(40)
        == [1, 2, 4, 8, 16, 32, 40]
    )
    assert list(compute_passes("a", "", "all", "", [Tried("x", False, (), ())])) == []


@pytest.mark.parametrize(("problems", "seeds", "k"), [(40, 3, 2), (40, 4, 4), (1, 60, 2)])
def test_nineteen_of_twenty_intervals_hold_the_truth(problems, seeds, k):
    chance = np.random.default_rng(problems + k)
    rates = np.array([0.2, 0.9])
    held = 0
    for _ in range(300):
        own = rates[chance.integers(2, size=problems)] if problems > 1 else np.array([0.6])
        solved = chance.random((problems, seeds)) < own[:, None]
        tried = [Tried(at, False, tuple(range(seeds)), tuple(map(bool, each))) for at, each in enumerate(solved)]
        (found,) = (each for each in compute_passes("a", "", "all", "", tried) if each.k == k)
        truth = np.mean(rates**k) if problems > 1 else 0.6**k
        held += found.pass_hat_low <= truth <= found.pass_hat_high
    assert held / 300 >= 0.92


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("out")


@pytest.fixture(scope="module")
def summary(out):
    """Who solves it with the first of three seeds only, and who always does."""
    agents = ["odd_agents:lucky", "restart"]
    problems = [PROBLEM, "pod_failure_hotel_res-detection-1"]
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ODD))
        return evaluate(agents, problems=problems, seeds=3, workers=0, signals=False, out=out / "a")


@pytest.mark.full
def test_an_evaluation_tells_them_by_agent_and_task_with_the_seeds_that_there_were(summary, out):
    found = {(each.agent, each.by, each.k): each for each in summary.passes}
    lucky = [found["odd_agents:lucky", "task", k] for k in (1, 2, 3)]
    assert [each.group for each in lucky] == ["detection"] * 3
    assert [(each.problems, each.short, each.fewest, each.most) for each in lucky] == [(2, 0, 3, 3)] * 3
    assert [each.pass_at for each in lucky] == [0.3333, 0.6667, 1.0]
    assert [each.pass_hat for each in lucky] == [0.3333, 0.0, 0.0]
    assert [found["restart", "all", k].pass_hat for k in (1, 2, 3)] == [1.0] * 3
    written = json.loads((out / "a" / "summary.json").read_text())["passes"]
    assert [each["pass_at"] for each in written if each["agent"] == "odd_agents:lucky"][:3] == [0.3333, 0.6667, 1.0]


def test_for_one_try_they_are_the_rate_of_success_and_its_interval(summary):
    for each in summary.passes:
        if each.k == 1:
            (row,) = [row for row in summary.find(each.by, each.agent, each.split) if row.group == each.group]
            assert (each.pass_at, each.pass_at_low, each.pass_at_high) == (
                row.success,
                row.success_low,
                row.success_high,
            )
            assert (each.pass_hat, each.pass_hat_low) == (row.success, row.success_low)


def test_they_are_printed_where_a_problem_was_tried_twice(summary, out, capsys):
    assert run(["evaluate", "--report", str(out / "a"), "--markdown", str(out / "a.md")]) == 0
    page = (out / "a.md").read_text()
    assert "| task | agent | problems | seeds | pass@1 | pass@2 | pass@3 | pass^2 | pass^3 |" in page
    assert "| all | odd_agents:lucky | 2 | 3 | 0.33 (0.05-0.84) | 0.67 (0.16-0.95) |" in page
    assert "pass^3" in capsys.readouterr().out
    assert "pass@" not in markdown.render_page(play(out / "b", seeds=1, workers=0))


def test_an_episode_without_a_verdict_is_no_try(odd_agents):
    found = play(odd_agents / "a", "odd_agents:raising", workers=0).passes
    assert [(each.k, each.problems, each.most) for each in found if each.by == "all"] == [(1, 1, 2), (2, 1, 2)]
