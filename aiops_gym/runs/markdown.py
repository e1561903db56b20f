"""A summary as pages of documentation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aiops_gym.runs.pairs import Pair
from aiops_gym.runs.summary import Row, Summary
from aiops_gym.runs.usage import Usage

TITLE = """\
# How far the bundled agents get

Written by `make agents`; do not edit. {about}

Reward is the mean and success the rate of full marks, each with its 95 % interval: Wilson's, for as many independent
episodes as there are in effect, since those of one incident are alike. Steps, the world's seconds and tokens are means
over episodes. Errors are entries without a verdict, the agent's and the infrastructure's; they count neither as success
nor as failure. Where there are any, the mean reward with all of them as 0 stands beside the mean, and ranks the agents.
"""

SPLITS = {"": "Fixed problems", "train": "Train", "test": "Test"}
USED = "What the models used"
SUMS = """\
Sums over all episodes, those in which the agent gave up among them, as the server counted; answers of which it did not
count the tokens are estimated."""
BY = {"task": "By task", "app": "By application", "fault": "By fault"}


def page(summary: Summary) -> str:
    """The whole page, one line end at its end."""
    return "\n".join([TITLE.format(about=_about(summary)), *_sections(summary)]).rstrip() + "\n"


def _about(summary: Summary) -> str:
    given = summary.arguments
    sample = given["sample"]
    size = f"a sample of at most {sample:g} problems a split, fixed by the hash of their ids" if sample >= 1 else ""
    share = f"{100 * sample:g} % of the problems, fixed by the hash of their ids" if 0 < sample < 1 else ""
    seeds = "one seed" if given["seeds"] == 1 else f"{given['seeds']} seeds"
    return f"aiops_gym {given['version']}, {size or share or 'all problems'}, {seeds} each."


def _sections(summary: Summary) -> Iterator[str]:
    for split in splits(summary):
        yield f"\n## {SPLITS[split]}\n"
        yield from overview(summary.find("all", split=split))
        if ahead := neighbours(summary, split):
            yield "\n### Each agent and the next one\n"
            yield from versus(ahead)
        for by, heading in BY.items():
            yield f"\n### {heading}\n"
            yield from across(by, summary.find(by, split=split), summary.arguments["agents"])
    if summary.usage:
        yield f"\n## {USED}\n\n{SUMS}\n"
        yield from used(summary.usage)


def splits(summary: Summary) -> list[str]:
    """The splits that a summary has rows of, in the order in which they are shown."""
    return [split for split in SPLITS if summary.find("all", split=split)]


def overview(rows: Sequence[Row]) -> Iterator[str]:
    """A line an agent."""
    yield "| agent | episodes | reward | success | steps | seconds | read | written | errors |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in sorted(rows, key=lambda row: (row.reward_with_errors, row.agent)):
        numbers = f"{row.steps:.1f} | {row.seconds:,.0f} | {row.in_tokens:,.0f} | {row.out_tokens:,.0f}"
        yield f"| {row.agent} | {episodes(row)} | {reward(row)} | {success(row)} | {numbers} | {errors(row)} |"


def neighbours(summary: Summary, split: str) -> list[Pair]:
    """Each agent with the one that comes next in the order of rewards."""
    pairs = [pair for pair in summary.pairs if pair.split == split]
    firsts = {pair.agent: pair for pair in reversed(pairs)}
    return [pair for pair in pairs if firsts[pair.agent] is pair]


def versus(pairs: Sequence[Pair]) -> Iterator[str]:
    """A line a pair: what lies between them over the episodes that both have played."""
    yield "| agent | less | episodes | reward |"
    yield "|---|---|---|---|"
    for pair in pairs:
        between = f"{pair.difference:+.2f} ({pair.low:+.2f} to {pair.high:+.2f})"
        yield f"| {pair.agent} | {pair.other} | {pair.episodes} | {between} |"


def across(by: str, rows: Sequence[Row], agents: Sequence[str]) -> Iterator[str]:
    """A line a group, a column an agent: mean rewards."""
    names = [agent for agent in agents if any(row.agent == agent for row in rows)]
    yield f"| {by} | problems | {' | '.join(names)} |"
    yield "|---|---|" + "---|" * len(names)
    for group in sorted({row.group for row in rows}):
        cells = {row.agent: row for row in rows if row.group == group}
        problems = max(row.problems for row in cells.values())
        yield f"| {group} | {problems} | {' | '.join(reward(cells[name]) for name in names)} |"


def used(sums: Sequence[Usage]) -> Iterator[str]:
    """A line an agent: sums over its episodes. Tokens that a server did not count are estimated."""
    yield "| agent | episodes | requests | read | written | answers estimated | cost |"
    yield "|---|---|---|---|---|---|---|"
    for each in sums:
        cost = "-" if each.cost is None else f"{each.cost:,.4f}"
        tokens = f"{each.prompt_tokens:,} | {each.completion_tokens:,} | {each.estimated:,}"
        yield f"| {each.agent} | {each.episodes} | {each.requests:,} | {tokens} | {cost} |"


def episodes(row: Row) -> str:
    """How many there are, `8 of 20` where that is not all that there should be."""
    total = row.episodes + row.agent_errors + row.infra_errors + row.missing
    return f"{row.episodes}" if row.episodes == total else f"{row.episodes} of {total}"


def reward(row: Row) -> str:
    """Mean and interval, `0.50 (0.41-0.59)`, and where there are errors what they would make of it."""
    mean = f"{row.reward:.2f} ({row.reward_low:.2f}-{row.reward_high:.2f})" if row.episodes else "-"
    if not (count := row.agent_errors + row.infra_errors):
        return mean
    return f"{mean}, {row.reward_with_errors:.2f} with {count} error{'s' if count > 1 else ''} as 0"


def success(row: Row) -> str:
    """Rate and interval in percent, `50 % (41-59)`."""
    if not row.episodes:
        return "-"
    return f"{100 * row.success:.0f} % ({100 * row.success_low:.0f}-{100 * row.success_high:.0f})"


def errors(row: Row) -> str:
    """What went wrong, `2 agent, 1 infrastructure`; `0` for nothing."""
    kinds = (("agent", row.agent_errors), ("infrastructure", row.infra_errors), ("not played", row.missing))
    return ", ".join(f"{count} {kind}" for kind, count in kinds if count) or "0"
