"""Supervised warm-up on conversations by TRL: a model learns to say what was said in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aiops_gym.learning.language.rollouts import choose_place
from aiops_gym.learning.language.settings import Settings

CHECKPOINTS = 6
"""Of a warm-up: what a kill loses is a sixth of it."""


def warm_up(
    settings: Settings, model: Path, lessons: Sequence[dict[str, Any]], out: Path, last: Path | None
) -> dict[str, Any]:
    """Train, and keep the model in the folder `model` of `out`. Returns TRL's log, and how many weights there are.

    Args:
        model: a folder or name, with its tokenizer.
        last: the checkpoint to go on from.
    """
    from datasets import Dataset  # noqa: PLC0415
    from transformers import AutoModelForCausalLM, AutoTokenizer, PrinterCallback  # noqa: PLC0415
    from trl import SFTConfig, SFTTrainer  # noqa: PLC0415

    steps = max(1, settings.warm * len(lessons) // settings.warm_batch)
    place, kind = choose_place()
    saved = {"save_strategy": "steps", "save_steps": max(1, steps // CHECKPOINTS), "save_total_limit": 2}
    arguments = SFTConfig(
        str(out),
        assistant_only_loss=True,
        max_length=settings.budget,
        per_device_train_batch_size=settings.warm_batch,
        max_steps=steps,
        learning_rate=settings.warm_rate,
        lr_scheduler_type="cosine",
        warmup_steps=steps // 20,
        logging_steps=max(1, steps // 50),
        seed=settings.seed,
        **saved,
        **place,
    )
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(model, dtype=kind),
        processing_class=AutoTokenizer.from_pretrained(model),
        train_dataset=Dataset.from_list(list(lessons)),
        args=arguments,
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train(resume_from_checkpoint=None if last is None else str(last))
    trainer.save_model(str(out / "model"))
    log = [row for row in trainer.state.log_history if "loss" in row]
    return {"log": log, "parameters": trainer.model.num_parameters()}
