"""Let a network learn a task."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Display

from aiops_gym.cli.common import TIER, blame_arguments, show, show_json
from aiops_gym.learning.ablations import ABLATIONS
from aiops_gym.learning.settings import ALGORITHMS, Settings
from aiops_gym.learning.training import Progress, train
from aiops_gym.openrca.profiles import HARD
from aiops_gym.tools.registry import SETS


def command(
    task: Annotated[
        str,
        typer.Option(
            help="detection, localization, analysis or mitigation; openrca_bank, openrca_market or openrca_telecom."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder of the run.")],
    algo: Annotated[str, typer.Option(help=" or ".join(ALGORITHMS) + ".")] = ALGORITHMS[0],
    steps: Annotated[int, typer.Option(min=1, help="Actions in all environments together.")] = 100_000,
    seed: Annotated[int, typer.Option(min=0, help="Of networks, environments and evaluations.")] = 0,
    envs: Annotated[int, typer.Option(min=1, help="Environments that are played at the same time.")] = 16,
    workers: Annotated[int, typer.Option(min=0, help="Processes that play them; 0 plays in this one.")] = 0,
    split: Annotated[str, typer.Option(help='train or test, or "" for the fixed problems.')] = "train",
    tier: Annotated[str | None, typer.Option(help=TIER)] = None,
    tools: Annotated[str, typer.Option(help=" or ".join(SETS) + ": alerts and changes can be looked at.")] = SETS[0],
    problem: Annotated[list[str] | None, typer.Option(help="Draw from these only; may be repeated.")] = None,
    root: Annotated[str, typer.Option(help="Folder of recorded telemetry; without it synthetic data.")] = "",
    profile: Annotated[str, typer.Option(help="Of synthetic recorded telemetry: hard or easy.")] = HARD,
    every: Annotated[int, typer.Option(min=1, help="Steps between two checkpoints.")] = 8_192,
    evaluate: Annotated[int, typer.Option(min=0, help="Steps between two evaluations; 0 for one at the end.")] = 16_384,
    sample: Annotated[int, typer.Option(min=1, help="Problems of the test split in an evaluation.")] = 16,
    without: Annotated[str, typer.Option(help=f"Leave something out: {', '.join(ABLATIONS)}.")] = "",
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="A number of the learner, name=value, such as entropy=0.02.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue what the folder has.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Let a network learn a task. Ctrl-C saves; the same command with --resume continues."""
    with blame_arguments():
        settings = Settings(
            task=task.lower(),
            algorithm=algo.lower(),
            steps=steps,
            seed=seed,
            envs=envs,
            split=split or None,
            tier=tier,
            tools=tools,
            problems=tuple(problem or ()),
            root=root,
            profile=profile,
            every=every,
            evaluate=evaluate,
            sample=sample,
            without=without,
            recipe=_numbers(set_ or ()),
        )
    with _bar(out) as progress:
        summary = train(settings, out, resume=resume, processes=workers, progress=progress)
    if as_json:
        show_json(summary)
        return
    last = summary["evaluations"][-1]
    means = ", ".join(f"{last[mode]['success']:.0%} {mode}" for mode in ("deterministic", "sampled"))
    show(f"{summary['steps']:,} steps in {summary['seconds']:,.0f} s; solved of {last['episodes']} tests: {means}")
    show(f"{out / 'model.zip'}, {out / 'curve.png'}; tensorboard --logdir {out}")


def _numbers(pairs: list[str] | tuple[()]) -> dict[str, float]:
    """Numbers of the learner from `name=value`."""
    found = {}
    for pair in pairs:
        name, _, text = pair.partition("=")
        try:
            value = json.loads(text)
            if isinstance(value, (bool, str)):
                raise TypeError
            found[name] = float(value)
        except (ValueError, TypeError, OverflowError):
            raise typer.BadParameter(f"--set is name=value with a number, not {pair!r}") from None
    return found


@contextmanager
def _bar(out: Path) -> Iterator[Callable[[Progress], None]]:
    """A bar on stderr where a person looks on; says in any case where it stopped."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    seen = [0]
    with Display(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal) as display:
        bar = display.add_task("steps", total=None)

        def progress(now: Progress) -> None:
            seen[0] = now.steps
            about = f"solved {now.success:.0%}, return {now.reward:.2f}"
            display.update(bar, description=about, total=now.total, completed=now.steps)

        try:
            yield progress
        except KeyboardInterrupt:
            console.print(f"stopped after {seen[0]:,} steps, kept in {out}; the same command with --resume continues.")
            raise
