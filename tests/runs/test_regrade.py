"""A submission is graded again by whoever receives it, and what it claims is compared."""

import dataclasses
import json
import sys

import pytest

from aiops_gym.cli import run
from aiops_gym.errors import AiopsGymError
from aiops_gym.runs import evaluate
from aiops_gym.runs.folder import Folder
from aiops_gym.runs.merged import merge
from aiops_gym.runs.regrade import regrade
from aiops_gym.runs.submission import read_submission, write_submission

PROBLEMS = ["container_kill-detection", "misconfig_app_hotel_res-localization-1"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs")
    evaluate(["reference", "noop"], problems=PROBLEMS, out=out, workers=0, signals=False)
    return out


@pytest.fixture(scope="module")
def episodes(folder, tmp_path_factory):
    path = tmp_path_factory.mktemp("submitted") / "all.jsonl"
    assert write_submission(merge([Folder(folder)]), path) == 4
    return list(read_submission(path))


def test_an_honest_submission_is_worth_what_it_claims(episodes):
    found = list(regrade(episodes))
    assert [(each.difference, each.refused) for each in found] == 4 * [("", "")]
    assert [each.reward for each in found] == [each.claimed for each in found]
    assert {each.reward for each in found} == {0.0, 1.0}


def changed(episode, **values):
    return dataclasses.replace(episode, **values)


def turned(episode, **values):
    return changed(episode, steps=[{**episode.steps[0], **values}, *episode.steps[1:]])


def solved(episodes):
    return next(each for each in episodes if each.success and len(each.steps) > 1)


LIES = {
    "a reward": (lambda one: changed(one, reward=0.5), "another reward"),
    "a success": (lambda one: changed(one, success=False), "another success"),
    "an observation": (lambda one: turned(one, observation="all is well"), "step 1: another observation"),
    "an action": (lambda one: turned(one, action="```\nexec_shell('true')\n```"), "step 1: another observation"),
    "an episode of another seed": (lambda one: changed(one, episode_seed=1), "another episode_seed"),
    "a step too many": (lambda one: changed(one, steps=[*one.steps, one.steps[-1]]), "of which"),
    "a world that broke": (lambda one: changed(one, infra_error=True, reward=0.0), "another reward"),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_is_otherwise_than_claimed_is_said(episodes, lie):
    change, said = LIES[lie]
    (found,) = regrade([change(solved(episodes))])
    assert said in found.difference
    assert found.refused == ""


def test_a_reward_that_was_not_earned_is_not_given(episodes):
    failed = next(each for each in episodes if not each.success)
    (found,) = regrade([changed(failed, reward=1.0, success=True)])
    assert (found.claimed, found.reward, found.success) == (1.0, 0.0, False)


def test_a_file_names_no_code_and_no_arguments(episodes):
    one = solved(episodes)
    (foreign,) = regrade([changed(one, env="antigravity:aiops_gym/Detection-v0")])
    assert foreign.refused == "an environment that is not registered"
    assert "antigravity" not in sys.modules
    easier = changed(one, env_kwargs={**one.env_kwargs, "noise": False})
    (other,) = regrade([easier])
    assert other.refused == "played with other arguments of the environment"
    (allowed,) = regrade([easier], {"noise": False})
    assert (allowed.refused, allowed.reward) == ("", 1.0)
    (unknown,) = regrade([changed(one, problem_id="nonsense")])
    assert "nonsense" in unknown.refused


@pytest.mark.parametrize("name", ["all.jsonl", "all.jsonl.gz"])
def test_the_command_line_writes_a_submission_and_regrades_it(folder, tmp_path, capsys, name):
    path = tmp_path / name
    assert run(["evaluate", "--report", str(folder), "--submission", str(path)]) == 0
    first = path.read_bytes()
    assert run(["evaluate", "--report", str(folder), "--submission", str(path)]) == 0
    assert path.read_bytes() == first
    capsys.readouterr()
    assert run(["evaluate", "--regrade", str(path)]) == 0
    assert "reference" in capsys.readouterr().out


def test_the_command_line_says_what_is_wrong_with_a_submission(folder, tmp_path, capsys):
    path = tmp_path / "all.jsonl"
    write_submission(merge([Folder(folder)]), path)
    head, first, *rest = path.read_text(encoding="utf-8").splitlines()
    lie = json.dumps({**json.loads(first), "reward": 0.25})
    path.write_text("\n".join([head, lie, *rest]) + "\n", encoding="utf-8")
    assert run(["evaluate", "--regrade", str(path), "--json"]) == 1
    out, err = capsys.readouterr()
    assert [each["difference"] for each in json.loads(out)] == ["another reward", "", "", ""]
    assert "1 of 4 episodes are otherwise than claimed" in err
    for odd in ("", "{}\n", head + "\n[1]\n", head + "\nnothing\n"):
        path.write_text(odd, encoding="utf-8")
        with pytest.raises(AiopsGymError, match="is no submission"):
            list(read_submission(path))


def test_a_folder_is_regraded_too(folder):
    assert run(["evaluate", "--regrade", str(folder)]) == 0
