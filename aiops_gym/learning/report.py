"""The page and the pictures of a study."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

from aiops_gym.catalog import registry
from aiops_gym.catalog.model import TIERS
from aiops_gym.learning import curve
from aiops_gym.learning.ablations import ABLATIONS
from aiops_gym.learning.reach import Reach
from aiops_gym.learning.stack import PRICE
from aiops_gym.learning.study import LEARNT, Score, Study, group_by_agent
from aiops_gym.learning.trial import FAMILIAR, HEALTHY, NOVEL
from aiops_gym.runs.intervals import compute_crossed_interval
from aiops_gym.wrappers.reading.macros import AROUND, EVERYWHERE

TITLE = """\
# What can be learned{of}

Written by `make learning{hard}`; do not edit. aiops_gym {version}, MaskablePPO, {seeds} seeds of each task, noise on,
trained on the train split and played on the test split. How to do it: [Training](training.md).

"Test" is what the goal is set for: faults of families that training shows, on targets where it never shows them, and
healthy episodes of other seeds, as many as faults in Detection and 15 % in Localization. "Unseen families" are faults
of kinds that training never shows, and count in nothing else. Each number is the share of episodes with full marks, in
brackets its 95 % interval: Wilson's, for as many episodes as scatter like the means of seeds and of problems do.

"Learnt" always takes the likeliest action, "learnt, sampled" draws from the probabilities; the model is the last of its
run, never the best of several. "Masked-random" draws evenly among the same actions and may answer at once; with "looks
first" it draws under the mask with which a run begins, and seldom comes to an answer in 30 steps.

"Script" is some sixty lines of rules over the same numbers that a network reads, looks first.
{apart}
Looks are free to choose, and each call costs {price}, where a right answer is worth 1. A task is sequential as far as
more than one look is needed, and as far as what is found by one decides on the next: the column "actions" is the mean
number of calls of an episode, the answer among them, and all looks alone are {looks}. Where one look does nearly as
well as all of them, the task is a choice among answers; where the script or the network that was shown the answers does
as well as the learnt one, nothing is gained by exploring.
"""

APART = """\
"Shown the answers" is the same network without any exploration: it was shown all looks and then what is right, for
faults of the train split. The rows that leave something out are networks of their own, {ablations} of each that learnt
and {imitations} of each that was shown the answers; what each leaves out:

{left_out}"""
"""What is said of runs of other kinds, where there are some."""

COUNTS = (1, 2, 3, 4, 5, 7, 10, 15, inf)
"""Where groups of episodes begin, by how many actions they have."""

Key = Callable[[Score], bool]


def write(study: Study, scores: Sequence[Score], page: Path, reach: Sequence[Reach] = ()) -> None:
    """Write the page, and its pictures into a folder beside it."""
    pictures = page.with_suffix("")
    pictures.mkdir(parents=True, exist_ok=True)
    summaries = {task: _summaries(study, task) for task in study.tasks}
    version = next(iter(summaries.values()))[0]["settings"]["version"]
    lines = [_title(study, version), *_short(study, scores)]
    for task in study.tasks:
        _picture(task, summaries[task], pictures / f"{task}.png")
        lines += _section(task, summaries[task], [each for each in scores if each.task == task], pictures.name)
    lines += _reached(reach)
    page.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def _title(study: Study, version: str) -> str:
    left_out = "".join(f"- {name}: {words};\n" for name, words in ABLATIONS.items())
    counts = {"ablations": study.ablations, "imitations": study.imitations}
    apart = APART.format(**counts, left_out=left_out) if any(counts.values()) else ""
    looks = len(EVERYWHERE if study.tools == "all" else AROUND)
    told = {"of": f" of tier {study.tier}", "hard": "-hard"} if study.tier else {"of": "", "hard": ""}
    return TITLE.format(version=version, seeds=study.seeds, apart=apart, price=PRICE, looks=looks, **told)


def _short(study: Study, scores: Sequence[Score]) -> Iterator[str]:
    """Every agent on the test of every task."""
    tests: dict[str, Key] = {task: _of_task(task) for task in study.tasks}
    yield from tabulate("agent", tests, group_by_agent([score for score in scores if score.group != NOVEL]))


def _of_task(task: str) -> Key:
    return lambda score: score.task == task


def _summaries(study: Study, task: str) -> list[dict[str, Any]]:
    paths = [study.run(task, seed) / "summary.json" for seed in range(study.seeds)]
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def _picture(task: str, summaries: Sequence[dict[str, Any]], path: Path) -> None:
    """Mean over the seeds, with a band from the worst to the best."""

    def rows(part: str, *keys: str) -> list[list[float]]:
        return [[_deep(row, keys) for row in summary[part]] for summary in summaries]

    tested = rows("evaluations", "steps")[0]
    lines: list[curve.Line] = [
        ("training", curve.GREY, rows("training", "steps")[0], rows("training", "success")),
        ("test, sampled", curve.ORANGE, tested, rows("evaluations", "sampled", "success")),
        ("test, likeliest", curve.BLUE, tested, rows("evaluations", "deterministic", "success")),
    ]
    curve.draw_lines(f"{task}: mean and range of {len(summaries)} seeds", lines, path)


def _deep(row: Any, keys: Sequence[str]) -> float:
    for key in keys:
        row = row[key]
    return float(row)


def _section(task: str, summaries: Sequence[dict[str, Any]], scores: Sequence[Score], folder: str) -> Iterator[str]:
    steps, seconds = summaries[0]["steps"], max(summary["seconds"] for summary in summaries)
    yield f"\n## {task.capitalize()}\n"
    yield f"{steps:,} steps a run, {seconds / 60:.1f} minutes the longest.\n"
    yield f"![Learning curves of {task}]({folder}/{task}.png)\n"
    columns: dict[str, Key] = {
        "test": lambda score: score.group != NOVEL,
        "its faults": lambda score: score.group == FAMILIAR,
        "its healthy episodes": lambda score: score.group == HEALTHY,
        "unseen families": lambda score: score.group == NOVEL,
    }
    apps = sorted({score.app for score in scores})
    columns |= {f"test, {app.replace('_', ' ')}": _of_app(app) for app in apps}
    tiers = {_tier(score) for score in scores if score.group == FAMILIAR}
    columns |= {f"its faults, {tier}": _of_tier(tier) for tier in TIERS if tier in tiers and len(tiers) > 1}
    yield from tabulate("agent", columns, group_by_agent(scores))
    learnt = [score for score in scores if score.agent == LEARNT]
    yield "\n### Learnt, seed by seed\n"
    seeds = sorted({score.seed for score in learnt})
    yield from tabulate("seed", columns, {str(seed): [each for each in learnt if each.seed == seed] for seed in seeds})
    yield from _by_actions([score for score in learnt if score.group != NOVEL])
    yield "\n### Learnt, by family\n"
    families = sorted({score.fault for score in learnt})
    found = {family: [score for score in learnt if score.fault == family] for family in families}
    yield from tabulate("family", {"solved": lambda score: True}, {_named(rows): rows for rows in found.values()})


def _of_app(app: str) -> Key:
    return lambda score: score.app == app and score.group != NOVEL


def _of_tier(tier: str) -> Key:
    return lambda score: score.group == FAMILIAR and _tier(score) == tier


def _tier(score: Score) -> str:
    return registry.find_problem(score.problem).tier


def _by_actions(learnt: Sequence[Score]) -> Iterator[str]:
    """How often episodes of a length were solved; the network itself chose when it had looked enough."""
    yield "\n### Learnt, by number of actions\n"
    yield "| actions, the answer among them | share of the test | solved |"
    yield "|---|---|---|"
    for first, after in pairwise(COUNTS):
        those = [score.success for score in learnt if first <= score.actions < after]
        if those:
            name = str(first) if after == first + 1 else f"{first} or more" if after == inf else f"{first}-{after - 1}"
            yield f"| {name} | {len(those) / len(learnt):.2f} | {sum(those) / len(those):.2f} |"


def _named(scores: Sequence[Score]) -> str:
    """A family, marked where training never shows it."""
    return f"{scores[0].fault}{' (unseen)' if scores[0].group == NOVEL else ''}"


def tabulate(first: str, columns: Mapping[str, Key], rows: dict[str, list[Score]]) -> Iterator[str]:
    """A table of success with intervals: a row for each list of scores, a column for each choice among them."""
    columns = {name: key for name, key in columns.items() if any(key(each) for row in rows.values() for each in row)}
    yield f"| {first} | episodes | actions | {' | '.join(columns)} |"
    yield "|---|---|---|" + "---|" * len(columns)
    for name, scores in rows.items():
        cells = [_cell([score for score in scores if key(score)]) for key in columns.values()]
        actions = sum(score.actions for score in scores) / len(scores)
        yield f"| {name} | {len(scores)} | {actions:.1f} | {' | '.join(cells)} |"


def _cell(scores: Sequence[Score]) -> str:
    if not scores:
        return "-"
    seeds = sorted({score.seed for score in scores})
    places = sorted({(score.problem, score.episode) for score in scores})
    found = {(score.seed, score.problem, score.episode): score.success for score in scores}
    table = [[found[seed, *place] for place in places] for seed in seeds]
    low, high = compute_crossed_interval(table)
    return f"{sum(map(sum, table)) / len(scores):.2f} ({low:.2f}-{high:.2f})"


def _reached(reach: Sequence[Reach]) -> Iterator[str]:
    """What some actions can repair, by family: the most that any policy over them can learn."""
    if not reach:
        return
    yield "\n## What the actions of Mitigation are enough for\n"
    yield "Tried on forks by who knows where the fault is: all looks, a focus, one change, the submission.\n"
    yield "| family | episodes | repaired | by |"
    yield "|---|---|---|---|"
    groups = {group: [each for each in reach if each.group == group] for group in (FAMILIAR, NOVEL)}
    for group, those in groups.items():
        for family in sorted({each.fault for each in those}):
            yield _reach_row(
                f"{family}{' (unseen)' if group == NOVEL else ''}", [e for e in those if e.fault == family]
            )
    for group, those in groups.items():
        if those:
            yield _reach_row({FAMILIAR: "**all that training shows**", NOVEL: "**all unseen**"}[group], those, "")


def _reach_row(name: str, those: Sequence[Reach], by: str | None = None) -> str:
    found = [each for each in those if each.actions]
    changes = dict.fromkeys(each.actions[-2] for each in found)
    return f"| {name} | {len(those)} | {len(found) / len(those):.2f} | {', '.join(changes) if by is None else by} |"
