"""How the agents of a folder do, as a table and as a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aiops_gym.runs.intervals import compute_interval
from aiops_gym.runs.view.chart import Block, Line, Mark, draw_chart
from aiops_gym.runs.view.line import HEALTHY, Entry
from aiops_gym.runs.view.markup import Html, format_seconds, join, tag

Figure = Callable[[Entry], float]

TITLE = "Mean reward with its 95 % interval"


def render_means(played: Sequence[Entry]) -> Html:
    """Means by agent, over all and by task, and side by side where there are several agents."""
    tasks = sorted({each.task for each in played})
    agents = {agent: [each for each in played if each.agent == agent] for agent in sorted({e.agent for e in played})}
    head = ["agent", "episodes", "solved", "reward", "steps", "time"]
    head += [task or "-" for task in tasks if len(tasks) > 1]
    rows = [tag("tr", tag("th", agent, scope="row"), *_cells(mine, tasks)) for agent, mine in agents.items()]
    heads = tag("tr", *(tag("th", name, scope="col") for name in head))
    table = tag("table", tag("thead", heads), tag("tbody", *rows), class_="means")
    note = "Solved: full marks, with the 95 % interval. Reward, steps and time are means; time is the world's."
    picture = (
        tag("div", draw_chart(TITLE, [_block(agents, tasks)], standalone=False), class_="scroll")
        if len(agents) > 1
        else ""
    )
    return join(tag("div", table, class_="scroll"), tag("p", note, class_="note"), picture)


def _cells(mine: Sequence[Entry], tasks: Sequence[str]) -> list[Html]:
    low, high = compute_interval(_alike(mine, _solved))
    share = f"{100 * _mean(mine, _solved):.0f} % ({100 * low:.0f}-{100 * high:.0f})"
    steps, time = f"{_mean(mine, lambda each: each.steps):.1f}", format_seconds(_mean(mine, lambda each: each.seconds))
    cells = [f"{len(mine):,}", share, f"{_mean(mine, _reward):.2f}", steps, time]
    if len(tasks) > 1:
        found = [[each for each in mine if each.task == task] for task in tasks]
        cells += [f"{_mean(each, _reward):.2f}" if each else "-" for each in found]
    return [tag("td", cell) for cell in cells]


def _block(agents: dict[str, list[Entry]], tasks: Sequence[str]) -> Block:
    columns = ["all", *(task or "-" for task in tasks)] if len(tasks) > 1 else ["all"]
    ranked = sorted(agents, key=lambda agent: (-_mean(agents[agent], _reward), agent))
    lines = []
    for agent in ranked:
        mine = agents[agent]
        found = {"all": mine} | {task or "-": [each for each in mine if each.task == task] for task in tasks}
        marks = {column: _mark(found[column]) for column in columns if found[column]}
        lines.append(Line(name=agent, note=f"{len(mine):,} episodes", marks=marks))
    return Block(heading="Episodes here", columns=columns, lines=lines)


def _mark(entries: Sequence[Entry]) -> Mark:
    low, high = compute_interval(_alike(entries, _reward))
    return Mark(mean=_mean(entries, _reward), low=low, high=high)


def _alike(entries: Sequence[Entry], figure: Figure) -> list[list[float]]:
    """Figures of those of one problem together; of a healthy system, and of a problem alone, each seed is another."""
    apart = len({each.problem for each in entries}) == 1
    found: dict[tuple[str, str], list[float]] = {}
    for each in entries:
        seed = each.seed if apart or each.problem.startswith(HEALTHY) else ""
        found.setdefault((each.problem, seed), []).append(min(1.0, max(0.0, figure(each))))
    return list(found.values())


def _mean(entries: Sequence[Entry], figure: Figure) -> float:
    return sum(map(figure, entries)) / len(entries)


def _solved(each: Entry) -> float:
    return float(each.success)


def _reward(each: Entry) -> float:
    return each.reward
