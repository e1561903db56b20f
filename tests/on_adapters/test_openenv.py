"""Incidents behind a server of OpenEnv, played by its clients over the loopback."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import contextmanager

import httpx
import pytest
import uvicorn
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
from openenv.core import GenericEnvClient

from aiops_gym.adapters.openenv import IncidentAction, IncidentClient, IncidentEnvironment, make_app
from aiops_gym.envs.episode import EpisodeEnv
from aiops_gym.sessions import Sessions
from aiops_gym.sessions.session import ENDED
from aiops_gym.tools import write_call


@contextmanager
def serving(app):
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def url():
    with serving(make_app(limit=MEMBERS)) as url:
        yield url


def act(tool, given):
    return IncidentAction(tool=tool, arguments=given)


def speak(tool, given):
    return IncidentAction(text=write_call(tool, given))


async def play(url, posed, calls, write=act):
    async with IncidentClient(base_url=url) as client:
        results = [await client.reset(**posed)]
        for call in calls:
            results.append(await client.step(write(*call)))
    assert [result.done for result in results] == [False] * len(calls) + [True]
    return [result.observation.text for result in results], sum(result.reward for result in results)


@pytest.mark.parametrize(("case", "write"), [*((case, act) for case in CASES), ("detection", speak)])
def test_a_client_plays_as_the_registered_environment_does(url, case, write):
    (problem, seed), calls = CASES[case]
    played = asyncio.run(play(url, {"problem": problem, "seed": seed}, calls, write))
    assert played == play_registered(problem, seed, calls)


def test_a_group_of_clients_side_by_side(url):
    async def run():
        posed = {"problem": PROBLEM, "seed": SEED}
        return await asyncio.gather(*(play(url, posed, group_calls(member)) for member in range(MEMBERS)))

    check_group(asyncio.run(run()))


def test_a_client_begins_again_and_the_state_is_the_trainers(url):
    with IncidentClient(base_url=url).sync() as client:
        texts = [client.reset(problem=PROBLEM, seed=SEED, episode_id="mine").observation.text for _ in range(2)]
        assert texts[0] == texts[1]
        client.step(act("submit", {"faulty_components": ["geo"]}))
        state = client.state()
    assert (state.episode_id, state.step_count, state.success, state.masked) == ("mine", 1, True, False)


def test_tasks_are_problems_of_splits_and_a_seed_makes_an_episode_of_one(url):
    assert [each["name"] for each in httpx.get(f"{url}/aiops_gym/splits").json()] == ["train", "test"]

    def ask(what, **given):
        return httpx.post(f"{url}/aiops_gym/{what}", json=given)

    many = {split: ask("num_tasks", split=split).json()["num_tasks"] for split in ("train", "test")}
    tasks = {split: ask("tasks", split=split).json()["tasks"] for split in many}
    assert {split: len(found) for split, found in tasks.items()} == many
    ids = {split: {each["problem"] for each in found} for split, found in tasks.items()}
    assert {each.partition("_")[0] for each in ids["train"] & ids["test"]} == {"noop"}  # healthy ones are in both
    assert ask("task", split="test", index=7).json()["task"] == tasks["test"][7]
    assert ask("task_range", split="test", start=5, stop=9).json()["tasks"] == tasks["test"][5:9]
    for wrong in ({"split": "test", "index": many["test"]}, {"split": "other", "index": 0}):
        assert ask("task", **wrong).status_code == 400
    calls = [group_calls(0)[0]]
    with IncidentClient(base_url=url).sync() as client:
        texts = [client.reset(split="test", index=7, seed=5).observation.text]
        texts += [client.step(act(*call)).observation.text for call in calls]
    assert texts == play_registered(tasks["test"][7]["problem"], 5, calls)[0]


def test_a_server_of_one_task_draws_by_the_seed():
    environment = IncidentEnvironment(Sessions(), task="analysis")
    assert {each["task"] for each in environment.list_tasks("train")} == {"analysis"}
    environment.reset(seed=3, split="train")
    first = environment._session.score().info["problem"]
    environment.reset(seed=3, split="train")
    assert environment._session.score().info["problem"] == first
    assert first in {each["problem"] for each in environment.list_tasks("train")} or first.startswith("noop")


def test_the_agent_sees_text_and_tools_and_nothing_of_the_trainers(url):
    with GenericEnvClient(base_url=url).sync() as client:
        begun = client.reset(problem=PROBLEM, seed=SEED)
        results = [begun, *(client.step({"tool": tool, "arguments": given}) for tool, given in group_calls(0))]
    assert {key for result in results for key in result.observation} == {"text", "tools", "metadata"}
    assert not any(result.observation["metadata"] for result in results)
    check_surface(begun.observation["tools"])
    schema = httpx.get(f"{url}/schema").json()["action"]
    assert set(schema["properties"]) == {"tool", "arguments", "text", "metadata"}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    assert "error" in httpx.post(f"{url}/mcp", json=asked).json()


def test_what_breaks_inside_has_no_reward_and_is_masked(url, monkeypatch):
    step = EpisodeEnv.step

    def broken(self, action):
        if "echo 3" in action:
            raise ValueError("secret")
        return step(self, action)

    monkeypatch.setattr(EpisodeEnv, "step", broken)
    with IncidentClient(base_url=url).sync() as client:
        client.reset(problem=PROBLEM, seed=SEED)
        result = client.step(act(*group_calls(3)[1]))
        assert (result.done, result.reward, result.observation.text) == (True, None, ENDED)
        state = client.state()
        assert state.masked
        assert "secret" in state.reason
        assert client.reset(problem=PROBLEM, seed=SEED).reward == 0.0


def test_a_world_that_does_not_start_has_no_reward():
    begun = IncidentEnvironment(Sessions(), backend="kubernetes").reset(problem=PROBLEM)
    assert (begun.done, begun.reward) == (True, None)


def test_a_mistake_of_the_trainer_is_said_and_the_session_goes_on(url):
    with IncidentClient(base_url=url).sync() as client:
        with pytest.raises(RuntimeError, match="reset begins an episode"):
            client.step(act("submit", {}))
        with pytest.raises(RuntimeError, match="no-such"):
            client.reset(problem="no-such")
        assert not client.reset(problem=PROBLEM).done


def test_the_lines_of_the_page_run(url, capsys):
    run_page("OpenEnv", {"http://127.0.0.1:8000": url})
    assert "kube-system" in capsys.readouterr().out
