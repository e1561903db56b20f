"""What the limit of steps means to a verdict: nothing, and with `evaluation="aiopslab"` that it is given then."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest
from gymnasium.wrappers import TimeLimit
from toy_world import ToyBackend, ToyEnv, block

import aiops_gym  # noqa: F401  # registers
from aiops_gym.catalog import registry
from aiops_gym.envs.limit import GradedAtLimit
from aiops_gym.envs.vector import incidents, vector
from aiops_gym.errors import BackendError
from aiops_gym.runs import run_episode
from aiops_gym.wrappers import RecordEpisodes

LOOK, MEND, YES = block("exec_shell('echo hi')"), block("exec_shell('mend')"), block("submit('Yes')")
BROKEN = "wrong_bin_usage-mitigation-1"

# Upstream grades `None` for whoever did not submit: reference section 2.2 and 2.3.
NOTHING = {
    "revoke_auth_mongodb-detection-1": {"Detection Accuracy": "Invalid Format"},
    "noop_detection_hotel_reservation-1": {"Detection Accuracy": "Invalid Format"},
    "revoke_auth_mongodb-localization-1": {"Localization Accuracy": 0.0, "is_subset": False},
    "noop_localization_hotel_reservation-1": {"Localization Accuracy": 0.0, "is_subset": False},
    "revoke_auth_mongodb-analysis-1": {"system_level_correct": False, "fault_type_correct": False},
    "noop_analysis_hotel_reservation-1": {"system_level_correct": False, "fault_type_correct": False},
}


def toy(problem, limit=2, **given):
    return GradedAtLimit(TimeLimit(ToyEnv(registry.find_problem(problem).task, problem, **given), limit))


def played(env, *actions):
    env.reset(seed=1)
    return [env.step(action) for action in actions][-1]


@pytest.mark.parametrize("problem", NOTHING)
def test_who_gives_no_answer_gets_nothing_for_it_in_either_evaluation(problem):
    _, reward, terminated, truncated, info = played(toy(problem, evaluation="aiopslab"), LOOK, LOOK)
    assert (reward, terminated, truncated, info["is_success"]) == (0.0, False, True, False)
    results = info["results"]
    assert results.items() >= {**NOTHING[problem], "success": False, "submitted": "", "steps": 2}.items()
    assert results["out_tokens"] > 0
    json.dumps(info, allow_nan=False)
    _, reward, _, truncated, info = played(toy(problem), LOOK, LOOK)
    assert (reward, truncated, info["results"], info["is_success"]) == (0.0, True, {}, False)


def test_results_have_the_same_types_with_and_without_an_answer():
    for problem in NOTHING:
        env = toy(problem, evaluation="aiopslab")
        ends = [played(env, *actions)[4] for actions in ((LOOK, LOOK), (block("submit(None)"),))]
        if ends[1]["results"]:
            types = [{key: type(value) for key, value in info["results"].items()} for info in ends]
            assert types[0] == types[1]


@pytest.mark.parametrize(("evaluation", "reward"), [("aiopslab", 1.0), ("strict", 0.0)])
def test_a_system_that_was_repaired_and_never_submitted_counts_as_upstream(evaluation, reward):
    env = gym.make("aiops_gym/Mitigation-v0", problem=BROKEN, evaluation=evaluation)
    env.reset(seed=2)
    actions = env.unwrapped.reference_actions()[:-1]
    fix = next(action for action in actions if "patch" in action or "rollout" in action)
    wait = block("exec_shell('sleep 60', 90)")
    env = gym.make("aiops_gym/Mitigation-v0", problem=BROKEN, evaluation=evaluation, max_episode_steps=2)
    env.reset(seed=2)
    env.step(fix)
    _, gained, terminated, truncated, info = env.step(wait)
    assert (gained, terminated, truncated) == (reward, False, True)
    assert info["is_success"] == bool(info["results"]) == bool(reward)
    assert info["reward_components"] == ({"repaired": 1.0} if reward else {})


def test_an_answer_at_the_last_step_is_graded_once():
    env = toy("revoke_auth_mongodb-detection-1", evaluation="aiopslab")
    _, reward, terminated, truncated, info = played(env, LOOK, YES)
    assert (reward, terminated, truncated, info["results"]["submitted"]) == (1.0, True, True, '"Yes"')


def test_a_grade_changes_nothing_and_can_be_asked_for_at_any_step():
    env = ToyEnv("mitigation", BROKEN, evaluation="aiopslab")
    played(env, MEND)
    before = env.snapshot()
    reward, info = env.grade()
    assert env.grade() == (reward, info)
    assert (env.snapshot(), info["step"], info["tool"]) == (before, 1, "exec_shell")
    assert env.step(block("submit()"))[2]
    assert env.grade()[1]["results"]["submitted"] == "null"
    assert env.grade()[0] == 0.0  # what the submission has earned is not earned again


def test_a_world_that_breaks_while_it_is_graded_is_no_failure_of_the_agent(monkeypatch):
    def broken(self):
        raise BackendError("the cluster is gone")

    monkeypatch.setattr(ToyBackend, "calm", broken)
    _, reward, _, truncated, info = played(toy(BROKEN, evaluation="aiopslab"), LOOK, LOOK)
    assert (reward, truncated, info["infra_error"], info["results"]) == (0.0, True, True, {})


def test_forks_live_below_the_limit():
    env = toy(BROKEN, evaluation="aiopslab")
    played(env, LOOK, LOOK)
    assert env.unwrapped.fork()[0].step(LOOK)[2:4] == (False, False)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_vectors_tell_the_verdict_of_the_last_step(mode):
    envs = vector(ToyEnv, 2, task="detection", evaluation="aiopslab", max_episode_steps=1, autoreset_mode=mode)
    envs.reset(seed=1)
    _, _, _, truncated, infos = envs.step([LOOK, YES])
    told = infos["final_info"] if mode == "SameStep" else infos
    assert truncated.tolist() == [True, True]
    assert told["results"]["Detection Accuracy"][0] == "Invalid Format"
    assert told["results"]["steps"].tolist() == [1, 1]


def test_the_registered_environments_have_it_and_their_specs_make_the_same():
    for env in (gym.make("aiops_gym/Detection-v0"), incidents(1).envs[0]):
        assert isinstance(env, GradedAtLimit)
        assert repr(gym.make(env.spec)) == repr(env)
        assert env.spec.max_episode_steps == 30


@pytest.mark.parametrize("wrap", [lambda env: env, GradedAtLimit, lambda env: GradedAtLimit(GradedAtLimit(env))])
def test_a_run_grades_whether_the_environment_around_does_or_not(wrap, tmp_path):
    env = wrap(TimeLimit(ToyEnv("mitigation", BROKEN, evaluation="aiopslab"), 2))
    episode = run_episode(env, lambda _: MEND, seed=1)
    graded = ToyEnv("mitigation", BROKEN, evaluation="aiopslab")
    played(graded, MEND, MEND)
    reward, info = graded.grade()
    assert (episode.reward, episode.steps[-1]["reward"], episode.results) == (reward, reward, info["results"])
    assert (episode.truncated, episode.submitted, episode.success) == (True, "", bool(reward))


def test_a_recorded_file_has_the_verdict_of_the_last_step(tmp_path):
    env = RecordEpisodes(toy("revoke_auth_mongodb-detection-1", evaluation="aiopslab"), tmp_path)
    played(env, LOOK, LOOK)
    results = json.loads(env.files[0].read_text())["results"]
    assert (results["Detection Accuracy"], results["submitted"]) == ("Invalid Format", "")
