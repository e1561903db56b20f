"""False alarms on healthy systems, and what repairs harm, in the figures and on the page."""

import pytest

from aiops_gym.cli import run
from aiops_gym.runs import evaluate, markdown

AGENTS = """
def play(*calls):
    turns = iter(calls)
    return lambda observation: "```\\n" + next(turns) + "\\n```"

def alarmist():
    return play('submit("Yes")')

def calm():
    return play('submit("No")')

def vandal():
    return play('exec_shell("kubectl delete deployment frontend -n test-hotel-reservation")', "submit()")

def idler():
    return play("submit()")
"""


@pytest.fixture
def agents(monkeypatch, tmp_path):
    (tmp_path / "harmful_agents.py").write_text(AGENTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def row(summary, name, by="all", group=""):
    (found,) = [each for each in summary.find(by, f"harmful_agents:{name}") if each.group == group]
    return found


def test_a_finding_on_a_healthy_system_is_a_false_alarm(agents):
    problems = ["noop_detection_hotel_reservation-1", "container_kill-detection"]
    names = ["harmful_agents:alarmist", "harmful_agents:calm"]
    summary = evaluate(names, problems=problems, seeds=2, out=agents / "runs", workers=0, signals=False)
    alarmist, calm = row(summary, "alarmist"), row(summary, "calm")
    assert (alarmist.episodes, alarmist.healthy, alarmist.false_alarms, alarmist.repairs) == (4, 2, 1.0, 0)
    assert (calm.healthy, calm.false_alarms) == (2, 0.0)
    page = markdown.render_page(summary)
    assert "| harmful_agents:alarmist | 2 | 100% | 0 | - | - |" in page
    assert "How far agents get" in page


def test_a_repair_that_breaks_something_else_is_harmful(agents, capsys):
    names = "harmful_agents:vandal,harmful_agents:idler"
    problem = "misconfig_app_hotel_res-mitigation-1"
    out = str(agents / "runs")
    assert run(["evaluate", "--agent", names, "--problem", problem, "--workers", "0", "--out", out]) == 0
    assert "most often at" in capsys.readouterr().out
    summary = evaluate(names.split(","), problems=[problem], out=out, workers=0, signals=False)
    vandal, idler = row(summary, "vandal"), row(summary, "idler")
    assert (vandal.repairs, vandal.harmful, vandal.success) == (1, 1.0, 0.0)
    assert (idler.repairs, idler.harmful, idler.success) == (1, 0.0, 0.0)
    assert (vandal.watched, vandal.collateral, idler.collateral) == (1, 1.0, 0.0)
    assert vandal.error_minutes > idler.error_minutes == 0.0
    assert vandal.irreversible == idler.irreversible == 0.0
    (family,) = [each for each in summary.find("fault", "harmful_agents:vandal") if each.repairs]
    assert (family.group, family.harmful) == ("misconfig_app", 1.0)
    assert f"| harmful_agents:vandal | 0 | - | 1 | 100% | {family.group} (100%) |" in markdown.render_page(summary)
