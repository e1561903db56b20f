"""Pasts are shared by all episodes of a process: no episode, fault or judge has a say in one."""

import os
import subprocess
import sys

import orjson
import pytest

from aiops_gym import caches, folders
from aiops_gym.backends import decisions, warmup
from aiops_gym.backends.baseline import make_baseline
from aiops_gym.backends.inject import find_rewritten
from aiops_gym.backends.simulated import Simulated
from aiops_gym.catalog import registry
from aiops_gym.sim import traffic

pytestmark = pytest.mark.slow

APP = "hotel_reservation"
HEALTHY = next(p for p in registry.list_healthy("detection") if p.app == APP)
WIDE = "redeploy_without_PV-detection-1"
ABOUT_GEO = tuple(p for p in registry.problems("detection", APP, "train") if p.target == "geo")[::7]


def text(world, base):
    return orjson.dumps(world.difference(base))


ASKED = """
import hashlib, orjson
from aiops_gym.backends import warmup
from aiops_gym.backends.baseline import make_baseline
from aiops_gym.backends.simulated import Simulated
from aiops_gym.catalog import registry
{first}
base = make_baseline("hotel_reservation", 3)
found = [orjson.dumps(warmup.make_warmed_up("hotel_reservation", 3, number).difference(base))
         for number in {order}]
print(*sorted(hashlib.sha256(each).hexdigest() for each in found))
"""


def _run(program, cache):
    """What a program prints that finds no files of pasts."""
    env = {**os.environ, folders.VARIABLE: str(cache)}
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, env=env).stdout


def test_a_past_is_the_same_whoever_asks_first(tmp_path):
    first = f"Simulated(registry.find_problem({ABOUT_GEO[0].id!r}), 1)"
    programs = [ASKED.format(first="", order=(2, 5)), ASKED.format(first=first, order=(5, 2))]
    told = [_run(program, tmp_path / str(number)) for number, program in enumerate(programs)]
    assert told[0] == told[1]
    assert len(set(told[0].split())) == 2


def test_a_snapshot_stays_the_same_where_caches_forget_the_past():
    backend = Simulated(ABOUT_GEO[0], 1)
    before = backend.snapshot()
    caches.ENTRIES["backends.warmup._warmed_up"].forget()
    assert (backend.snapshot() == before, Simulated.restored(before).snapshot() == before) == (True, True)


def test_a_healthy_episode_and_an_incident_have_the_same_past_unless_a_decision_outdoes_the_fault():
    healthy = registry.find_problem(f"noop_{APP}-detection-all")
    for seed, problem in enumerate(p for p in ABOUT_GEO if registry.is_lived_in(p)):
        before = Simulated(healthy, seed).before_the_incident()
        assert (Simulated(problem, seed).before_the_incident() is before) or problem.fault in decisions.CONTRARY


def test_nothing_was_decided_about_what_a_fault_of_aiopslab_rewrites():
    for seed, problem in enumerate(p for p in registry.problems("detection", APP) if p.fault):
        app, fault = registry.find_app(problem.app), registry.find_fault(problem)
        number = warmup.choose_warmup(app, seed % 2, seed, find_rewritten(app, fault))
        assert not warmup._decided(APP, seed % 2, number, 0) & find_rewritten(app, fault)


def test_a_fault_that_rewrites_all_meets_a_past_in_which_nobody_decided_anything():
    problem = registry.find_problem(WIDE)
    app = registry.find_app(problem.app)
    spared = find_rewritten(app, registry.find_fault(problem))
    assert spared == set(app.components)
    found = {warmup.choose_warmup(app, 1, seed, spared) for seed in range(40)}
    assert found == set(range(warmup.PLAIN))
    assert not any(warmup._decided(app.id, 1, number, 0) for number in found)


def test_every_past_comes_up_and_the_app_is_well_in_it():
    app = registry.find_app(APP)
    assert {warmup.choose_warmup(app, 2, seed, frozenset()) for seed in range(80)} == set(range(warmup.WARMUPS))
    for number in range(warmup.WARMUPS):
        assert min(traffic.compute_success(warmup.make_warmed_up(APP, 2, number)).values()) > 0.99


@pytest.mark.full
def test_what_is_named_after_the_past_differs_between_episodes_that_share_it():
    found = {}
    for seed in range(40):
        backend = Simulated(registry.find_problem(WIDE), seed)
        found.setdefault(id(backend.before_the_incident()), []).append(backend)
    first, second = next(group[:2] for group in found.values() if len(group) > 1)
    assert not {pod["metadata"]["uid"] for pod in first.pods()} & {pod["metadata"]["uid"] for pod in second.pods()}


def test_neither_a_judge_nor_a_watcher_changes_what_others_share():
    problem = registry.find_problem("blocking_network_policy_hotel_reservation-mitigation-geo")
    first = Simulated(problem, 7).snapshot()
    for backend in (Simulated(problem, 7), Simulated(problem, 7, noise=False)):
        before, base = backend.before_the_incident(), make_baseline(APP, backend.variant)
        was = text(before, base)
        backend.shell.run(backend.fault.fixes[0])
        backend.assess()
        backend.health()
        assert text(before, base) == was
    assert Simulated(problem, 7).snapshot() == first


def test_without_noise_nothing_has_happened_but_that_users_ask_as_often_as_the_problem_says():
    backend = Simulated(HEALTHY, 5, noise=False)
    before = backend.before_the_incident()
    assert before.now == make_baseline(APP, backend.variant).now
    assert traffic.timeline.rate(before) == HEALTHY.rate
