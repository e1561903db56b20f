"""`play`, from the task to the reasons of the verdict; and what `run` and `list` know of computed problems."""

from __future__ import annotations

import json
import re

import pytest

from aiops_gym.catalog import registry
from aiops_gym.cli import run
from aiops_gym.cli.ending import HOLDS, explain_reward
from aiops_gym.envs.render import wrap_lines
from aiops_gym.runs import Episode
from aiops_gym.tasks.base import Truth, find, list_tasks

PROBLEM = "k8s_target_port-misconfig-localization-1"


@pytest.fixture
def play(monkeypatch, tmp_path, capsys):
    """Run `play` with lines that somebody types: code, and what was shown."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def played(*arguments, lines=()):
        given = iter(lines)

        def reply(ask):
            found = next(given, EOFError)
            if isinstance(found, str):
                return found
            raise found

        monkeypatch.setattr("builtins.input", reply)
        code = run(["play", *arguments])
        return code, capsys.readouterr().out

    return played


def test_the_end_says_what_was_wrong_what_was_done_and_why_it_counts_so(play):
    code, out = play("--problem", PROBLEM, "--seed", "1", lines=["echo a look", "submit user-service jaeger"])
    assert code == 0
    end = out[out.index("not solved, reward 0.50") :].splitlines()
    assert end[1:5] == [
        "What was wrong:",
        f"  user-service: {registry.describe_fault('misconfig_k8s')}",
        "The right answer:",
        "  submit(['user-service'])",
    ]
    assert "  kubectl patch service user-service -n test-social-network --type=json" in end[6]
    done = end.index("What you did:")
    assert end[done + 1 : done + 5] == [
        "  1. echo a look",
        "  2. submit(['user-service', 'jaeger'])",
        "Why:",
        "  the answer is right in part (0.50 of 1)",
    ]
    assert end[-1] == f"The same again: aiops-gym play --problem {PROBLEM} --seed 1"


def test_of_a_repair_each_condition_is_said(play):
    code, out = play("--problem", "k8s_target_port-misconfig-mitigation-1", "--seed", "1", lines=["submit y"])
    assert code == 0
    assert all(f"  {HOLDS[name][1]}\n" in out for name in ("cause_gone", "served"))
    assert f"  {HOLDS['complete'][0]}\n" in out
    assert "  the judge found: " in out


@pytest.mark.parametrize("last", [["exit"], [], [KeyboardInterrupt], ["submit", KeyboardInterrupt]])
def test_whoever_leaves_is_told_too_and_the_episode_is_saved(play, tmp_path, last):
    path = tmp_path / "episode.json"
    code, out = play("--problem", PROBLEM, "--seed", "1", "--save", str(path), lines=["echo a look", *last])
    assert code == 0
    assert "left without a submission\nWhat was wrong:\n  user-service: " in out
    assert "Why:" not in out
    kept = Episode.load(path)
    assert (len(kept.steps), kept.terminated, kept.problem_id) == (1, False, PROBLEM)


def test_a_drawn_problem_is_named_at_the_end_only_and_so_is_its_seed(play):
    code, out = play("--task", "localization", "--split", "test", "--app", "social_network", lines=["help", "exit"])
    assert code == 0
    shown, again = out.split("The same again: aiops-gym play ")
    problem, seed = re.fullmatch(r"--problem (\S+) --seed (\d+)\n", again).groups()
    assert problem not in shown
    found = registry.find_problem(problem)
    assert (found.task, found.app) == ("localization", "social_network")
    assert found.split == "test" or not found.fault
    assert int(seed) < 1_000_000


def test_one_who_runs_agents_draws_computed_problems_too(capsys):
    drawn = set()
    for task in ("detection", "analysis"):
        arguments = ["--task", task, "--split", "test", "--app", "hotel_reservation", "--episodes", "3", "--json"]
        assert run(["run", "--agent", "noop", *arguments]) == 0
        out = capsys.readouterr().out.replace("}\n{", "},{")
        drawn |= {each["problem_id"] for each in json.loads(f"[{out}]")}
    found = [registry.find_problem(each) for each in drawn]
    assert {each.app for each in found} == {"hotel_reservation"}
    fixed = {each.id for each in registry.problems()}
    assert any(each.id not in fixed and each.split == "test" for each in found)


def test_an_application_keeps_its_share_of_healthy_episodes_and_changes_no_other_draw():
    drawn = [registry.draw("detection", seed, "train", "social_network") for seed in range(300)]
    assert {each.app for each in drawn} == {"social_network"}
    assert 0.3 < sum(not each.fault for each in drawn) / 300 < 0.5
    whole = [registry.draw("detection", seed, "train") for seed in range(100)]
    assert {each.app for each in whole} == set(registry.apps())


def test_the_list_says_how_many_there_are(capsys):
    assert run(["list", "--app", "hotel_reservation"]) == 0
    out, err = capsys.readouterr()
    rows = {line[:20].strip(): line[20:].split() for line in err.splitlines() if line[:20].strip()}
    assert rows["in all"][0] == str(len(out.splitlines()) - 1) == str(len(registry.problems(app="hotel_reservation")))
    for number, split in enumerate((None, "train", "test")):
        for task in list_tasks():
            count = len(registry.problems(task, "hotel_reservation", split))
            assert rows[task][number] == f"{count:,}"
    assert "--split train and --split test list the computed ones too" in err
    assert run(["list", "--split", "test", "--task", "analysis"]) == 0
    assert f"{len(registry.problems('analysis', split='test'))} problems" in capsys.readouterr().err


def test_every_fault_is_a_sentence_and_every_part_of_a_reward_is_in_words():
    for fault in registry.faults():
        assert re.fullmatch(r"[A-Z][^\n]{20,130}\.", registry.describe_fault(fault)), fault
    said = list(
        explain_reward({"cause_gone": 0.0, "collateral": 2.0, "damage": 0.0, "mine": 0.25}, {"failed": ["MG01"]})
    )
    assert said == [
        "the cause is still there",
        "healthy objects that were changed, or guards opened: 2",
        "mine: 0.25",
        'failed: ["MG01"]',
    ]


@pytest.mark.parametrize("task", [each for each in list_tasks() if each != "incident"])  # whose form is a report
def test_the_right_answer_can_be_typed(task):
    """What a form makes of the right answer in words is the right answer."""
    app = registry.find_app("social_network")
    truth = Truth("user-service", layer="Virtualization", kind="Misconfiguration")
    (solution,) = find(task).solution(truth) or (None,)
    words = {"answer": "yes", "names": "user-service", "system_level": "virt", "fault_type": "misconf", "sure": "y"}
    form = find(task).form(app)
    said = {field.name: field.read(words[field.name]) for field in form.fields}
    assert form.arguments(said) == (() if solution is None else (solution,))


def test_prose_is_broken_at_blanks_only():
    text = "- one two-three four\n\n    five a-word-that-is-longer-than-that"
    assert wrap_lines(text, 12) == "- one\n  two-three\n  four\n\n    five\n    a-word-that-is-longer-than-that"
    assert wrap_lines(text, 0) == text
