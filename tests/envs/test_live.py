"""The contract of the environments, kept over a toy world; `test_registered` asks the same of the real one."""

from __future__ import annotations

import copy
import json
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import TimeLimit
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_world import ToyEnv, block

from aiops_gym.catalog import registry
from aiops_gym.envs.live import LiveEnv
from aiops_gym.envs.saved import MAGIC
from aiops_gym.errors import CatalogError, SnapshotError

TASKS = ("detection", "localization", "analysis", "mitigation")
KEYS = {
    "problem": str,
    "task": str,
    "episode_seed": int,
    "step": int,
    "time": float,
    "tool": str,
    "error": str,
    "valid_action": bool,
    "is_success": bool,
    "infra_error": bool,
    "reward_components": dict,
    "results": dict,
}


@pytest.fixture
def env():
    made = ToyEnv("detection", "revoke_auth_mongodb-detection-1")
    made.reset(seed=7)
    return made


def right(info):
    assert {key: type(value) for key, value in info.items()} == KEYS
    json.dumps(info, allow_nan=False)
    return info


@pytest.mark.parametrize("task", TASKS)
def test_gymnasium_finds_nothing_to_complain_about(task):
    check_env(ToyEnv(task), skip_render_check=True)


@pytest.mark.parametrize("task", TASKS)
def test_the_prompt_holds_all_that_an_agent_needs_and_not_the_answer(task):
    env = ToyEnv(task)
    text, info = env.reset(seed=1)
    right(info)
    for part in ("Namespace: test-hotel-reservation", "get_logs(namespace: str, service: str)", "```\nsubmit("):
        assert part in text
    assert info["problem"] not in text
    assert text in env.observation_space
    assert ("The components are: consul, " in text) == (task == "localization")


def test_a_step_costs_time_and_tells_what_was_called(env):
    text, reward, terminated, truncated, info = env.step(block("exec_shell('echo hi')"))
    assert (text, reward, terminated, truncated) == ("hi\n", 0.0, False, False)
    assert right(info)["tool"] == "exec_shell"
    assert (info["step"], info["time"], info["error"], info["valid_action"]) == (1, 5.0, "", True)


@pytest.mark.parametrize(
    ("action", "error", "tool"),
    [
        ("hello", "parse", ""),
        (block("fly()"), "unknown_api", ""),
        (block("exec_shell()"), "arguments", "exec_shell"),
        (block("exec_shell('kubectl edit cm x')"), "blocked", "exec_shell"),
        (block("exec_shell('sleep 100', timeout=2)"), "timeout", "exec_shell"),
        (block("submit(5)"), "submission", "submit"),
        (block("submit()"), "submission", "submit"),
    ],
)
def test_a_refused_action_is_an_observation_with_the_reason(env, action, error, tool):
    text, reward, terminated, _, info = env.step(action)
    assert (info["error"], info["tool"], info["valid_action"]) == (error, tool, False)
    assert (reward, terminated) == (0.0, False)
    assert len(text) > 10
    right(info)


def test_a_submission_ends_the_episode_with_its_results(env):
    env.step(block("exec_shell('echo hi')"))
    _, reward, terminated, truncated, info = env.step(f"I see.\n{block('submit(has_anomaly=' + repr(' yes') + ')')}")
    assert (reward, terminated, truncated, right(info)["is_success"]) == (1.0, True, False, True)
    results = info["results"]
    assert (results["TTD"], results["steps"], results["Detection Accuracy"]) == (10.0, 2, "Correct")
    assert (results["expected"], results["submitted"]) == ('"Yes"', '" yes"')
    assert results["in_tokens"] > 0
    assert results["out_tokens"] > 5
    assert results["token_method"] == "nonblank-characters/3"


def test_after_the_end_a_fixed_text_is_printed_and_nothing_moves(env):
    env.step(block("submit('Yes')"))
    for _ in range(2):
        text, reward, terminated, truncated, info = env.step(block("exec_shell('echo hi')"))
        assert text.startswith("The episode is over")
        assert (reward, terminated, truncated, info["step"], info["time"]) == (0.0, True, False, 1, 5.0)
        assert right(info)["results"] == {}


def test_a_mitigation_is_judged_on_the_system():
    env = ToyEnv("mitigation", "wrong_bin_usage-mitigation-1")
    env.reset(seed=1)
    assert env.step(block("submit()"))[1] == 0.0
    env.reset(seed=1)
    env.step(block("exec_shell('mend')"))
    _, reward, _, _, info = env.step(block("submit()"))
    assert reward == 1.0
    assert info["reward_components"]["cause_gone"] == 1.0


def test_the_same_seed_is_the_same_episode_whatever_ran_before(env):
    def played(made):
        trace = [made.reset(seed=11)]
        trace += [made.step(block(call)) for call in ("exec_shell('echo 1')", "get_traces('x')", "submit('No')")]
        return trace

    assert played(ToyEnv("detection")) == played(env.__class__("detection"))
    used = ToyEnv("detection")
    used.reset(seed=3)
    used.step("nothing")
    assert played(used) == played(ToyEnv("detection"))


def test_the_episode_seed_of_an_info_repeats_the_episode():
    env = ToyEnv("analysis")
    env.reset(seed=5)
    text, info = env.reset()
    for other in (env, ToyEnv("analysis")):
        assert other.reset(options={"episode_seed": info["episode_seed"]}) == (text, info)
    assert env.reset(options={"episode_seed": np.int64(3)})[1]["episode_seed"] == 3


def test_a_problem_may_be_one_of_several_or_any():
    ids = ["wrong_bin_usage-detection-1", "container_kill-detection", "pod_kill_hotel_res-detection-1"]
    env = ToyEnv("detection", ids)
    env.reset(seed=0)
    assert {env.reset()[1]["problem"] for _ in range(60)} == set(ids)
    assert env.reset(options={"problem": ids[1]})[1]["problem"] == ids[1]
    anything = ToyEnv("detection")
    anything.reset(seed=0)
    drawn = [anything.reset()[1]["problem"] for _ in range(200)]
    healthy = sum(name.startswith("noop") for name in drawn)
    assert 60 <= healthy <= 100
    assert len(set(drawn)) > 8


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"problem": "nonsense"}, CatalogError, "nonsense"),
        ({"problem": []}, CatalogError, "empty"),
        ({"problem": ["wrong_bin_usage-mitigation-1"]}, CatalogError, "a problem of mitigation"),
        ({"problem": [5]}, CatalogError, "by its id"),
        ({"problem": 5}, CatalogError, "by its id, not by int$"),
        ({"problem": registry.find_problem("wrong_bin_usage-detection-1")}, CatalogError, r"pass its `\.id`"),
        ({"split": "dev"}, CatalogError, "split"),
        ({"task": "cooking"}, CatalogError, "no task"),
        ({"action_format": "loose"}, ValueError, "tolerant, strict"),
        ({"evaluation": "kind"}, ValueError, "strict, aiopslab"),
        ({"observation_limit": 0}, ValueError, "whole number"),
        ({"log_dedup": -1}, ValueError, "whole number"),
        ({"log_dedup": 1.5}, ValueError, "whole number"),
    ],
)
def test_a_wrong_argument_is_named_at_once(arguments, error, says):
    with pytest.raises(error, match=says):
        ToyEnv(**arguments)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"problem": "nonsense"}, CatalogError),
        ({"problem": "wrong_bin_usage-analysis-1"}, CatalogError),
        ({"episode_seed": -1}, ValueError),
        ({"episode_seed": 2**63}, ValueError),
        ({"episode_seed": "x"}, ValueError),
        ({"sed": 1}, ValueError),
    ],
)
def test_a_wrong_option_leaves_the_running_episode_alone(env, options, error):
    before = env.snapshot()
    with pytest.raises(error):
        env.reset(options=options)
    assert env.snapshot() == before


def test_an_unknown_render_mode_never_raises():
    env = ToyEnv("detection", render_mode="hologram")
    env.reset(seed=1)
    assert env.render() is None


def test_the_transcript_is_coloured_and_harmless(env, capsys):
    env.render_mode = "ansi"
    env.step(block("exec_shell('echo \\x1b[2J')"))
    assert "\\x1b[2J" in env.render()
    assert "\x1b[2J" not in env.render()
    env.render_mode = "human"
    env.step(block("submit('Yes')"))
    assert env.render() is None
    assert "reward 1.00" in capsys.readouterr().out


def test_outputs_are_clipped_and_hold_no_surrogates():
    env = ToyEnv("detection", observation_limit=100)
    env.reset(seed=1)
    text = env.step(block(f"exec_shell('echo {'x' * 500}')"))[0]
    assert len(text) <= 100
    assert "characters left out" in text
    assert env.step("\ud800")[0] in env.observation_space


def test_a_broken_world_is_not_the_agents_fault(env):
    text, reward, terminated, _, info = env.step(block("exec_shell('crash')"))
    assert "broke" in text
    assert (reward, terminated, right(info)["infra_error"], info["valid_action"]) == (0.0, True, True, False)


def test_stepping_before_a_reset_is_an_error_of_the_caller():
    with pytest.raises(gym.error.ResetNeeded):
        ToyEnv("detection").step("x")


def futures(env):
    steps = [env.step(block(call)) for call in ("exec_shell('ls m')", "exec_shell('sleep 3')", "submit('Yes')")]
    return steps, env.reset(), env.action_space.sample()


def test_a_branch_continues_exactly_and_disturbs_nothing(env):
    env.action_space.seed(3)
    env.step(block("get_metrics('test-hotel-reservation')"))
    saved = env.snapshot()
    other = ToyEnv("detection", "revoke_auth_mongodb-detection-1")
    other.restore(saved)
    branches = [*env.fork(2), copy.deepcopy(env), pickle.loads(pickle.dumps(env)), other, env]
    played = [futures(branch) for branch in branches]
    assert all(each == played[0] for each in played)
    env.restore(saved)
    assert env.snapshot() == saved
    assert futures(env) == played[0]


def test_forks_go_their_own_ways(env):
    left, right_ = env.fork(2)
    left.step(block("get_metrics('test-hotel-reservation')"))
    assert right_.step(block("exec_shell('ls metrics')"))[0] == "\n"
    assert "kpi_container_threads" in left.step(block("exec_shell('ls metrics')"))[0]
    assert right_.step(block("submit('Yes')"))[2]
    assert not left.step(block("exec_shell('echo')"))[2]


def test_forks_live_below_the_time_limit_of_the_original():
    env = TimeLimit(ToyEnv("detection"), 2)
    env.reset(seed=1)
    env.step("x")
    fork = env.unwrapped.fork()[0]
    assert env.step("x")[3]
    assert not fork.step("x")[3]


@pytest.mark.parametrize("data", [b"", b"x", MAGIC + b"9\n{}", MAGIC + b"2\n[]", MAGIC + b"x\n", "text"])
def test_what_is_no_snapshot_is_refused(env, data):
    with pytest.raises(SnapshotError):
        env.restore(data)


def test_a_snapshot_of_another_task_or_world_is_refused(env):
    for other in (ToyEnv("analysis"), ToyEnv("detection", noise=False)):
        with pytest.raises(SnapshotError, match="was taken with"):
            other.restore(env.snapshot())


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", range(4))
def test_the_reference_submits_what_is_right(task, seed):
    env = ToyEnv(task)
    env.reset(seed=seed)
    actions = env.reference_actions()
    env.step(block("exec_shell('mend')"))
    steps = [env.step(action) for action in actions]
    assert steps[-1][1:3] == (1.0, True)
    assert all(step[4]["error"] == "" for step in steps)


@given(st.text(max_size=60) | st.sampled_from(["submit('Yes')", "exec_shell('echo', 5)", "submit([])"]))
@settings(max_examples=150, deadline=None)
def test_any_action_is_survived(text):
    env = ToyEnv("localization", "container_kill-localization")
    env.reset(seed=1)
    for action in (text, block(text), block(f"exec_shell({text!r})"), block(f"submit({text!r})")):
        observation, reward, _, truncated, info = env.step(action)
        assert observation in env.observation_space
        assert 0.0 <= reward <= 1.0
        assert truncated is False
        right(info)


def test_odd_actions_that_are_no_text_are_survived(env):
    for action in (None, 5, b"x", ["a"], "x" * 1_000_000):
        assert env.step(action)[4]["error"] == "parse"


def test_a_page_of_a_file_is_shown_whole_whatever_the_limit_is():
    for limit in (120, 300, 16_000):
        env = ToyEnv("detection", observation_limit=limit)
        env.reset(seed=1)
        env.unwrapped._backend.shell.files["a.csv"] = "n,half\n" + "".join(f"{n},{n / 2}\n" for n in range(500))
        text = env.step(block("read_metrics('a.csv')"))[0]
        assert len(text) <= limit
        assert "characters left out" not in text
        assert ("next: read_metrics('a.csv', offset=" in text) == (limit < 16_000)


def test_logs_are_shortened_unless_that_is_turned_off():
    texts = []
    for kwargs in ({}, {"log_dedup": 5}, {"log_dedup": 0}):
        env = ToyEnv("detection", **kwargs)
        env.reset(seed=1)
        texts.append(env.step(block("get_logs('test-hotel-reservation', 'geo')"))[0])
    assert texts[0] == texts[1] == texts[2].partition("\n")[2]


def test_the_class_says_what_it_takes():
    for word in ("Action Space", "Observation Space", "Rewards", "Episode End", "Version History"):
        assert f"## {word}" in LiveEnv.__doc__
