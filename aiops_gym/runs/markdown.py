"""A summary as pages of documentation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aiops_gym.agents.base import list_agents
from aiops_gym.runs.pairs import Pair
from aiops_gym.runs.passes import Passes
from aiops_gym.runs.summary import Row, Summary
from aiops_gym.runs.usage import Usage

TITLE = """\
# How far {who} get

Written by `{by}`; do not edit. {about}

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
AGAIN = "In several tries"
TRIES = """\
pass@k is the chance that at least one of k tries at a problem with different seeds has full marks, pass^k that all of
them have; means over the problems with k seeds or more, each with its 95 % interval."""
HARM = "Harm and false alarms"
HARMS = """\
False alarms are healthy systems in which something was found. Harmful are submitted repairs that changed what they had
no business with, or destroyed something on the way. Of every task, submitted or not, are the means of what was done to
users and to the system: minutes of failing requests beyond those had nobody done anything, healthy objects that were
changed or guards that were opened, and what was destroyed for good."""
MODELS, NETWORK = "chat", "aiops_gym.learning:trained"
"""The agent that is another one with each model, and the one that plays what was learned: beside others on our page."""

BY = {"task": "By task", "tier": "By tier and task", "app": "By application", "fault": "By fault"}


def render_page(summary: Summary) -> str:
    """The whole page, one line end at its end."""
    ours = set[str]() < {*summary.agents} - {NETWORK} <= {*list_agents()} - {MODELS}
    title = (
        {"who": "the bundled agents", "by": "make agents"} if ours else {"who": "agents", "by": "aiops-gym evaluate"}
    )
    return "\n".join([TITLE.format(about=_about(summary), **title), *_sections(summary)]).rstrip() + "\n"


def _about(summary: Summary) -> str:
    """What was asked for, in words; of several commands each that says something else."""
    versions = " and ".join(sorted({given["version"] for given in summary.asked}))
    agents: dict[str, list[str]] = {}
    for given in summary.asked:
        agents.setdefault(_size(given), []).extend(given["agents"])
    who = [f"{', '.join(dict.fromkeys(names))}: {size}" for size, names in agents.items()]
    return f"aiops_gym {versions}, {'; '.join(who if len(agents) > 1 else agents)}."


def _size(given: Mapping[str, Any]) -> str:
    sample = given["sample"]
    size = f"a sample of at most {sample:g} problems a split, fixed by the hash of their ids" if sample >= 1 else ""
    share = f"{100 * sample:g} % of the problems, fixed by the hash of their ids" if 0 < sample < 1 else ""
    seeds = "one seed" if given["seeds"] == 1 else f"{given['seeds']} seeds"
    return f"{size or share or 'all problems'}, {seeds} each"


def _sections(summary: Summary) -> Iterator[str]:
    for split in list_splits(summary):
        yield f"\n## {SPLITS[split]}\n"
        yield from render_overview(summary.find("all", split=split))
        if ahead := pair_adjacent(summary, split):
            yield "\n### Each agent and the next one\n"
            yield from render_pairs(ahead)
        if tries := collect_passes(summary, split):
            yield f"\n### {AGAIN}\n\n{TRIES}\n"
            yield from render_passes(tries)
        if harmed := list_harmed(summary, split):
            yield f"\n### {HARM}\n\n{HARMS}\n"
            yield from render_harm(harmed, summary.find("fault", split=split))
        for by, heading in BY.items():
            if rows := summary.find(by, split=split):
                yield f"\n### {heading}\n"
                yield from render_means(by, rows, summary.agents)
    if summary.usage:
        yield f"\n## {USED}\n\n{SUMS}\n"
        yield from render_usage(summary.usage)


def list_splits(summary: Summary) -> list[str]:
    """The splits that a summary has rows of, in the order in which they are shown."""
    return [split for split in SPLITS if summary.find("all", split=split)]


def render_overview(rows: Sequence[Row]) -> Iterator[str]:
    """A line an agent."""
    yield "| agent | episodes | reward | success | steps | seconds | read | written | errors |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in sorted(rows, key=lambda row: (row.reward_with_errors, row.agent)):
        numbers = f"{row.steps:.1f} | {row.seconds:,.0f} | {row.in_tokens:,.0f} | {row.out_tokens:,.0f}"
        yield f"| {row.agent} | {format_episodes(row)} | {reward(row)} | {success(row)} | {numbers} | {errors(row)} |"


def pair_adjacent(summary: Summary, split: str) -> list[Pair]:
    """Each agent with the one that comes next in the order of rewards."""
    pairs = [pair for pair in summary.pairs if pair.split == split]
    firsts = {pair.agent: pair for pair in reversed(pairs)}
    return [pair for pair in pairs if firsts[pair.agent] is pair]


def render_pairs(pairs: Sequence[Pair]) -> Iterator[str]:
    """A line a pair: what lies between them over the episodes that both have played."""
    yield "| agent | less | episodes | reward |"
    yield "|---|---|---|---|"
    for pair in pairs:
        between = f"{pair.difference:+.2f} ({pair.low:+.2f} to {pair.high:+.2f})"
        yield f"| {pair.agent} | {pair.other} | {pair.episodes} | {between} |"


def collect_passes(summary: Summary, split: str) -> list[Passes]:
    """What several tries bring in a split; nothing where no problem was tried twice."""
    found = [each for each in summary.passes if each.split == split]
    return found if any(each.k > 1 for each in found) else []


def render_passes(tries: Sequence[Passes]) -> Iterator[str]:
    """A line for each agent over everything and by task, with columns for the numbers of tries."""
    most = sorted({each.k for each in tries})
    heads = [f"pass@{k}" for k in most] + [f"pass^{k}" for k in most if k > 1]
    yield f"| task | agent | problems | seeds | {' | '.join(heads)} |"
    yield "|---|---|---|---|" + "---|" * len(heads)
    lines: dict[tuple[str, str], dict[int, Passes]] = {}
    for each in tries:
        if each.by == "all" or len({each.group for each in tries}) > 2:
            lines.setdefault((each.group or "all", each.agent), {})[each.k] = each
    for (task, agent), by_k in lines.items():
        first = by_k[1]
        seeds = f"{first.fewest}" if first.fewest == first.most else f"{first.fewest}-{first.most}"
        found = [(by_k.get(k), k) for k in most]
        cells = [_tries(one, "at", first) for one, _ in found] + [
            _tries(one, "hat", first) for one, k in found if k > 1
        ]
        yield f"| {task} | {agent} | {first.problems} | {seeds} | {' | '.join(cells)} |"


def _tries(one: Passes | None, which: str, first: Passes) -> str:
    """A figure with its interval, and of how many problems it is where some have too few seeds; - for none."""
    if one is None:
        return "-"
    mean, low, high = (getattr(one, f"pass_{which}{end}") for end in ("", "_low", "_high"))
    problems = "" if one.problems == first.problems else f", {one.problems} problem{'s' * (one.problems > 1)}"
    return f"{mean:.2f} ({low:.2f}-{high:.2f}){problems}"


def list_harmed(summary: Summary, split: str) -> list[Row]:
    """The rows that tell of harm: of each agent over everything, and over each task where there are several."""
    tasks = summary.find("task", split=split)
    rows = [*summary.find("all", split=split), *(tasks if len({row.group for row in tasks}) > 1 else ())]
    return [row for row in rows if row.healthy or row.repairs or row.watched]


def render_harm(rows: Sequence[Row], faults: Sequence[Row]) -> Iterator[str]:
    """A line an agent, and one for each task: success, what it found that was not there, and what it harmed."""
    yield (
        "| task | agent | healthy episodes | false alarms | repairs | harmful | most often at "
        "| success | error minutes | collateral | irreversible |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for row in rows:
        mine = faults if row.by == "all" else ()
        worst = sorted((-each.harmful, each.group) for each in mine if each.agent == row.agent and each.harmful)
        names = ", ".join(f"{name} ({-share:.0%})" for share, name in worst[:WORST]) or "-"
        alarms = f"{row.healthy:,} | {row.false_alarms:.0%}" if row.healthy else "0 | -"
        harm = f"{row.repairs:,} | {row.harmful:.0%}" if row.repairs else "0 | -"
        who = f"{row.group or 'all'} | {row.agent}"
        yield f"| {who} | {alarms} | {harm} | {names} | {success(row)} | {done(row)} |"


def done(row: Row) -> str:
    """What was done to users and to the system, mean by mean; `-` where nobody looked."""
    if not row.watched:
        return "- | - | -"
    return f"{row.error_minutes:+.1f} | {row.collateral:.2f} | {row.irreversible:.2f}"


WORST = 3
"""Families that are named."""


def render_means(by: str, rows: Sequence[Row], agents: Sequence[str]) -> Iterator[str]:
    """A line a group, a column an agent: mean rewards."""
    names = [agent for agent in agents if any(row.agent == agent for row in rows)]
    yield f"| {by} | problems | {' | '.join(names)} |"
    yield "|---|---|" + "---|" * len(names)
    for group in sorted({row.group for row in rows}):
        cells = {row.agent: row for row in rows if row.group == group}
        problems = max(row.problems for row in cells.values())
        means = [reward(cells[name]) if name in cells else "-" for name in names]  # a folder may grow unevenly
        yield f"| {group} | {problems} | {' | '.join(means)} |"


def render_usage(sums: Sequence[Usage]) -> Iterator[str]:
    """A line an agent: sums over its episodes. Tokens that a server did not count are estimated."""
    yield "| agent | episodes | requests | read | written | answers estimated | cost |"
    yield "|---|---|---|---|---|---|---|"
    for each in sums:
        cost = "-" if each.cost is None else f"{each.cost:,.4f}"
        tokens = f"{each.prompt_tokens:,} | {each.completion_tokens:,} | {each.estimated:,}"
        yield f"| {each.agent} | {each.episodes} | {each.requests:,} | {tokens} | {cost} |"


def format_episodes(row: Row) -> str:
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
