"""A summary as one picture: how the agents do, over everything and by task."""

from __future__ import annotations

from aiops_gym.runs.markdown import SPLITS, format_episodes, list_splits
from aiops_gym.runs.summary import Row, Summary
from aiops_gym.runs.view.chart import Block, Line, Mark, draw_chart

TITLE = "Mean reward with its 95 % interval"


def draw_comparison(summary: Summary) -> str:
    """An SVG file, one line end at its end: a block for each split, the best agent on top."""
    return f"{draw_chart(TITLE, [_block(summary, split) for split in list_splits(summary)], standalone=True)}\n"


def _block(summary: Summary, split: str) -> Block:
    ranked = sorted(summary.find("all", split=split), key=lambda row: (-row.reward_with_errors, row.agent))
    rows = {(row.agent, row.group): row for row in (*ranked, *summary.find("task", split=split))}
    tasks = sorted({task for _, task in rows} - {""})
    groups = {"all": ""} | ({task: task for task in tasks} if len(tasks) > 1 else {})
    return Block(heading=SPLITS[split], columns=tuple(groups), lines=[_line(row, groups, rows) for row in ranked])


def _line(row: Row, groups: dict[str, str], rows: dict[tuple[str, str], Row]) -> Line:
    found = {column: rows.get((row.agent, group)) for column, group in groups.items()}
    marks = {column: _mark(each) for column, each in found.items() if each is not None and each.episodes}
    return Line(name=row.agent, note=f"{format_episodes(row)} episodes", marks=marks)


def _mark(row: Row) -> Mark:
    errors = row.agent_errors + row.infra_errors
    worst = row.reward_with_errors if errors else None
    return Mark(mean=row.reward, low=row.reward_low, high=row.reward_high, worst=worst)
