"""The study behind docs/learning.md: all of it on a small scale, continued, and written as a page."""

from __future__ import annotations

from functools import partial

import pytest

from aiops_gym.catalog import registry
from aiops_gym.cli import run
from aiops_gym.learning import report, study, trial
from aiops_gym.learning.settings import Settings
from aiops_gym.learning.study import LEARNT, Score, Study, group_by_agent
from aiops_gym.learning.trial import FAMILIAR, HEALTHY, NOVEL
from aiops_gym.runs.intervals import compute_crossed_interval, compute_wilson

TINY = {"every": 32, "envs": 2, "sample": 1, "recipe": {"horizon": 16, "batch": 16, "epochs": 1}}


class Small(Study):
    """Runs of no consequence."""

    def settings(self, task, seed, without=""):
        return Settings(task=task, steps=32, seed=seed, without=without, **TINY)


def test_it_trains_plays_and_writes_a_page_and_is_not_done_twice(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("aiops_gym.cli.commands.study.Study", partial(Small, lessons=4))
    monkeypatch.setattr(study, "ABLATIONS", {name: study.ABLATIONS[name] for name in ("drift", "looks")})
    given = ["study", "--out", str(tmp_path / "out"), "--write", str(tmp_path / "learning.md"), "--workers", "0"]
    given += ["--tasks", "detection", "--seeds", "2", "--sample", "1"]
    assert run(given) == 0
    page = (tmp_path / "learning.md").read_text()
    assert "(learning/detection.png)" in page
    assert (tmp_path / "learning" / "detection.png").read_bytes().startswith(b"\x89PNG")
    rows = {line.split(" | ")[0].strip("| ") for line in page.splitlines() if line.startswith("| ")}
    assert rows >= {
        "agent",
        "random",
        "masked-random",
        "masked-random, looks first",
        "noop",
        "restart",
        "runbook",
        "script",
        "shown the answers",
        "shown the answers, drift left out",
        "shown the answers, looks left out",
        "learnt, drift left out",
        "learnt, looks left out",
        "learnt",
        "learnt, sampled",
        "0",
        "1",
    }
    assert "| noop | 3 | 1.0 | 0.50 (0.05-0.95) | 0.00 (0.00-0.79) | 1.00 (0.21-1.00) | 0.00 (0.00-0.79) |" in page
    assert "(unseen)" in page
    monkeypatch.setattr("aiops_gym.runs.player.play", None)
    monkeypatch.setattr("aiops_gym.learning.training._segment", None)
    monkeypatch.setattr("aiops_gym.learning.imitation._lesson", None)
    assert run(given) == 0
    assert (tmp_path / "learning.md").read_text() == page
    capsys.readouterr()


@pytest.mark.parametrize(
    ("task", "says"),
    [("cooking", "no task 'cooking'"), ("detection,analysis", "a run of analysis"), (",", "no task is named")],
)
def test_tasks_that_cannot_be_studied_are_named(tmp_path, capsys, task, says):
    assert run(["study", "--task", task, "--out", str(tmp_path / "x")]) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_what_a_former_model_played_is_forgotten(tmp_path, monkeypatch):
    begun = []
    monkeypatch.setattr(study, "train_all", lambda jobs, *_: begun.extend(job.out for job in jobs))
    small = Small(out=tmp_path, tasks=("detection",), seeds=1, ablations=0)
    old = small.run("detection", 0) / "test" / "episode"
    old.mkdir(parents=True)
    study._train(small, lambda *_: None)
    assert not old.exists()
    assert begun == [small.run("detection", 0)]


@pytest.mark.parametrize("task", ["detection", "localization", "mitigation"])
def test_a_test_shows_nothing_of_training_and_both_classes(task):
    cases = trial.draw_cases(task, (FAMILIAR, NOVEL), 40)
    groups = {name: [case for case in cases if case.group == name] for name in (FAMILIAR, NOVEL, HEALTHY)}
    trained = {each.id for each in trial.registry.problems(task, split="train") if each.fault}
    families = {trial.registry.find_problem(each).fault for each in trained}
    assert not trained & {case.problem for case in cases}
    assert len(groups[FAMILIAR]) == len(groups[NOVEL]) == 40
    assert {trial.registry.find_problem(case.problem).fault for case in groups[FAMILIAR]} <= families
    assert not {trial.registry.find_problem(case.problem).fault for case in groups[NOVEL]} & families
    assert len(groups[HEALTHY]) == {"detection": 40, "localization": 7, "mitigation": 0}[task]
    assert len({(case.problem, case.seed) for case in cases}) == len(cases)
    assert {case.problem for case in trial.draw_cases(task, (FAMILIAR,), 10)} <= {case.problem for case in cases}


def test_an_interval_knows_of_seeds_and_of_problems():
    alike, scattered = [[1.0, 0.0] * 20] * 3, [[1.0] * 40, [0.0] * 40, [1.0] * 40]
    assert compute_crossed_interval(alike) == pytest.approx(compute_wilson(0.5, 39))
    assert compute_crossed_interval(scattered)[0] < 0.2
    assert compute_crossed_interval([[1.0] * 5]) == compute_wilson(1.0, 5)


def test_learnt_agents_stand_last():
    def score(agent):
        return Score(task="", agent=agent, group="", app="", fault="", problem="", seed=0, episode=0, success=1.0)

    assert list(group_by_agent([score(LEARNT), score("noop")])) == ["noop", LEARNT]


def test_a_page_tells_tiers_apart_and_short_episodes_from_long_ones():
    def score(problem, seed, actions, success):
        told = {"task": "localization", "agent": LEARNT, "group": FAMILIAR, "episode": 0, "problem": problem.id}
        told |= {"app": problem.app, "fault": problem.fault}
        return Score(**told, seed=seed, actions=actions, success=success)

    tested = [
        next(p for p in registry.problems("localization", split="test", tier=tier) if p.fault)
        for tier in ("basic", "standard")
    ]
    lengths = {(0, 0): 2, (0, 1): 6, (1, 0): 12, (1, 1): 29}
    scores = [score(tested[i], seed, n, float(i == 0)) for (i, seed), n in lengths.items()]
    page = list(report._section("localization", [{"steps": 1, "seconds": 60.0}], scores, "pictures"))
    head = next(line for line in page if line.startswith("| agent"))
    assert head.endswith("| its faults, basic | its faults, standard |")
    cells = next(line for line in page if line.startswith(f"| {LEARNT} ")).split(" | ")
    assert [cell.split()[0] for cell in cells[-2:]] == ["1.00", "0.00"]
    at = page.index("| actions, the answer among them | share of the test | solved |")
    assert page[at + 2 : at + 6] == [
        "| 2 | 0.25 | 1.00 |",
        "| 5-6 | 0.25 | 1.00 |",
        "| 10-14 | 0.25 | 0.00 |",
        "| 15 or more | 0.25 | 0.00 |",
    ]
    one = list(report._section("localization", [{"steps": 1, "seconds": 60.0}], scores[:2], "pictures"))
    assert not any("its faults, basic" in line for line in one)
