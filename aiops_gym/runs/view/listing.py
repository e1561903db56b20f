"""A folder of episodes as one page: a table whose lines lead to the pages of the episodes, and numbers above it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from aiops_gym.runs.episode import Episode
from aiops_gym.runs.intervals import interval
from aiops_gym.runs.view.markup import Html, escape, join, tag
from aiops_gym.runs.view.page import duration, fill, outcome
from aiops_gym.runs.view.story import number_of

COLUMNS = ("problem", "agent", "task", "outcome", "reward", "steps", "time", "seed", "error")
HEALTHY = "noop"
"""Begins the ids of problems in which nothing is wrong, as AIOpsLab's do."""

NUMBERS = ("reward", "steps", "time", "seed")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A line of the list.

    Attributes:
        address: of the episode's page, relative to the list, "" where there is none.
        outcome: as a class and in words.
        seconds: of the world.
        error: why there is no verdict; "" where there is one.
    """

    address: str
    problem: str
    agent: str
    task: str = ""
    outcome: tuple[str, str] = ("hurt", "no episode")
    success: bool = False
    reward: float = 0.0
    steps: int = 0
    seconds: float = 0.0
    seed: str = ""
    error: str = ""


def entry(episode: Episode, address: str) -> Entry:
    """The line of an episode."""
    return Entry(
        address=address,
        problem=episode.problem_id,
        agent=episode.agent,
        task=episode.task,
        outcome=outcome(episode),
        success=episode.success,
        reward=number_of(episode.reward) or 0.0,
        steps=len(episode.steps) or sum(turn.get("role") == "assistant" for turn in episode.trace),
        seconds=max(0.0, episode.end_time - episode.start_time),
        seed="" if episode.seed is None else str(episode.seed),
        error=str(episode.steps[-1].get("observation", "")) if episode.infra_error and episode.steps else "",
    )


def listing(entries: Sequence[Entry], title: str) -> str:
    """The page of a folder.

    Args:
        entries: in the order in which they are shown.
        title: of the page.
    """
    played = [each for each in entries if each.address and not each.error]
    return fill(
        "list",
        title=escape(title),
        facts=_facts(entries, played),
        numbers=_numbers(played),
        filters=join(*(_filter(name, entries) for name in ("agent", "task"))),
        heads=join(
            *(
                tag("th", tag("button", name), scope="col", class_="number" if name in NUMBERS else None)
                for name in COLUMNS
            )
        ),
        rows=Html("\n".join(_row(each) for each in entries)),
    )


def _facts(entries: Sequence[Entry], played: Sequence[Entry]) -> Html:
    facts = [
        ("episodes", f"{len(played):,}"),
        ("problems", f"{len({each.problem for each in played}):,}"),
        ("without a verdict", f"{len(entries) - len(played):,}"),
        ("steps", f"{sum(each.steps for each in played):,}"),
        ("virtual time", duration(sum(each.seconds for each in played))),
    ]
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in facts), class_="facts")


def _numbers(played: Sequence[Entry]) -> Html:
    """Means by agent, over all and by task."""
    tasks = sorted({each.task for each in played})
    heads = [
        "agent",
        "episodes",
        "solved",
        "reward",
        "steps",
        "time",
        *(task or "-" for task in tasks if len(tasks) > 1),
    ]
    rows = []
    for agent in sorted({each.agent for each in played}):
        mine = [each for each in played if each.agent == agent]
        low, high = interval(_alike(mine))
        share = f"{100 * _of(mine, _solved):.0f} % ({100 * low:.0f}-{100 * high:.0f})"
        cells = [f"{len(mine):,}", share, _mean(mine, _reward), f"{_of(mine, _steps):.1f}", duration(_of(mine, _time))]
        if len(tasks) > 1:
            cells += [_mean([each for each in mine if each.task == task], _reward) for task in tasks]
        rows.append(tag("tr", tag("th", agent, scope="row"), *(tag("td", cell) for cell in cells)))
    head = tag("tr", *(tag("th", name, scope="col") for name in heads))
    note = tag("p", "Solved: full marks, with the 95 % interval. Reward, steps and time are means.", class_="note")
    return join(
        tag("div", tag("table", tag("thead", head), tag("tbody", *rows), class_="means"), class_="scroll"), note
    )


def _alike(entries: Sequence[Entry]) -> list[list[float]]:
    """Whether those of one problem were solved; of a healthy system, and of a problem alone, each seed is another."""
    apart = len({each.problem for each in entries}) == 1
    found: dict[tuple[str, str], list[float]] = {}
    for each in entries:
        seed = each.seed if apart or each.problem.startswith(HEALTHY) else ""
        found.setdefault((each.problem, seed), []).append(float(each.success))
    return list(found.values())


def _solved(each: Entry) -> float:
    return float(each.success)


def _reward(each: Entry) -> float:
    return each.reward


def _steps(each: Entry) -> float:
    return each.steps


def _time(each: Entry) -> float:
    return each.seconds


def _of(entries: Sequence[Entry], figure: Callable[[Entry], float]) -> float:
    return sum(map(figure, entries)) / len(entries)


def _mean(entries: Sequence[Entry], figure: Callable[[Entry], float]) -> str:
    return f"{_of(entries, figure):.2f}" if entries else "-"


def _filter(name: str, entries: Iterable[Entry]) -> Html:
    values = sorted({str(getattr(each, name)) for each in entries} - {""})
    if len(values) < 2:
        return Html()
    options = [tag("option", f"every {name}", value=""), *(tag("option", value, value=value) for value in values)]
    return tag("select", *options, name=name, aria_label=name)


def _row(each: Entry) -> Html:
    look, how = each.outcome
    link = tag("a", each.problem, href=quote(each.address)) if each.address else each.problem
    cells = [
        tag("td", link, class_="problem"),
        tag("td", each.agent),
        tag("td", each.task),
        tag("td", tag("span", how, class_=f"badge {look}")),
        tag("td", f"{each.reward:.2f}" if each.address else "", class_="number", data_value=each.reward),
        tag("td", each.steps if each.address else "", class_="number"),
        tag("td", duration(each.seconds) if each.address else "", class_="number", data_value=f"{each.seconds:.3f}"),
        tag("td", each.seed, class_="number"),
        tag("td", each.error[:300], class_="error"),
    ]
    return tag("tr", *cells, data_agent=each.agent, data_task=each.task)
