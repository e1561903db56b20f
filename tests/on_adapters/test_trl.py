"""Incidents in TRL: GRPO's own loop, and a random model whose tokens are whole calls, which plays untrained."""

from __future__ import annotations

import inspect
import json
import math
import os
from pathlib import Path

os.environ |= {"HF_HUB_OFFLINE": "1", "TRL_EXPERIMENTAL_SILENCE": "1", "TOKENIZERS_PARALLELISM": "false"}

import pytest
import torch
import trl
from datasets import Dataset
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
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from transformers.utils import get_json_schema
from trl import GRPOConfig, GRPOTrainer

from aiops_gym.adapters.trl import list_rows, make_environment
from aiops_gym.tools import get_schemas

TEMPLATE = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text()
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>"]
SPECIAL += ["<tool_response>", "</tool_response>", "<think>", "</think>"]
LOOK = ("exec_shell", {"command": "kubectl get deployments geo rate -n test-hotel-reservation; echo $RANDOM"})
CALLS = [LOOK, *(("submit", {"faulty_components": [name]}) for name in ("geo", "rate"))]


def written(tool, given):
    return f"<tool_call>\n{json.dumps({'name': tool, 'arguments': given})}\n</tool_call>"


def make_tokenizer():
    """Bytes, and the calls as one token each."""
    tokens = Tokenizer(models.BPE())
    tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokens.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=1000, special_tokens=SPECIAL, initial_alphabet=alphabet)
    tokens.train_from_iterator([TEMPLATE, make_environment("localization")().reset(problem=PROBLEM)], trainer)
    tokens.add_tokens([written(*call) for call in CALLS])
    ends = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>", "padding_side": "left"}
    made = PreTrainedTokenizerFast(tokenizer_object=tokens, **ends)
    made.chat_template = TEMPLATE
    return made


def make_model(tokens):
    torch.manual_seed(0)
    size = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "head_dim": 16}
    ends = {"eos_token_id": tokens.eos_token_id, "pad_token_id": tokens.pad_token_id, "bos_token_id": None}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "tie_word_embeddings": True}
    return Qwen3ForCausalLM(Qwen3Config(vocab_size=len(tokens), **size, **ends, **heads))


def watched(base):
    """Keeps of each rollout what was called, what was read, and the reward."""
    rollouts = []

    def method(name):
        original = getattr(base, name)

        def call(self, **arguments):
            text = original(self, **arguments)
            self._kept["calls"].append((name, arguments))
            self._kept["texts"].append(text)
            return text

        call.__name__, call.__doc__, call.__annotations__ = name, original.__doc__, original.__annotations__
        call.__signature__ = inspect.signature(original)
        return call

    class Watched(base):
        def reset(self, **row):
            text = super().reset(**row)
            self._kept = {"row": row, "calls": [], "texts": [text]}
            rollouts.append(self._kept)
            return text

        def get_reward(self):
            self._kept["reward"] = super().get_reward()
            return self._kept["reward"]

    for name in [each for each in vars(base) if not each.startswith("_")]:
        setattr(Watched, name, method(name))
    return Watched, rollouts


def train(factory, rows, folder):
    tokens = make_tokenizer()
    wanted = {tokens.eos_token_id, *tokens.convert_tokens_to_ids([written(*call) for call in CALLS])}
    config = GRPOConfig(
        str(folder),
        per_device_train_batch_size=MEMBERS,
        num_generations=MEMBERS,
        max_completion_length=1500,
        max_steps=len(rows),
        max_tool_calling_iterations=3,
        generation_kwargs={"suppress_tokens": sorted(set(range(len(tokens))) - wanted)},
        chat_template_kwargs={"enable_thinking": False},
        shuffle_dataset=False,
        logging_steps=1,
        report_to=[],
        use_cpu=True,
        bf16=False,
        save_strategy="no",
        gradient_checkpointing=False,
        disable_tqdm=True,
    )
    trainer = GRPOTrainer(
        model=make_model(tokens),
        processing_class=tokens,
        train_dataset=Dataset.from_list(rows),
        environment_factory=factory,
        args=config,
    )
    trainer.train()
    return trainer


def test_grpo_plays_groups_of_identical_starts(tmp_path):
    torch.set_num_threads(1)
    factory, rollouts = watched(make_environment("localization"))
    rows = list_rows([PROBLEM, "user_unregistered_mongodb-localization-1"])
    trainer = train(factory, rows, tmp_path)
    assert {tool.__name__ for tool in trainer.tools} == {
        each["function"]["name"] for each in get_schemas("localization")
    }
    assert len(rollouts) == MEMBERS * len(rows)
    for at, row in enumerate(rows):
        group = rollouts[at * MEMBERS : (at + 1) * MEMBERS]
        assert len({each["texts"][0] for each in group}) == 1
        assert len({json.dumps(each["calls"]) for each in group}) > 1
        for each in group:
            assert (each["row"]["problem"], each["row"]["seed"]) == (row["problem"], row["seed"])
            texts, reward = play_registered(row["problem"], row["seed"], each["calls"])
            assert each["texts"][: len(texts)] == texts  # afterwards it is told that the episode is over
            assert each["reward"] == reward
    rewards = [step["reward"] for step in trainer.state.log_history if "reward" in step]
    mean = [sum(each["reward"] for each in rollouts[at : at + MEMBERS]) / MEMBERS for at in (0, MEMBERS)]
    assert rewards == pytest.approx(mean)
    assert sum(rewards) > 0


def test_what_breaks_inside_is_left_out_of_the_group(tmp_path):
    factory, rollouts = watched(make_environment("localization"))

    class Breaking(factory):
        def reset(self, **row):
            text = super().reset(**row)
            if len(rollouts) % 2:
                self._session.env.step = self._break
            return text

        def _break(self, action):
            raise ValueError("secret")

    trainer = train(Breaking, list_rows([PROBLEM]), tmp_path)
    broken = [each for each in rollouts if each["reward"] is None]
    fine = [each["reward"] for each in rollouts if each["reward"] is not None]
    assert broken
    assert all(each["calls"] for each in broken)
    assert not any("secret" in text for each in broken for text in each["texts"])
    (logged,) = [step["reward"] for step in trainer.state.log_history if "reward" in step]
    assert logged == pytest.approx(sum(fine) / len(fine))
    assert not any(math.isnan(value) for value in trainer.model.state_dict()["model.norm.weight"].tolist())


def play(incident, calls):
    texts = [incident._session.agent.prompt]
    for tool, given in calls:
        if hasattr(incident, tool):  # for what there is not, TRL has an answer of its own
            texts.append(getattr(incident, tool)(**given))
    return texts, incident.get_reward()


@pytest.mark.parametrize("case", CASES)
def test_a_rollout_plays_as_the_registered_environment_does(case):
    (problem, seed), calls = CASES[case]
    task = "openrca_bank" if case == "recorded" else problem.split("-")[-2]
    incident = make_environment(task)()
    incident.reset(problem=problem, seed=seed)
    there = [call for call in calls if hasattr(incident, call[0])]
    assert play(incident, calls) == play_registered(problem, seed, there)


def test_a_group_of_rollouts_side_by_side():
    group = [make_environment("localization")() for _ in range(MEMBERS)]
    assert len({incident.reset(problem=PROBLEM, seed=SEED) for incident in group}) == 1
    check_group(play(incident, group_calls(number)) for number, incident in enumerate(group))
    again = group[0].reset(problem=PROBLEM, seed=SEED)
    assert again == play_registered(PROBLEM, SEED, [])[0][0]
    check_group(
        [play(group[0], group_calls(0)), *(play_registered(PROBLEM, SEED, group_calls(k)) for k in range(1, 8))]
    )


def test_members_of_a_group_are_forks_of_one_start(monkeypatch):
    factory, opened = make_environment("localization"), []
    create = factory._sessions.create
    monkeypatch.setattr(factory._sessions, "create", lambda **given: opened.append(given) or create(**given))
    group = [factory() for _ in range(MEMBERS)]
    for row in list_rows([PROBLEM], seeds=2):
        assert len({incident.reset(**row) for incident in group}) == 1
        assert opened[-1]["seed"] == row["seed"]
        for incident in group:
            incident.submit(faulty_components=[])
        assert group[0].reset(**row) == play_registered(PROBLEM, row["seed"], [])[0][0]  # nobody moved the start
        assert group[0].get_reward() == 0.0
    assert len(opened) == 2
    assert len(factory._sessions) == MEMBERS + 1


def test_a_budget_shortens_what_a_model_is_shown_of_the_tools():
    long, short = (
        get_json_schema(make_environment("detection", **given)().exec_shell)["function"]
        for given in ({}, {"budget": 8192})
    )
    assert long["parameters"] == short["parameters"]
    assert long["description"].startswith(short["description"])
    assert len(short["description"]) < len(long["description"])


@pytest.mark.parametrize("tools", ["basic", "all"])
@pytest.mark.parametrize("task", ["localization", "mitigation", "openrca_market"])
def test_the_schemas_that_trl_works_out_are_those_of_the_tools(task, tools):
    incident = make_environment(task, tools)()
    members = [name for name, _ in inspect.getmembers(type(incident), inspect.isfunction) if not name.startswith("_")]
    names = [name for name in members if name not in ("reset", "get_reward")]
    schemas = {name: get_json_schema(getattr(incident, name))["function"] for name in names}
    expected = {each["function"]["name"]: each["function"] for each in get_schemas(task, tools)}
    assert sorted(schemas) == sorted(expected)
    for name, schema in schemas.items():
        assert schema["description"] == expected[name]["description"]
        assert schema["parameters"].get("required", []) == expected[name]["parameters"]["required"]
        for parameter, about in schema["parameters"]["properties"].items():
            ours = {**expected[name]["parameters"]["properties"][parameter]}
            ours.pop("default", None)
            assert about["description"] == ours["description"]
            assert about == ours or "anyOf" in ours  # which TRL's side writes in other ways
    if task == "localization":
        check_surface(list(schemas.values()))


def test_rows_say_what_an_episode_is_and_a_model_is_not_told():
    rows = list_rows([None, PROBLEM], seeds=2, first=5, split=None)
    assert [(row["problem"], row["seed"]) for row in rows] == [(None, 5), (None, 6), (PROBLEM, 5), (PROBLEM, 6)]
    assert {row["prompt"][0]["content"] for row in rows} == {""}
    drawn = make_environment("analysis")()
    drawn.reset(**list_rows(split="train")[0])
    assert drawn._session.score().info["task"] == "analysis"
    failed = make_environment("analysis", backend="kubernetes")()
    assert (failed.reset(**rows[0]), failed.get_reward()) == ("", None)


def test_the_lines_of_the_page_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tokens = make_tokenizer()
    make_model(tokens).save_pretrained("model")
    tokens.save_pretrained("model")
    small = "num_generations=2, per_device_train_batch_size=2, max_steps=1, use_cpu=True, bf16=False, report_to=[]"
    lines = {"Qwen/Qwen3-4B": "model", "seeds=512": "seeds=1", "num_generations=8": small, "length=4096": "length=8"}
    assert run_page("TRL", lines)["trainer"].state.global_step == 1
