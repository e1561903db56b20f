"""The figures of some seeds as a section of a page, and their learning curve."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from aiops_gym.errors import ArgumentError
from aiops_gym.learning import curve
from aiops_gym.learning.report import tabulate
from aiops_gym.learning.study import Score
from aiops_gym.learning.trial import FAMILIAR, HEALTHY, NOVEL
from aiops_gym.runs.intervals import compute_interval

BEGIN, END = "<!-- figures: written by aiops-gym finetune -->", "<!-- end of figures -->"

GROUPS = {FAMILIAR: "known families", NOVEL: "unseen families", HEALTHY: "nothing wrong"}
EXAMS = {"nothing": 0, "the warm-up": 1, "GRPO": -1}

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
    figures = "\n".join([*describe(summaries), f"![Learning curve]({os.path.relpath(picture, page.parent)})"])
    half = page.with_name(f".{page.name}.half")
    half.write_text(f"{before}{BEGIN}\n\n{figures}\n\n{END}{after}", encoding="utf-8")
    half.replace(page)


def describe(summaries: Summaries) -> Iterator[str]:
    """What was done, what it cost, how the exams went, and what became of the groups."""
    first, settings = summaries[0], summaries[0]["settings"]
    stages = [[s["warm"]["seconds"], s["grpo"]["seconds"], sum(e["seconds"] for e in s["exams"])] for s in summaries]
    warm, grpo, exams = (f"{_mean(seconds) / 60:.0f}" for seconds in zip(*stages, strict=True))
    yield f"aiops_gym {settings['version']}, `{settings['model']}` of {first['warm']['parameters']:,} weights,"
    yield f"{len(summaries)} seeds: {first['lessons']['lessons']} lessons {settings['warm']} times, then"
    yield f"{settings['steps']} steps of GRPO with {settings['starts']} starts of {settings['group']} rollouts each,"
    yield f"of size {settings['rate']:g}."
    spans = [span for each in summaries for span in each["spans"]]
    beside = sum(map(sum, stages)) > 1.2 * (whole := _busy(spans))
    yield f"A seed took {warm} minutes of warm-up, {grpo} of GRPO and {exams} of exams"
    yield f"{'beside the others' if beside else 'while no other learned'}; all of it, with"
    yield f"{first['lessons']['seconds'] / 60:.0f} minutes for the lessons, took {whole / 60:.0f}.\n"
    keys = [(task, group) for task in settings["tasks"] for group in GROUPS]
    columns = {f"{task}, {GROUPS[group]}": partial(_belongs, task, group) for task, group in keys}
    sat = {name: _scores(summaries, at) for name, at in EXAMS.items()}
    yield from tabulate("exam after", columns, {name: scores for name, scores in sat.items() if scores})
    yield "\nShares of full marks, with 95 % intervals over seeds and problems.\n"
    for group, name in GROUPS.items():
        yield f"- {name.capitalize()}: {_compare(summaries, group)}."
    yield "\n| in GRPO | first quarter | last quarter |\n|---|---|---|"
    logs = [each["grpo"]["log"] for each in summaries]
    quarter = -(-len(logs[0]) // 4)
    rewards = {f"rewards/{task.capitalize()}/mean": f"reward, {task}" for task in settings["tasks"]}
    for key, name in {**rewards, **SIGNS}.items():
        parts = [[row for log in logs for row in log[:quarter]], [row for log in logs for row in log[-quarter:]]]
        seen = [[row[key] for row in part if row.get(key) is not None] for part in parts]
        if any(seen):
            yield f"| {name} | {_mean(seen[0]):.2f} | {_mean(seen[1]):.2f} |"
    yield ""


def _busy(spans: Sequence[tuple[float, float]]) -> float:
    """Seconds in which at least one stage was at work.

    >>> _busy([(0, 10), (5, 12), (20, 21)])
    13.0
    """
    total, until = 0.0, float("-inf")
    for begin, end in sorted(spans):
        total += max(0.0, end - max(begin, until))
        until = max(until, end)
    return total


def _belongs(task: str, group: str, score: Score) -> bool:
    return (score.task, score.group) == (task, group)


def _scores(summaries: Summaries, at: int) -> list[Score]:
    """The episodes of an exam, but those that failed on our side in any seed."""
    exams = [(each["settings"]["seed"], each["exams"][at]["rows"]) for each in summaries]
    failed = {(row["problem"], row["seed"]) for _, rows in exams for row in rows if row["reward"] is None}
    return [
        Score(
            **{name: row[name] for name in ("task", "group", "problem")},
            **dict.fromkeys(("agent", "app", "fault"), ""),
            seed=seed,
            episode=row["seed"],
            success=float(row["success"]),
            actions=row["steps"],
        )
        for seed, rows in exams
        for row in rows
        if (row["problem"], row["seed"]) not in failed
    ]


def _compare(summaries: Summaries, group: str) -> str:
    """What GRPO added to the warm-up, episode by episode."""
    exams = [_scores(summaries, at) for at in (1, -1)]
    before, after = ({(s.seed, s.problem, s.episode): s.success for s in e if s.group == group} for e in exams)
    changes: dict[str, list[float]] = {}
    for case in sorted(before.keys() & after.keys()):
        changes.setdefault(case[1], []).append((1 + after[case] - before[case]) / 2)
    mean = 2 * _mean([each for part in changes.values() for each in part]) - 1
    low, high = (2 * end - 1 for end in compute_interval([*changes.values()], bounded=False))
    words = "it helped" if low > 0 else "it did harm" if high < 0 else "no difference can be told from chance"
    return f"GRPO added {mean:+.2f} ({low:+.2f} to {high:+.2f}) to the warm-up: {words}"


def draw(summaries: Summaries, path: Path) -> None:
    """Reward of the rollouts, and exams, over the steps of GRPO."""
    path.parent.mkdir(parents=True, exist_ok=True)
    logs = [[float(row["reward"]) for row in each["grpo"]["log"]] for each in summaries]
    smooth = [[_mean(log[max(0, end - WINDOW) : end]) for end in range(1, len(log) + 1)] for log in logs]
    steps = [exam["step"] for exam in summaries[0]["exams"][1:]]
    lines: list[curve.Line] = [("reward in training", curve.GREY, range(1, len(logs[0]) + 1), smooth)]
    for group, colour in ((FAMILIAR, curve.BLUE), (NOVEL, curve.ORANGE)):
        sat = [[_scores([each], at + 1) for at in range(len(steps))] for each in summaries]
        rows = [[_mean([s.success for s in exam if s.group == group]) for exam in exams] for exams in sat]
        lines.append((f"exam, {GROUPS[group]}", colour, steps, rows))
    curve.draw_lines(f"GRPO after the warm-up: mean and range of {len(summaries)} seeds", lines, path)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
