"""GRPO by TRL over incidents, and exams by the very rollouts that it trains on."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from aiops_gym.adapters.trl import Incident, list_rows, make_environment
from aiops_gym.learning.language.settings import Settings
from aiops_gym.learning.trial import FAMILIAR, NOVEL, draw_cases
from aiops_gym.sim.kernel import draws

OWN = ("reset", "get_reward")
"""Public methods of an environment that are no tools."""


def make_environments(settings: Settings) -> dict[str, type[Incident]]:
    """Task -> class of its environment."""
    return {task: make_environment(task, budget=settings.budget) for task in settings.tasks}


def list_tools(environment: type[Incident]) -> list[dict[str, Any]]:
    """The schemas that TRL will show of an environment, in its order."""
    from transformers.utils import get_json_schema  # noqa: PLC0415

    made = environment()
    members = inspect.getmembers(environment, inspect.isfunction)
    names = [name for name, _ in members if name not in OWN and not name.startswith("_")]
    return [get_json_schema(getattr(made, name)) for name in names]


def list_starts(settings: Settings) -> list[dict[str, Any]]:
    """A row for each world of GRPO, tasks in turn: problems of the train split, drawn with seeds of this run's own."""
    first = draws.bits(settings.seed, "starts of a language model") % 2**31
    many = -(-settings.steps * settings.starts // len(settings.tasks))
    rows = {task: list_rows(seeds=many, split="train", first=first) for task in settings.tasks}
    return [{**rows[task][at], "environment": task} for at in range(many) for task in settings.tasks]


def choose_place() -> tuple[dict[str, Any], Any]:
    """Where it is trained, as TRL's arguments, and the kind of its weights: a graphics card where there is one."""
    import torch  # noqa: PLC0415

    card = torch.cuda.is_available()
    place = {"use_cpu": not card, "bf16": card, "gradient_checkpointing": card, "report_to": [], "disable_tqdm": True}
    return place, torch.bfloat16 if card else torch.float32


def make_trainer(settings: Settings, model: Path, out: Path, environments: dict[str, Any], **given: Any) -> Any:
    """A trainer of TRL on the starts of a run.

    Args:
        model: a folder, with its tokenizer.
        given: more of TRL's own arguments.
    """
    from datasets import Dataset  # noqa: PLC0415
    from transformers import AutoModelForCausalLM, AutoTokenizer, PrinterCallback  # noqa: PLC0415
    from trl import GRPOConfig, GRPOTrainer  # noqa: PLC0415

    place, kind = choose_place()
    arguments = GRPOConfig(
        str(out),
        per_device_train_batch_size=settings.batch,
        per_device_eval_batch_size=settings.batch,
        gradient_accumulation_steps=settings.group * settings.starts // settings.batch,
        num_generations=settings.group,
        num_generations_eval=1,
        max_completion_length=settings.completion,
        max_tool_calling_iterations=settings.turns,
        chat_template_kwargs={"enable_thinking": False},
        learning_rate=settings.rate,
        lr_scheduler_type="constant",
        logging_steps=1,
        seed=settings.seed,
        shuffle_dataset=False,
        **place,
        **({"use_vllm": True, "vllm_mode": "colocate"} if settings.vllm else {}),
        **given,
    )
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(model, dtype=kind),
        processing_class=AutoTokenizer.from_pretrained(model, padding_side="left"),
        train_dataset=Dataset.from_list(list_starts(settings)),
        environment_factory=environments,
        args=arguments,
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def train(settings: Settings, model: Path, out: Path, until: int, last: Path | None) -> dict[str, Any]:
    """GRPO up to a step, with a checkpoint there.

    Args:
        last: the checkpoint to go on from.

    Returns:
        TRL's log of all steps so far.
    """
    saved = {"max_steps": until, "save_strategy": "steps", "save_steps": settings.part, "save_total_limit": 2}
    trainer = make_trainer(settings, model, out, make_environments(settings), **saved)
    trainer.train(resume_from_checkpoint=None if last is None else str(last))
    return {"log": [row for row in trainer.state.log_history if "reward" in row]}


def list_cases(settings: Settings) -> list[dict[str, Any]]:
    """The rows of an exam: problems of the test split, of families that training shows and of those it never does."""
    return [
        {**list_rows([case.problem], first=case.seed)[0], "environment": task, "group": case.group}
        for task in settings.tasks
        for case in draw_cases(task, (FAMILIAR, NOVEL), settings.exam)
    ]


def examine(settings: Settings, model: Path, out: Path) -> list[dict[str, Any]]:
    """How each episode of an exam went, with the likeliest token each time.

    What failed on our side has the reward None. None of it is trained on.
    """
    from datasets import Dataset  # noqa: PLC0415

    found: list[dict[str, Any]] = []
    watched = {task: _watch(task, kind, found) for task, kind in make_environments(settings).items()}
    trainer = make_trainer(settings, model, out, watched, max_steps=1, top_k=1, save_strategy="no")
    trainer.evaluate(Dataset.from_list(list_cases(settings)))
    return sorted(found, key=lambda row: (row["problem"], row["seed"]))


def _watch(task: str, environment: type[Incident], found: list[dict[str, Any]]) -> type[Incident]:
    """The same environment, which notes how its episodes ended."""

    class Watched(environment):  # type: ignore[misc, valid-type]
        def reset(self, **row: Any) -> str:
            """Begin the episode of a row."""
            self._row = row
            return str(super().reset(**row))

        def get_reward(self) -> float | None:
            """What it is worth, noted."""
            score = self._session.score()
            kept = {name: self._row[name] for name in ("problem", "seed", "group")}
            ended = {"success": score.success, "reward": score.reward, "steps": score.steps}
            found.append({"task": task, **kept, **ended})
            worth: float | None = score.reward
            return worth

    return Watched
