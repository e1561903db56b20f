"""The HTTP service: the original's addresses, bodies and codes, for programs of this machine only."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from aiops_gym.adapters.aiopslab import ProblemRegistry
from aiops_gym.adapters.aiopslab.service import Service
from aiops_gym.envs.live import LiveEnv
from aiops_gym.runs import Episode

SICK = "user_unregistered_mongodb-detection-1"


@pytest.fixture
def client(tmp_path):
    with TestClient(Service(folder=tmp_path).app(), base_url="http://127.0.0.1:1818") as client:
        yield client


def test_it_says_what_there_is(client):
    assert client.get("/health").json() == {"status": "healthy", "service": "AIOpsLab"}
    assert client.get("/problems").json() == ProblemRegistry().get_problem_ids()
    agents = client.get("/agents").json()
    assert "chat" in agents
    assert not {"human", "reference"} & {*agents}


def test_a_simulation_is_a_whole_episode_with_the_prompts_in_front(client, tmp_path):
    told = client.post("/simulate", json={"problem_id": SICK, "agent_name": "runbook", "max_steps": None}).json()
    assert list(told) == ["agent", "session_id", "problem_id", "start_time", "end_time", "trace", "results"]
    assert (told["agent"], told["problem_id"]) == ("runbook", SICK)
    assert told["results"]["Detection Accuracy"] == "Correct"
    roles = [each["role"] for each in told["trace"]]
    assert roles[:3] == ["system", "user", "assistant"]
    assert roles[-1] == "assistant"
    saved = Episode.load(next(tmp_path.iterdir()))
    assert told["trace"][1]["content"] == saved.prompt
    assert told["trace"][2:] == saved.trace[:-1]
    assert told["results"] == saved.results


def test_an_episode_has_ten_steps_where_nobody_says_how_many(client):
    told = client.post("/simulate", json={"problem_id": SICK, "agent_name": "random"}).json()
    again = client.post(
        "/simulate", json={"problem_id": SICK, "agent_name": "random", "max_steps": 2, "seed": 1}
    ).json()
    assert told["results"]["steps"] <= 10
    assert again["results"]["steps"] <= 2


REFUSED = [
    ({"problem_id": "no such"}, 404, "Problem no such not found"),
    ({"problem_id": SICK, "agent_name": "Qwen/Qwen2.5-Coder-0.5B-Instruct"}, 404, "There are"),
    ({"problem_id": SICK, "agent_name": "reference"}, 404, "reference not found"),
    ({"problem_id": SICK, "agent_name": "os:system"}, 404, "not found"),
    ({}, 422, "problem_id"),
    ([], 422, "no JSON object"),
    ({"problem_id": SICK, "max_steps": 0}, 422, "max_steps"),
    ({"problem_id": SICK, "seed": -1}, 422, "seed"),
    ({"problem_id": SICK, "max_steps": "3"}, 422, "max_steps"),
    ({"problem_id": SICK, "base_url": "http://10.0.0.1"}, 422, "base_url"),
    ({"problem_id": SICK, "agent_name": "chat"}, 500, "Error during simulation: "),
]


@pytest.mark.parametrize(("asked", "code", "says"), REFUSED)
def test_what_is_no_request_is_refused(client, asked, code, says):
    answer = client.post("/simulate", json=asked)
    assert answer.status_code == code
    assert says in answer.json()["detail"]


def test_a_world_that_breaks_is_an_error_and_no_session(client, tmp_path, monkeypatch):
    monkeypatch.setattr(LiveEnv, "_open", lambda *_: 1 / 0)
    answer = client.post("/simulate", json={"problem_id": SICK})
    assert (answer.status_code, answer.json()["detail"]) == (
        500,
        "Error during simulation: ZeroDivisionError: division by zero",
    )
    assert not list(tmp_path.iterdir())


def test_a_page_in_somebodys_browser_may_not_ask(client):
    assert client.get("/health", headers={"Host": "evil.example"}).status_code == 403
    assert client.get("/problems", headers={"Origin": "http://evil.example"}).status_code == 403
    assert client.post("/simulate", json={"problem_id": SICK}, headers={"Origin": "null"}).status_code == 403


def test_these_are_all_addresses_and_each_has_one_method(client):
    assert {each.path for each in client.app.routes} == {"/health", "/problems", "/agents", "/simulate"}
    assert client.post("/health").status_code == client.get("/simulate").status_code == 405
    assert client.get("/step").status_code == 404
