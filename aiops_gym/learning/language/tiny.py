"""A model of two million weights and its own tokenizer, made for some conversations: for a CPU, to try the way with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

VOCABULARY = 3_000
WIDTH, LAYERS, HEADS = 192, 4, 6

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>", "<tool_response>"]
SPECIAL += ["</tool_response>", "<think>", "</think>"]

WORD = r" ?[A-Za-z]+(?:[-_][a-z]+)*| +|\n|[0-9]|[^\sA-Za-z0-9]+"
"""Names of components stay whole, so that one in a table is the token of the one in an answer."""

COMMON, LONG = 0.05, 12
"""A line of the prompt that is in one of twenty conversations, and so long, becomes a token: prompts are all alike."""


def make_tokenizer(conversations: Sequence[dict[str, Any]]) -> Any:
    """Words of the conversations, bytes of all else, and whole lines of what every prompt says."""
    import trl  # noqa: PLC0415  # Takes seconds, as all of these.
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: PLC0415
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415

    template = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text(encoding="utf-8")
    tokens = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(WORD), "isolated")
    tokens.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(False, use_regex=False)])
    tokens.decoder = decoders.ByteLevel()
    ends = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>", "padding_side": "left"}
    texts = [_render(template, each) for each in conversations]
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokens.train_from_iterator([text.partition("<|im_start|>assistant")[2] for text in texts], trainer)
    prompts = Counter(line for text in texts for line in _list_lines(text))
    common = [line for line, count in prompts.items() if len(line) >= LONG and count >= COMMON * len(texts)]
    tokens.add_tokens([AddedToken(line, normalized=False) for line in sorted(common)])
    made = PreTrainedTokenizerFast(tokenizer_object=tokens, **ends)
    made.chat_template = template
    return made


def _list_lines(text: str) -> set[str]:
    """The lines of a rendered prompt, none across a mark: where an answer ends must stay a token of its own."""
    prompt = text.partition("<|im_start|>assistant")[0]
    for mark in SPECIAL:
        prompt = prompt.replace(mark, "\n")
    return {*prompt.split("\n")}


def _render(template: str, conversation: dict[str, Any]) -> str:
    """A conversation as a model reads it."""
    import json  # noqa: PLC0415

    from transformers.utils.chat_template_utils import render_jinja_template  # noqa: PLC0415

    tools = json.loads(conversation["tools"])
    rendered, _ = render_jinja_template([conversation["messages"]], tools=tools, chat_template=template)
    return str(rendered[0])


def make_model(tokenizer: Any, seed: int) -> Any:
    """The Qwen3 architecture, small, with random weights."""
    import torch  # noqa: PLC0415
    from transformers import Qwen3Config, Qwen3ForCausalLM  # noqa: PLC0415

    torch.manual_seed(seed)
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id, "bos_token_id": None}
    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(tokenizer),
            hidden_size=WIDTH,
            intermediate_size=512,
            num_hidden_layers=LAYERS,
            num_attention_heads=HEADS,
            num_key_value_heads=HEADS // 3,
            head_dim=WIDTH // HEADS,
            tie_word_embeddings=True,
            max_position_embeddings=8_192,
            **ends,
        )
    )
