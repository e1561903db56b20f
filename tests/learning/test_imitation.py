"""Right answers as lessons, the script, and what actions can do at all."""

from __future__ import annotations

from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest

from aiops_gym.catalog import registry
from aiops_gym.learning import imitation, trial, worlds
from aiops_gym.learning.ablations import leave_out
from aiops_gym.learning.imitation import imitate
from aiops_gym.learning.oracle import find_repair, look_around
from aiops_gym.learning.policies import load
from aiops_gym.learning.reach import try_actions
from aiops_gym.learning.script import scripted
from aiops_gym.learning.settings import Settings
from aiops_gym.learning.study import Study
from aiops_gym.runs import run_episode
from aiops_gym.wrappers import snapshot
from aiops_gym.wrappers.symptoms import COMPONENT

PROBLEMS = ("misconfig_app_hotel_res-mitigation-1", "scale_pod_zero_social_net-mitigation-1")


@pytest.mark.parametrize(
    ("problem", "last"), [(PROBLEMS[0], "undo"), (PROBLEMS[1], "match replicas")], ids=["an image", "no replicas"]
)
def test_some_change_of_what_the_fault_is_at_repairs_it_and_the_world_stays_as_it_was(problem, last):
    env = worlds.make_world(Settings(task="mitigation", problems=(problem,)))
    env.reset(seed=1)
    for look in look_around(env):
        env.step(look)
    before, names = snapshot(env), env.get_wrapper_attr("macro_names")
    actions = find_repair(env)
    assert [names[action] for action in actions][1:] == [last, "submit repaired"]
    assert snapshot(env) == before
    turns = [env.step(action) for action in actions]
    assert turns[-1][4]["is_success"]


@pytest.mark.parametrize(
    "problem",
    [
        "untolerated_taint_hotel_reservation-mitigation-memcached-rate",
        "stray_pod_hotel_reservation-mitigation-memcached-reserve",
    ],
)
def test_nodes_and_what_no_service_leads_to_are_in_reach_in_a_lived_in_cluster(problem):
    env = worlds.make_world(Settings(task="mitigation", split="test"))
    env.reset(seed=102, options={"problem": problem})
    for look in look_around(env):
        env.step(look)
    assert find_repair(env)


@pytest.mark.parametrize("how", ["independent", "hidden"])
def test_several_components_at_fault_are_noted_and_then_named_together(how):
    found = registry.problems("localization", split="test", tier="hard")
    problem = next(each.id for each in found if each.how == how and each.others[0][1] != each.target)
    env = worlds.make_world(Settings(task="localization", split="test", tier="hard", tools="all"))
    env.reset(seed=5, options={"problem": problem})
    for look in look_around(env):
        env.step(look)
    actions = imitation.find_right(env, "localization")
    names = env.get_wrapper_attr("macro_names")
    assert [names[action].split()[0] for action in actions] == ["suspect"] * (len(actions) - 1) + ["submit"]
    assert len(actions) > 1
    assert [env.step(action) for action in actions][-1][4]["is_success"]


def test_what_no_action_mends_is_told_apart_and_kept(tmp_path, monkeypatch):
    study = Study(out=tmp_path, tasks=("mitigation",), sample=1)
    cases = [
        trial.Case(problem=each, seed=2, group="familiar") for each in (PROBLEMS[1], "revoke_auth_mongodb-mitigation-1")
    ]
    monkeypatch.setattr(trial, "draw_cases", lambda *_: cases)
    found = try_actions(study, lambda *_: None)
    assert [bool(each.actions) for each in found] == [True, False]
    monkeypatch.setattr("aiops_gym.learning.reach._tried", None)
    assert try_actions(study, lambda *_: None) == found
    assert try_actions(Study(out=tmp_path, tasks=("detection",)), lambda *_: None) == []


def test_a_network_that_is_shown_the_answers_looks_around_and_gives_them(tmp_path, monkeypatch):
    settings = Settings(task="detection", split="train")
    both = ("misconfig_app_hotel_res-detection-1", "noop_detection_hotel_reservation-1")
    monkeypatch.setattr(imitation, "draw_problem", lambda _, at: both[at % 2])
    monkeypatch.setattr(imitation, "EPOCHS", 150)  # with few, it says of everything the same
    told: list[int] = []
    model = imitate(settings, tmp_path, 30, told.append)
    assert told == [0, 25]
    policy, env = load(str(model)), worlds.make_world(settings)
    cases = [trial.Case(problem=each, seed=seed, group="familiar") for each in both for seed in range(3)]
    outcomes = [trial.play(env, policy, case, sampled=False) for case in cases]
    assert sum(each.success for each in outcomes) >= 5
    assert {each.steps for each in outcomes} == {12}
    monkeypatch.setattr(imitation, "_lesson", None)
    assert imitate(settings, tmp_path, 30) == model
    model.unlink()
    again = load(str(imitate(settings, tmp_path, 30)))
    weights = (each.learner.policy.state_dict() for each in (policy, again))
    assert all(np.array_equal(left, right) for left, right in zip(*(each.values() for each in weights), strict=True))


def test_lessons_with_nothing_left_out_serve_where_features_are_and_are_seen_without_them(tmp_path, monkeypatch):
    settings = Settings(task="detection", split="train")
    imitate(settings, tmp_path / "whole", 1)
    (file,) = (tmp_path / "whole" / "lessons").iterdir()
    shown = []
    monkeypatch.setattr(imitation, "_lesson", None)
    monkeypatch.setattr(imitation, "leave_out", lambda *given: shown.append(leave_out(*given)) or shown[-1])
    less = replace(settings, without="drift")
    imitate(less, tmp_path / "less", 1, whole=tmp_path / "whole")
    whole = np.load(file)
    (seen,) = shown
    rows, before = (each["components"].reshape(-1, len(COMPONENT)) for each in (seen, whole))
    assert before[:, COMPONENT.index("drifts")].any() and not rows[:, COMPONENT.index("drifts")].any()
    assert np.array_equal(rows[:, COMPONENT.index("there")], before[:, COMPONENT.index("there")])
    assert (tmp_path / "less" / "model.zip").exists() and not (tmp_path / "less" / "lessons").exists()


@pytest.mark.parametrize(
    ("task", "problem"),
    [
        ("Detection", "scale_pod_zero_social_net-detection-1"),
        ("Localization", "scale_pod_zero_social_net-localization-1"),
        ("Mitigation", "scale_pod_zero_social_net-mitigation-1"),
    ],
)
def test_the_script_solves_what_is_plain(task, problem):
    env = gym.make(f"aiops_gym/{task}-v0", problem=problem)
    assert run_episode(env, scripted(env), seed=3).success
