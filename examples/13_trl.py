"""TRL's GRPO plays groups of identical starts: two steps of a model that was never trained, on a CPU and offline.

    pip install "aiops_gym[trl]"
    python examples/13_trl.py

A token of this model is a whole call, so that it acts before it has learned anything. With a real one it is
`GRPOTrainer(model="Qwen/Qwen3-4B", ...)` with the same data set and the same environment.
"""

import os
import tempfile
from pathlib import Path

os.environ |= {"HF_HUB_OFFLINE": "1", "TRL_EXPERIMENTAL_SILENCE": "1", "TOKENIZERS_PARALLELISM": "false"}

import torch
import trl
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from aiops_gym.adapters.trl import list_rows, make_environment

CALLS = [
    f'<tool_call>\n{{"name": "submit", "arguments": {{"has_anomaly": "{answer}"}}}}\n</tool_call>'
    for answer in ("Yes", "No")
]
TEMPLATE = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text()
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>", "<think>", "</think>"]

torch.manual_seed(0)
tokens = Tokenizer(models.BPE())
tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokens.decoder = decoders.ByteLevel()
bytewise = trainers.BpeTrainer(special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
tokens.train_from_iterator([TEMPLATE], bytewise)
tokens.add_tokens(CALLS)
tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokens, eos_token="<|im_end|>", pad_token="<|endoftext|>")
tokenizer.chat_template = TEMPLATE
wanted = {tokenizer.eos_token_id, *tokenizer.convert_tokens_to_ids(CALLS)}
shape = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2, "head_dim": 16}
ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id, "bos_token_id": None}
model = Qwen3ForCausalLM(Qwen3Config(vocab_size=len(tokenizer), num_key_value_heads=1, **shape, **ends))

with tempfile.TemporaryDirectory() as folder:
    sizes = {"per_device_train_batch_size": 8, "num_generations": 8, "max_steps": 2, "max_completion_length": 300}
    quiet = {"report_to": [], "save_strategy": "no", "logging_steps": 1, "disable_tqdm": True}
    cpu = {"use_cpu": True, "bf16": False, "gradient_checkpointing": False, "max_tool_calling_iterations": 1}
    only = {"suppress_tokens": sorted(set(range(len(tokenizer))) - wanted)}
    config = trl.GRPOConfig(folder, generation_kwargs=only, **sizes, **quiet, **cpu)
    data = Dataset.from_list(list_rows(["revoke_auth_mongodb-detection-1", "noop_detection_hotel_reservation-1"]))
    incident = make_environment("detection")
    trainer = trl.GRPOTrainer(
        model, train_dataset=data, environment_factory=incident, args=config, processing_class=tokenizer
    )
    trainer.train()
    for step in trainer.state.log_history[:2]:
        print(f"reward {step['reward']:.3f}, {step['tools/call_frequency']:.2f} calls of tools an episode")
