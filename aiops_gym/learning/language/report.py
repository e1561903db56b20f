"""The figures of some seeds as a section of a page, and their learning curve."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from aiops_gym.errors import ArgumentError
from aiops_gym.learning import curve
from aiops_gym.learning.trial import FAMILIAR, HEALTHY, NOVEL
from aiops_gym.runs.intervals import compute_crossed_interval, compute_interval

BEGIN, END = "<!-- figures: written by aiops-gym finetune -->", "<!-- end of figures -->"

GROUPS = {FAMILIAR: "known families", NOVEL: "unseen families", HEALTHY: "nothing wrong"}

WINDOW = 8
"""Steps of GRPO over which the curve of its reward is averaged."""

SIGNS = {
    "reward": "reward",
    "frac_reward_zero_std": "groups with one reward, which teach nothing",
    "tools/call_frequency": "calls of tools a rollout",
    "tools/failure_frequency": "calls that are none",
    "completions/clipped_ratio": "rollouts that were cut off",
    "entropy": "entropy of a token",
}
"""TRL's own numbers that tell why a run learns or does not."""

Summaries = Sequence[dict[str, Any]]


def write(summaries: Summaries, page: Path, picture: Path) -> None:
    """Put the section between the marks of a page, and draw the picture.

    Raises:
        ArgumentError: the page has no marks.
    """
    text = page.read_text(encoding="utf-8") if page.exists() else f"{BEGIN}\n{END}\n"
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ArgumentError(f"{page} has no place for the figures: the lines {BEGIN} and {END}")
    draw(summaries, picture)
    link = os.path.relpath(picture, page.parent)
    figures = "\n".join([*describe(summaries), f"![Learning curve]({link})"])
    half = page.with_name(f".{page.name}.half")
    half.write_text(f"{before}{BEGIN}\n\n{figures}\n\n{END}{after}", encoding="utf-8")
    half.replace(page)


def describe(summaries: Summaries) -> Iterator[str]:
    """What was done, what it cost, how the exams went, and what became of the groups."""
    first = summaries[0]
    settings, parameters = first["settings"], first["warm"]["parameters"]
    seconds = [sum(each["seconds"] for each in (s["warm"], s["grpo"], *s["exams"])) for s in summaries]
    yield f"aiops_gym {settings['version']}, `{settings['model']}` of {parameters:,} weights, {len(summaries)} seeds."
    yield f"{first['lessons']['lessons']} lessons {settings['warm']} times, then {settings['steps']} steps of GRPO with"
    yield f"{settings['starts']} starts and {settings['group']} rollouts of each. A seed took"
    yield f"{min(seconds) / 60:.0f} to {max(seconds) / 60:.0f} minutes: warm-up {_minutes(summaries, 'warm')}, GRPO"
    yield f"{_minutes(summaries, 'grpo')} on average, the rest exams; all seeds {sum(seconds) / 60:.0f} minutes, and"
    yield f"{first['lessons']['seconds'] / 60:.0f} for playing the lessons.\n"
    yield from _exams(summaries)
    yield from _verdict(summaries)
    yield from _signs(summaries)


def _minutes(summaries: Summaries, stage: str) -> str:
    return f"{sum(each[stage]['seconds'] for each in summaries) / len(summaries) / 60:.0f}"


def _exams(summaries: Summaries) -> Iterator[str]:
    tasks = summaries[0]["settings"]["tasks"]
    columns = [(task, group) for task in tasks for group in GROUPS]
    yield f"| exam after | {' | '.join(f'{task}, {GROUPS[group]}' for task, group in columns)} |"
    yield "|---|" + "---|" * len(columns)
    for at in (0, 1, -1):
        name = {0: "nothing", 1: "the warm-up", -1: "GRPO"}[at]
        yield f"| {name} | {' | '.join(_cell(summaries, at, *column) for column in columns)} |"
    yield "\nShares of full marks, with 95 % intervals over seeds and problems.\n"


def _cell(summaries: Summaries, at: int, task: str, group: str) -> str:
    table = [list(_marks(each, at, task, group).values()) for each in summaries]
    table = [row[: min(map(len, table))] for row in table]
    if not table[0]:
        return "-"
    low, high = compute_crossed_interval(table)
    return f"{sum(map(sum, table)) / sum(map(len, table)):.2f} ({low:.2f}-{high:.2f})"


def _marks(summary: dict[str, Any], at: int, task: str = "", group: str = "") -> dict[tuple[str, int], float]:
    """Episode -> whether it was solved."""
    rows = [row for row in summary["exams"][at]["rows"] if row["reward"] is not None]
    kept = [row for row in rows if task in ("", row["task"]) and group in ("", row["group"])]
    return {(row["problem"], row["seed"]): float(row["success"]) for row in kept}


def _verdict(summaries: Summaries) -> Iterator[str]:
    """What GRPO added to the warm-up, episode by episode."""
    for group, name in GROUPS.items():
        changes: dict[str, list[float]] = {}
        for summary in summaries:
            before, after = _marks(summary, 1, group=group), _marks(summary, -1, group=group)
            for case in before.keys() & after.keys():
                changes.setdefault(case[0], []).append((1 + after[case] - before[case]) / 2)
        groups = [changes[problem] for problem in sorted(changes)]
        if not groups:
            continue
        count = sum(map(len, groups))
        mean = 2 * sum(map(sum, groups)) / count - 1
        low, high = (2 * end - 1 for end in compute_interval(groups, bounded=False))
        words = "it helped" if low > 0 else "it did harm" if high < 0 else "no difference can be told from chance"
        yield f"- {name.capitalize()}: GRPO added {mean:+.2f} ({low:+.2f} to {high:+.2f}) to the warm-up: {words}."
    yield ""


def _signs(summaries: Summaries) -> Iterator[str]:
    yield "| in GRPO | first quarter | last quarter |"
    yield "|---|---|---|"
    logs = [each["grpo"]["log"] for each in summaries]
    quarter = -(-len(logs[0]) // 4)
    for key, name in SIGNS.items():
        parts = [[row for log in logs for row in log[:quarter]], [row for log in logs for row in log[-quarter:]]]
        means = [_mean([row[key] for row in part if row.get(key) is not None]) for part in parts]
        yield f"| {name} | {means[0]:.2f} | {means[1]:.2f} |"
    yield ""


def draw(summaries: Summaries, path: Path) -> None:
    """Reward of the rollouts, and exams, over the steps of GRPO."""
    path.parent.mkdir(parents=True, exist_ok=True)
    logs = [[float(row["reward"]) for row in each["grpo"]["log"]] for each in summaries]
    lines: list[curve.Line] = [
        (
            f"reward in training, mean of {WINDOW} steps",
            curve.GREY,
            range(1, len(logs[0]) + 1),
            [_smooth(e) for e in logs],
        )
    ]
    steps = [exam["step"] for exam in summaries[0]["exams"][1:]]
    for group, colour in ((FAMILIAR, curve.BLUE), (NOVEL, curve.ORANGE)):
        rows = [
            [_mean([*_marks(each, at, group=group).values()]) for at in range(1, len(steps) + 1)] for each in summaries
        ]
        lines.append((f"exam, {GROUPS[group]}", colour, steps, rows))
    title = f"GRPO after the warm-up: mean and range of {len(summaries)} seeds"
    curve.draw_lines(title, lines, path)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _smooth(values: Sequence[float]) -> list[float]:
    """Means of the last values, up to each."""
    parts = [values[max(0, end - WINDOW) : end] for end in range(1, len(values) + 1)]
    return list(map(_mean, parts))
