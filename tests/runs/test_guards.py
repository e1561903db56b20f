"""Many episodes at once of which one meets an error: the others are not lost, and that one says what happened."""

from __future__ import annotations

import gymnasium as gym
import pytest
from toy_world import ToyEnv, block

from aiops_gym.agents.base import Fixed
from aiops_gym.cli import run
from aiops_gym.cli.commands import run as command
from aiops_gym.runs import Episode
from aiops_gym.runs.together import run_episodes

LOOK, YES = block("exec_shell('echo hi')"), block("submit('Yes')")
SEEDS = range(4)
ODD = 2
"""The seed whose episode meets the error."""


class Raising(Fixed):
    """Raises in one of its methods, in the odd episode."""

    def __init__(self, seed, where, error=ZeroDivisionError):
        super().__init__([LOOK, YES])
        self.where, self.error = where if seed == ODD else "", error

    def met(self, where):
        if where == self.where:
            raise self.error("seven")

    def reset(self, prompt):
        self.met("reset")
        super().reset(prompt)

    def act(self, observation):
        if self.at == 1:
            self.met("act")
        return super().act(observation)

    def report(self):
        self.met("report")
        return {"mine": 1}

    def close(self):
        self.met("close")


class Broken(gym.Wrapper):
    """Raises in one of its methods, in the odd episode; `breaks` is the method."""

    def __init__(self, breaks, env):
        super().__init__(env)
        self.breaks, self.seed = breaks, None

    def met(self, where):
        if (self.seed, self.breaks) == (ODD, where):
            raise KeyError("gone")

    def reset(self, *, seed=None, options=None):
        self.seed = seed
        self.met("reset")
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        if action == YES:
            self.met("step")
        return self.env.step(action)

    def close(self):
        self.met("close")
        self.env.close()


def played(make_env=ToyEnv, agent=lambda env, seed: Fixed([LOOK, YES]), at_once=2, **more):
    return list(run_episodes(make_env, agent, SEEDS, at_once=at_once, **more))


def others_are_whole(episodes):
    assert [episode.seed for episode in episodes] == list(SEEDS)
    others = [episode for episode in episodes if episode.seed != ODD]
    assert [(len(each.steps), each.agent_error, each.infra_error, each.submitted) for each in others] == [
        (2, "", False, '"Yes"')
    ] * 3
    return episodes[ODD]


@pytest.mark.parametrize("at_once", [1, 3])
@pytest.mark.parametrize(("where", "steps"), [("reset", 0), ("act", 1), ("report", 2), ("close", 2)])
def test_what_an_agent_raises_is_the_error_of_its_episode(where, steps, at_once):
    odd = others_are_whole(played(agent=lambda env, seed: Raising(seed, where), at_once=at_once))
    assert odd.agent_error.startswith("ZeroDivisionError: seven (test_guards.py, line ")
    assert (len(odd.steps), odd.infra_error) == (steps, False)
    assert odd.agent_report == ({} if where == "report" else {"mine": 1})


def test_an_agent_that_leaves_ends_its_own_episode_only():
    odd = others_are_whole(played(agent=lambda env, seed: Raising(seed, "act", SystemExit)))
    assert odd.agent_error.startswith("SystemExit: seven (test_guards.py, ")


@pytest.mark.parametrize("at_once", [1, 3])
def test_what_an_environment_raises_in_a_step_is_an_error_of_the_infrastructure(at_once):
    odd = others_are_whole(played(lambda: Broken("step", ToyEnv()), at_once=at_once))
    assert (odd.infra_error, odd.terminated, odd.reward, odd.agent_error) == (True, True, 0.0, "")
    assert [step["action"] for step in odd.steps] == [LOOK, YES]
    assert "KeyError: 'gone'" in odd.steps[-1]["observation"]
    assert odd.results.items() >= {"TTD": 5.0, "steps": 2, "success": False, "submitted": ""}.items()


def test_an_environment_that_cannot_begin_leaves_an_episode_that_says_so(tmp_path):
    odd = others_are_whole(
        played(lambda: Broken("reset", ToyEnv()), options={"problem": "container_kill-detection"}, at_once=3)
    )
    assert (odd.infra_error, odd.steps, odd.problem_id) == (True, [], "container_kill-detection")
    assert "KeyError: 'gone'" in odd.prompt
    assert Episode.load(odd.save(tmp_path / "odd.json")) == odd


def test_an_environment_that_does_not_close_takes_nothing_with_it():
    odd = others_are_whole(played(lambda: Broken("close", ToyEnv())))
    assert (odd.submitted, odd.infra_error) == ('"Yes"', False)


@pytest.mark.parametrize("at_once", [1, 3])
def test_who_wants_errors_raised_gets_those_of_environments_and_keeps_those_of_agents(at_once):
    others_are_whole(played(agent=lambda env, seed: Raising(seed, "act"), at_once=at_once, on_error="raise"))
    with pytest.raises(KeyError):
        played(lambda: Broken("step", ToyEnv()), at_once=at_once, on_error="raise")
    with pytest.raises(ValueError, match="'keep' or 'raise'"):
        played(on_error="ignore")


def test_what_cannot_be_made_is_raised_in_any_case():
    with pytest.raises(ZeroDivisionError):
        played(lambda: 1 / 0)
    with pytest.raises(TypeError, match="3 is no agent"):
        played(agent=lambda env, seed: 3)


@pytest.mark.parametrize("where", ["step", "reset"])
def test_the_command_saves_all_and_ends_with_the_error(tmp_path, capsys, monkeypatch, where):
    monkeypatch.setattr(command, "make_env", lambda *_, **__: Broken(where, ToyEnv()))
    monkeypatch.setattr(command, "make", lambda *_, **__: Fixed([LOOK, YES]))
    assert run(["run", "--episodes", "4", "--save", str(tmp_path)]) == 1
    out, error = capsys.readouterr()
    assert (out.count("reward"), out.count("the environment broke")) == (4, 1)
    assert error.startswith(f"aiops-gym: seed {ODD}: The environment broke")
    assert len(list(tmp_path.glob("*.json"))) == 4
    assert (tmp_path / f"unbegun.{ODD}.json").exists() == (where == "reset")


def test_the_command_counts_a_world_that_breaks_as_a_failure(capsys, monkeypatch):
    crash = block("exec_shell('crash')")
    monkeypatch.setattr(command, "make_env", lambda *_, **__: ToyEnv())
    monkeypatch.setattr(command, "make", lambda *_, **__: Fixed([crash]))
    assert run(["run"]) == 1
    out, error = capsys.readouterr()
    assert "the environment broke" in out
    assert "the cluster is gone" in error
