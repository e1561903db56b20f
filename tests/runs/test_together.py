"""Ctrl-C while an episode is played: wherever it hits, what was done is kept, and nothing more begins."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from threading import Barrier, Event, Thread

import gymnasium as gym
import pytest
from chat_server import ChatServer, Hang, turn
from toy_world import ToyEnv, block

from aiops_gym.agents.base import AgentError, Fixed
from aiops_gym.cli import run
from aiops_gym.cli.commands import run as command
from aiops_gym.runs import Episode
from aiops_gym.runs.together import INTERRUPTED, run_episodes

LOOK = block("exec_shell('echo hi')")
YES = block("submit('Yes')")


def interrupt():
    """What Ctrl-C does, and the time until it is heard."""
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.05)


class Interrupted(gym.Wrapper):
    """Hears an interrupt in the middle of its second step, `times` times."""

    def __init__(self, env, times=1):
        super().__init__(env)
        self.times, self.steps = times, 0

    def step(self, action):
        self.steps += 1
        if self.steps == 2:
            for _ in range(self.times):
                interrupt()
        return self.env.step(action)


class Interrupting(Fixed):
    """An agent that is interrupted while it thinks about its second action."""

    def act(self, observation):
        if self.at == 1:
            interrupt()
        return super().act(observation)


@pytest.fixture(autouse=True)
def heard():
    """An interrupt is heard: shells start what runs in their background with a deaf ear for it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def kept(agent, times=0, seeds=range(3)):
    """The episodes until the interrupt, one after the other: why each ended early, and its steps."""
    found = []
    with pytest.raises(KeyboardInterrupt):
        for episode in run_episodes(lambda: Interrupted(ToyEnv(), times), agent, seeds, at_once=1):
            found.append(episode)
    return [(episode.agent_error, len(episode.steps)) for episode in found]


def test_a_step_is_played_to_its_end_and_the_episode_ends_before_the_next_one():
    assert kept(lambda env, seed: Fixed([LOOK]), times=1) == [(INTERRUPTED, 2)]


def test_an_episode_that_the_step_ends_is_whole():
    assert kept(lambda env, seed: Fixed([LOOK, YES]), times=1) == [("", 2)]


def test_a_thought_ends_at_once():
    assert kept(lambda env, seed: Interrupting([LOOK])) == [(INTERRUPTED, 1)]


def test_a_second_interrupt_ends_a_step_that_hangs():
    assert kept(lambda env, seed: Fixed([LOOK]), times=2) == []


class Waiting(Fixed):
    """An agent that waits for somebody, until it is interrupted; `met` is told that it does."""

    def __init__(self, met):
        super().__init__([LOOK])
        self.met, self.over = met, Event()

    def interrupt(self):
        self.over.set()

    def act(self, observation):
        if self.at == 1:
            self.met()
            assert self.over.wait(600)
            raise AgentError("nobody came")
        return super().act(observation)


def test_agents_that_wait_are_interrupted_wherever_they_wait():
    agents, found = [], []
    barrier = Barrier(3, action=interrupt)

    def make(env, seed):
        agents.append(Waiting(lambda: barrier.wait(600)))
        return agents[-1]

    with pytest.raises(KeyboardInterrupt):
        for episode in run_episodes(ToyEnv, make, range(9), at_once=3):
            found.append(episode)
    assert [(episode.agent_error, len(episode.steps)) for episode in found] == [(INTERRUPTED, 1)] * 3
    assert len(agents) == 3


class AsyncWaiting:
    """An async agent that waits for long, and is told nothing of interrupts; `met` is told that it does."""

    def __init__(self, met):
        self.met, self.first, self.closed = met, True, False

    async def act(self, observation):
        if self.first:
            self.first = False
            return LOOK
        self.met()
        await asyncio.sleep(60)
        return YES

    async def close(self):
        await asyncio.sleep(0)
        self.closed = True


@pytest.mark.parametrize("at_once", [1, 3])
def test_async_agents_that_wait_are_interrupted_and_closed(at_once):
    agents, found, barrier = [], [], Barrier(at_once, action=interrupt)

    def make(env, seed):
        agents.append(AsyncWaiting(lambda: barrier.wait(20)))
        return agents[-1]

    with pytest.raises(KeyboardInterrupt):
        for episode in run_episodes(ToyEnv, make, range(9), at_once=at_once):
            found.append(episode)
    assert [(episode.agent_error, len(episode.steps)) for episode in found] == [(INTERRUPTED, 1)] * at_once
    assert [agent.closed for agent in agents] == [True] * at_once


def test_agents_that_wait_are_interrupted_when_nobody_wants_more_episodes():
    agents = []

    def make(env, seed):
        agents.append(Fixed([YES]) if seed == 0 else Waiting(list))
        return agents[-1]

    episodes = run_episodes(ToyEnv, make, range(9), at_once=3)
    assert next(episodes).reward == 1.0
    episodes.close()
    assert all(agent.over.is_set() for agent in agents if isinstance(agent, Waiting))


@pytest.mark.slow
@pytest.mark.parametrize("at_once", [1, 3])
def test_a_model_that_hangs_does_not_hold_up_an_interrupt(tmp_path, at_once):
    barrier = Barrier(at_once, action=interrupt)

    def answer(messages):
        if turn(messages):
            barrier.wait(600)
        return Hang() if turn(messages) else LOOK

    with ChatServer(answer) as server:
        chosen = ["--agent", "chat", "--model", "m", "--base-url", server.url, "--episodes", "3"]
        assert run(["run", *chosen, "--at-once", str(at_once), "--save", str(tmp_path)]) == 130
    episodes = [Episode.load(path) for path in tmp_path.iterdir()]
    assert [(each.agent_error, len(each.steps)) for each in episodes] == [(INTERRUPTED, 1)] * at_once


def test_who_handles_interrupts_goes_on_doing_so():
    seen = []
    signal.signal(signal.SIGINT, lambda *_: seen.append("heard"))
    episodes = list(run_episodes(lambda: Interrupted(ToyEnv()), lambda env, seed: Fixed([LOOK, YES]), [1]))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    assert [episode.agent_error for episode in episodes] == [""]
    assert seen == ["heard"]


def test_another_thread_than_the_first_plays_too():
    found, done = [], Event()

    def play():
        found.extend(run_episodes(ToyEnv, lambda env, seed: Fixed([LOOK, YES]), [1]))
        done.set()

    Thread(target=play).start()
    assert done.wait(600)
    assert [len(episode.steps) for episode in found] == [2]


@pytest.mark.parametrize("episodes", [1, 2])
def test_the_command_saves_what_was_played_and_says_so_without_a_traceback(tmp_path, capsys, monkeypatch, episodes):
    monkeypatch.setattr(command, "make_env", lambda *_, **__: Interrupted(ToyEnv()))
    save = tmp_path / ("one.json" if episodes == 1 else "some")
    code = run(["run", "--agent", "random", "--episodes", str(episodes), "--at-once", "1", "--save", str(save)])
    out, error = capsys.readouterr()
    assert (code, error) == (130, "aiops-gym: interrupted\n")
    assert out.count("interrupted  reward 0.00  2 steps") == 1
    (path,) = [save] if episodes == 1 else save.iterdir()
    assert (Episode.load(path).agent_error, len(Episode.load(path).steps)) == (INTERRUPTED, 2)
