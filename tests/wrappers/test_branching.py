"""A stack branches as a whole: what its wrappers remember goes along, into forks, bytes, and back."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.wrappers import FrameStackObservation, RecordEpisodeStatistics, TimeAwareObservation, TimeLimit
from gymnasium.wrappers import NormalizeReward as Normalized
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from wrapper_stacks import ALL, NUMBERS, TEXT

import aiops_gym  # noqa: F401  # registers
from aiops_gym.envs import plain
from aiops_gym.envs.branching import MADE_WITH, Remembering
from aiops_gym.errors import SnapshotError
from aiops_gym.learning.again import Again
from aiops_gym.learning.stack import wrap
from aiops_gym.wrappers import fork, restore, snapshot

AROUND = {
    "nothing": lambda env: env,
    "RecordEpisodeStatistics": RecordEpisodeStatistics,
    "TimeLimit": lambda env: TimeLimit(env, 6),
    "NormalizeReward": Normalized,
    "TimeLimit NormalizeReward": lambda env: TimeLimit(Normalized(env), 5),
}
STACKS = {**TEXT, **NUMBERS, "wrap Again": lambda env: wrap(TimeLimit(Again(env.unwrapped, 3), 4))}
COMMANDS = ("kubectl get deployments,pods -A", "date; echo $RANDOM", "kubectl get events -A | tail -3", "nonsense")


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """What is recorded lies in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def made(stack, around="nothing", task="Mitigation"):
    problem = f"misconfig_app_hotel_res-{task.lower()}-1"
    return AROUND[around](STACKS[stack](gym.make(f"aiops_gym/{task}-v0", problem=problem)))


def action(env, number):
    """One that the mask allows, or a text; what it is depends on what the stack knows."""
    if isinstance(env.action_space, gym.spaces.Text):
        return f"```\nexec_shell({COMMANDS[number % len(COMMANDS)]!r})\n```"
    allowed = np.flatnonzero(env.get_wrapper_attr("action_masks")())
    return int(allowed[number % len(allowed)])


def played(env, numbers):
    """The turns that follow, and at the end of an episode the start of the next."""
    turns = []
    for number in numbers:
        turn = env.step(action(env, number))
        turn[-1].get("episode", {}).pop("t", None)  # seconds of the wall clock
        turns.append(turn)
        if turn[2] or turn[3]:
            turns.append(env.reset())
        if env.has_wrapper_attr("meanings"):
            turns.append(env.get_wrapper_attr("meanings")())
    return turns


def same(left, right):
    return data_equivalence(left, right, exact=True)


numbers = st.lists(st.integers(0, 10_000), max_size=7)


@settings(max_examples=12, phases=(Phase.generate,))  # to shrink a failure takes minutes
@given(st.sampled_from(sorted(STACKS)), st.sampled_from(sorted(AROUND)), st.integers(0, 3), numbers, numbers)
def test_whatever_continues_from_a_state_has_the_same_future(stack, around, seed, before, after):
    env, elsewhere = made(stack, around), made(stack, around)
    env.reset(seed=seed)
    played(env, before)
    saved = snapshot(env)
    (branch,) = fork(env)
    future = played(env, after)
    assert same(played(branch, after), future)
    restore(elsewhere, saved)
    assert snapshot(elsewhere) == saved
    assert same(played(elsewhere, after), future)
    restore(env, saved)
    assert same(played(env, after), future)


def test_frames_and_steps_of_other_peoples_wrappers_are_carried_along():
    def stack():
        return TimeAwareObservation(FrameStackObservation(Normalized(made("HashedText MacroActions")), 3))

    env, elsewhere = stack(), stack()
    env.reset(seed=1)
    played(env, [3, 1, 4])
    restore(elsewhere, snapshot(env))
    (branch,) = fork(env)
    assert same(played(elsewhere, [1, 5]), played(env, [1, 5]))
    assert same(played(branch, [1, 5]), played(elsewhere, [9, 2])) is False


@pytest.mark.parametrize("stack", [*STACKS])
def test_what_an_episode_changes_in_a_wrapper_is_named_in_its_memory(stack):
    env = made(stack)
    env.reset(seed=2)
    before = written(env)
    played(env, [1, 7, 30, 12, 9])
    changed = {place for place, value in written(env).items() if value != before[place]}
    assert changed <= {(name, each) for name, wrapper in wrappers(env) for each in wrapper.MEMORY}


def written(env):
    """What all attributes of our wrappers are, as data, by wrapper and attribute."""
    found = {}
    for name, wrapper in wrappers(env):
        for each, value in vars(wrapper).items():
            if each not in MADE_WITH | {"files"} and not isinstance(value, gym.Space | gym.Env):
                found[name, each] = repr(vars(value)) if hasattr(value, "turns") else repr(value)
    return found


def wrappers(env):
    while isinstance(env, gym.Wrapper):
        if isinstance(env, Remembering):
            yield type(env).__name__, env
        env = env.env


def test_a_stack_of_this_package_has_the_three_as_methods_and_counts_the_steps():
    env = gym.make("aiops_gym/Detection-v0", max_episode_steps=3)
    env.reset(seed=5)
    env.step("hello")
    saved, (branch,) = env.snapshot(), env.fork()
    assert [branch.step("hello")[3] for _ in range(2)] == [False, True]
    assert [env.step("hello")[3] for _ in range(2)] == [False, True]
    env.restore(saved)
    assert [env.step("hello")[3] for _ in range(2)] == [False, True]


def test_a_stack_that_was_not_begun_continues_too():
    env, elsewhere = (made(ALL, task="Detection") for _ in range(2))
    env.reset(seed=1)
    env.step(0)
    elsewhere.restore(env.snapshot())
    assert same(elsewhere.step(1), env.step(1))


def test_a_bare_restore_under_wrappers_that_remember_is_refused():
    env = made("RewardShaping History Symptoms MacroActions")
    env.reset(seed=1)
    bare = env.unwrapped.snapshot()
    for where in (env, fork(env)[0]):
        with pytest.raises(SnapshotError, match="History, MacroActions, RewardShaping, Symptoms around this") as error:
            where.unwrapped.restore(bare)
        assert "aiops_gym.wrappers.snapshot(env) and restore(env, data)" in str(error.value)
    (alone,) = env.unwrapped.fork()
    alone.restore(bare)
    assert alone.snapshot() == bare
    inner = env.unwrapped
    del env, where, error
    inner.restore(bare)


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ("Symptoms HashedText", "taken of HashedText in MacroActions in .*, and here is Symptoms in HashedText"),
        ("MacroActions", "here is MacroActions in GradedAtLimit"),
    ],
)
def test_a_snapshot_of_another_stack_is_refused(other, says):
    env, another = made("HashedText MacroActions"), made(other)
    env.reset(seed=1)
    with pytest.raises(SnapshotError, match=says):
        restore(another, snapshot(env))


def test_a_snapshot_of_the_same_wrappers_made_otherwise_is_refused_and_nothing_changes():
    env, another = (wrap(gym.make("aiops_gym/Detection-v0"), gamma=gamma) for gamma in (0.9, 0.8))
    for each in (env, another):
        each.reset(seed=1)
    before = snapshot(another)
    with pytest.raises(SnapshotError, match="RewardShaping was made with"):
        restore(another, snapshot(env))
    with pytest.raises(SnapshotError, match="of a stack of wrappers"):
        env.unwrapped.fork()[0].restore(snapshot(env))
    with pytest.raises(SnapshotError, match="no wrapper at all"):
        restore(env, env.unwrapped.snapshot())
    assert snapshot(another) == before


def test_what_cannot_be_written_is_named():
    env = Normalized(gym.make("aiops_gym/Detection-v0"))
    env.reset(seed=1)
    env.friend = iter([])
    with pytest.raises(SnapshotError, match="NormalizeReward remembers friend, and a list_iterator"):
        snapshot(env)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.text() | st.integers() | st.tuples(st.text()), inner)
        | st.frozensets(st.text())
        | st.sets(st.integers())
    ),
    max_leaves=8,
)


@settings(max_examples=60)
@given(values)
def test_what_is_written_down_is_read_again(value):
    again = plain.decode(plain.encode(value))
    assert again == value
    assert type(again) is type(value)


def test_arrays_and_random_streams_are_written_bit_for_bit():
    stream = np.random.default_rng(3)
    again = plain.decode(plain.encode({"at": np.float32([0.1, np.nan]), "one": np.int64(7), "stream": stream}))
    assert again["at"].tobytes() == np.float32([0.1, np.nan]).tobytes()
    assert (again["one"], type(again["one"])) == (7, np.int64)
    assert again["stream"].integers(1 << 60) == stream.integers(1 << 60)


@pytest.mark.parametrize("data", [{}, {"as": "hole"}, {"as": "array", "dtype": "<f4", "shape": [2], "data": "AA=="}])
def test_damaged_data_is_refused(data):
    with pytest.raises(SnapshotError, match="damaged"):
        plain.decode(data)
