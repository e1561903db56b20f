"""A session: what each side can do, that it plays as the environment does, and what happens when something fails."""

import json
import logging
from collections import deque

import gymnasium as gym
import pytest

from aiops_gym.errors import AiopsGymError, ArgumentError, BackendError, CatalogError, SnapshotError
from aiops_gym.sessions import AgentSession, Sessions
from aiops_gym.sessions.session import ENDED, Session

HEALTHY = "noop_detection_hotel_reservation-1"
LOOK = '```\nexec_shell("kubectl get pods -A; echo $RANDOM")\n```'
RIGHT = '```\nsubmit("No")\n```'


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def sessions():
    made = Sessions()
    yield made
    made.close()


def test_it_ends_with_an_accepted_answer(sessions):
    session = sessions.create(HEALTHY)
    assert not session.agent.act(LOOK).over
    unfinished = session.score()
    assert (unfinished.reward, unfinished.over, unfinished.masked, unfinished.steps) == (0.0, False, False, 1)
    assert session.agent.act(RIGHT).over
    score = session.score()
    assert (score.reward, score.success, score.over, score.steps) == (1.0, True, True, 2)
    assert score.info["results"]["Detection Accuracy"] == "Correct"
    assert session.agent.act(LOOK) == session.agent.call("submit", has_anomaly="Yes")
    assert session.score() == score


@pytest.mark.parametrize("evaluation", ["strict", "aiopslab"])
def test_the_last_step_is_worth_what_the_registered_environment_says(sessions, evaluation):
    problem = "revoke_auth_mongodb-mitigation-1"
    options = {"problem": problem, "evaluation": evaluation}
    with gym.make("aiops_gym/Mitigation-v0", max_episode_steps=2, **options) as env:
        env.reset(seed=5)
        env.step(LOOK)
        observation, reward, terminated, truncated, info = env.step(LOOK)
    session = sessions.create(seed=5, steps=2, **options)
    assert not session.agent.act(LOOK).over
    reply, score = session.agent.act(LOOK), session.score()
    assert (reply.text, reply.over) == (observation, truncated)
    assert (score.reward, score.info) == (reward, info)
    assert not terminated


def test_eight_identical_starts_are_equal_at_first_and_independent_after(sessions):
    first = sessions.create(task="localization", seed=11)
    group = [first, *first.fork(7)]
    assert len({session.agent.prompt for session in group}) == 1
    assert len({session.agent.act(LOOK) for session in group}) == 1
    assert group[3].agent.call("exec_shell", command="touch /tmp/mine") == group[4].agent.act(
        '```\nexec_shell("touch /tmp/mine")\n```'
    )
    there = [session.agent.call("exec_shell", command="ls /tmp/mine").text for session in group]
    assert [text == "/tmp/mine\n" for text in there] == [at in (3, 4) for at in range(8)]
    group[0].agent.call("submit", faulty_components=[])
    assert [session.over for session in group] == [True] + 7 * [False]


def test_a_snapshot_continues_elsewhere_with_the_same_bytes_and_as_many_steps_left(sessions):
    session = sessions.create(task="analysis", seed=2, steps=3)
    session.agent.act(LOOK)
    saved = session.snapshot()
    other = Sessions().create(task="analysis", seed=9, steps=3)
    other.restore(saved)
    assert other.agent.prompt == session.agent.prompt
    assert [other.agent.act(LOOK) for _ in range(2)] == [session.agent.act(LOOK) for _ in range(2)]
    assert other.over
    assert other.score() == session.score()
    with pytest.raises(SnapshotError):
        sessions.create(HEALTHY).restore(saved)


def test_recorded_incidents_have_sessions_too(sessions):
    session = sessions.create(task="openrca_bank", seed=4)
    assert sorted(each["function"]["name"] for each in session.agent.tools)[-1] == "submit"
    for text in session.env.reference_actions():
        reply = session.agent.act(text)
    assert reply.over
    assert session.score().success


def test_who_is_idle_is_ended_and_masked_and_a_verdict_stays():
    clock = Clock()
    sessions = Sessions(idle=60.0, clock=clock)
    idle, busy, done = (sessions.create(HEALTHY, seed=seed) for seed in range(3))
    done.agent.act(RIGHT)
    clock.now = 59.0
    busy.agent.act(LOOK)
    assert sessions.sweep() == 0
    clock.now = 60.0
    assert sessions.sweep() == 2
    assert len(sessions) == 1
    assert idle.agent.act(RIGHT).text == ENDED
    assert idle.score().masked
    assert idle.score().reward is None
    assert "60 seconds" in idle.score().reason
    assert done.score().reward == 1.0
    clock.now = 119.0
    assert busy.agent.act(LOOK).text == ENDED  # also where nobody swept
    for refused in (busy.fork, busy.snapshot, lambda: busy.restore(b"")):
        with pytest.raises(AiopsGymError, match="ended: nobody used it"):
            refused()


def test_one_above_the_limit_is_masked_until_another_one_is_closed():
    sessions = Sessions(limit=2)
    first = sessions.create(HEALTHY)
    second, third = first.fork(2)
    assert (second.score().masked, third.score().masked) == (False, True)
    assert third.score().reason == "2 sessions are open already, the limit"
    assert (third.agent.prompt, third.agent.tools, third.agent.act(RIGHT).text) == ("", [], ENDED)
    second.close()
    assert not sessions.create(HEALTHY).score().masked


@pytest.mark.parametrize("error", [ValueError("secret"), RecursionError("secret"), BackendError("secret")])
def test_what_breaks_inside_is_masked_and_the_agent_is_not_told_why(sessions, caplog, error):
    def broken(action):
        raise error

    session = sessions.create(HEALTHY)
    session.env.step = broken
    reply = session.agent.act(RIGHT)
    assert (reply.text, reply.over) == (ENDED, True)
    score = session.score()
    assert (score.reward, score.masked, session.error) == (None, True, error)
    assert "secret" in score.reason
    assert caplog.records[-1].levelno == logging.ERROR
    assert len(sessions) == 0


def test_a_verdict_that_cannot_be_found_is_masked(sessions, caplog):
    def broken():
        raise ZeroDivisionError

    session = sessions.create(HEALTHY)
    session.env.grade = broken
    assert session.score().masked
    assert session.over
    assert caplog.records


def test_a_world_that_does_not_start_is_masked(sessions, caplog):
    session = sessions.create(HEALTHY, backend="kubernetes")
    assert session.score().masked
    assert isinstance(session.error, BackendError)
    assert session.score().reason in str(caplog.records[-1].exc_info[1])


def test_a_world_that_breaks_in_a_step_is_masked(sessions):
    class Broken:
        def __init__(self, world):
            self.world = world

        def __getattr__(self, name):
            return getattr(self.world, name)

        def spend(self, seconds):
            raise BackendError("gone")

    session = sessions.create(HEALTHY)
    session.env._backend = Broken(session.env._backend)
    assert session.agent.act(RIGHT).over
    score = session.score()
    assert (score.reward, score.masked, score.info["infra_error"]) == (None, True, True)
    assert "gone" in score.reason


def test_closing_keeps_the_score(sessions):
    session = sessions.create(HEALTHY)
    session.agent.act(LOOK)
    session.close()
    session.close()
    score = session.score()
    assert (score.reward, score.over, score.masked, score.steps) == (0.0, True, False, 1)
    assert session.agent.act(RIGHT).over
    assert session.score() == score


def test_a_mistake_of_the_trainer_is_raised(sessions):
    with pytest.raises(CatalogError):
        sessions.create("no-such-problem")
    with pytest.raises(ArgumentError, match="did you mean"):
        sessions.create(HEALTHY, nois=False)
    for wrong in ({"seed": "3"}, {"seed": -1}, {"steps": 0}, {"steps": "many"}):
        with pytest.raises(ArgumentError, match="must be a whole number"):
            sessions.create(HEALTHY, **wrong)
    with pytest.raises(ArgumentError, match="of detection, not of analysis"):
        sessions.create(HEALTHY, task="analysis")
    assert len(sessions) == 0


WAYS = ("__self__", "__func__", "__wrapped__", "__dict__", "__defaults__", "__kwdefaults__", "__annotations__")


def walk(start):
    """All objects that attributes and items lead to, nearest first; closures and globals apart, which Python shows."""
    found, waiting = {}, deque([start])
    while waiting:
        each = waiting.popleft()
        if id(each) in found or isinstance(each, (type, str, bytes, int, float)):
            continue
        found[id(each)] = each
        yield each
        names = [name for name in dir(each) if not name.startswith("__") or name in WAYS]
        waiting += [getattr(each, name, None) for name in names]
        waiting += list(each.values()) if isinstance(each, dict) else list(each) if isinstance(each, list) else []


def test_the_agents_side_is_four_things_and_leads_to_nothing_else(sessions):
    session = sessions.create(task="mitigation", seed=1)
    side = session.agent
    assert [name for name in dir(side) if not name.startswith("__")] == ["act", "call", "prompt", "tools"]
    assert not [each for each in walk(side) if isinstance(each, (Session, Sessions, gym.Env))]
    side.act = session._act  # a method instead of a closure
    assert any(isinstance(each, gym.Env) for each in walk(side))
    with pytest.raises(AttributeError):
        side.score  # noqa: B018


def test_what_the_agent_is_told_names_neither_problem_nor_seed(sessions):
    session = sessions.create(task="mitigation", seed=123456789)
    told = json.dumps([session.agent.prompt, session.agent.tools, session.agent.act(LOOK).text])
    info = session.score().info
    for secret in (info["problem"], str(info["episode_seed"]), "123456789"):
        assert secret not in told
    assert isinstance(session.agent, AgentSession)
