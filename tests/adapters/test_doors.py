"""All doors play the same: the same problem, seed and calls give the observations and the reward of `gymnasium.make`.

A door is a context here, in which a function opens an episode, carries out calls one after another until it is over and
returns what an agent read and what a trainer got. A new door is an entry in `DOORS`.
"""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from door import aiopslab_door
from door_contract import CASES, SHELL, play_registered

from aiops_gym.serve.service import serve_sessions
from aiops_gym.sessions import Sessions
from aiops_gym.sessions.client import RemoteSessions
from aiops_gym.tools import write_call


def _play(session, calls, act):
    """What a session's agent reads, and its reward; `act(agent, tool, arguments)` gives a reply."""
    texts, over = [session.agent.prompt], False
    for tool, arguments in calls:
        reply = act(session.agent, tool, arguments)
        texts.append(reply.text)
        over = reply.over
        if over:
            break
    assert over
    return texts, session.score().reward


def _text(agent, tool, arguments):
    return agent.act(write_call(tool, arguments))


def _call(agent, tool, arguments):
    return agent.call(tool, **arguments)


@contextmanager
def text_door():
    """Action texts in a session."""
    sessions = Sessions()
    yield lambda problem, seed, calls: _play(sessions.create(problem, seed=seed), calls, _text)


@contextmanager
def call_door():
    """Tools and arguments in a session."""
    sessions = Sessions()
    yield lambda problem, seed, calls: _play(sessions.create(problem, seed=seed), calls, _call)


@contextmanager
def service_door():
    """`aiops-gym serve --sessions` and its client."""
    with serve_sessions() as service:
        sessions = RemoteSessions(service.url, service.token)
        yield lambda problem, seed, calls: _play(sessions.create(problem, seed=seed), calls, _call)


DOORS = [text_door, call_door, aiopslab_door, pytest.param(service_door, marks=pytest.mark.slow)]
"""Each is open for all cases, and plays one of them: problem, seed, calls -> what was read, and the reward."""


@pytest.fixture(scope="module", params=DOORS, ids=lambda door: door.__name__)
def play(request):
    with request.param() as playing:
        yield playing


@pytest.fixture(scope="module")
def registered():
    return {case: play_registered(*posed, calls) for case, (posed, calls) in CASES.items()}


@pytest.mark.parametrize("case", CASES)
def test_a_door_plays_as_the_registered_environment_does(registered, play, case):
    posed, calls = CASES[case]
    assert play(*posed, calls) == registered[case]


@contextmanager
def forked_group():
    """A session and its forks."""
    yield Sessions()


@contextmanager
def served_group():
    """The same over HTTP."""
    with serve_sessions() as service:
        yield RemoteSessions(service.url, service.token)


GROUPS = [forked_group, pytest.param(served_group, marks=pytest.mark.full)]
"""Doors that give a group of identical starts: `create(problem, seed=...)` and then `fork(7)`."""


@pytest.mark.parametrize("opened", GROUPS)
def test_eight_identical_starts_are_equal_at_first_and_independent_after(opened):
    with opened() as sessions:
        first = sessions.create("revoke_auth_mongodb-detection-1", seed=3)
        group = [first, *first.fork(7)]
        assert len({session.agent.prompt for session in group}) == 1
        assert len({session.agent.call(*SHELL[:1], **SHELL[1]) for session in group}) == 1
        group[2].agent.call("exec_shell", command="touch mine")
        seen = [session.agent.call("exec_shell", command="ls mine").text == "mine\n" for session in group]
        assert seen == [at == 2 for at in range(8)]
        for at, session in enumerate(group):
            session.agent.call("submit", has_anomaly="Yes" if at % 2 else "No")
        assert [session.score().reward for session in group] == 4 * [0.0, 1.0]


def test_the_cases_are_worth_something(registered):
    assert registered["detection"][1] == 1.0
    assert len(registered["never submitted"][0]) == 31
    assert len({text for texts, _ in registered.values() for text in texts}) > 10
