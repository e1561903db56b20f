"""Let agents play many episodes and compare them."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Display
from rich.table import Table

from aiops_gym.cli import agent_options
from aiops_gym.cli.commands.openrca.report import show as show_scores
from aiops_gym.cli.common import TIER, blame_arguments, parse_env_arguments, show, show_json
from aiops_gym.errors import AiopsGymError
from aiops_gym.files import write
from aiops_gym.openrca.report import summarise
from aiops_gym.runs import Judge, Progress, RayCluster, Summary, compared, evaluate, markdown
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.export import files
from aiops_gym.runs.folder import Folder
from aiops_gym.runs.merged import Merged, merge
from aiops_gym.runs.plan import unique
from aiops_gym.runs.predictions import write_predictions
from aiops_gym.runs.regrade import regrade
from aiops_gym.runs.submission import read_submission, write_submission
from aiops_gym.runs.summary import sum_up

WIDE = 10_000
"""Columns of a table that no person reads at a terminal."""

REASONS = 3
"""Errors that are shown: the most frequent ones."""

JUDGE_URL = "https://api.openai.com/v1"


def command(
    folder: Annotated[
        list[Path] | None, typer.Argument(help="With --report: more folders, put together with it.")
    ] = None,
    agent: Annotated[str, typer.Option(help="Agents, separated by commas; module:function for one of yours.")] = "",
    task: Annotated[
        str, typer.Option(help="Tasks, separated by commas, openrca_bank ... too; all = live ones.")
    ] = "all",
    split: Annotated[str, typer.Option(help="train, test or train,test; without it the fixed problems.")] = "",
    tier: Annotated[str | None, typer.Option(help=TIER)] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Episodes of each problem.")] = 1,
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0 plays in this one.")] = 1,
    ray: Annotated[
        bool, typer.Option("--ray", help="Play on a Ray cluster, with --workers actors of one CPU.")
    ] = False,
    ray_address: Annotated[str, typer.Option(help="Its address; RAY_ADDRESS, else a Ray of our own.")] = "",
    limit: Annotated[
        float | None,
        typer.Option(help="Real seconds until an episode is ended, as an error of its agent; not with --workers 0."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the results; what is there is not played again, and it may grow.")
    ] = None,
    sample: Annotated[str, typer.Option(help="At most so many problems a split, or a share such as 5% or 0.05.")] = "",
    app: Annotated[str | None, typer.Option(help="Only problems of this application.")] = None,
    problem: Annotated[list[str] | None, typer.Option(help="Only this problem; may be repeated.")] = None,
    env_kwargs: Annotated[str, typer.Option(help="Arguments of every environment, JSON.")] = "{}",
    model: Annotated[str, typer.Option(help="Model of the agent chat.")] = "",
    base_url: Annotated[str, typer.Option(help="Its API, such as http://127.0.0.1:8000/v1.")] = "",
    agent_option: Annotated[
        list[str] | None, typer.Option(help="Another option of the agents, name=value with JSON or text; repeatable.")
    ] = None,
    tokenizer: Annotated[
        str, typer.Option(help="module:function that counts tokens; without it they are estimated.")
    ] = "",
    signals: Annotated[bool, typer.Option(help="Keep alerts and golden signals, which the viewer shows.")] = True,
    judge_model: Annotated[str, typer.Option(help="Model that judges the reasoning; off without it.")] = "",
    judge_url: Annotated[str, typer.Option(help="Its API, compatible with OpenAI's.")] = JUDGE_URL,
    report: Annotated[
        list[Path] | None, typer.Option(help="Play nothing: sum this folder up again, or several; may be repeated.")
    ] = None,
    regraded: Annotated[
        Path | None,
        typer.Option("--regrade", help="Play nothing new: grade the episodes of this submission, or folder, again."),
    ] = None,
    submission: Annotated[
        Path | None, typer.Option(help="Write all episodes to this file, .jsonl or .jsonl.gz, for others to regrade.")
    ] = None,
    predictions: Annotated[
        Path | None, typer.Option(help="Write OpenRCA's predictions to this folder, a file an agent and system.")
    ] = None,
    page: Annotated[Path | None, typer.Option("--markdown", help="Write the summary as a page to this file.")] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Draw the agents side by side, with intervals, to this SVG file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Let agents play many episodes, keep each, and say how well they did.

    The same command again continues; one with more agents, seeds or problems adds these to its folder.
    """
    if picture is not None and picture.suffix != ".svg":
        raise typer.BadParameter(f"--picture draws SVG: name a file that ends in .svg, not {picture.name!r}")
    if regraded is not None:
        _regrade(regraded, parse_env_arguments(env_kwargs), as_json)
        return
    if report:
        merged = merge([Folder(each) for each in unique([*report, *(folder or ())])])
        summary = sum_up(merged)
        if len(report) + len(folder or ()) == 1:
            summary.save(report[0])
    else:
        if folder:
            raise typer.BadParameter(f"{folder[0]} stands alone: --report sums folders up, --out names one to play in")
        if out is None or not agent:
            raise typer.BadParameter("--agent and --out are needed, or --report for a folder that is there")
        agent_options.find_yours()
        judge = Judge(model=judge_model, url=judge_url) if judge_model else None
        cluster = RayCluster(ray_address) if ray or ray_address else None
        with _bar() as progress, blame_arguments():
            summary = evaluate(
                agent,
                task.lower(),
                out=out,
                split=split.lower(),
                tier=tier,
                seeds=seeds,
                sample=_sample(sample),
                app=app,
                problems=problem or (),
                env_kwargs=parse_env_arguments(env_kwargs),
                agent_options=agent_options.read(agent_option or (), model, base_url),
                workers=workers,
                cluster=cluster,
                limit=limit,
                tokenizer=tokenizer,
                judge=judge,
                signals=signals,
                progress=progress,
            )
        merged = merge([Folder(out)])
    if submission is not None:
        write_submission(merged, submission)
    for path, marks in write_predictions(merged, predictions).items() if predictions is not None else ():
        if not as_json:
            show(f"\n{path}, as the official script would score it:")
            show_scores(summarise(marks))
    if page is not None:
        write(page, markdown.render_page(summary))
    if picture is not None:
        write(picture, compared.draw_comparison(summary))
    if as_json:
        show_json(summary.to_json())
    else:
        _show(summary)
    _complain(summary, merged)


def _regrade(path: Path, env_kwargs: dict[str, Any], as_json: bool) -> None:
    """Grade again and show it. Raises AiopsGymError where anything is otherwise than claimed."""
    found = list(regrade(map(Episode.load, files([path])) if path.is_dir() else read_submission(path), env_kwargs))
    if as_json:
        show_json([each.to_json() for each in found])
    else:
        table = Table("agent", "task", "episodes", "claimed", "regraded", box=None, header_style="bold", pad_edge=False)
        for agent, task in unique([(each.agent, each.task) for each in found]):
            rows = [each for each in found if (each.agent, each.task) == (agent, task)]
            claimed, worth = (sum(getattr(each, name) for each in rows) / len(rows) for name in ("claimed", "reward"))
            table.add_row(agent, task, str(len(rows)), f"{claimed:.3f}", f"{worth:.3f}")
        (Console() if sys.stdout.isatty() else Console(width=WIDE)).print(table)
    odd = [each for each in found if each.difference or each.refused]
    if odd:
        told = [f"{each.problem}, seed {each.seed}: {each.refused or each.difference}" for each in odd[:REASONS]]
        raise AiopsGymError(f"{len(odd)} of {len(found)} episodes are otherwise than claimed: {'; '.join(told)}")


def _sample(text: str) -> float | None:
    """What `evaluate` takes; None for all."""
    if text in ("", "100%", "1.0"):
        return None
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        number = 0.0
    if not (0 < number < 1 or (number.is_integer() and number >= 1 and not text.endswith("%"))):
        raise typer.BadParameter(f"--sample is a number of problems, or a share such as 5% or 0.05, not {text!r}")
    return number


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    """A bar on stderr where a person looks on; says in any case where it stopped."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    seen = [Progress(total=0, done=0, failed=0)]
    with Display(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal) as display:
        bar = display.add_task("episodes", total=None)

        def progress(now: Progress) -> None:
            seen[:] = [now]
            failed = f", {now.failed} without" if now.failed else ""
            display.update(bar, description=f"episodes{failed}", total=now.total, completed=now.done + now.failed)

        try:
            yield progress
        except (KeyboardInterrupt, OSError):
            now = seen[0]
            kept = f"{now.done} of {now.total} episodes are kept; the same command continues."
            console.print(f"{kept} --report sums up what there is.", soft_wrap=True)
            raise


def _show(summary: Summary) -> None:
    """A table of the agents, and one of each grouping."""
    console = Console() if sys.stdout.isatty() else Console(width=WIDE)
    for split in markdown.list_splits(summary):
        show(f"\n{markdown.SPLITS[split]}")
        console.print(_table(list(markdown.render_overview(summary.find("all", split=split)))))
        if ahead := markdown.pair_adjacent(summary, split):
            console.print()
            console.print(_table(list(markdown.render_pairs(ahead))))
        if tries := markdown.collect_passes(summary, split):
            console.print()
            console.print(_table(list(markdown.render_passes(tries))))
        if harmed := markdown.list_harmed(summary, split):
            console.print()
            console.print(_table(list(markdown.render_harm(harmed, summary.find("fault", split=split)))))
        for by in markdown.BY:
            if rows := summary.find(by, split=split):
                console.print()
                console.print(_table(list(markdown.render_means(by, rows, summary.agents))))
    if summary.usage:
        show(f"\n{markdown.USED}")
        console.print(_table(list(markdown.render_usage(summary.usage))))


def _complain(summary: Summary, merged: Merged) -> None:
    """Raises AiopsGymError where episodes are missing, with why: what is printed is not the whole evaluation."""
    without = sum(row.agent_errors + row.infra_errors + row.missing for row in summary.find("all"))
    if without:
        total = without + sum(row.episodes for row in summary.find("all"))
        reasons = merged.faults().most_common()
        folders = ", ".join(str(each) for each in unique([folder.errors for folder, _ in merged.missing()]))
        told = [f"{textwrap.shorten(reason, 300)} ({count} times)" for reason, count in reasons[:REASONS]]
        more = [f"{len(reasons) - REASONS} other errors"] if len(reasons) > REASONS else []
        why = f": {'; '.join([*told, *more])}; all in {folders}" if told else ""
        again = "the same command tries" if len(merged.asked) == 1 else "the commands that asked for them try"
        raise AiopsGymError(f"{without} of {total} episodes have no verdict, and {again} again{why}")


def _table(lines: list[str]) -> Table:
    """The same table as the page's, for a terminal."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    table = Table(*cells[0], box=None, header_style="bold", pad_edge=False)
    for row in cells[2:]:
        table.add_row(*row)
    return table
