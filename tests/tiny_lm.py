"""A real language model of a third of a million parameters, trained in memory on a few conversations: no download.

It learns by heart; that it can play what it has learned shows that prompt, history, sampling and parsing fit together.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import Qwen3Config, Qwen3ForCausalLM

Message = dict[str, str]

PAD, BEGIN, END = "<|pad|>", "<|begin|>", "<|end|>"
VOCABULARY = 1_500
LONGEST = 160
"""Tokens of an answer at most."""


def rendered(message: Message) -> str:
    return f"{BEGIN}{message['role']}\n{message['content']}{END}"


class TinyLM:
    """Two layers of the Qwen3 architecture, and a byte-level BPE made of the conversations themselves."""

    def __init__(self, conversations: Sequence[Sequence[Message]], seed: int = 0) -> None:
        torch.set_num_threads(1)  # more are far slower where cores are shared
        torch.manual_seed(seed)
        self.lock = Lock()
        self.tokens = _tokenizer([message["content"] for each in conversations for message in each])
        self.end = self.tokens.token_to_id(END)
        self.model = Qwen3ForCausalLM(
            Qwen3Config(
                vocab_size=self.tokens.get_vocab_size(),
                hidden_size=128,
                intermediate_size=256,
                num_hidden_layers=2,
                num_attention_heads=4,
                num_key_value_heads=2,
                head_dim=32,
                tie_word_embeddings=True,
                max_position_embeddings=8_192,
                eos_token_id=self.end,
                pad_token_id=self.tokens.token_to_id(PAD),
                bos_token_id=None,
            )
        )
        self.examples = [self._example(each) for each in conversations]

    @property
    def parameters(self) -> int:
        return sum(each.numel() for each in self.model.parameters())

    def train(self, steps: int, rate: float = 3e-3) -> float:
        """The loss of the last round, over the tokens that the assistant said."""
        optimiser = torch.optim.AdamW(self.model.parameters(), lr=rate)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=0.1)
        losses = [0.0] * len(self.examples)
        self.model.train()
        for step in range(steps):
            tokens, labels = self.examples[step % len(self.examples)]
            loss = self.model(input_ids=tokens, labels=labels).loss
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            losses[step % len(losses)] = loss.item()
        self.model.eval()
        return max(losses)

    def answer(self, messages: Sequence[Message]) -> str:
        """What the assistant says next, the most likely token each time."""
        text = "".join(map(rendered, messages)) + f"{BEGIN}assistant\n"
        tokens = torch.tensor([self.tokens.encode(text).ids])
        with self.lock, torch.no_grad():
            made = self.model.generate(
                tokens, attention_mask=torch.ones_like(tokens), max_new_tokens=LONGEST, do_sample=False
            )
        said = made[0, tokens.shape[1] :].tolist()
        return self.tokens.decode([each for each in said if each != self.end])

    def _example(self, conversation: Sequence[Message]) -> tuple[torch.Tensor, torch.Tensor]:
        """Tokens, and what is to be predicted: what the assistant said, and that it ended."""
        tokens: list[int] = []
        labels: list[int] = []
        for message in conversation:
            said = message["role"] == "assistant"
            head = self.tokens.encode(f"{BEGIN}{message['role']}\n").ids
            body = self.tokens.encode(f"{message['content']}{END}").ids
            tokens += head + body
            labels += [-100] * len(head) + (body if said else [-100] * len(body))
        return torch.tensor([tokens]), torch.tensor([labels])


def _tokenizer(texts: Sequence[str]) -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[PAD, BEGIN, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    return made
