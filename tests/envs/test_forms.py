"""Recorded incidents in parts: what an agent is told, and what a person is asked for who answers."""

from __future__ import annotations

import ast

import gymnasium as gym
import pytest
import small_telemetry as small

import aiops_gym  # registers the environments
from aiops_gym.errors import ArgumentError
from aiops_gym.openrca.labels import Query, Record, write_queries, write_records
from aiops_gym.openrca.queries import scoring_points
from aiops_gym.runs import run_episode
from aiops_gym.tools import get_actions
from aiops_gym.types import Call

RECORDS = (
    Record("pod", "Tomcat01", small.minute(71), "high CPU usage"),
    Record("pod", "MG01", small.minute(79), "network latency"),
)


@pytest.fixture(scope="module")
def env(tmp_path_factory):
    """A question about two failures, and one about one of them."""
    root = tmp_path_factory.mktemp("data")
    small.bank(root)
    write_records(root / "Bank", small.BANK, RECORDS)
    when = "On March 4, 2021, from 01:00 to 01:30,"
    asked = ("time", "component", "reason")
    both = Query("task_7", f"{when} two failures occurred. Find all.", scoring_points(RECORDS, asked))
    one = Query("task_7", f"{when} one failure occurred. Find all.", scoring_points(RECORDS[:1], asked))
    write_queries(root / "Bank", [both, one])
    return gym.make("aiops_gym/OpenRCABank-v0", root=str(root), disable_env_checker=True)


class Told:
    """Is told the parts, candidates too, and submits what it has been given first."""

    def init_context(self, problem_desc, instructions, apis, candidates=None):
        self.told = (problem_desc, instructions, apis, candidates)

    async def get_action(self, state):
        return "```\nsubmit()\n```"


def test_an_agent_is_told_the_lists_of_the_domain(env):
    agent = Told()
    prompt = run_episode(env, agent, 3, {"problem": "Bank-task_7-0"}).prompt
    task, instructions, apis, candidates = agent.told
    assert prompt.startswith(f"{task}\n\n## AVAILABLE APIS:\n\n")
    assert all(part in prompt for part in instructions.split("\n\n"))
    assert apis == get_actions("openrca_bank")
    domain = env.unwrapped.domain
    assert candidates == {"components": list(domain.components), "reasons": list(domain.reasons)}
    assert all(f"- {name}\n" in task for names in candidates.values() for name in names)


def test_each_element_of_each_failure_is_asked_for_and_the_right_ones_win(env):
    problems = env.unwrapped.problems.values()
    assert [problem.failures for problem in problems] == [2, 1]
    for problem in problems:
        env.reset(seed=1, options={"problem": problem.id})
        form, right = env.unwrapped.form(), env.unwrapped.explanation()["answer"]
        assert len(form.fields) == problem.failures * len(problem.asked)
        expected = ast.literal_eval(right[7:-1])
        truths = {f"{row} {key}": value for row, found in expected.items() for key, value in found.items()}
        said = {field.name: field.read(truths[field.name].lower()) for field in form.fields}
        assert Call("submit", form.arguments(said)).line == right
        *_, info = env.step(f"```\n{right}\n```")
        assert info["is_success"]


def test_a_time_that_is_none_is_no_answer(env):
    problem = next(p for p in env.unwrapped.problems.values() if "time" in p.asked)
    env.reset(seed=1, options={"problem": problem.id})
    (field,) = [field for field in env.unwrapped.form().fields if "datetime" in field.name][:1]
    with pytest.raises(ArgumentError, match="YYYY-MM-DD HH:MM:SS"):
        field.read("noon")


@pytest.mark.parametrize(
    ("kwargs", "says"),
    [
        ({"niose": False}, r"unexpected keyword argument 'niose': did you mean noise\?"),
        ({"xyzzy": "red"}, "unexpected keyword argument 'xyzzy': there are: action_format, allow_collateral"),
    ],
)
def test_an_argument_that_there_is_not_is_refused_with_the_one_that_may_be_meant(kwargs, says):
    with pytest.raises(TypeError, match=says):
        gym.make("aiops_gym/Detection-v0", **kwargs)


def test_a_question_that_there_is_not_is_refused_with_those_that_are_near(env):
    with pytest.raises(ArgumentError, match=r"no problem '\S+': (did you mean Bank-task_|an id is Bank-task_N-ROW)"):
        env.reset(options={"problem": "bank-task_7-0"})


def test_names_that_are_nearly_right_are_told():
    env = gym.make("aiops_gym/Detection-v0")
    with pytest.raises(ValueError, match=r"not 'problm'; did you mean problem\?"):
        env.reset(options={"problm": "x"})
    with pytest.raises(ArgumentError, match=r"did you mean hotel_reservation\?"):
        aiops_gym.problems(app="hotel-reservation")
