"""Agents written for AIOpsLab and for the plan for OpenRCA run with their import lines changed, and nothing else."""

from __future__ import annotations

import json
import uuid

import gymnasium as gym
import pytest
from upstream import load

import aiops_gym
from aiops_gym.adapters.aiopslab import SubmissionStatus
from aiops_gym.agents.kinds import NEXT
from aiops_gym.envs.naming import find_env
from aiops_gym.openrca import problems_from_query_csv
from aiops_gym.runs import Episode

LIVE = [
    "revoke_auth_mongodb-detection-1",
    "wrong_bin_usage-detection-1",
    "noop_detection_hotel_reservation-1",
    "misconfig_app_hotel_res-localization-1",
    "scale_pod_zero_social_net-localization-1",
    "auth_miss_mongodb-localization-1",
    "revoke_auth_mongodb-analysis-1",
    "k8s_target_port-misconfig-analysis-1",
    "revoke_auth_mongodb-mitigation-1",
    "k8s_target_port-misconfig-mitigation-1",
]
ROWS = range(10)

KEYS = {
    "agent": str,
    "session_id": str,
    "problem_id": str,
    "start_time": float,
    "end_time": float,
    "trace": list,
    "results": dict,
}
"""Of a session file of the original, in its order, and the kinds of their values."""

COUNTS = {"steps": int, "in_tokens": int, "out_tokens": int}
RESULTS = {
    "detection": {"Detection Accuracy": str, "TTD": float},
    "localization": {"Localization Accuracy": float, "success": bool, "is_subset": bool, "TTL": float},
    "analysis": {"system_level_correct": bool, "fault_type_correct": bool, "success": bool, "TTA": float},
    "mitigation": {"success": bool, "TTM": float},
    "root_cause": {
        "score": float,
        "component_match": bool,
        "reason_match": bool,
        "time_match": bool,
        "task_index": str,
    },
}


def play_gym(problem, actions, **kwargs):
    """What `gym.make` says to the same actions."""
    env = gym.make(find_env(problem), problem=problem, disable_env_checker=True, **kwargs)
    _, info = env.reset(seed=0)
    turns = [env.step(action) for action in actions]
    parts = env.unwrapped.prompt_parts
    return info, (parts.task, parts.instructions, dict(parts.apis)), turns


def check_session(path, problem, agent, task):
    """A saved session has the original's keys and kinds of values, and is one of our episodes too."""
    data = json.loads(path.read_text(encoding="utf-8"))
    assert path.name == f"{data['session_id']}_{data['start_time']}.json"
    assert {key: type(data[key]) for key in list(data)[:7]} == KEYS
    assert (data["problem_id"], data["agent"]) == (problem, agent)
    assert str(uuid.UUID(data["session_id"])) == data["session_id"]
    assert data["start_time"] < data["end_time"]
    assert [each["role"] for each in data["trace"]] == ["assistant", "env"] * (len(data["trace"]) // 2)
    assert all(set(each) == {"role", "content"} and type(each["content"]) is str for each in data["trace"])
    expected = {**RESULTS[task], **COUNTS}
    assert {key: type(data["results"][key]) for key in expected} == expected
    assert Episode.load(path).results == data["results"]
    return data


def check_played(problem, agent, told, saved, **kwargs):
    """Observations, reward and verdict are those of `gym.make`; the agent was told no more than it shows."""
    said = [item.content for item in told["history"] if item.role == "assistant"]
    heard = [item.content for item in told["history"] if item.role == "env"]
    info, context, turns = play_gym(problem, said, **kwargs)
    assert agent.told[0] == context
    assert heard == [turn[0] for turn in turns]
    assert agent.told[1:] == [NEXT, *(f"{text}\n{NEXT}" for text in heard[:-1])]
    assert told["results"] == saved["results"] == turns[-1][4]["results"]
    assert saved["reward"] == sum(turn[1] for turn in turns)
    assert told["final_state"] is SubmissionStatus.VALID_SUBMISSION
    assert told["framework_overhead"] > 0
    shown = " ".join(map(str, agent.told))
    assert problem not in shown
    assert str(info["episode_seed"]) not in shown


@pytest.mark.parametrize("kind", ["Agent", "PlainAgent"])
def test_a_react_agent_plays_ten_problems(kind, tmp_path):
    program = load("react", tmp_path)
    agents, results = program.main(getattr(program, kind), LIVE, 10, results_dir=tmp_path / "out")
    files = {json.loads(path.read_text())["problem_id"]: path for path in (tmp_path / "out").iterdir()}
    assert len(files) == len(LIVE)
    for problem, agent, told in zip(LIVE, agents, results, strict=True):
        task = next(each for each in RESULTS if each in problem)
        saved = check_session(files[problem], problem, "react", task)
        assert saved["results"]["steps"] == 4
        if kind == "Agent":
            check_played(problem, agent, told, saved, evaluation="aiopslab")
        else:
            assert told["history"]


@pytest.mark.parametrize("kind", ["Agent", "PlainAgent"])
def test_an_agent_of_the_plan_plays_ten_questions(kind, tmp_path):
    program = load("rca", tmp_path)
    agents, results = program.main(getattr(program, kind), ROWS, 5, results_dir=tmp_path / "out")
    files = {json.loads(path.read_text())["problem_id"]: path for path in (tmp_path / "out").iterdir()}
    questions = problems_from_query_csv("Bank")
    assert len(files) == len(ROWS)
    for row, agent, told in zip(ROWS, agents, results, strict=True):
        problem = questions[row].id
        saved = check_session(files[problem], problem, "rca", "root_cause")
        assert saved["results"]["task_index"] == questions[row].task_index
        check_played(problem, agent, told, saved)


def test_the_ten_problems_are_of_both_applications_and_all_tasks():
    known = {each.id: each for each in aiops_gym.problems()}
    assert {known[each].app for each in LIVE} == {"hotel_reservation", "social_network"}
    assert {known[each].task for each in LIVE} == {*RESULTS} - {"root_cause"}
