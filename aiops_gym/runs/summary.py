"""How well agents did: by task, app, fault and split, with intervals."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from aiops_gym.envs.tokens import count
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.folder import Folder
from aiops_gym.runs.intervals import bootstrap, wilson
from aiops_gym.runs.plan import HEALTHY, Entry
from aiops_gym.runs.player import AGENT

GROUPS = ("all", "task", "app", "fault")
"""How episodes are put together; each within its agent and split."""

DIGITS = 4


@dataclass(frozen=True, kw_only=True)
class Row:
    """One group of episodes of an agent. Means are NaN-free: without episodes they are 0, and `episodes` says so.

    Attributes:
        split: `train`, `test`, or "" for the fixed problems.
        by: `all`, `task`, `app` or `fault`.
        group: name of the task, app or fault; "" for all.
        problems: different ones among the episodes.
        episodes: that ended with a verdict or out of steps.
        reward, reward_low, reward_high: mean and the 95 % interval of a bootstrap over problems.
        success, success_low, success_high: rate and its 95 % interval by Wilson.
        submitted: share of the episodes that ended with a submission.
        steps, seconds: means; seconds are the world's.
        in_tokens, out_tokens: means of what the agent read, the prompt apart, and wrote.
        reasoning: mean of the judge's scores, 0 without a judge.
        agent_errors: entries without an episode because the agent raised.
        infra_errors: entries without an episode for any other reason.
        missing: entries that were not played.
    """

    agent: str
    split: str
    by: str
    group: str
    problems: int
    episodes: int
    reward: float
    reward_low: float
    reward_high: float
    success: float
    success_low: float
    success_high: float
    submitted: float
    steps: float
    seconds: float
    in_tokens: float
    out_tokens: float
    reasoning: float
    agent_errors: int
    infra_errors: int
    missing: int


@dataclass(frozen=True, kw_only=True)
class Summary:
    """All rows of an evaluation, and what was asked for."""

    arguments: dict[str, Any]
    rows: tuple[Row, ...]

    def save(self, path: Path) -> None:
        """Write `summary.json` and `summary.csv` into a folder; the same episodes give the same bytes."""
        data = {"arguments": self.arguments, "rows": [asdict(row) for row in self.rows]}
        _write(path / "summary.json", json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        text = io.StringIO()
        table = csv.DictWriter(text, [each.name for each in fields(Row)], lineterminator="\n")
        table.writeheader()
        table.writerows(asdict(row) for row in self.rows)
        _write(path / "summary.csv", text.getvalue())

    def find(self, by: str, agent: str = "", split: str | None = None) -> list[Row]:
        """The rows of one grouping, of all agents and splits or of one."""
        return [row for row in self.rows if row.by == by and agent in ("", row.agent) and split in (None, row.split)]


@dataclass(frozen=True, slots=True)
class _Played:
    """What counts of an entry: numbers of its episode, or whose fault it is that there is none."""

    entry: Entry
    reward: float = 0.0
    success: bool = False
    submitted: bool = False
    numbers: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    reasoning: float | None = None
    error: str = ""


def summarise(folder: Folder) -> Summary:
    """The summary of all that a folder holds.

    Raises:
        AiopsGymError: the folder holds no evaluation, or a file that is no episode.
    """
    plan = folder.plan()
    played = [_played(folder, entry) for entry in plan.entries]
    return Summary(arguments=plan.to_json()["arguments"], rows=tuple(_rows(played)))


def _played(folder: Folder, entry: Entry) -> _Played:
    if not folder.finished(entry):
        error = folder.error(entry)
        return _Played(entry, error=str(error["kind"]) if error else "missing")
    episode = Episode.load(folder.episode(entry))
    reasoning = float(episode.results.get("reasoning_score", -1.0))
    seconds = episode.end_time - episode.start_time
    numbers = (float(len(episode.steps)), seconds, *_tokens(episode))
    scored = reasoning if reasoning >= 0 else None
    return _Played(entry, episode.reward, episode.success, episode.terminated, numbers, scored)


def _tokens(episode: Episode) -> tuple[float, float]:
    """Read and written, as the results count them; these are empty when an episode ran out of steps."""
    if "in_tokens" in episode.results:
        return float(episode.results["in_tokens"]), float(episode.results["out_tokens"])
    heard, said = (sum(count(step[key]) for step in episode.steps) for key in ("observation", "action"))
    return float(heard), float(said)


def _rows(played: Iterable[_Played]) -> Iterator[Row]:
    groups: dict[tuple[str, ...], list[_Played]] = defaultdict(list)
    for each in played:
        for by in GROUPS:
            group = "" if by == "all" else str(getattr(each.entry, by))
            groups[each.entry.agent, each.entry.split, by, group].append(each)
    order = {name: at for at, name in enumerate(GROUPS)}
    for key in sorted(groups, key=lambda key: (order[key[2]], key[1], key[3], key[0])):
        yield _row(key, groups[key])


def _row(key: Sequence[str], entries: Sequence[_Played]) -> Row:
    agent, split, by, group = key
    episodes = [each for each in entries if not each.error]
    low, high = bootstrap(_alike(episodes))
    successes = sum(each.success for each in episodes)
    rate_low, rate_high = wilson(successes, len(episodes))
    steps, seconds, heard, said = (_mean([each.numbers[at] for each in episodes]) for at in range(4))
    errors = [each.error for each in entries if each.error]
    return Row(
        agent=agent,
        split=split,
        by=by,
        group=group,
        problems=len({each.entry.problem for each in episodes}),
        episodes=len(episodes),
        reward=_mean([each.reward for each in episodes]),
        reward_low=_rounded(low),
        reward_high=_rounded(high),
        success=_mean([float(each.success) for each in episodes]),
        success_low=_rounded(rate_low),
        success_high=_rounded(rate_high),
        submitted=_mean([float(each.submitted) for each in episodes]),
        steps=steps,
        seconds=seconds,
        in_tokens=heard,
        out_tokens=said,
        reasoning=_mean([each.reasoning for each in episodes if each.reasoning is not None]),
        agent_errors=errors.count(AGENT),
        infra_errors=sum(error not in (AGENT, "missing") for error in errors),
        missing=errors.count("missing"),
    )


def _alike(episodes: Iterable[_Played]) -> list[list[float]]:
    """Rewards of the same incident together; of healthy problems each seed is another situation."""
    groups: dict[tuple[str, int], list[float]] = defaultdict(list)
    for each in episodes:
        seed = each.entry.seed if each.entry.fault == HEALTHY else 0
        groups[each.entry.problem, seed].append(each.reward)
    return list(groups.values())


def _mean(values: Sequence[float]) -> float:
    return _rounded(math.fsum(values) / len(values)) if values else 0.0


def _rounded(value: float) -> float:
    return 0.0 if math.isnan(value) else round(value, DIGITS)


def _write(path: Path, text: str) -> None:
    half = path.with_name(f".{path.name}.half")
    half.write_text(text, encoding="utf-8")
    half.replace(path)
