"""Agents that can be made by name, and anything that can be adapted."""

from __future__ import annotations

import pytest
from toy_world import ToyEnv

from aiops_gym.agents.base import list_agents, make
from aiops_gym.catalog import registry
from aiops_gym.catalog.registry import problems as problems_of
from aiops_gym.errors import CatalogError
from aiops_gym.runs import run_episode
from aiops_gym.tools import parse


def test_the_folder_is_the_list_of_agents():
    assert {"human", "noop", "random", "reference", "rules"} <= set(list_agents())
    assert list(list_agents()) == sorted(list_agents())
    with pytest.raises(CatalogError, match="no agent 'oracle'"):
        make("oracle", ToyEnv())


def test_an_agent_of_yours_is_named_by_its_module_and_function():
    assert make("aiops_gym.agents.noop:make", ToyEnv()).act("") == make("noop", ToyEnv()).act("")
    for name, says in {"no.such:make": "No module", "aiops_gym.agents.noop:none": "has no 'none'"}.items():
        with pytest.raises(CatalogError, match=says):
            make(name, ToyEnv())


def test_restarting_everything_is_one_command_and_one_answer():
    episode = run_episode(ToyEnv("mitigation"), make("restart", ToyEnv("mitigation")), 3)
    commands = [parse(step["action"]) for step in episode.steps]
    assert [call.name for call in commands] == ["exec_shell", "submit"]
    assert commands[0].args == ("kubectl rollout restart deployment -n test-hotel-reservation",)


@pytest.mark.parametrize("name", ["restart", "runbook"])
def test_agents_for_live_incidents_say_so_of_others(name):
    with pytest.raises(CatalogError, match="plays live incidents only"):
        make(name, ToyEnv()).reset("What failed in the bank?")


@pytest.mark.parametrize("task", ["detection", "localization", "analysis", "mitigation"])
def test_a_random_agent_makes_valid_calls_only_and_repeats_itself(task):
    played = []
    for _ in range(2):
        env = ToyEnv(task)
        agent = make("random", env, 5)
        text, _ = env.reset(seed=3)
        agent.reset(text)
        actions = []
        for _ in range(40):
            actions.append(agent.act(text))
            text, _, over, _, info = env.step(actions[-1])
            assert info["error"] in ("", "arguments")  # A file to read may not exist yet.
            if over:
                break
        played.append(actions)
    assert played[0] == played[1]


def test_a_random_agent_with_one_seed_plays_each_problem_in_another_way():
    def play(problem, seed=0):
        env = ToyEnv("detection", problem)
        return run_episode(env, make("random", env), seed, options={"problem": problem})

    problems = [each.id for each in problems_of("detection") if each.app in registry.apps()]  # the toy has no Docker
    episodes = [play(problem) for problem in problems]
    assert {episode.submitted for episode in episodes} == {'"Yes"', '"No"'}
    assert len({len(episode.steps) for episode in episodes}) > 5
    assert play(problems[0]).steps == episodes[0].steps
    assert play(problems[0], seed=1).steps != episodes[0].steps


@pytest.mark.parametrize("task", ["detection", "localization", "analysis", "mitigation"])
def test_doing_nothing_wins_only_where_nothing_is_wrong(task):
    env = ToyEnv(task)
    for seed in range(12):
        episode = run_episode(env, make("noop", env), seed)
        assert episode.success == episode.problem_id.startswith("noop")
