"""How well agents did: by task, app, fault and split, with intervals."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import combinations
from pathlib import Path
from typing import Any

from aiops_gym.files import write
from aiops_gym.runs.choice import HEALTHY
from aiops_gym.runs.folder import Folder
from aiops_gym.runs.intervals import compute_interval
from aiops_gym.runs.merged import Merged, merge
from aiops_gym.runs.pairs import Pair, Reward, pair
from aiops_gym.runs.passes import Passes, Tried, compute_passes
from aiops_gym.runs.plan import Entry
from aiops_gym.runs.player import AGENT
from aiops_gym.runs.usage import Usage, sum_usage

GROUPS = ("all", "task", "tier", "app", "fault")
"""How episodes are put together; each within its agent and split."""

MISSING = "missing"
"""In place of whose fault it is that there is no episode: nobody has played it."""

DIGITS = 4


@dataclass(frozen=True, kw_only=True)
class Row:
    """One group of episodes of an agent. Means are NaN-free: without episodes they are 0, and `episodes` says so.

    Attributes:
        split: `train`, `test`, or "" for the fixed problems.
        by: `all`, `task`, `tier`, `app` or `fault`.
        group: name of the task, the tier and the task, app or fault; "" for all.
        problems: different ones among the episodes.
        episodes: that ended with a verdict or out of steps.
        reward, reward_low, reward_high: mean and its 95 % interval, see `intervals.compute_interval`; episodes of one
            incident count as alike, and where there is but one problem, its seeds as independent.
        success, success_low, success_high: rate of full marks, likewise.
        reward_with_errors: mean if entries that were played and have no episode counted as 0, whoever raised: an agent
            that breaks its world where it is not sure does no better than one that breaks itself.
        submitted: share of the episodes that ended with a submission.
        steps, seconds: means; seconds are the world's.
        in_tokens, out_tokens: means of what the agent read, the prompt apart, and wrote.
        reasoning: mean of the judge's scores, 0 without a judge.
        agent_errors: entries without an episode because the agent raised.
        infra_errors: entries without an episode for any other reason.
        missing: entries that were not played.
        healthy: episodes of a system in which nothing was wrong.
        false_alarms: share of these in which something was found nevertheless.
        repairs: episodes that were judged for what the agent changed, those of Mitigation.
        harmful: share of these in which it changed what was none of its business, or destroyed something on the way to
            a repair.
        watched: episodes of any task of which is known what was done to users and to the system.
        error_minutes: mean of these, minutes of failing requests beyond those had nobody done anything; below 0 where
            users are better off.
        collateral: mean of these, healthy objects that were changed and guards that were opened.
        irreversible: mean of these, what was destroyed for good.
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
    reward_with_errors: float
    submitted: float
    steps: float
    seconds: float
    in_tokens: float
    out_tokens: float
    reasoning: float
    agent_errors: int
    infra_errors: int
    missing: int
    healthy: int = 0
    false_alarms: float = 0.0
    repairs: int = 0
    harmful: float = 0.0
    watched: int = 0
    error_minutes: float = 0.0
    collateral: float = 0.0
    irreversible: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What came of an evaluation.

    Attributes:
        asked: by each command, the earliest first.
        agents: their names, in the order in which they were asked for.
        rows: all groups of episodes.
        passes: of each agent over all and by task, for one try, two, four and so on up to the seeds that there are.
        pairs: of agents, the better one first.
        usage: of each agent that reported any, over all splits.
    """

    asked: tuple[dict[str, Any], ...]
    agents: tuple[str, ...]
    rows: tuple[Row, ...]
    passes: tuple[Passes, ...] = ()
    pairs: tuple[Pair, ...] = ()
    usage: tuple[Usage, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As JSON data."""
        return asdict(self)

    def save(self, path: Path) -> None:
        """Write `summary.json` and `summary.csv` into a folder; the same episodes give the same bytes."""
        write(path / "summary.json", json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n")
        text = io.StringIO()
        table = csv.DictWriter(text, [each.name for each in fields(Row)], lineterminator="\n")
        table.writeheader()
        table.writerows(asdict(row) for row in self.rows)
        write(path / "summary.csv", text.getvalue())

    def find(self, by: str, agent: str = "", split: str | None = None) -> list[Row]:
        """The rows of one grouping, of all agents and splits or of one."""
        return [row for row in self.rows if row.by == by and agent in ("", row.agent) and split in (None, row.split)]


@dataclass(frozen=True, slots=True)
class _Played:
    """What counts of an entry: numbers of its episode, or whose fault it is that there is none; its agent's report."""

    entry: Entry
    reward: float = 0.0
    success: bool = False
    submitted: bool = False
    numbers: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    reasoning: float | None = None
    error: str = ""
    report: Mapping[str, Any] = field(default_factory=dict)
    harm: float | None = None
    done: Mapping[str, float] = field(default_factory=dict)


def summarise(*folders: Folder) -> Summary:
    """The summary of all that folders hold together; an episode whose file is damaged is missing.

    Raises:
        AiopsGymError: a folder holds no evaluation, or an episode is in two of them with different ends.
    """
    return sum_up(merge(folders))


def sum_up(merged: Merged) -> Summary:
    """The summary of folders that are put together already."""
    played = [_played(folder, entry) for folder, entry in merged.places]
    rows = tuple(_rows(played))
    return Summary(
        asked=tuple(json.loads(json.dumps(asdict(arguments))) for arguments in merged.asked),
        agents=merged.agents,
        rows=rows,
        passes=tuple(_passes(played)),
        pairs=tuple(_pairs(rows, played)),
        usage=tuple(_usage(merged.agents, played)),
    )


def _played(folder: Folder, entry: Entry) -> _Played:
    episode = folder.load(entry)
    if episode is None:
        error, half = folder.error(entry), folder.load_unfinished(entry)
        return _Played(entry, error=error["kind"] if error else MISSING, report=half.agent_report if half else {})
    reasoning = float(episode.results.get("reasoning_score", -1.0))
    seconds = episode.end_time - episode.start_time
    read, written = (float(episode.results.get(key, 0)) for key in ("in_tokens", "out_tokens"))
    numbers = (float(len(episode.steps)), seconds, read, written)
    scored = reasoning if reasoning >= 0 else None
    return _Played(
        entry,
        episode.reward,
        episode.success,
        episode.terminated,
        numbers,
        scored,
        report=episode.agent_report,
        harm=_harm(episode.reward_components),
        done=episode.harm,
    )


def _harm(components: Mapping[str, float]) -> float | None:
    """How much was harmed; None where nobody looked. Damage may be the fault's own until its cause is gone."""
    if "collateral" not in components:
        return None
    return components["collateral"] + (components.get("damage", 0.0) if components.get("cause_gone") else 0.0)


def _rows(played: Iterable[_Played]) -> Iterator[Row]:
    groups: dict[tuple[str, ...], list[_Played]] = defaultdict(list)
    for each in played:
        for by in GROUPS:
            if by == "tier" and not each.entry.tier:
                continue
            group = "" if by == "all" else str(getattr(each.entry, by))
            group += f" {each.entry.task}" if by == "tier" else ""
            groups[each.entry.agent, each.entry.split, by, group].append(each)
    order = {name: at for at, name in enumerate(GROUPS)}
    for key in sorted(groups, key=lambda key: (order[key[2]], key[1], key[3], key[0])):
        yield _row(key, groups[key])


def _pairs(rows: Sequence[Row], played: Iterable[_Played]) -> Iterator[Pair]:
    """Within each split, the agents in the order of their rewards, each with all behind it."""
    rewards: dict[str, dict[str, dict[Hashable, Reward]]] = defaultdict(lambda: defaultdict(dict))
    for each in played:
        entry = each.entry
        if not each.error:
            reward = Reward(each.reward, _incident(entry))
            rewards[entry.split][entry.agent][entry.problem, entry.seed] = reward
    for split, agents in rewards.items():
        found = [(-row.reward_with_errors, row.agent) for row in rows if (row.by, row.split) == ("all", split)]
        ranked = [agent for _, agent in sorted(found) if agent in agents]
        yield from (pair(split, agent, other, agents) for agent, other in combinations(ranked, 2))


def _passes(played: Iterable[_Played]) -> Iterator[Passes]:
    groups: dict[tuple[str, ...], dict[str, list[_Played]]] = defaultdict(lambda: defaultdict(list))
    for each in played:
        for by in ("all", "task"):
            group = each.entry.task if by == "task" else ""
            groups[each.entry.split, by, group, each.entry.agent][each.entry.problem].append(each)
    for (split, by, group, agent), problems in sorted(groups.items()):
        yield from compute_passes(agent, split, by, group, [_tried(each) for each in problems.values()])


def _tried(entries: Sequence[_Played]) -> Tried:
    """How the episodes of one problem went, in the order of their seeds."""
    entry = entries[0].entry
    found = sorted((each.entry.seed, each.success) for each in entries if not each.error)
    healthy = entry.fault == HEALTHY
    return Tried(
        incident=(entry.app, HEALTHY) if healthy else _incident(entry),
        healthy=healthy,
        seeds=tuple(seed for seed, _ in found),
        solved=tuple(solved for _, solved in found),
    )


def _usage(agents: Sequence[str], played: Sequence[_Played]) -> Iterator[Usage]:
    once = {each.entry.name: each for each in played}.values()
    for agent in agents:
        found = sum_usage(agent, (each.report for each in once if each.entry.agent == agent))
        if found is not None:
            yield found


def _row(key: Sequence[str], entries: Sequence[_Played]) -> Row:
    agent, split, by, group = key
    episodes = [each for each in entries if not each.error]
    low, high = compute_interval([[each.reward for each in alike] for alike in _alike(episodes)])
    rate_low, rate_high = compute_interval([[float(each.success) for each in alike] for alike in _alike(episodes)])
    steps, seconds, heard, said = (_mean([each.numbers[at] for each in episodes]) for at in range(4))
    errors = [each.error for each in entries if each.error]
    missing = errors.count(MISSING)
    healthy = [each for each in episodes if each.entry.fault == HEALTHY]
    harms = [each.harm for each in episodes if each.harm is not None]
    done = [each.done for each in episodes if each.done]
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
        reward_with_errors=_mean([each.reward for each in episodes] + [0.0] * (len(errors) - missing)),
        submitted=_mean([float(each.submitted) for each in episodes]),
        steps=steps,
        seconds=seconds,
        in_tokens=heard,
        out_tokens=said,
        reasoning=_mean([each.reasoning for each in episodes if each.reasoning is not None]),
        agent_errors=errors.count(AGENT),
        infra_errors=len(errors) - missing - errors.count(AGENT),
        missing=missing,
        healthy=len(healthy),
        false_alarms=_mean([float(each.submitted and not each.success) for each in healthy]),
        repairs=len(harms),
        harmful=_mean([float(harm > 0) for harm in harms]),
        watched=len(done),
        error_minutes=_mean([each["error_minutes"] - each["error_minutes_idle"] for each in done]),
        collateral=_mean([each["collateral"] for each in done]),
        irreversible=_mean([each["irreversible"] for each in done]),
    )


def _alike(episodes: Sequence[_Played]) -> list[list[_Played]]:
    """Episodes of the same incident together, whatever is asked about it; of a healthy system each seed is another."""
    groups: dict[Hashable, list[_Played]] = defaultdict(list)
    one = len({each.entry.problem for each in episodes}) == 1
    for each in episodes:
        groups[each.entry.seed if one else _incident(each.entry)].append(each)
    return list(groups.values())


def _incident(entry: Entry) -> Hashable:
    if entry.fault == HEALTHY:
        return entry.app, HEALTHY, entry.seed
    return (entry.app, entry.fault, entry.target) if entry.target else entry.problem


def _mean(values: Sequence[float]) -> float:
    return _rounded(math.fsum(values) / len(values)) if values else 0.0


def _rounded(value: float) -> float:
    return round(value, DIGITS)
