"""Pictures of an episode: of one size, the same for the same moment, and with Gymnasium's own tools."""

from __future__ import annotations

import subprocess
import sys

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordVideo, RenderCollection
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_world import ToyEnv, block

from aiops_gym.envs.layout import lay_out
from aiops_gym.envs.picture import draw_picture
from aiops_gym.envs.sheet import HEIGHT, WIDTH, Picture
from aiops_gym.errors import BackendError

PROBLEM = "revoke_auth_mongodb-mitigation-1"
LOOK = block("exec_shell('kubectl get pods -A')")
INFO = {"problem": "p", "task": "t", "step": 1, "time": 5.0, "error": "", "results": {}, "is_success": False}


@pytest.fixture
def env():
    made = gym.make("aiops_gym/Mitigation-v0", problem=PROBLEM, render_mode="rgb_array")
    made.reset(seed=3)
    return made


def right(frame):
    assert (frame.shape, frame.dtype) == ((HEIGHT, WIDTH, 3), np.uint8)
    return frame


def test_the_same_moment_gives_the_same_picture_and_another_one_another(env):
    first = right(env.render())
    assert np.array_equal(first, env.render())
    env.step(LOOK)
    second = right(env.render())
    assert not np.array_equal(first, second)
    (twin,) = env.unwrapped.fork()
    assert np.array_equal(second, twin.render())


def test_a_repair_turns_the_picture_from_red_to_green(env):
    def red(frame):
        return int((frame.reshape(-1, 3) == (0x48, 0x1A, 0x1D)).all(1).sum())

    before = red(env.render())
    for action in env.unwrapped.reference_actions():
        env.step(action)
    assert before > 3 * 1000
    assert red(env.render()) == 0


def test_alerts_and_golden_signals_are_part_of_the_picture():
    alert = {
        "name": "Burning",
        "severity": "critical",
        "labels": {"proxy": "search"},
        "what": "",
        "spans": [[-90.0, None, None]],
    }
    curves = {"search": {"rate": "1 2 - 4", "errors": "0 0 1 1", "p50": "3 3 3 3", "p99": "9 9 9 9"}}
    signals = {"start": -60.0, "end": 30.0, "step": 30.0, "operations": curves, "components": {}, "alerts": [alert]}
    turn = ("```\nx()\n```", "out\n" * 60, 0.0)
    pictures = [
        draw_picture(turn, INFO, signals=told).tobytes()
        for told in (
            None,
            signals,
            {**signals, "alerts": []},
            {**signals, "alerts": [{**alert, "spans": [[-90.0, -30.0, None]]}]},
            {**signals, "alerts": [{**alert, "severity": "none"}] * 2},
            {**signals, "operations": {"search": {**curves["search"], "errors": "0 0 0 1"}}},
            {**signals, "alerts": [alert] * 40, "operations": {name: {} for name in "abcdefg"}},
        )
    ]
    assert len(set(pictures)) == len(pictures) - 1
    assert pictures[2] == pictures[4]  # what fires always is no news
    assert draw_picture(turn, INFO, signals=signals).tobytes() == pictures[1]


def test_looking_at_pictures_changes_nothing(env):
    plain = gym.make("aiops_gym/Mitigation-v0", problem=PROBLEM)
    plain.reset(seed=3)
    for action in env.unwrapped.reference_actions():
        env.render()
        assert env.step(action) == plain.step(action)
    assert env.unwrapped.snapshot() == plain.unwrapped.snapshot()


def test_columns_do_not_run_into_each_other():
    wide = "MMMMMMMMMM"
    alone, together = Picture(), Picture()
    alone.lines((0.0, 0.0), wide, "white", 1000, 20)
    together.lines((0.0, 0.0), f"{wide}  next", "white", 1000, 20)
    end = int(np.nonzero((alone.array() != together.array()).any(axis=(0, 2)))[0][0])
    assert end > np.nonzero((alone.array() != Picture().array()).any(axis=(0, 2)))[0][-1]


def test_recorded_incidents_have_pictures_without_a_graph():
    env = gym.make("aiops_gym/OpenRCABank-v0", render_mode="rgb_array")
    env.reset(seed=1)
    right(env.render())
    assert env.unwrapped.health() == {}


def test_gymnasium_finds_nothing_to_complain_about():
    env = gym.make("aiops_gym/Detection-v0", problem="container_kill-detection", render_mode="rgb_array")
    check_env(env.unwrapped)


def test_frames_are_collected_by_gymnasiums_wrapper():
    env = RenderCollection(ToyEnv("detection", "container_kill-detection", render_mode="rgb_array"))
    env.reset(seed=1)
    env.step(block("exec_shell('echo hi')"))
    env.step(block("submit('Yes')"))
    assert [right(frame).shape for frame in env.render()] == [(HEIGHT, WIDTH, 3)] * 3


@pytest.mark.full
def test_gymnasium_films_an_episode(tmp_path):
    toy = ToyEnv("detection", "container_kill-detection", render_mode="rgb_array")
    env = RecordVideo(toy, str(tmp_path / "films"), episode_trigger=lambda number: True, disable_logger=True)
    env.reset(seed=1)
    env.step(block("submit('Yes')"))
    env.close()
    (film,) = (tmp_path / "films").glob("*.mp4")
    assert film.stat().st_size > 1000


@settings(max_examples=25, deadline=None)
@given(st.text(), st.text(), st.text())
def test_any_text_can_be_drawn(action, observation, words):
    right(draw_picture((action, observation, 0.0), INFO, words=words))


def test_a_huge_output_is_drawn_as_far_as_it_fits():
    right(draw_picture(("x" * 100_000, "y" * 1_000_000 + "\n" * 100_000, 0.0), INFO))


def test_without_pillow_an_error_says_what_to_install(monkeypatch):
    env = ToyEnv("detection", "container_kill-detection", render_mode="rgb_array")
    env.reset(seed=1)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(BackendError, match=r"pip install 'aiops_gym\[render\]'"):
        env.render()


def test_pillow_is_asked_for_at_the_first_picture_only():
    code = (
        "import sys, gymnasium, aiops_gym\n"
        "env = gymnasium.make('aiops_gym/Detection-v0', problem='container_kill-detection', render_mode='rgb_array')\n"
        "env.reset(seed=1)\n"
        "assert 'PIL' not in sys.modules\n"
        "env.render()\n"
        "assert 'PIL' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


NAMES = st.sampled_from([f"c{i}" for i in range(9)])


@given(st.lists(st.tuples(st.one_of(st.just(""), NAMES), NAMES), max_size=20))
def test_a_layout_has_every_component_once_and_calls_lead_right_where_they_can(calls):
    names = [f"c{i}" for i in range(9)]
    columns, apart = lay_out(names, calls)
    placed = [name for column in columns for name in column]
    assert sorted([*(set(placed) - {""}), *apart]) == names
    assert len(placed) == len(set(placed))
    at = {name: i for i, column in enumerate(columns) for name in column}
    ahead = [(a, b) for a, b in calls if a != b and not _circle(calls, a, b)]
    assert all(at[a] < at[b] for a, b in ahead)


def _circle(calls, start, end):
    seen, waiting = {end}, [end]
    while waiting:
        here = waiting.pop()
        new = {b for a, b in calls if a == here} - seen
        seen |= new
        waiting += new
    return start in seen
