"""Incidents as tasks of Inspect AI, played by a model of its own that says what it is told to."""

from __future__ import annotations

import pytest
from door_contract import (
    CASES,
    MEMBERS,
    PROBLEM,
    SEED,
    check_group,
    check_surface,
    group_calls,
    play_registered,
    run_page,
)
from inspect_ai import eval
from inspect_ai.log import bundle_log_dir, read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from aiops_gym.adapters import inspect as door
from aiops_gym.envs.episode import EpisodeEnv
from aiops_gym.tools import write_call

OFFLINE = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
"""Otherwise a vocabulary is downloaded to count tokens."""


def said(tool, given, text=False):
    if text:
        output = ModelOutput.from_content("mockllm/model", write_call(tool, given))
    else:
        output = ModelOutput.for_tool_call("mockllm/model", tool, given)
    output.usage = OFFLINE
    return output


def played(task, calls_of, tmp_path, text=False, **options):
    """An evaluation in which the k-th sample to begin makes the k-th calls: its log, the schemas seen, the order."""
    begun, seen = {}, []

    def speak(messages, tools, choice, config):
        number = begun.setdefault(messages[0].id, len(begun))
        turn = sum(message.role == "assistant" for message in messages)
        seen.extend(tool.model_dump(mode="json", exclude_none=True) for tool in tools)
        return said(*calls_of(number)[turn], text)

    model = get_model("mockllm/model", custom_outputs=speak, memoize=False)
    (log,) = eval(task, model=model, log_dir=str(tmp_path), display="none", score_display=False, **options)
    assert log.status == "success"
    return log, seen, [begun.get(sample.messages[0].id) for sample in log.samples]


def episodes(log):
    for sample in log.samples:
        texts = [message.text for message in sample.messages if message.role != "assistant"]
        yield texts, sample.scores["worth"].value["reward"]


@pytest.fixture
def begins_at(monkeypatch):
    """Samples count their seeds from 0; the contract has others."""

    def patch(seed):
        create = door.Sessions.create
        monkeypatch.setattr(door.Sessions, "create", lambda self, **made: create(self, **{**made, "seed": seed}))

    return patch


@pytest.mark.parametrize(("case", "text"), [*((case, False) for case in CASES), ("detection", True)])
def test_a_sample_plays_as_the_registered_environment_does(case, text, tmp_path, begins_at):
    (problem, seed), calls = CASES[case]
    begins_at(seed)
    log, _, _ = played(door.incidents(problem), lambda _: calls, tmp_path, text)
    assert list(episodes(log)) == [play_registered(problem, seed, calls)]


def test_epochs_are_a_group_of_identical_starts(tmp_path, begins_at):
    begins_at(SEED)
    log, seen, order = played(door.incidents(PROBLEM), group_calls, tmp_path, epochs=MEMBERS)
    check_group(episode for _, episode in sorted(zip(order, episodes(log), strict=True)))
    check_surface(seen)
    by_name = {score.name: score for score in log.results.scores}
    assert (by_name["reward"].metrics["mean"].value, by_name["reward"].scored_samples) == (0.5, 1)


def test_samples_are_problems_with_seeds(tmp_path):
    task = door.incidents(["noop_detection_hotel_reservation-1", PROBLEM], seeds=2)
    assert [sample.metadata["seed"] for sample in task.dataset] == [0, 1, 0, 1]
    assert len({sample.id for sample in task.dataset}) == 4
    drawn = door.incidents(task="analysis", split="train", options={"noise": False})
    log, _, _ = played(drawn, lambda _: [("submit", {})], tmp_path)
    assert log.samples[0].scores["worth"].metadata["info"]["task"] == "analysis"


def test_the_viewer_has_the_episode(tmp_path):
    calls = [*CASES["mitigation"][1]]
    played(door.incidents(CASES["mitigation"][0][0]), lambda _: calls, tmp_path / "logs")
    bundle_log_dir(str(tmp_path / "logs"), str(tmp_path / "page"))
    (file,) = (tmp_path / "page" / "logs").glob("*.eval")
    (sample,) = read_eval_log(str(file)).samples
    assert "nginx" in sample.messages[2].text
    assert [event.function for event in sample.events if event.event == "tool"] == ["exec_shell", "submit"]
    assert (tmp_path / "page" / "index.html").exists()


@pytest.mark.parametrize("text", [False, True], ids=["calls", "text"])
def test_what_breaks_inside_is_an_error_of_the_sample_and_no_score(text, tmp_path, monkeypatch):
    step = EpisodeEnv.step

    def broken(self, action):
        if "echo 3" in action:
            raise ValueError("secret")
        return step(self, action)

    monkeypatch.setattr(EpisodeEnv, "step", broken)
    log, _, order = played(door.incidents(PROBLEM), group_calls, tmp_path, text, epochs=MEMBERS)
    for number, sample in zip(order, log.samples, strict=True):
        assert bool(sample.error) == (number == 3)
        assert bool(sample.scores) == (number != 3)
        assert not any("secret" in message.text for message in sample.messages)
    assert log.results.completed_samples == MEMBERS - 1


def test_a_world_that_does_not_start_is_an_error_of_the_sample(tmp_path):
    log, _, _ = played(door.incidents(PROBLEM, options={"backend": "kubernetes"}), group_calls, tmp_path)
    assert log.samples[0].error
    assert not log.samples[0].scores


def test_a_model_that_never_calls_what_there_is_comes_to_an_end(tmp_path):
    log, _, _ = played(door.incidents(PROBLEM, steps=3), lambda _: 9 * [("nothing", {})], tmp_path)
    assert log.samples[0].scores["worth"].metadata["steps"] == 3


def test_the_lines_of_the_page_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    model = get_model("mockllm/model", custom_outputs=lambda *_: said("submit", {"has_anomaly": "No"}), memoize=False)
    monkeypatch.setattr(door, "MODEL", model, raising=False)
    mine = 'model=__import__("aiops_gym.adapters.inspect").adapters.inspect.MODEL, display="none"'
    run_page("Inspect AI", {"seeds=20": "seeds=1", "epochs=8": "epochs=1", 'model="openai/gpt-5"': mine})
    assert "reward " in capsys.readouterr().out
