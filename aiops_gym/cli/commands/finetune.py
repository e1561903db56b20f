"""Let a language model learn incidents."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from aiops_gym.cli.common import show
from aiops_gym.errors import AiopsGymError
from aiops_gym.learning.language import report
from aiops_gym.learning.language.run import carry_out_all
from aiops_gym.learning.language.settings import TINY, Settings

NEEDED = ("trl", "transformers", "torch", "matplotlib")


def command(
    out: Annotated[Path, typer.Option(help="Folder of everything; what is there is not done again.")],
    model: Annotated[str, typer.Option(help="A name or folder of transformers, or tiny: a new one, for a CPU.")] = TINY,
    task: Annotated[str, typer.Option("--task", "--tasks", help="Separated by commas.")] = "detection,localization",
    seeds: Annotated[int, typer.Option(min=1, help="Runs, with the same lessons.")] = 1,
    beside: Annotated[int, typer.Option(min=1, help="Seeds at the same time, for a CPU.")] = 1,
    lessons: Annotated[
        Path | None, typer.Option(help="From `export --tool-calls`; without it a teacher plays.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="A setting, name=value, such as steps=200 or rate=2e-6.")
    ] = None,
    workers: Annotated[int, typer.Option(min=0, help="Processes that play lessons; 0 plays in this one.")] = 2,
    write: Annotated[
        Path | None, typer.Option(help="A page with a place for the figures; else report.md in OUT.")
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Of the learning curve; else curve.png in OUT.")] = None,
) -> None:
    """Let a language model learn: lessons, GRPO, exams before and after. The same command goes on after a kill."""
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise AiopsGymError(f"fine-tuning needs {', '.join(missing)}: pip install 'aiops_gym[finetune]'")
    tasks = tuple(each.strip() for each in task.lower().split(",") if each.strip())
    settings = Settings.of(model, {"tasks": tasks, **_settings(set_ or [])})
    summaries = carry_out_all(
        [replace(settings, seed=seed) for seed in range(seeds)], out, beside, workers, lessons, show
    )
    page = write or out / "report.md"
    report.write(summaries, page, picture or out / "curve.png")
    show(f"the figures are in {page}")


def _settings(pairs: list[str]) -> dict[str, Any]:
    """Settings from `name=value`, the values JSON."""
    try:
        return {name: json.loads(value) for name, _, value in (pair.partition("=") for pair in pairs)}
    except ValueError:
        raise typer.BadParameter(f"--set is name=value with a number, not {', '.join(pairs)}") from None
