"""What a training run may be asked for; none of this needs torch."""

from __future__ import annotations

import gymnasium as gym
import pytest

from aiops_gym.cli import run
from aiops_gym.errors import CatalogError
from aiops_gym.learning import rllib, worlds
from aiops_gym.learning.settings import RANGES, RECIPE, Settings
from aiops_gym.learning.stack import GAMMA, wrap
from aiops_gym.wrappers import RewardShaping

WRONG = {
    "horizon": ("0", "2.5", "-32", "1e9"),
    "batch": ("0", "1", "-128", "7.5"),
    "epochs": ("0", "0.5", "-1"),
    "learning_rate": ("0", "-0.1", "2"),
    "entropy": ("-5", "Infinity"),
    "gamma": ("2", "-0.1", "NaN"),
    "lambda": ("5", "-1"),
    "clip": ("-1", "0"),
    "divergence": ("-1", "0"),
    "again": ("0", "2.5"),
    "curriculum": ("2", "-1"),
    "guided": ("1.5",),
    "price": ("-0.1",),
    "before_repairs": ("0.5",),
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_number_out_of_its_range_is_one_plain_line(tmp_path, capsys, name, value):
    assert run(["train", "--task", "detection", "--out", str(tmp_path / "x"), "--set", f"{name}={value}"]) == 2
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1)
    assert name in error
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("value", ["true", '"3"', "[1]", "null", "", "x", "1" * 400])
def test_what_is_no_number_is_refused(tmp_path, capsys, value):
    assert run(["train", "--task", "detection", "--out", str(tmp_path), "--set", f"gamma={value}"]) == 2
    assert "name=value with a number" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ("--task", "guessing"),
        ("--without", "luck"),
        ("--algo", "dqn"),
        ("--split", "exam"),
        ("--split", "exam", "--problem", "container_kill-detection"),
        ("--set", "luck=1"),
        ("--problem", "nothing"),
        ("--problem", "container_kill-localization"),
        ("--envs", "1", "--set", "horizon=1"),
        ("--envs", "1000000"),
        ("--seed", f"{2**32}"),
    ],
)
def test_a_mistake_in_the_arguments_leaves_nothing_behind(tmp_path, capsys, arguments):
    assert run(["train", "--task", "detection", *arguments, "--out", str(tmp_path / "x")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "x").exists()


def test_whole_numbers_and_the_ends_of_ranges_are_fine():
    assert set(RANGES) == set(RECIPE)
    Settings(task="detection", recipe=dict(RECIPE))
    ends = {"gamma": 0, "lambda": 1.0, "entropy": 0.0, "horizon": 32.0, "batch": 2, "learning_rate": 1}
    assert Settings(task="detection", recipe=ends).batch == 2


def test_answers_wait_for_the_looks_less_and_less():
    asked = Settings(task="detection", steps=51_200, recipe={"guided": 0.5})
    assert [asked.looks_first(steps) for steps in (0, 12_800, 25_600, 51_200)] == [1.0, 0.5, 0.0, 0.0]
    assert Settings(task="detection", recipe={"guided": 0}).looks_first(0) == 0.0


def test_a_mitigation_looks_before_it_repairs():
    assert [Settings(task=task).number("before_repairs") for task in ("detection", "mitigation")] == [0, 1]


def test_a_world_of_training_has_a_curriculum_and_one_of_evaluations_none():
    settings = Settings(task="detection", problems=("container_kill-detection",))
    assert worlds.make_world(settings, curriculum=True).has_wrapper_attr("curriculum")
    assert not worlds.make_world(settings).has_wrapper_attr("curriculum")


def test_problems_are_those_of_the_task():
    with pytest.raises(CatalogError, match="is a problem of localization"):
        Settings(task="detection", problems=("container_kill-localization",))


def shaping(env: gym.Env) -> RewardShaping:
    while not isinstance(env, RewardShaping):
        env = env.env
    return env


def test_the_potential_has_the_discount_of_the_learner():
    asked, usual = Settings(task="detection", recipe={"gamma": 0.9}), Settings(task="detection")
    assert [shaping(worlds.make_world(each)).gamma for each in (asked, usual)] == [0.9, GAMMA]
    made = gym.make("aiops_gym/Detection-v0")
    assert [shaping(wrap(made, **given)).gamma for given in ({"gamma": 0.5}, {})] == [0.5, GAMMA]


def test_the_potential_has_the_discount_of_rllibs_config():
    for given in ({"gamma": 0.9}, {}):
        env = rllib.make({"task": "detection", "split": "train", **given})
        assert shaping(env).gamma == given.get("gamma", GAMMA)
