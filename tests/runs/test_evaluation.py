"""Many episodes: planned alike, played anywhere alike, resumed, and what goes wrong kept apart."""

from __future__ import annotations

import json
import os
import re
import signal
from contextlib import suppress
from glob import glob
from pathlib import Path

import pytest
import questions
from evaluations import EPISODES, PROBLEM, alive, lasting, play, started, total, until, until_some_are_kept

from aiops_gym.agents.restart import ANSWERS
from aiops_gym.catalog import registry
from aiops_gym.errors import AiopsGymError, CatalogError
from aiops_gym.openrca.problems import problems_from_query_csv
from aiops_gym.runs import Episode, evaluate, summarise
from aiops_gym.runs.arguments import Arguments
from aiops_gym.runs.folder import Folder
from aiops_gym.runs.plan import make_plan
from aiops_gym.tasks.base import Case, find_truth, load

pytestmark = pytest.mark.usefixtures("odd_agents")


def contents(folder, *but):
    return {
        str(path.relative_to(folder)): lasting(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in but
    }


def test_a_plan_follows_from_its_arguments_and_the_catalogue():
    arguments = Arguments(agents=("noop", "restart"), tasks=("detection", "mitigation"), seeds=2)
    plan = make_plan(arguments)
    assert plan == make_plan(arguments)
    assert len({entry.name for entry in plan.entries}) == len(plan.entries)
    assert {entry.seed for entry in plan.entries if entry.fault != "healthy"} == {0, 1}
    detection = [entry for entry in plan.entries if entry.task == "detection" and entry.agent == "noop"]
    healthy = sum(entry.fault == "healthy" for entry in detection)
    assert healthy / len(detection) == pytest.approx(0.4, abs=0.02)
    assert not any(entry.fault == "healthy" for entry in plan.entries if entry.task == "mitigation")


def test_a_sample_is_part_of_any_larger_sample_and_never_larger_than_asked_for():
    def ids(sample):
        plan = make_plan(Arguments(agents=("noop",), tasks=("localization", "analysis"), sample=sample))
        return {entry.problem for entry in plan.entries}

    def faulty(sample):
        return {each for each in ids(sample) if not each.startswith("noop")}

    for size in (1, 2, 4, 10, 20):
        assert 0 < len(ids(size)) <= size
    assert faulty(1) < faulty(4) < faulty(10) < faulty(0.5) < faulty(0)
    assert len(ids(10)) > len(faulty(10))


def earned(sample):
    """What whoever always gives `restart`'s answer to Analysis earns, on average over the test split."""
    plan = make_plan(Arguments(agents=("restart",), tasks=("analysis",), splits=("test",), sample=sample))
    posed = [registry.find_problem(entry.problem) for entry in plan.entries]
    faults = [registry.find_fault(problem) for problem in posed]
    truths = [find_truth(*each, registry.find_app(each[0].app)) for each in zip(posed, faults, strict=True)]
    cases = [Case(problem, fault, each, None) for problem, fault, each in zip(posed, faults, truths, strict=True)]
    return sum(load("analysis").judge(*ANSWERS["analysis"], case).reward for case in cases) / len(cases)


def test_a_sample_pays_a_constant_answer_what_the_split_pays_it():
    whole = earned(0)
    assert 0.7 < whole < 0.8  # most problems share one label: evaluations show `restart` beside other agents
    assert [earned(size) for size in (50, 200, 0.5)] == pytest.approx([whole] * 3, abs=0.06)


def test_no_healthy_episode_is_in_both_splits():
    def episodes(split):
        plan = make_plan(Arguments(agents=("noop",), tasks=("detection",), splits=(split,)))
        return {(entry.problem, entry.seed) for entry in plan.entries if entry.fault == "healthy"}

    assert episodes("train")
    assert episodes("test")
    assert not episodes("train") & episodes("test")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"agents": ()}, "no agent"),
        ({"agents": ("oracle",)}, "no agent 'oracle'"),
        ({"agents": ("no_such_module:make",)}, "no_such_module"),
        ({"agents": ("odd_agents:not_a_function",)}, "nor a function that makes one"),
        ({"tasks": ("guessing",)}, "no task 'guessing'"),
        ({"splits": ("valid",)}, "no split 'valid'"),
        ({"problems": ("nothing-detection",)}, "no problem 'nothing-detection'"),
        ({"problems": ("Bank-task_1-0",)}, "'Bank-task_1-0' of recorded incidents needs its task: openrca_bank"),
        ({"problems": ("Bank-task_9-0",), "tasks": ("openrca_bank",)}, "row 0 of query.csv is Bank-task_"),
        (
            {"agents": ("rules",), "tasks": ("openrca_bank",)},
            "'rules' needs environments with tools='all': --env-k",
        ),
        ({"problems": (PROBLEM,), "tasks": ("mitigation",)}, f"'{PROBLEM}' is none of mitigation"),
        ({"problems": (PROBLEM,), "splits": ("test",)}, "is none of detection in test"),
        ({"problems": (PROBLEM,), "app": "social_network"}, "is none of detection of social_network"),
        ({"tasks": ("openrca_bank",), "app": "hotel_reservation"}, "nothing to play: no problem of openrca_bank of h"),
        ({"env_kwargs": {"problem": PROBLEM}}, "leave 'problem' to the evaluation"),
        ({"tokenizer": "odd_agents:nothing"}, "no tokenizer 'odd_agents:nothing': it is module:function"),
        ({"tokenizer": "cl100k_base"}, "no tokenizer 'cl100k_base': it is module:function"),
        ({"tokenizer": "no_such_module:count"}, "no tokenizer .* No module named"),
        ({"agents": ("odd_agents:maker",)}, "cannot be made with nothing: missing a required argument: 'env'"),
        ({"agents": ("chat", "noop"), "agent_options": {"model": "m"}, "tasks": ("analyses",)}, "mean analysis?"),
        ({"agents": ("odd_agents:Lab",), "agent_options": {"anser": 1}}, "the option 'anser': did you mean answer?"),
        ({"env_kwargs": {"colour": "red"}}, "cannot be made with"),
        ({"env_kwargs": {"niose": False}}, "did you mean noise?"),
        ({"env_kwargs": {"evaluation": "aiopslap"}}, "did you mean aiopslab?"),
        ({"tasks": ("openrca_bank",), "env_kwargs": {"colour": "red"}}, "cannot be made with"),
    ],
)
def test_what_cannot_be_played_is_refused_at_once(arguments, says):
    with pytest.raises(CatalogError, match=says):
        make_plan(Arguments(**{"agents": ("noop",), "tasks": ("detection",), **arguments}))


def test_a_question_is_found_whatever_cloudbed_is_drawn_from(tmp_path, monkeypatch):
    monkeypatch.setenv("AIOPS_GYM_OPENRCA", str(tmp_path))
    for cloudbed in ("cloudbed-1", "cloudbed-2"):
        questions.write(tmp_path, f"market/{cloudbed}")
    given = {"tasks": ("openrca_market",), "env_kwargs": {"cloudbed": "cloudbed-1"}}
    drawn = make_plan(Arguments(agents=("noop",), **given)).entries
    assert {entry.problem[:17] for entry in drawn} == {"Market-cloudbed-1"}
    other = problems_from_query_csv("cloudbed-2")[2].id
    (entry,) = make_plan(Arguments(agents=("noop",), problems=(other,), **given)).entries
    assert (entry.problem, entry.env) == (other, "aiops_gym/OpenRCAMarket-v0")


@pytest.mark.slow
def test_any_number_of_processes_gives_the_same_bytes(tmp_path):
    kept = []
    for workers in (0, 2):
        out = tmp_path / f"{workers}"
        play(out, ["random", "noop"], problems=[PROBLEM, "pod_kill_hotel_res-localization-1"], workers=workers)
        kept.append(contents(out))
    assert kept[0] == kept[1]
    assert len(kept[0]) == 12 + 4  # plan, lock, two summaries


def test_names_may_stand_in_one_text(tmp_path):
    summary = play(tmp_path, "noop, random", seeds=1, workers=0)
    assert {row.agent for row in summary.rows} >= {"noop", "random"}


def test_options_reach_the_agent_and_belong_to_the_plan(tmp_path):
    for answer, reward in (("Yes", 1.0), ("No", 0.0)):
        out = tmp_path / answer
        summary = play(out, "odd_agents:told", seeds=1, workers=0, agent_options={"answer": answer})
        assert total(summary).reward == reward
    with pytest.raises(AiopsGymError, match="options of odd_agents:told: "):
        play(tmp_path / "Yes", "odd_agents:told", seeds=1, workers=0, agent_options={"answer": "No"})


def test_a_tokenizer_counts_and_belongs_to_the_plan(tmp_path):
    summary = play(tmp_path, workers=0, seeds=1, tokenizer="odd_agents:words")
    results = Episode.load(next((tmp_path / "episodes").iterdir())).results
    assert (results["out_tokens"], results["token_method"]) == (3, "odd_agents:words")
    assert total(summary).out_tokens == 3
    with pytest.raises(AiopsGymError, match="tokenizer: 'odd_agents:words' before, '' now"):
        play(tmp_path, workers=0, seeds=1)


@pytest.mark.parametrize("kept", [True, False])
def test_golden_signals_are_kept_for_the_viewer_unless_nobody_wants_them(tmp_path, kept):
    play(tmp_path, workers=0, seeds=1, signals=kept)
    assert bool(Episode.load(next((tmp_path / "episodes").iterdir())).signals) == kept


def test_finished_episodes_are_not_played_again(tmp_path):
    seen = []
    play(tmp_path / "out", "odd_agents:slow", seeds=2, workers=0)
    play(tmp_path / "out", "odd_agents:slow", seeds=2, workers=0, progress=seen.append)
    assert (tmp_path / "diary").read_text() == "0\n1\n"
    assert [(each.total, each.done, each.failed) for each in seen] == [(2, 2, 0)]


def test_a_catalogue_that_has_changed_is_another_plan(tmp_path):
    play(tmp_path, workers=0)
    path = tmp_path / "plan.json"
    data = json.loads(path.read_text())
    data["entries"].pop()
    path.write_text(json.dumps(data))
    with pytest.raises(AiopsGymError, match="the catalogue: 0 episodes fewer, 1 more"):
        play(tmp_path, workers=0)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"asked": [], "options": {}, "entries": []}', '{"asked": [{}]}'])
def test_a_folder_with_a_strange_plan_is_left_alone(tmp_path, text):
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(AiopsGymError, match=r"no plan of an evaluation"):
        play(tmp_path, workers=0)
    assert (tmp_path / "plan.json").read_text() == text


def test_two_evaluations_do_not_share_a_folder(tmp_path):
    with Folder(tmp_path).locked(), pytest.raises(AiopsGymError, match="another evaluation is at work"):
        play(tmp_path)


def test_an_agent_that_raises_is_an_error_of_its_own_and_tried_again(tmp_path):
    row = total(play(tmp_path / "out", "odd_agents:raising"))
    assert (row.episodes, row.agent_errors, row.infra_errors, row.success) == (2, 1, 0, 1.0)
    noted, unfinished = (json.loads(path.read_text()) for path in sorted((tmp_path / "out" / "errors").iterdir()))
    assert noted["kind"] == "agent"
    assert noted["error"].startswith("ZeroDivisionError: seven is no number (odd_agents.py, line ")
    assert noted["error"] == unfinished["agent_error"]
    assert "in raising" in noted["traceback"]
    (tmp_path / "sick").unlink()
    row = total(play(tmp_path / "out", "odd_agents:raising"))
    assert (row.episodes, row.agent_errors) == (3, 0)
    assert not list((tmp_path / "out" / "errors").iterdir())


@pytest.mark.parametrize(
    ("agent", "says"), [("breaking", "ResetNeeded: call reset"), ("unlucky", "the cluster is gone")]
)
def test_a_world_that_breaks_is_no_failure_of_the_agent(tmp_path, agent, says):
    row = total(play(tmp_path, f"odd_agents:{agent}", seeds=1, workers=0))
    assert (row.episodes, row.agent_errors, row.infra_errors) == (0, 0, 1)
    (path,) = (tmp_path / "errors").iterdir()
    assert json.loads(path.read_text())["kind"] == "environment"
    assert says in json.loads(path.read_text())["error"]


@pytest.mark.full
def test_a_worker_that_dies_is_replaced_and_its_episode_tried_once_more(tmp_path):
    row = total(play(tmp_path / "out", "odd_agents:dying_once", workers=2))
    assert (row.episodes, row.infra_errors, row.agent_errors) == (3, 0, 0)
    (tmp_path / "sick").touch()
    row = total(play(tmp_path / "again", "odd_agents:dying", workers=2))
    assert (row.episodes, row.infra_errors, row.agent_errors) == (2, 1, 0)
    (path,) = (tmp_path / "again" / "errors").iterdir()
    assert json.loads(path.read_text())["error"] == "the process ended with 9"


def test_recorded_incidents_are_evaluated_alike(tmp_path):
    summary = evaluate(["noop", "reference"], "openrca_bank", out=tmp_path, sample=2, workers=0)
    rewards = {row.agent: row.reward for row in summary.find("all")}
    assert rewards["reference"] == 1.0 > rewards["noop"]
    assert {row.group for row in summary.find("task")} == {"openrca_bank"}


def test_agents_are_compared_over_the_episodes_that_both_have(tmp_path):
    summary = play(tmp_path, ["noop", "restart", "odd_agents:raising"], workers=0, seeds=4)
    found = [(pair.agent, pair.other, pair.episodes, pair.difference) for pair in summary.pairs]
    assert found == [
        ("restart", "odd_agents:raising", 3, 0.0),
        ("restart", "noop", 4, 1.0),
        ("odd_agents:raising", "noop", 3, 1.0),
    ]
    assert all(-1.0 <= pair.low <= pair.difference <= pair.high <= 1.0 for pair in summary.pairs)


def test_a_summary_is_the_same_bytes_whoever_writes_it(tmp_path):
    play(tmp_path, ["restart", "noop"], workers=0)
    before = contents(tmp_path)
    summarise(Folder(tmp_path)).save(tmp_path)
    assert contents(tmp_path) == before
    rows = (tmp_path / "summary.csv").read_text().splitlines()
    assert rows[0].startswith("agent,split,by,group,problems,episodes,reward,")
    assert rows[1].startswith("noop,,all,,1,3,0.0,0.0,0.5615,0.0,0.0,0.5615,0.0,1.0,1.0,5.0,")
    assert rows[2].startswith("restart,,all,,1,3,1.0,0.4385,1.0,1.0,0.4385,1.0,1.0,1.0,2.0,10.")


def test_what_was_not_played_is_missing_and_no_failure(tmp_path):
    play(tmp_path, workers=0)
    next((tmp_path / "episodes").iterdir()).unlink()
    row = total(summarise(Folder(tmp_path)))
    assert (row.episodes, row.missing) == (2, 1)


def finish(out):
    (out.parent / "sick").unlink()
    process = started(out)
    _, errors = process.communicate(timeout=600)
    assert (process.returncode, errors) == (0, "")
    (row,) = summarise(Folder(out)).find("all")
    assert (row.episodes, row.infra_errors, row.missing) == (EPISODES, 0, 0)


@pytest.mark.full
def test_after_a_kill_nothing_finished_is_repeated_and_only_the_running_are_lost(tmp_path):
    out = tmp_path / "out"
    process = started(out)
    until_some_are_kept(process, out)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    kept = {path: path.stat().st_mtime_ns for path in (out / "episodes").glob("[!.]*")}
    assert 3 <= len(kept) < EPISODES
    for path in kept:
        Episode.load(path)
    (out / "episodes" / ".half-written.json.x").write_text("{")
    finish(out)
    assert all(path.stat().st_mtime_ns == then for path, then in kept.items())
    assert not list((out / "episodes").glob(".*"))
    played = (tmp_path / "diary").read_text().splitlines()
    assert len(set(played)) == EPISODES
    assert EPISODES <= len(played) <= EPISODES + 2


def deaf(group):
    """Of each worker of a group, whether an interrupt is kept from it."""
    found = []
    for place in map(Path, glob("/proc/[0-9]*")):
        with suppress(OSError):  # it may end while one looks
            ours = os.getpgid(int(place.name)) == group
            if ours and b"spawn_main" in (place / "cmdline").read_bytes():
                (mask,) = re.findall(r"^SigBlk:\s+(\w+)", (place / "status").read_text(), re.MULTILINE)
                found.append(bool(int(mask, 16) >> (signal.SIGINT - 1) & 1))
    return found


@pytest.mark.full
def test_ctrl_c_ends_all_processes_and_says_how_to_go_on(tmp_path):
    out = tmp_path / "out"
    process = started(out)
    until_some_are_kept(process, out)
    assert deaf(process.pid) == [True, True]
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 130
    assert f"of {EPISODES} episodes are kept; the same command continues." in errors
    assert "Traceback" not in errors
    until(lambda: not alive(process.pid), "processes are left")
    finish(out)
