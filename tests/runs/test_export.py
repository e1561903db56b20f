"""Saved episodes become conversations that a model can be trained on."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest
from toy_world import ToyEnv, block

import aiops_gym  # Registers the environments.
from aiops_gym.agents.base import AgentError, Fixed, make
from aiops_gym.agents.chat.agent import BARE, THINK, TOOLED, write_action
from aiops_gym.agents.chat.history import Called
from aiops_gym.cli import run
from aiops_gym.errors import AiopsGymError
from aiops_gym.runs import evaluate, run_episode
from aiops_gym.runs.export import Wanted, export
from aiops_gym.tools import get_schemas

LOOK, YES, NO = block("exec_shell('echo 한 ✓')"), block("submit('Yes')"), block("submit('No')")


def lines(path):
    text = path.read_text(encoding="utf-8")
    assert text == "" or text.endswith("\n")
    return [json.loads(line) for line in text.split("\n")[:-1]]


def save(folder, name, actions, problem="revoke_auth_mongodb-detection-1"):
    episode = run_episode(ToyEnv(problem=problem), Fixed(actions), seed=1)
    episode.save(folder / name)
    return episode


def test_a_conversation_has_the_prompt_and_ends_with_the_agents_last_word(tmp_path):
    episode = save(tmp_path, "a.json", [LOOK, YES])
    assert export([tmp_path], tmp_path / "train.jsonl") == (1, 0)
    (row,) = lines(tmp_path / "train.jsonl")
    said = [(message["role"], message["content"]) for message in row["messages"]]
    assert said == [
        *[("system", BARE), ("user", episode.prompt)],
        *[("assistant", LOOK), ("user", "한 ✓\n"), ("assistant", YES)],
    ]
    assert (row["reward"], row["success"], row["problem"]) == (1.0, True, "revoke_auth_mongodb-detection-1")


def test_actions_can_be_calls_of_tools_and_read_back_they_are_the_same_calls(tmp_path):
    texts = ["I look.\n" + LOOK, block("get_logs('ns', service='a`b')"), "no call", block("look()"), YES]
    episode = save(tmp_path, "a.json", texts)
    assert run(["export", str(tmp_path), "--out", str(tmp_path / "out.jsonl"), "--tool-calls"]) == 0
    (row,) = lines(tmp_path / "out.jsonl")
    assert row["tools"] == get_schemas("detection")
    assert row["messages"][0]["content"] == TOOLED
    said, heard = row["messages"][2::2], row["messages"][3::2]
    calls = [each["tool_calls"][0] if "tool_calls" in each else None for each in said]
    assert [each and each["function"]["name"] for each in calls] == ["exec_shell", "get_logs", None, None, "submit"]
    assert [json.loads(each["function"]["arguments"]) for each in calls if each][1] == {
        "namespace": "ns",
        "service": "a`b",
    }
    for each, answer, step in zip(calls, heard, episode.steps, strict=False):
        assert answer.get("tool_call_id") == (each and each["id"])
        assert answer["role"] == ("tool" if each else "user")
        assert answer["content"] == step["observation"]
    again = [
        write_action(message["content"], Called(**call["function"])) if call else message["content"]
        for message, call in zip(said, calls, strict=True)
    ]
    played = run_episode(ToyEnv(problem=episode.problem_id), Fixed(again), seed=1)
    assert [step["observation"] for step in played.steps] == [step["observation"] for step in episode.steps]
    assert again[0].startswith("I look.\n```\nexec_shell(command=")


def test_what_json_cannot_say_stays_text(tmp_path):
    save(tmp_path, "a.json", [block("submit({1: 2})"), block("exec_shell('a', 1, 2)"), YES])
    export([tmp_path], tmp_path / "out.jsonl", tools=True)
    said = lines(tmp_path / "out.jsonl")[0]["messages"][2::2]
    assert ["tool_calls" in each for each in said] == [False, False, True]


def test_a_line_names_the_seed_that_repeats_its_episode(tmp_path):
    problem = "revoke_auth_mongodb-detection-1"
    with gym.make("aiops_gym/Detection-v0", problem=problem) as env:
        episode = run_episode(env, Fixed([block("exec_shell('kubectl get pods -A')"), YES]), seed=11)
        episode.save(tmp_path / "a.json")
        export([tmp_path / "a.json"], tmp_path / "out.jsonl")
        (row,) = lines(tmp_path / "out.jsonl")
        assert (row["episode_seed"], row["seed"]) == (episode.episode_seed, 11)
        env.reset(options={"problem": row["problem"], "episode_seed": row["episode_seed"]})
        assert env.step(episode.steps[0]["action"])[0] == episode.steps[0]["observation"]


def test_the_system_message_asks_for_thoughts_where_there_are_some_and_can_be_ones_own(tmp_path):
    save(tmp_path, "a.json", ["I look.\n" + LOOK, YES])
    systems = []
    for system in (None, "Mine.", ""):
        export([tmp_path / "a.json"], tmp_path / "out.jsonl", system=system)
        systems.append(lines(tmp_path / "out.jsonl")[0]["messages"][0])
    assert [each["content"] for each in systems[:2]] == [THINK, "Mine."]
    assert systems[2]["role"] == "user"


def test_only_what_is_wanted_is_written(tmp_path):
    save(tmp_path, "a.json", [YES])
    save(tmp_path, "b.json", [NO])
    broken = save(tmp_path, "c.json", [block("exec_shell('crash')")])
    assert broken.infra_error
    out = tmp_path / "out" / "train.jsonl"
    assert export([tmp_path], out) == (2, 1)
    assert export([tmp_path], out, Wanted(min_reward=1.0)) == (1, 2)
    assert [row["reward"] for row in lines(out)] == [1.0]
    assert export([tmp_path], out, Wanted(tasks=["mitigation"])) == (0, 3)
    assert out.read_text() == ""


def test_what_is_tested_is_not_trained_on(tmp_path):
    problem = next(each for each in aiops_gym.catalog.registry.problems("detection", split="test") if each.fault)
    save(tmp_path, "a.json", [YES], problem.id)
    save(tmp_path, "b.json", [YES])
    out = tmp_path / "out.jsonl"
    for split in ("train", "test"):
        assert export([tmp_path], out, Wanted(split=split)) == (1, 1)
        assert (lines(out)[0]["problem"] == problem.id) == (split == "test")


def test_the_folder_of_an_evaluation_is_a_source(tmp_path):
    evaluate(["noop", "reference"], problems=["container_kill-detection"], out=tmp_path / "runs", workers=0)
    assert export([tmp_path / "runs"], tmp_path / "a.jsonl") == (2, 0)
    assert run(["export", str(tmp_path / "runs"), "--out", str(tmp_path / "b.jsonl"), "--min-reward", "1.0"]) == 0
    (row,) = lines(tmp_path / "b.jsonl")
    assert (row["agent"], row["env"]) == ("reference", "aiops_gym/Detection-v0")


def test_the_same_episodes_give_the_same_bytes(tmp_path):
    for name in ("b.json", "a.json"):
        save(tmp_path, name, [LOOK, YES])
    export([tmp_path], tmp_path / "1.jsonl")
    export([tmp_path], tmp_path / "2.jsonl")
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()


def test_what_is_no_episode_is_said(tmp_path, capsys):
    with pytest.raises(AiopsGymError, match="no file or folder"):
        export([tmp_path / "none"], tmp_path / "out.jsonl")
    with pytest.raises(AiopsGymError, match="no saved episode in"):
        export([tmp_path], tmp_path / "out.jsonl")
    (tmp_path / "x.json").write_text("{}")
    assert run(["export", str(tmp_path), "--out", str(tmp_path / "out.jsonl")]) == 1
    assert "x.json is no saved episode" in capsys.readouterr().err
    assert not (tmp_path / "out.jsonl").exists()


class GivesUp(Fixed):
    """Acts twice."""

    def act(self, observation):
        if self.at == 2:
            raise AgentError("no more ideas")
        return super().act(observation)


def test_an_agent_that_gives_up_keeps_its_steps_and_is_played_again(tmp_path, monkeypatch):
    episode = run_episode(ToyEnv(), GivesUp([LOOK]), seed=1)
    assert (len(episode.steps), episode.agent_error, episode.terminated) == (2, "no more ideas", False)
    monkeypatch.setattr("aiops_gym.agents.noop.make", lambda env, seed: GivesUp([LOOK]))
    problem, out = ["container_kill-detection"], tmp_path / "runs"
    rows = evaluate("noop", problems=problem, out=out, workers=0).find("all")
    assert [row.agent_errors for row in rows] == [1]
    (unfinished,) = (out / "errors").glob("*.unfinished.json")
    assert len(json.loads(unfinished.read_text())["steps"]) == 2
    monkeypatch.undo()
    rows = evaluate("noop", problems=problem, out=out, workers=0).find("all")
    assert [row.episodes for row in rows] == [1]
    assert not list((out / "errors").iterdir())


def test_reference_episodes_of_every_task_can_be_exported(tmp_path):
    for task in ("Detection", "Localization", "Analysis", "Mitigation"):
        env = gym.make(f"aiops_gym/{task}-v0", disable_env_checker=True)
        run_episode(env, make("reference", env), seed=2).save(tmp_path / f"{task}.json")
    assert export([tmp_path], tmp_path / "out.jsonl", Wanted(min_reward=1.0)) == (4, 0)
    for row in lines(tmp_path / "out.jsonl"):
        roles = [message["role"] for message in row["messages"]]
        assert roles == ["system"] + ["user", "assistant"] * (len(roles) // 2)
