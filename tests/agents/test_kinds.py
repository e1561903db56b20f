"""Agents of every kind play an episode: with `act`, with AIOpsLab's methods, callable; each of them plain and async."""

from __future__ import annotations

import asyncio
import functools

import gymnasium as gym
import pytest
from toy_world import ToyEnv, block

from aiops_gym.agents.kinds import NEXT, adapt
from aiops_gym.catalog import registry
from aiops_gym.errors import AgentError, ToolError
from aiops_gym.runs import Episode, run_episode
from aiops_gym.runs.together import run_episodes
from aiops_gym.tools import get_actions

LOOK, YES = block("exec_shell('echo hi')"), block("submit('Yes')")
SICK = {"problem": "container_kill-detection"}


class Acting:
    """Has no reset."""

    def __init__(self):
        self.left = [LOOK, YES]

    def act(self, observation):
        return self.left.pop(0)


class AsyncActing(Acting):
    async def reset(self, prompt):
        await asyncio.sleep(0)
        self.prompt = prompt

    async def act(self, observation):
        await asyncio.sleep(0)
        return self.left.pop(0)


class Lab(Acting):
    """As those of AIOpsLab that are not async."""

    def init_context(self, problem_desc, instructions, apis):
        self.context, self.states = (problem_desc, instructions, apis), []

    def get_action(self, state):
        self.states.append(state)
        return self.left.pop(0)

    act = None


class AsyncLab(Lab):
    async def get_action(self, state):
        await asyncio.sleep(0)
        return super().get_action(state)


class ChoosingLab(AsyncLab):
    def init_context(self, problem_desc, instructions, apis, candidates=None):
        super().init_context(problem_desc, instructions, apis)
        self.candidates = candidates


class OpenLab(Lab):
    async def init_context(self, *parts, **more):
        self.context, self.candidates, self.states = parts, more["candidates"], []


def function():
    return lambda observation: LOOK if "submit" in observation else YES


def async_function():
    async def think(observation):
        await asyncio.sleep(0)
        return LOOK if "submit" in observation else YES

    return think


class Callable:
    """An object that is called and gives something awaitable."""

    def __call__(self, observation):
        return async_function()(observation)


def part():
    return functools.partial(lambda how, observation: how(observation), function())


KINDS = [Acting, AsyncActing, Lab, AsyncLab, ChoosingLab, OpenLab, function, async_function, Callable, part]


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_agents_of_every_kind_play_an_episode(make):
    episode = run_episode(ToyEnv(**SICK), make(), 1)
    assert (episode.agent_error, episode.reward) == ("", 1.0)
    assert [step["action"] for step in episode.steps] == [LOOK, YES]


@pytest.mark.parametrize("task", ["detection", "localization", "analysis", "mitigation"])
@pytest.mark.parametrize("make", [Lab, ChoosingLab, OpenLab])
def test_an_agent_of_aiopslab_is_told_the_parts_of_the_prompt(task, make):
    env, agent = ToyEnv(task), make()
    prompt = run_episode(env, agent, 1).prompt
    description, instructions, apis = agent.context
    assert prompt.startswith(f"{description}\n\n")
    assert prompt.endswith(instructions)
    assert apis == get_actions(task)
    assert all(usage.partition("\n")[0] in prompt for usage in apis.values())
    if make is not Lab:
        named = {"components": list(env.app.components), "reasons": []} if task == "localization" else None
        assert agent.candidates == named


def test_its_states_are_those_of_the_orchestrator():
    agent = AsyncLab()
    run_episode(ToyEnv(**SICK), agent, 1)
    assert agent.states == [NEXT, f"hi\n\n{NEXT}"]
    assert NEXT == "Please take the next action"


def test_the_parts_are_those_of_the_episode_and_there_are_none_before():
    env = ToyEnv("mitigation")
    with pytest.raises(gym.error.ResetNeeded):
        _ = env.prompt_parts
    tasks = {env.reset(seed=seed)[0]: env.prompt_parts.task for seed in range(20)}
    assert 2 <= len(set(tasks.values())) <= len(registry.apps())  # one an application
    assert all(prompt.startswith(task) for prompt, task in tasks.items())


class Session:
    """Something like a connection: it works in the loop in which it was opened, and is closed there."""

    def __init__(self):
        self.loop, self.closed = asyncio.get_running_loop(), False

    async def use(self):
        assert asyncio.get_running_loop() is self.loop
        await asyncio.sleep(0)

    async def close(self):
        await self.use()
        self.closed = True


class Connected(Lab):
    async def init_context(self, problem_desc, instructions, apis):
        super().init_context(problem_desc, instructions, apis)
        self.left, self.session = [LOOK, LOOK, YES], Session()
        self.beside = asyncio.create_task(asyncio.sleep(60))

    async def get_action(self, state):
        await self.session.use()
        return super().get_action(state)

    async def report(self):
        await self.session.use()
        return {"states": len(self.states)}

    async def close(self):
        await self.session.close()


def check_connected(agent, episode):
    assert (episode.agent_error, episode.reward, episode.agent_report) == ("", 1.0, {"states": 3})
    assert agent.session.closed
    assert agent.session.loop.is_closed()
    assert agent.beside.cancelled()


def test_what_an_async_agent_opens_is_open_until_the_end_of_the_episode_and_closed_in_its_loop():
    agent = Connected()
    for _ in range(2):
        check_connected(agent, run_episode(ToyEnv(**SICK), agent, 1))


def test_an_async_agent_plays_where_a_loop_runs_already():
    agent = Connected()

    async def notebook():
        return run_episode(ToyEnv(**SICK), agent, 1)

    check_connected(agent, asyncio.run(notebook()))


def test_a_plain_agent_stays_open_for_the_next_episode():
    class Counting(Acting):
        closed = 0

        def reset(self, prompt):
            self.left = [YES]

        def close(self):
            self.closed += 1

    agent = Counting()
    assert [run_episode(ToyEnv(**SICK), agent, seed).reward for seed in range(2)] == [1.0, 1.0]
    assert agent.closed == 0


def test_async_agents_play_at_once_and_each_in_its_own_loop():
    agents = []

    def make(env, seed):
        agents.append(Connected())
        return agents[-1]

    episodes = list(run_episodes(lambda: ToyEnv(**SICK), make, range(4), at_once=3))
    assert [episode.reward for episode in episodes] == [1.0] * 4
    assert len({agent.session.loop for agent in agents}) == 4


class Lost:
    """Does not know what to do after its first look."""

    def act(self, observation):
        return self.think() if observation.startswith("hi\n") else LOOK

    def think(self):
        raise LookupError("no idea\nat all")


class AsyncLost(Lost):
    async def act(self, observation):
        return super().act(observation)


class LostLab(Lab):
    async def get_action(self, state):
        return Lost().act(state)


@pytest.mark.parametrize("make", [Lost, AsyncLost, LostLab, lambda: Lost().act, lambda: AsyncLost().act])
@pytest.mark.parametrize("looped", [False, True])
def test_what_an_agent_raises_is_its_own_error_with_its_own_frames(make, looped, caplog):
    async def notebook():
        return run_episode(ToyEnv(**SICK), make(), 1)

    episode = asyncio.run(notebook()) if looped else run_episode(ToyEnv(**SICK), make(), 1)
    assert episode.agent_error.startswith("LookupError: no idea at all (test_kinds.py, line ")
    assert episode.agent_error.endswith(", in think)")
    assert [step["action"] for step in episode.steps] == [LOOK]
    assert (episode.infra_error, episode.terminated, episode.truncated, episode.reward) == (False, False, False, 0.0)
    lines = [line for line in episode.agent_traceback.splitlines() if line.lstrip().startswith("File ")]
    assert lines
    assert all(__file__ in line for line in lines)
    assert episode.agent_error in caplog.text


class Untold(Exception):
    def __str__(self):
        raise ValueError


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ValueError("\ud800" * 5_000), "ValueError: ?"),
        (Untold(), "Untold: (its text cannot be told) (test_kinds.py, "),
        (ExceptionGroup("of a TaskGroup", [KeyError("x")]), "KeyError: 'x'"),
        (SystemExit(3), "SystemExit: 3 (test_kinds.py, "),
        (asyncio.CancelledError(), "interrupted"),
        (ToolError("wrong call"), "ToolError: wrong call"),
        (AgentError(""), "gave up"),
    ],
)
def test_whatever_it_raises_is_kept_and_can_be_saved(error, says, tmp_path):
    async def raising(observation):
        raise error

    episode = run_episode(ToyEnv(**SICK), raising, 1)
    assert episode.agent_error.startswith(says)
    assert len(episode.agent_error) < 3_000
    assert Episode.load(episode.save(tmp_path / "episode.json")) == episode


def test_an_agent_that_raises_at_the_start_has_an_episode_without_a_turn():
    class Unable(Lab):
        def init_context(self, problem_desc, instructions, apis):
            raise RuntimeError

    episode = run_episode(ToyEnv(**SICK), Unable(), 1)
    assert episode.agent_error.startswith("RuntimeError (test_kinds.py")
    assert (episode.steps, episode.problem_id) == ([], SICK["problem"])


def test_what_the_environment_raises_is_raised_and_the_agent_closed():
    class Broken(gym.Wrapper):
        def step(self, action):
            raise KeyError("ours")

    agent = Connected()
    with pytest.raises(KeyError, match="ours"):
        run_episode(Broken(ToyEnv(**SICK)), agent, 1)
    assert agent.session.closed


@pytest.mark.parametrize("make", [Acting, AsyncActing])
def test_an_interrupt_is_no_error_of_the_agent(make):
    class Interrupted(make):
        def act(self, observation):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_episode(ToyEnv(**SICK), Interrupted(), 1)


def test_a_report_that_is_no_json_is_the_agents_error():
    class Talking(Acting):
        def report(self):
            return {"score": float("nan")}

    episode = run_episode(ToyEnv(**SICK), Talking(), 1)
    assert "Out of range float" in episode.agent_error
    assert (episode.reward, episode.agent_report) == (1.0, {})


def with_methods(**methods):
    return type("Mine", (), {name: staticmethod(method) for name, method in methods.items()})()


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        (5, "5 is no agent: it has neither act(observation), nor init_context(problem_desc, instructions, apis) and"),
        ("runbook", "'runbook' is no agent"),
        (None, "None is no agent"),
        (Acting, "Acting is a class, and an agent is made of it: give Acting(...)"),
        (
            with_methods(get_action=lambda state: ""),
            "class Mine is no agent: it has get_action(state), and init_context(problem_desc, instructions, apis) is",
        ),
        (with_methods(init_context=lambda a, b, c: ""), "and get_action(state) is missing"),
        (with_methods(reset=lambda prompt: ""), "has neither act(observation)"),
        (with_methods(act=lambda: ""), "its act is called with (observation), and takes ()"),
        (with_methods(act=str, reset=lambda: ""), "its reset is called with (prompt), and takes ()"),
        (
            with_methods(init_context=lambda problem_desc: "", get_action=str),
            "its init_context is called with (problem_desc, instructions, apis), and takes (problem_desc)",
        ),
        (with_methods(init_context=lambda a, b, c: "", get_action=lambda: ""), "its get_action is called with (state)"),
        (with_methods(init_context=lambda a, b, c, d: "", get_action=str), "missing a required argument: 'd'"),
        (lambda: "", "<lambda> is no agent: it is called with (observation), and takes ()"),
        (lambda a, b: "", "missing a required argument: 'b'"),
    ],
)
def test_what_is_no_agent_is_refused_in_one_line_that_says_what_is_missing(agent, says):
    with pytest.raises(TypeError) as refused:
        run_episode(ToyEnv(**SICK), agent, 1)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_environment_without_parts_is_none_for_an_agent_that_needs_them():
    class Bare(gym.Env):
        observation_space = action_space = ToyEnv().action_space

        def reset(self, *, seed=None, options=None):
            return "go on", ToyEnv(**SICK).reset(seed=1)[1]

    assert "needs prompt_parts" in run_episode(Bare(), Lab(), 1).agent_error


def test_names_are_those_of_functions_and_classes():
    assert adapt(str.upper).act("x") == "X"
    assert [adapt(each).name for each in (function(), Acting(), Lab())] == ["<lambda>", "acting", "lab"]
