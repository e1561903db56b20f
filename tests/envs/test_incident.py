"""From the page to the report: what ends an episode, what it is worth, and what it is not worth without work."""

from __future__ import annotations

import copy
import pickle

import gymnasium as gym
import pytest
from wrapper_stacks import TEXT

import aiops_gym  # noqa: F401  # Registers the environments.
from aiops_gym.agents.base import make
from aiops_gym.envs.limit import GradedAtLimit
from aiops_gym.errors import ArgumentError
from aiops_gym.tasks.incident import check_weights
from aiops_gym.tasks.stages import STAGES
from aiops_gym.types import Call

GEO = "misconfig_app_hotel_res-incident-1"
CALM = "noop_incident_hotel_reservation-1"
SHOP = "test-hotel-reservation"
REPAIR = Call("exec_shell", (f"kubectl rollout undo deployment/geo -n {SHOP}", 60))
KIND = {"system_level": "Virtualization", "fault_type": "Misconfiguration"}
ACKNOWLEDGE, RESOLVE, REPORT, DENY = (
    *(Call("acknowledge"), Call("resolve")),
    *(Call("report", ("done",)), Call("no_incident")),
)


def opened(problem=GEO, seed=3, **kwargs):
    env = gym.make("aiops_gym/Incident-v0", problem=problem, disable_env_checker=True, **kwargs)
    return env, env.reset(seed=seed)


@pytest.fixture(scope="module")
def started():
    """One episode at its start, to be forked."""
    return opened()[0].unwrapped


@pytest.fixture(scope="module")
def calm():
    """One in which nothing is wrong."""
    return opened(CALM)[0].unwrapped


def play(env, calls):
    """The last turn."""
    for call in calls:
        turn = env.step(str(call))
        if turn[2]:
            break
    return turn


def script(app):
    """What agents do that do no work, by name."""
    names = list(app.components)
    restart = Call("exec_shell", (f"kubectl rollout restart deployment -n {app.namespace}", 120))
    everything = Call("diagnose", (names, [KIND], [names]))
    guess = Call("diagnose", (names[:1], [KIND], [names[:1]]))
    return {
        "silent": [Call("exec_shell", ("sleep 890", 900))] * 6,
        "alarm": [ACKNOWLEDGE, REPORT],
        "deny": [DENY],
        "resolve": [ACKNOWLEDGE, RESOLVE, REPORT],
        "guess": [guess, RESOLVE, REPORT],
        "everything": [everything, REPORT],
        "all tricks": [everything, restart, RESOLVE, REPORT],
    }


BOUNDS = {"silent": 0.0, "alarm": 0.1, "resolve": 0.1, "guess": 0.3, "everything": 0.2, "all tricks": 0.2}
"""What each may earn on average where something is wrong; nothing where nothing is. `deny` earns there alone."""


def average_gamers(episodes):
    """Mean rewards of scripts, (sick, healthy), over environments at their start."""
    found = {}
    for env in episodes:
        healthy = "noop_" in env.episode[0]
        for name, calls in script(env.app).items():
            _, reward, over, *_ = play(env.fork(1)[0], calls)
            assert over
            found.setdefault(name, ([], []))[healthy].append(reward)
    return {name: [sum(each) / len(each) for each in rewards] for name, rewards in found.items()}


def check_gamers(means):
    assert means["deny"] == [0.0, 1.0]
    for name, bound in BOUNDS.items():
        sick, healthy = means[name]
        assert sick <= bound + 1e-9, (name, means)  # a mean is a sum of floats
        assert healthy == 0.0, (name, means)


def test_nobody_earns_without_work(started, calm):
    check_gamers(average_gamers([started, calm]))


@pytest.mark.full
def test_nobody_earns_without_work_in_forty_drawn_episodes():
    env = gym.make("aiops_gym/Incident-v0", split="test", disable_env_checker=True)
    episodes = []
    for seed in range(40):
        env.reset(seed=seed)
        episodes += env.unwrapped.fork()
    assert 4 <= sum("noop_" in each.episode[0] for each in episodes) <= 14
    check_gamers(average_gamers(episodes))
    for each in episodes:
        branch = each.fork()[0]
        _, reward, over, _, info = play(branch, each.reference_actions())
        assert (reward, over, info["is_success"]) == (1.0, True, True), info


@pytest.mark.parametrize("problem", ["started", "calm"])
def test_the_reference_earns_all_of_it_and_nothing_before_the_end(problem, request):
    env = request.getfixturevalue(problem).fork()[0]
    assert "The page, sent at " in env.prompt
    assert env.last[4]["reward_components"] == {}
    turns = [env.step(action) for action in env.reference_actions()]
    assert [turn[1] for turn in turns] == [*[0.0] * (len(turns) - 1), 1.0]
    last = turns[-1][4]
    assert last["is_success"]
    assert set(STAGES) <= set(last["reward_components"])
    assert last["results"]["TTR"] == last["time"]


def test_each_stage_is_worth_its_weight(started):
    said = (["geo"], [{**KIND, "system_level": "Application"}], [["geo", "search", "frontend"]])
    found = {}
    for name, calls in {
        "detection": [ACKNOWLEDGE, REPORT],
        "path": [Call("diagnose", said), REPORT],
        "repair": [ACKNOWLEDGE, REPAIR, RESOLVE, REPORT],
        "not resolved": [ACKNOWLEDGE, REPAIR, REPORT],
        "denied": [ACKNOWLEDGE, REPAIR, RESOLVE, DENY],
    }.items():
        _, found[name], *_ = play(started.fork()[0], calls)
    assert found == {
        "detection": 0.1,
        "path": pytest.approx(0.4),
        "repair": pytest.approx(0.7),
        "not resolved": 0.1,
        "denied": 0.0,
    }
    env = started.fork()[0]
    env.weights = check_weights({"repair": 1})
    assert play(env, [REPAIR, RESOLVE, REPORT])[1] == 1.0


def test_a_false_alarm_costs_half_of_its_stage(calm):
    rewards = [
        play(calm.fork()[0], calls)[1] for calls in ([DENY], [ACKNOWLEDGE, DENY], [ACKNOWLEDGE, REPORT], [REPORT])
    ]
    assert rewards == [1.0, pytest.approx(0.55), 0.0, 0.0]
    _, _, _, _, info = play(calm.fork()[0], [ACKNOWLEDGE, DENY])
    assert info["reward_components"]["false_alarm"] == 1.0
    assert not info["is_success"]


def test_what_is_resolved_is_judged_once_and_must_not_be_broken_afterwards(started):
    early = started.fork()[0]
    text, *_, info = play(early, [RESOLVE, REPAIR, RESOLVE])
    assert "resolved already" in text
    assert info["error"] == "arguments"
    assert play(early, [REPORT])[4]["reward_components"]["repair"] == 0.0
    broken = Call("exec_shell", (f"kubectl scale deployment rate -n {SHOP} --replicas=0",))
    worth = play(started.fork()[0], [REPAIR, RESOLVE, broken, REPORT])[4]["reward_components"]
    assert (worth["repair"], worth["time"]) == (0.0, 0.0)


def test_a_spent_limit_ends_it_with_the_score_as_it_stands(started):
    waiting = Call("exec_shell", ("sleep 100", 120))
    for limit, word in ({"steps": 2}, "actions"), ({"time_limit": 60.0}, "time"), ({"harm_limit": 0.1}, "trust"):
        env = started.fork()[0]
        vars(env).update(limit)
        text, reward, terminated, truncated, info = play(env, [ACKNOWLEDGE, waiting])
        assert f"You have no {word}" in text
        assert (terminated, truncated) == (True, False)
        assert reward == pytest.approx(0.1)
        assert not info["is_success"]
    env = GradedAtLimit(gym.wrappers.TimeLimit(started.fork()[0], 1))
    env.env._elapsed_steps = 0  # as after a reset
    _, reward, terminated, truncated, _ = play(env, [ACKNOWLEDGE])
    assert (reward, terminated, truncated) == (pytest.approx(0.1), False, True)


@pytest.mark.parametrize(
    "call",
    [
        'diagnose("geo", [], [])',
        "diagnose([1], [], [])",
        "diagnose([], [{}], [])",
        'diagnose([], [], ["geo"])',
        "diagnose([], [], [[1]])",
        "diagnose([])",
        "report()",
        "report(5)",
        "submit()",
        "acknowledge(1)",
    ],
)
def test_what_is_no_call_is_explained_and_changes_nothing(started, call):
    env = started.fork()[0]
    text, reward, over, _, info = env.step(f"```\n{call}\n```")
    assert text
    assert info["error"] in ("arguments", "unknown_api")
    assert (reward, over) == (0.0, False)
    assert play(env, [REPORT])[1] == 0.0


def test_a_branch_continues_byte_by_byte(started):
    env = started.fork()[0]
    play(env, [ACKNOWLEDGE, REPAIR, RESOLVE])
    other = opened()[0].unwrapped
    other.restore(env.snapshot())
    branches = [env.fork()[0], other, copy.deepcopy(env), pickle.loads(pickle.dumps(env)), env]
    ends = [(branch.prompt, play(branch, [REPAIR, REPORT])) for branch in branches]
    assert all(end == ends[0] for end in ends)


@pytest.mark.parametrize("name", ["RecordEpisodes", "RewardShaping", "Symptoms HashedText"])
def test_wrappers_of_text_stand_around_it(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    env = TEXT[name](gym.make("aiops_gym/Incident-v0", problem=GEO, disable_env_checker=True))
    env.reset(seed=3)
    reward, over = [env.step(str(call))[1:3] for call in (ACKNOWLEDGE, REPORT)][-1]
    assert over
    assert reward <= 0.1 + 1e-9


def test_bundled_agents_play_it(started, calm):
    for name, sick, healthy in (("noop", 0.0, 1.0), ("restart", 0.1, 0.0)):
        for env, wanted in ((started.fork()[0], sick), (calm.fork()[0], healthy)):
            agent = make(name, env)
            agent.reset(env.prompt)
            observation, over = env.prompt, False
            while not over:
                observation, reward, over, *_ = env.step(agent.act(observation))
            assert reward == wanted, (name, env.episode)


def test_arguments_that_make_no_sense_are_refused():
    for wrong in ({"time_limit": 0}, {"harm_limit": float("nan")}, {"steps": 0}, {"weights": {"luck": 1}}):
        with pytest.raises((ValueError, ArgumentError)):
            opened(**wrong)
    with pytest.raises(ArgumentError, match="AIOpsLab poses no incident"):
        opened(evaluation="aiopslab")
    with pytest.raises(ArgumentError, match="this environment poses incident"):
        opened("misconfig_app_hotel_res-mitigation-1")
