"""The promises of the contract for the environments over recorded telemetry, on the synthetic default."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import pickle
import shutil
import subprocess
import sys

import gymnasium as gym
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from samples import some
from toy_world import block

import aiops_gym
from aiops_gym import run_episode
from aiops_gym.envs.question import MADE_UP
from aiops_gym.errors import CatalogError, SnapshotError
from aiops_gym.openrca import clock
from aiops_gym.openrca.origin import MARK
from aiops_gym.tools import get_actions

EVERY = ("OpenRCABank", "OpenRCAMarket", "OpenRCATelecom")
IDS = (EVERY[0], pytest.param(EVERY[1], marks=pytest.mark.full), EVERY[2])  # making two days of Market takes a minute
HEADINGS = (
    *("## ISSUE:", "## POSSIBLE ROOT CAUSE COMPONENTS:", "## POSSIBLE ROOT CAUSE REASONS:"),
    *("## AVAILABLE APIS:", "## SUBMIT API:"),
)

PLAY = """
import hashlib, json, sys, gymnasium, aiops_gym
env = gymnasium.make("aiops_gym/OpenRCATelecom-v0", tools="all")
steps = [env.reset(seed=3)] + [env.step("```\\n" + call + "\\n```") for call in json.loads(sys.argv[1])]
print(hashlib.sha256(json.dumps(steps).encode()).hexdigest())
"""


def made(name, **kwargs):
    return gym.make(f"aiops_gym/{name}-v0", **kwargs)


def looks(env):
    tools = env.unwrapped.tools
    window = "{!r}, {!r}".format(*env.unwrapped.window)
    windowed = sorted(name for name, tool in tools.items() if "start_time" in tool.types)
    lists = sorted(f"{name}()" for name in tools if name.startswith("list_"))
    return [*lists, *(f"{name}({window})" for name in windowed)]


@pytest.mark.parametrize("name", some(EVERY, 3))
def test_gymnasium_finds_nothing_to_complain_about(name):
    check_env(made(name).unwrapped)


@pytest.mark.parametrize("name", IDS)
def test_a_spec_survives_json_with_its_arguments(name):
    env = made(name, split="test", observation_limit=5000)
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.spec == env.spec
    assert again.reset(seed=2) == env.reset(seed=2)


@pytest.mark.parametrize("name", IDS)
def test_the_prompt_holds_all_that_is_needed_and_not_the_answer(name):
    env = made(name)
    prompt, info = env.reset(seed=4)
    problem = env.unwrapped.problems[info["problem"]]
    assert all(heading in prompt for heading in HEADINGS)
    assert problem.instruction in prompt
    assert all(f"- {each}\n" in prompt for each in env.unwrapped.domain.components)
    assert "predicted root cause" not in prompt
    for other in env.unwrapped.problems.values():
        again = env.reset(options={"problem": other.id})[0]
        for asked, text in ((problem.instruction, other.instruction), (problem.start, other.start)):
            again = again.replace(*(each if isinstance(each, str) else clock.show(each) for each in (text, asked)))
        assert again == prompt, "nothing but the question and its beginning may differ"


@pytest.mark.parametrize("name", some(EVERY, 3))
def test_the_reference_solves_every_problem_and_an_empty_answer_none(name):
    env = made(name)
    for problem in env.unwrapped.problems:
        env.reset(options={"problem": problem})
        last = [env.step(action) for action in env.unwrapped.reference_actions()][-1]
        assert (last[1], last[2], last[4]["is_success"]) == (1.0, True, True), problem
        assert last[4]["results"]["score"] == 1.0
        env.reset(options={"problem": problem})
        assert env.step(block("submit()"))[1] == 0.0


@pytest.mark.parametrize("name", IDS)
def test_every_tool_answers_within_the_budget_and_prints_no_criteria(name):
    env = made(name, tools="all")
    env.reset(seed=9)
    for call in looks(env):
        text, reward, over, _, info = env.step(block(call))
        assert (reward, over, info["error"]) == (0.0, False, ""), (call, text)
        assert 0 < len(text) <= 16_000
        assert "predicted root cause" not in text


def test_the_same_seed_gives_the_same_bytes_in_any_process():
    env = made("OpenRCATelecom", tools="all")
    first = env.reset(seed=3)
    calls = [*looks(env), "submit(component='os_001')"]
    digests = set()
    for seed in ("0", "1"):
        command = [sys.executable, "-c", PLAY, json.dumps(calls)]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        digests.add(done.stdout)
    steps = [first, *(env.step(block(call)) for call in calls)]
    digests.add(hashlib.sha256(json.dumps(steps).encode()).hexdigest() + "\n")
    assert len(digests) == 1


def test_a_branch_continues_byte_by_byte():
    env = made("OpenRCABank", tools="all")
    env.reset(seed=5)
    calls = looks(env)
    env.step(block(calls[0]))
    inner = env.unwrapped
    data = inner.snapshot()
    other = made("OpenRCABank", tools="all").unwrapped
    other.restore(data)
    branches = [*inner.fork(2), copy.deepcopy(inner), pickle.loads(pickle.dumps(inner)), other]
    expected = [inner.step(block(call)) for call in [*calls[1:], "submit()"]]
    for branch in branches:
        assert [branch.step(block(call)) for call in [*calls[1:], "submit()"]] == expected
        assert branch.reset() == inner.fork()[0].reset()


def test_a_snapshot_of_other_data_is_refused():
    env = made("OpenRCABank").unwrapped
    env.reset(seed=5)
    for other in (made("OpenRCATelecom"), made("OpenRCABank", tools="all")):
        with pytest.raises(SnapshotError):
            other.unwrapped.restore(env.snapshot())


@pytest.mark.parametrize("name", IDS)
def test_train_and_test_are_other_days(name):
    problems = made(name).unwrapped.problems.values()
    days = {
        split: {each.start // 86_400_000 for each in problems if each.split == split} for split in ("train", "test")
    }
    assert days["train"]
    assert days["test"]
    assert max(days["train"]) <= min(days["test"])
    env = made(name, split="test")
    drawn = {env.reset(seed=seed)[1]["problem"] for seed in range(12)}
    assert {env.unwrapped.problems[each].split for each in drawn} == {"test"}


@pytest.mark.parametrize(
    "action", ["", "submit", "```\nexec_shell('ls')\n```", "```\nsubmit(1, 2, 3, 4)\n```", "```\n\n```"]
)
def test_a_text_that_is_no_call_is_answered_with_one_that_is(action):
    env = made("OpenRCABank")
    env.reset(seed=1)
    text, reward, over, _, info = env.step(action)
    assert info["error"]
    assert (reward, over) == (0.0, False)
    assert "kubectl" not in text


def test_unknown_things_are_refused_when_the_environment_is_made():
    rows = made("OpenRCABank").unwrapped.questions.rows("")
    with pytest.raises(CatalogError, match=f"query.csv has the rows 0 to {len(rows) - 1}"):
        made("OpenRCABank", problem="Bank-task_1-99")
    with pytest.raises(CatalogError, match=f"row 1 of query.csv is {rows[1].id}"):
        made("OpenRCABank", problem=[rows[0].id, "Bank-task_9-1"])
    for wrong in ("cloudbed-3", "", "cloudbed"):
        with pytest.raises(ValueError, match=f"no cloudbed '{wrong}' of Market; there are: cloudbed-1, cloudbed-2"):
            made("OpenRCAMarket", cloudbed=wrong)
    with pytest.raises(ValueError, match="no cloudbed 'cloudbed-1' of Bank; there are: none"):
        made("OpenRCABank", cloudbed="cloudbed-1")
    with pytest.raises(ValueError, match="tools"):
        made("OpenRCABank", tools="some")
    with pytest.raises(CatalogError, match="synthesize"):
        made("OpenRCABank", root="/nowhere").reset()


HEAVY = """
import sys, aiops_gym
print([name for name in sys.modules if "openrca" in name or name in ("pandas", "pyarrow")])
"""


def test_importing_the_package_brings_nothing_heavy():
    done = subprocess.run([sys.executable, "-c", HEAVY], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


STEPS = """
import sys, gymnasium, aiops_gym
env = gymnasium.make("aiops_gym/OpenRCABank-v0", tools="all")
problem = env.unwrapped.problems[env.reset(seed=1)[1]["problem"]]
for name in ("get_metric_container", "get_traces", "get_logs", "largest_deviations"):
    assert not env.step(f"```\\n{name}({problem.start}, {problem.end})\\n```")[4]["error"]
print(*(name for name in ("pandas", "pyarrow.compute", "pyarrow.csv", "filelock") if name in sys.modules))
"""


def test_steps_over_converted_data_bring_no_pandas_and_of_pyarrow_its_core_only():
    for _ in range(2):  # the first converts
        done = subprocess.run([sys.executable, "-c", STEPS], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def spoil(tmp_path, text):
    """An episode over traces to which somebody added a line, and what asking for them comes to."""
    folder = made("OpenRCATelecom").unwrapped.questions.folder("")
    shutil.copytree(folder, tmp_path / "Telecom")
    for path in (tmp_path / "Telecom" / "telemetry").glob("*/trace/trace_span.csv"):
        path.write_text(text(path.read_text(encoding="utf-8")), encoding="utf-8")
    env = made("OpenRCATelecom", root=str(tmp_path))
    env.reset(seed=1)
    return env.step(block("get_traces({!r}, {!r})".format(*env.unwrapped.window)))


@pytest.mark.parametrize(
    ("spoilt", "told"),
    [(lambda text: text + "JDBC,1,2\n", "JDBC"), (lambda text: text.replace("startTime", "when", 1), "No rows")],
)
def test_a_flaw_in_the_data_breaks_no_episode(tmp_path, spoilt, told):
    text, _, over, _, info = spoil(tmp_path, spoilt)
    assert (over, info["infra_error"], info["valid_action"]) == (False, False, True)
    assert told in text


@pytest.fixture
def partial(tmp_path):
    """A root with all questions of the default, and telemetry of its last day only."""
    folder = made("OpenRCATelecom").unwrapped.questions.folder("")
    (tmp_path / "Telecom" / "telemetry").mkdir(parents=True)
    shutil.copy(folder / "query.csv", tmp_path / "Telecom")
    day = max(path.name for path in (folder / "telemetry").iterdir() if path.is_dir())
    (tmp_path / "Telecom" / "telemetry" / day).symlink_to(folder / "telemetry" / day)
    return tmp_path, day.replace("_", "-")


def test_questions_about_days_without_telemetry_are_not_drawn_and_not_posed(partial):
    root, day = partial
    env = made("OpenRCATelecom", root=str(root))
    problems = env.unwrapped.problems
    about = {each.id: clock.show(each.start)[:10] for each in problems.values()}
    assert {about[env.reset(seed=seed)[1]["problem"]] for seed in range(20)} == {day}
    elsewhere = next(name for name, when in about.items() if when != day)
    with pytest.raises(CatalogError, match=f"of which .*Telecom has no telemetry; there are: {day}"):
        env.reset(options={"problem": elsewhere})
    with pytest.raises(CatalogError, match=r"no problem of split 'train' in .* is about a day that has telemetry"):
        made("OpenRCATelecom", root=str(root), split="train").reset(seed=1)


def test_a_file_without_questions_is_named(tmp_path):
    (tmp_path / "Bank" / "telemetry" / "2021_03_04").mkdir(parents=True)
    (tmp_path / "Bank" / "query.csv").write_text("task_index,instruction,scoring_points\n")
    with pytest.raises(CatalogError, match=r"no problem in .*Bank is about a day"):
        made("OpenRCABank", root=str(tmp_path)).reset(seed=1)


def test_labels_without_telemetry_are_refused_at_the_reset(partial):
    root, _ = partial
    shutil.rmtree(root / "Telecom" / "telemetry")
    with pytest.raises(CatalogError, match="telemetry is not there; it should hold a folder for each day"):
        made("OpenRCATelecom", root=str(root)).reset(seed=1)


def test_vectors_of_them_work_in_processes():
    envs = gym.make_vec("aiops_gym/OpenRCABank-v0", 2, "async", vector_kwargs={"shared_memory": False})
    try:
        envs.reset(seed=1)
        texts, *_, infos = envs.step([block("get_metric_app(limit=1)")] * 2)
        assert all("ServiceTest" in text for text in texts)
        assert infos["data"].tolist() == ["synthetic"] * 2
    finally:
        envs.close()


def test_they_are_not_among_the_live_problems():
    assert not [each for each in aiops_gym.problems() if "task_" in each.id]


PLAN = {
    "OpenRCABank": {"get_metric_app", "get_metric_container", "get_traces", "get_logs"},
    "OpenRCAMarket": {
        *(f"get_metric_{each}" for each in ("container", "service", "mesh", "node")),
        "get_traces",
        "get_logs",
    },
    "OpenRCATelecom": {"get_metric_app", "get_metric_container", "get_traces"},
}
"""The getters of the plan of OpenRCA's tools, section 2."""


@pytest.mark.parametrize("name", IDS)
def test_by_default_there_are_the_getters_of_the_plan_and_summaries_where_all_tools_are_asked_for(name):
    basic, full = made(name), made(name, tools="all")
    assert {*basic.unwrapped.tools} == {*PLAN[name], "submit"}
    more = {*full.unwrapped.tools} - {*basic.unwrapped.tools}
    assert {"largest_deviations", "slowest_spans", "list_components", "list_kpis"} <= more
    texts = [env.reset(seed=1)[0] for env in (basic, full)]
    for tool in more:
        assert [f"\n{tool}(" in text for text in texts] == [False, True]
        assert basic.step(block(f"{tool}()"))[4]["error"] == "unknown_api"
    domain = f"openrca_{basic.unwrapped.domain.name}"
    assert {*get_actions(domain)} == {*basic.unwrapped.tools}
    assert {*get_actions(domain, tools="all")} == {*full.unwrapped.tools}


@pytest.mark.full
def test_a_market_takes_ids_of_both_cloudbeds_and_draws_from_the_one_that_is_named():
    both = made("OpenRCAMarket")
    beds = {each: [p.id for p in both.unwrapped.questions.rows(each)] for each in ("cloudbed-1", "cloudbed-2")}
    assert list(both.unwrapped.problems) == beds["cloudbed-1"] + beds["cloudbed-2"]
    drawn = [both.reset(seed=seed)[1]["problem"] for seed in range(12)]
    assert {id_[: len("Market-cloudbed-1")] for id_ in drawn} == {"Market-cloudbed-1", "Market-cloudbed-2"}
    for bed, ids in beds.items():
        env = made("OpenRCAMarket", cloudbed=bed)
        assert list(env.unwrapped.problems) == ids
        assert {env.reset(seed=seed)[1]["problem"] for seed in range(6)} <= {*ids}
        for id_ in (beds["cloudbed-1"][0], beds["cloudbed-2"][0]):
            prompt, info = env.reset(options={"problem": id_})
            assert info["problem"] == id_
            assert env.unwrapped._backend.recording.folder.name in id_
            again = made("OpenRCAMarket", problem=id_)
            assert again.reset(seed=3)[0] == prompt


def test_synthetic_telemetry_says_so_in_the_prompt_in_every_info_and_in_the_episode(tmp_path):
    env = made("OpenRCATelecom")
    prompt, info = env.reset(seed=1)
    assert MADE_UP in prompt
    calls = ["get_metric_app(limit=1)", "nonsense", "submit()", "submit()"]
    infos = [info, *(env.step(block(call))[4] for call in calls)]
    assert [each["data"] for each in infos] == ["synthetic"] * 5
    assert env.unwrapped.fork()[0]._backend.data == "synthetic"
    episode = run_episode(env, lambda _: block("submit()"), seed=1)
    assert json.loads(episode.save(tmp_path / "episode.json").read_text())["data"] == "synthetic"


def test_a_folder_without_the_mark_is_original_and_a_marked_day_is_enough_not_to_be(tmp_path):
    shutil.copytree(made("OpenRCATelecom").unwrapped.questions.folder(""), tmp_path / "Telecom")
    for mark in [*tmp_path.rglob(MARK)]:
        mark.rename(mark.with_suffix(".aside"))
    env = made("OpenRCATelecom", root=str(tmp_path))
    prompt, info = env.reset(seed=1)
    assert (info["data"], MADE_UP in prompt) == ("original", False)
    assert env.step(block("submit()"))[4]["data"] == "original"
    day = min(tmp_path.glob("Telecom/telemetry/*/*.aside"))
    day.rename(day.with_suffix(".json"))
    prompt, info = env.reset(seed=1)
    assert (info["data"], MADE_UP in prompt) == ("synthetic", True)
