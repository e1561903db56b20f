"""Incidents in verifiers, played over HTTP by a model that says what it is told to."""

from __future__ import annotations

import asyncio
import json
import re
from itertools import count
from operator import itemgetter

import pytest
import verifiers.v1 as vf
from chat_server import USAGE, ChatServer, Raw, turn
from door_contract import (
    CASES,
    MEMBERS,
    PROBLEM,
    SEED,
    check_group,
    check_surface,
    group_calls,
    play_registered,
    run_page,
)
from verifiers.v1.clients import ModelContext

from aiops_gym.adapters.verifiers import IncidentEnvConfig
from aiops_gym.envs.episode import EpisodeEnv
from aiops_gym.tools import write_call


def said(tool, given, text=False):
    message = {"role": "assistant", "content": write_call(tool, given) if text else None}
    if not text:
        call = {"id": "one", "type": "function", "function": {"name": tool, "arguments": json.dumps(given)}}
        message["tool_calls"] = [call]
    choice = {"index": 0, "message": message, "finish_reason": "stop" if text else "tool_calls", "logprobs": None}
    whole = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": USAGE}
    return Raw(json.dumps(whole).encode())


def play(speak, taskset, rollouts=1, seed=None):
    """The episodes of a first task, side by side, and what the model was sent."""

    async def run(url):
        env = vf.load_environment(IncidentEnvConfig(taskset={"id": "aiops-gym-verifiers", **taskset}))
        client = vf.EvalClientConfig(base_url=url, api_key_var="NO_KEY_IS_NEEDED")
        ctx = ModelContext(model="m", client=client, sampling=vf.SamplingConfig())
        task = next(iter(env.taskset))
        task = task if seed is None else task.with_data(made={**task.data.made, "seed": seed})
        async with env.serving():
            return await asyncio.gather(*(env.run_slot(slot, ctx) for slot in env.slots(task, rollouts)))

    with pytest.MonkeyPatch.context() as patch, ChatServer(speak) as server:
        patch.setenv("NO_KEY_IS_NEEDED", "x")
        return asyncio.run(run(server.url)), server.requests


def read(episode):
    """What the agent read, and the reward. What comes after the last action is not sent to it."""
    assert episode.ok, episode.errors
    (trace,) = episode.traces
    texts = [message.content for message in trace.branches[-1].messages if message.role != "assistant"]
    return texts, trace.rewards["reward"].score


def without_last(played):
    return [(texts[:-1], reward) for texts, reward in played]


@pytest.mark.parametrize(("case", "text"), [*((case, False) for case in CASES), ("detection", True)])
def test_an_episode_plays_as_the_registered_environment_does(case, text):
    (problem, seed), calls = CASES[case]
    episodes, _ = play(lambda messages: said(*calls[turn(messages)], text), {"problems": [problem]}, seed=seed)
    assert list(map(read, episodes)) == without_last([play_registered(problem, seed, calls)])


MINE = re.compile(r"echo (\d) > /tmp/mine")


def members():
    """A model that is a new member of the group whenever somebody begins."""
    fresh = count()

    def speak(messages):
        mine = MINE.search(json.dumps(messages))
        number = int(mine[1]) if mine else next(fresh) if turn(messages) == 1 else 0
        return said(*group_calls(number)[turn(messages)])

    return speak


def test_rollouts_are_a_group_of_identical_starts():
    episodes, requests = play(members(), {"problems": [PROBLEM]}, MEMBERS, SEED)
    numbers = [int(MINE.search(episode.traces[0].model_dump_json())[1]) for episode in episodes]
    check_group([read(episode) for _, episode in sorted(zip(numbers, episodes, strict=True), key=itemgetter(0))], 1)
    check_surface([request["tools"] for request in requests])
    sent = json.dumps(requests)
    assert PROBLEM not in sent
    assert str(SEED) not in sent
    assert {key for request in requests for key in request} == {"model", "messages", "tools"}


@pytest.mark.parametrize("arguments", ["[1]", "{", "", "null"])
def test_arguments_that_are_none_are_an_action_all_the_same(arguments):
    def speak(messages):
        if turn(messages):
            return said("submit", {"has_anomaly": "No"})
        return Raw(said("get_logs", {}).body.replace(b'"arguments": "{}"', f'"arguments": "{arguments}"'.encode()))

    (episode,), _ = play(speak, {"problems": ["noop_detection_hotel_reservation-1"]})
    assert episode.traces[0].metrics["steps"] == 2
    assert read(episode)[1] == 1.0


def test_a_taskset_has_each_problem_with_each_seed_or_what_is_drawn():
    def made(**config):
        config = IncidentEnvConfig(taskset={"id": "aiops-gym-verifiers", **config})
        return [task.data.made for task in vf.load_environment(config).taskset]

    assert [each["seed"] for each in made(kind="mitigation", split="train", seeds=3)] == [0, 1, 2]
    assert [each["problem"] for each in made(problems=[PROBLEM, "other"], seeds=2)] == 2 * [PROBLEM] + 2 * ["other"]


def test_what_breaks_inside_is_an_error_of_the_episode_and_no_reward(monkeypatch):
    step = EpisodeEnv.step

    def broken(self, action):
        if "echo 3" in action:
            raise ValueError("secret")
        return step(self, action)

    monkeypatch.setattr(EpisodeEnv, "step", broken)
    episodes, requests = play(members(), {"problems": [PROBLEM]}, 5, SEED)
    (failed,) = [episode for episode in episodes if not episode.ok]
    assert [error.type for error in failed.errors] == ["EnvError"]
    assert "secret" in failed.errors[0].message
    assert not [trace for trace in failed.traces if trace.rewards]
    assert "secret" not in json.dumps(requests)


def test_a_world_that_does_not_start_is_an_error_of_the_episode():
    (episode,), requests = play(members(), {"problems": [PROBLEM], "options": {"backend": "kubernetes"}})
    assert not episode.ok
    assert not requests


def test_the_lines_of_the_page_run(monkeypatch, capsys):
    monkeypatch.setenv("KEY", "none is needed")
    with ChatServer(lambda messages: said("submit", {"has_anomaly": "No"})) as server:
        smaller = {'"seeds": 64': '"seeds": 1', "(task, 8)": "(task, 2)", "http://127.0.0.1:8000/v1": server.url}
        run_page("verifiers", smaller)
    (line,) = capsys.readouterr().out.splitlines()
    assert len(json.loads(line)) == 2
