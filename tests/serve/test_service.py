"""Sessions over HTTP: who may ask for what, and what is said when it cannot be done."""

import asyncio
import json
import os
import signal
import subprocess
import sys

import httpx
import pytest

from aiops_gym.serve.desk import Desk
from aiops_gym.serve.drawers import AGENTS, KEPT, Drawers
from aiops_gym.serve.service import ROUTES, make_app, serve_sessions
from aiops_gym.sessions import Sessions
from aiops_gym.sessions.client import RemoteSessions, ask
from aiops_gym.sessions.session import ENDED

HEALTHY = "noop_detection_hotel_reservation-1"
LOOK = '```\nexec_shell("hostname")\n```'
TRAINER = "the-trainers"
HERE = "http://127.0.0.1:5"


class Here:
    """A desk in this process."""

    def __init__(self, limit=4, clock=lambda: 0.0):
        self.open = self.waiting = 0
        self.life = 1
        self.drawers = Drawers(Sessions(limit, 60.0, clock), "0.1.")

    async def ask(self, *asked):
        return self.drawers.answer(*asked)


def knock(desk, *asked):
    """The answers to requests, one after another: method, path, token, body, headers."""

    async def run():
        app = make_app([desk], TRAINER, "127.0.0.1")
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=HERE) as client:
            return [await request(client, *each) for each in asked]

    async def request(client, method, path, token=TRAINER, body=None, headers=None):
        shown = {"Authorization": f"Bearer {token}", **(headers or {})}
        return await client.request(method, path, headers=shown, content=json.dumps(body).encode() if body else None)

    return asyncio.run(run())


@pytest.fixture
def opened():
    desk = Here()
    (answer,) = knock(desk, ("POST", "/trainer/sessions", TRAINER, {"problem": HEALTHY, "seed": 3}))
    assert answer.status_code == 200
    return desk, answer.json()["session"], answer.json()["agent"]


def test_the_agents_routes_are_three_and_none_is_the_trainers():
    agents = [(method, path) for method, path, what in ROUTES if what in AGENTS]
    assert agents == [("GET", "/agent"), ("POST", "/agent/act"), ("POST", "/agent/call")]
    assert all(path.startswith("/trainer/") for _, path, what in ROUTES if what not in AGENTS)
    app = make_app([], TRAINER, "127.0.0.1")
    assert sorted((*route.methods - {"HEAD"}, route.path) for route in app.routes) == sorted(
        (method, path) for method, path, _ in ROUTES
    )


def test_what_an_agent_is_sent_is_the_prompt_the_tools_and_what_it_came_to(opened):
    desk, name, token = opened
    told, said, called = knock(
        desk,
        ("GET", "/agent", token),
        ("POST", "/agent/act", token, {"text": LOOK}),
        ("POST", "/agent/call", token, {"name": "exec_shell", "arguments": {"command": "hostname"}}),
    )
    assert sorted(told.json()) == ["prompt", "tools"]
    assert sorted(said.json()) == ["over", "text"]
    assert said.json() == called.json()
    every = told.text + said.text + str(told.headers)
    assert not [secret for secret in (name, HEALTHY, '"seed"', "reward", "info") if secret in every]


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route[2])
def test_each_side_needs_its_own_token(opened, route):
    desk, name, token = opened
    method, path, what = route
    path = path.format(name=name)
    foreign = (TRAINER, name, "", "0.1.x") if what in AGENTS else (token, name, "")
    codes = [each.status_code for each in knock(desk, *((method, path, one) for one in foreign))]
    assert not [code for code in codes if code not in (401, 404)]


def test_other_sites_have_no_business_here(opened):
    desk, _, token = opened
    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        for asked in (("GET", "/agent", token), ("POST", "/trainer/sessions", TRAINER)):
            (answer,) = knock(desk, (*asked, None, headers))
            assert answer.status_code == 403


def test_what_makes_no_sense_is_refused_and_costs_nothing(opened):
    desk, name, token = opened
    answers = knock(
        desk,
        ("POST", "/agent/act", token, {"txt": LOOK}),
        ("POST", "/agent/call", token, {"name": 5, "arguments": {}}),
        ("POST", "/agent/call", token, {"name": "submit", "arguments": [1]}),
        ("POST", "/agent/act", token, [1]),
        ("POST", "/trainer/sessions", TRAINER, {"problem": "nonsense"}),
        ("POST", "/trainer/sessions", TRAINER, {"nois": True}),
        ("PUT", f"/trainer/sessions/{name}/snapshot", TRAINER, {"data": "eA=="}),
        ("POST", f"/trainer/sessions/{name}/fork", TRAINER, {"n": "two"}),
    )
    assert [each.status_code for each in answers] == len(answers) * [400]
    score = knock(desk, ("GET", f"/trainer/sessions/{name}/score"))[0].json()
    assert (score["steps"], score["masked"]) == (0, False)


def test_a_crash_inside_is_masked_and_the_agent_is_not_told_why(opened):
    def broken(action):
        raise ZeroDivisionError("the secret reason")

    desk, name, token = opened
    desk.drawers.named[name].env.step = broken
    said, score = knock(desk, ("POST", "/agent/act", token, {"text": LOOK}), ("GET", f"/trainer/sessions/{name}/score"))
    assert said.json() == {"text": ENDED, "over": True}
    assert (score.json()["masked"], score.json()["reward"]) == (True, None)
    assert "the secret reason" in score.json()["reason"]


def test_one_above_the_limit_is_told_to_come_again_until_one_is_closed(opened):
    desk, name, _ = opened
    asked = ("POST", "/trainer/sessions", TRAINER, {"problem": HEALTHY})
    *fits, refused = knock(desk, *4 * [asked])
    assert [each.status_code for each in fits] == 3 * [200]
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    closed, again = knock(desk, ("DELETE", f"/trainer/sessions/{name}"), asked)
    assert (closed.json()["reward"], again.status_code) == (0.0, 200)


def test_scores_of_ended_sessions_are_kept_for_a_while_only():
    now = [0.0]
    desk = Here(1, lambda: now[0])
    names = []
    for _ in range(KEPT + 2):
        now[0] += 100.0
        (made,) = knock(desk, ("POST", "/trainer/sessions", TRAINER, {"problem": HEALTHY}))
        names.append(made.json()["session"])
    answers = knock(desk, *(("GET", f"/trainer/sessions/{name}/score") for name in names))
    assert [each.status_code for each in answers] == [404, 404, *KEPT * [200]]
    assert [each.json()["masked"] for each in answers[2:]] == [*(KEPT - 1) * [True], False]
    assert (len(desk.drawers.seated), len(desk.drawers.tokens)) == (KEPT, KEPT)


def test_more_requests_than_may_wait_are_told_to_come_again():
    desk = Desk.__new__(Desk)  # no process: it is not reached
    desk.waiting = 10**6
    assert asyncio.run(desk.ask("create", "", b"")).code == 429


@pytest.mark.full
def test_a_process_that_dies_takes_its_own_sessions_only_and_they_are_masked():
    with serve_sessions(processes=2, limit=8) as service:
        trainer = RemoteSessions(service.url, service.token)
        first, second = trainer.create(HEALTHY), trainer.create(HEALTHY)
        assert second.fork(2)[1].agent.act(LOOK) == first.agent.act(LOOK)
        os.kill(service.desks[0].holder.pid, signal.SIGKILL)
        reply = first.agent.act(LOOK)
        assert (reply.text, reply.over) == (ENDED, True)
        score = first.score()
        assert (score.reward, score.masked, score.reason) == (None, True, "the process that held it ended")
        with pytest.raises(OSError, match="410"):
            first.snapshot()
        assert second.agent.call("submit", has_anomaly="No").over
        assert second.close().reward == 1.0
        assert not trainer.create(HEALTHY).score().masked
        with pytest.raises(OSError, match="401"):
            ask(f"{service.url}/trainer/sessions", "wrong", "POST", {})


@pytest.mark.full
def test_the_command_line_serves_until_it_is_interrupted():
    command = [sys.executable, "-m", "aiops_gym", "serve", "--sessions", "--limit", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        try:
            url, token = (running.stdout.readline().split()[1] for _ in range(2))
            session = RemoteSessions(url, token).create(HEALTHY, seed=3)
            assert session.agent.call("submit", has_anomaly="No").over
            assert session.score().reward == 1.0
        finally:
            running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    assert (running.returncode, errors) == (0, "")
