"""Learn every task, and write docs/learning.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Display

from aiops_gym.cli.common import TIER, show
from aiops_gym.learning.extra import require_extra
from aiops_gym.learning.reach import try_actions
from aiops_gym.learning.study import TASKS, Study, carry_out
from aiops_gym.tools.registry import SETS


def command(
    out: Annotated[Path, typer.Option(help="Folder of runs and episodes; what is there is not done again.")],
    write: Annotated[Path | None, typer.Option(help="The page; its pictures go into a folder beside it.")] = None,
    task: Annotated[str, typer.Option("--task", "--tasks", help="Tasks, separated by commas.")] = ",".join(TASKS),
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each task.")] = 5,
    ablations: Annotated[int, typer.Option(min=0, help="Runs of each task with each part left out; 0 for none.")] = 1,
    imitations: Annotated[
        int, typer.Option(min=0, help="Networks that are shown the answers, with nothing and each part left out.")
    ] = 1,
    steps: Annotated[int, typer.Option(min=0, help="Of a run; 0 for those of the published page.")] = 0,
    tier: Annotated[str | None, typer.Option(help=TIER)] = None,
    tools: Annotated[str, typer.Option(help=f"Which there are: {' or '.join(SETS)}.")] = SETS[0],
    sample: Annotated[int, typer.Option(min=0, help="Problems of each group in the tests; 0 for all.")] = 80,
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0 does it all in this one.")] = 2,
) -> None:
    """Let networks learn every task from several seeds, and play them beside the other agents. It can be continued."""
    require_extra()
    from aiops_gym.learning import report  # noqa: PLC0415

    tasks = tuple(each.strip() for each in task.lower().split(",") if each.strip())
    runs: dict[str, Any] = {"seeds": seeds, "ablations": ablations, "imitations": imitations, "steps": steps}
    study = Study(out=out, tasks=tasks, tier=tier, tools=tools, sample=sample, workers=workers, **runs)
    with _bar() as shown:
        scores, reach = carry_out(study, shown), try_actions(study, shown)
    page = write or out / "learning.md"
    report.write(study, scores, page, reach)
    show(f"{len(scores):,} episodes; the page is {page}")


@contextmanager
def _bar() -> Iterator[Callable[[str, int, int], None]]:
    """A bar on stderr where a person looks on, and a line of what is begun elsewhere."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Display(*columns, console=console, disable=not console.is_terminal) as display:
        bar = display.add_task("", total=None)
        yield lambda what, done, total: display.update(bar, description=what, completed=done, total=total)
