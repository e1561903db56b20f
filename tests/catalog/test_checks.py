"""Checks of causes: where they stand, and that they need no simulation, only answers."""

from collections import Counter
from inspect import getmembers, isfunction, signature
from types import SimpleNamespace

import pytest

from aiops_gym.backends.causes import SimulatedSystem
from aiops_gym.catalog import checks, registry
from aiops_gym.catalog.faults import exhausted_quota, scale_pods_to_zero, unexpected_password, untolerated_taint
from aiops_gym.catalog.model import Cause
from aiops_gym.catalog.system import Amounts, Reached, Workload

CAUSES = {fault.id: fault.cause for fault in registry.faults().values() if fault.cause is not None}
OFFERED = {check for _, check in getmembers(checks, isfunction) if list(signature(check).parameters)[-1:] == ["cause"]}


def asked(**answers):
    """A system that gives one answer to each question, whatever it is asked about."""
    replies = {name: (lambda *_, reply=reply: reply) for name, reply in answers.items()}
    return SimpleNamespace(components=("geo",), **replies)


def pods(*uids):
    return [{"metadata": {"uid": uid}} for uid in uids]


@pytest.mark.parametrize("fault", CAUSES)
def test_a_check_lives_in_the_file_of_its_fault_or_with_those_that_are_shared(fault):
    check = CAUSES[fault].check
    assert check.__module__ == f"aiops_gym.catalog.faults.{fault}" or check in OFFERED


def test_a_shared_check_is_shared():
    shared = Counter(cause.check for cause in CAUSES.values() if cause.check in OFFERED)
    assert set(shared) == OFFERED
    assert min(shared.values()) >= 2


def test_all_causes_ask_the_same_questions_of_any_backend():
    questions = {name for name in vars(checks.System) if not name.startswith("_")}
    offered = {name for name in vars(SimulatedSystem) if not name.startswith("_")}
    assert questions == offered


def runs(told, does="nothing yet", keeps="its data"):
    return {"runs": Workload(keeps, told, does)}


CASES = [
    (
        checks.template,
        runs("geo"),
        {**runs("geo"), "failing_probe": "livenessProbe"},
        "the livenessProbe of geo fails",
    ),
    (checks.template, runs("geo"), runs("rate", "rates"), "geo runs another program"),
    (checks.template, runs("geo"), {**runs("sh -c geo"), "failing_probe": ""}, ""),
    (checks.template, runs("geo", []), runs("sh -c geo", []), "geo runs another program"),
    (checks.template, runs("geo"), runs("geo", keeps="other data"), "geo runs another program"),
    (checks.template, runs("geo"), {"runs": None}, "geo runs another program"),
    (checks.template, runs("geo"), {**runs("geo"), "failing_probe": ""}, ""),
    (checks.named, {}, {"addresses": ["10.0.0.1"], "programs": []}, "geo does not find rate by its name"),
    (checks.named, {}, {"addresses": ["10.0.0.1"], "programs": ["a"]}, ""),
    (scale_pods_to_zero.replicated, {"pods": pods("a")}, {"pods": []}, "geo has too few pods"),
    (scale_pods_to_zero.replicated, {"pods": pods("a")}, {"pods": pods("b", "c")}, ""),
    (exhausted_quota.roomy, {}, {"pods": pods("a"), "quotas": {"q": 0}}, "quota q allows 0 of 1 pods"),
    (exhausted_quota.roomy, {}, {"pods": pods("a"), "quotas": {"q": 1}}, ""),
    (unexpected_password.opened, {}, {"programs": ["a"], "asks_password": True}, "geo asks for a password"),
    (unexpected_password.opened, {}, {"programs": ["a"], "asks_password": False}, ""),
]


@pytest.mark.parametrize(("check", "before", "now", "wrong"), CASES)
def test_a_check_says_what_is_still_wrong(check, before, now, wrong):
    cause = Cause(check=check, component="geo", detail="rate")
    assert check(asked(**before), asked(**now), cause) == wrong


@pytest.mark.parametrize(
    ("ends", "leads"),
    [
        (Reached(frozenset({"a"})), True),
        (Reached(frozenset({"a"}), refusing=1), False),
        (Reached(frozenset({"a", "stranger"})), False),
        (Reached(), False),
    ],
)
def test_a_service_has_to_lead_to_its_own_pods_alone(ends, leads):
    before = asked(object={"spec": {"ports": [{"port": 80}]}}, connect=Reached(frozenset({"old"})))
    found = checks.reached(before, asked(pods=pods("a"), connect=ends), Cause(check=checks.reached, component="geo"))
    assert (found == "") == leads


@pytest.mark.parametrize(("cores", "enough"), [(0.05, False), (0.1, True), (float("inf"), True)])
def test_a_limit_leaves_what_is_needed(cores, enough):
    free = Amounts(float("inf"), float("inf"))
    before = asked(programs=["old"], limits=free, load=(10.0, 0.01))
    now = asked(programs=["new"], limits=Amounts(cores, 1e9), usage=Amounts(0.02, 1e8))
    assert (checks.headroom(before, now, Cause(check=checks.headroom, component="geo")) == "") == enough


def test_a_new_node_is_no_home_for_what_it_was_not_there_for():
    nodes = [{"metadata": {"name": "old"}, "spec": {"unschedulable": True}}, {"metadata": {"name": "new"}, "spec": {}}]
    before = asked(tolerated=frozenset({"old"}))
    now = asked(objects=nodes, tolerated=frozenset({"old", "new"}))
    check = untolerated_taint.schedulable
    assert check(before, now, Cause(check=check)) == "no node takes pods of geo"
