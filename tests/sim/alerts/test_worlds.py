"""Alerts of whole worlds: what pages whom, by which program, and that looking changes nothing."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from aiops_gym.backends import Simulated
from aiops_gym.catalog import monitoring, registry
from aiops_gym.sim.alerts.rules import read_groups
from aiops_gym.sim.promql.durations import parse_duration
from aiops_gym.sim.promql.parser import parse
from aiops_gym.sim.traffic import timeline

ALWAYS = "Watchdog"
GROUPS = [group for name, text in monitoring.RULES.items() for group in read_groups(text, name, parse_duration)]


def ask(world, program, path):
    """The data that a program answers with."""
    row = next(row for row in world.table("processes").values() if row["program"] == program)
    kind = {"prometheus": "prometheus", "alertmanager": "alertmanager"}[program]
    module = __import__(f"aiops_gym.sim.software.programs.{kind}", fromlist=["program"])
    status, body = module.program.http(world, row, path)
    assert status == 200, body
    return json.loads(body)


def firing(world):
    return [alert["labels"] for alert in ask(world, "alertmanager", "/api/v2/alerts")]


@pytest.fixture(scope="module")
def broken():
    """A world in which a search fails, ten minutes later."""
    world = Simulated(registry.find_problem("revoke_auth_mongodb-detection-1"), 3, noise=False).world
    world.run(600_000)
    return world


def test_every_rule_can_be_read_and_names_no_fault():
    faults = registry.faults()
    for group in GROUPS:
        for rule in group.rules:
            parse(rule.expr)
            words = f"{rule.name} {rule.labels} {rule.annotations}".lower().replace("_", "")
            assert not [name for name in faults if name.lower().replace("_", "") in words]


@pytest.mark.skipif(shutil.which("promtool") is None, reason="no promtool here")
def test_promtool_takes_the_files(tmp_path):
    for name, text in monitoring.RULES.items():
        (tmp_path / name).write_text(text)
        done = subprocess.run(
            ["promtool", "check", "rules", name], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("app", ["hotel_reservation", "social_network", "astronomy_shop"])
def test_a_healthy_world_without_noise_pages_nobody(app):
    problem = next(p for p in registry.problems() if p.id.startswith("noop_detection") and p.app == app)
    world = Simulated(problem, 2, noise=False).world
    world.run(1_800_000)
    assert [labels["alertname"] for labels in firing(world)] == [ALWAYS]


def test_users_who_are_hurt_are_heard_within_ten_minutes(broken):
    names = {labels["alertname"] for labels in firing(broken)}
    assert "ErrorBudgetBurn" in names
    states = {rule["name"]: rule["state"] for group in told(broken) for rule in group["rules"] if "state" in rule}
    assert states["KubePodCrashLooping"] == "pending"


def told(world):
    return ask(world, "prometheus", "/api/v1/rules?type=alert")["data"]["groups"]


def test_alerts_are_grouped_as_the_route_says(broken):
    groups = ask(broken, "alertmanager", "/api/v2/alerts/groups")
    assert [set(group["labels"]) <= {"alertname", "namespace"} for group in groups] == [True] * len(groups)
    assert sum(len(group["alerts"]) for group in groups) == len(firing(broken))
    chosen = ask(broken, "alertmanager", "/api/v2/alerts?filter=severity%3D%22critical%22")
    assert {alert["labels"]["severity"] for alert in chosen} == {"critical"}


def test_asked_twice_or_in_a_fork_alerts_are_the_same(broken):
    before = (ask(broken, "prometheus", "/api/v1/alerts"), told(broken))
    fork = broken.fork()
    assert (ask(fork, "prometheus", "/api/v1/alerts"), told(fork)) == before
    fork.run(60_000)
    later = ask(fork, "prometheus", "/api/v1/query?query=ALERTS_FOR_STATE")["data"]["result"]
    assert later
    assert ask(broken, "prometheus", "/api/v1/alerts") == before[0]


def test_recorded_series_and_alerts_can_be_asked_for(broken):
    def query(text):
        return ask(broken, "prometheus", f"/api/v1/query?query={text}")["data"]["result"]

    (burning,) = query("proxy:haproxy_backend_http_errors:ratio_rate5m>0.1")
    assert burning["metric"]["proxy"] == "test-hotel-reservation_search"
    assert {row["metric"]["alertstate"] for row in query("ALERTS")} == {"pending", "firing"}


@pytest.mark.full
def test_whoever_is_hurt_is_heard_and_no_single_alert_tells_incidents_from_healthy_clusters():
    healthy = {problem.id for problem in registry.list_healthy("detection", "train")}
    fired: dict[str, list[int]] = {}
    many, heard = [0, 0], list[bool]()
    for seed in range(100):
        problem = registry.draw("detection", seed, "train")
        world = Simulated(problem, seed).world
        world.run(600_000)
        sick = problem.id not in healthy
        names = {labels["alertname"] for labels in firing(world)}
        many[sick] += 1
        for name in names:
            fired.setdefault(name, [0, 0])[sick] += 1
        if sick and min(timeline.read_current(world)["success"].values()) < 0.95:
            heard.append(names != {ALWAYS})
    assert sum(heard) / len(heard) >= 0.8
    rates = {name: [count / total for count, total in zip(counts, many, strict=True)] for name, counts in fired.items()}
    accuracy = {name: max(right + 1 - wrong, wrong + 1 - right) / 2 for name, (wrong, right) in rates.items()}
    assert max(accuracy.values()) < 0.8, accuracy
