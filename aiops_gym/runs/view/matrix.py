"""Agents by problems: how each of them did at each, a sign for every episode."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from aiops_gym.runs.view.line import ERRORS, SOLVED, Entry
from aiops_gym.runs.view.markup import Html, tag

SIGNS = 12
"""Episodes of an agent at a problem that have a sign; more are counted only."""

MANY = 60
"""Problems from which the table is folded up at first."""


def render_matrix(entries: Sequence[Entry]) -> Html:
    """A table with a line a problem and a column an agent; nothing where the list says the same already."""
    agents = sorted({each.agent for each in entries})
    cells: dict[tuple[str, str], list[Entry]] = {}
    for each in entries:
        cells.setdefault((each.problem, each.agent), []).append(each)
    if len(agents) < 2 and all(len(cell) == 1 for cell in cells.values()):
        return Html()
    problems = dict.fromkeys(each.problem for each in entries)
    rows = [
        tag("tr", tag("th", problem, scope="row"), *(_cell(cells.get((problem, agent), [])) for agent in agents))
        for problem in problems
    ]
    heads = tag("tr", *(tag("th", name, scope="col") for name in ("problem", *agents)))
    table = tag("table", tag("thead", heads), tag("tbody", *rows))
    note = tag("p", "● solved  ◐ partly  ○ not solved  × no verdict; each leads to its episode.", class_="note")
    summary = tag("summary", tag("h2", "Agents by problem"), f" {len(problems):,} problems")
    folded = tag("details", summary, note, tag("div", table, class_="scroll"), open=len(problems) < MANY)
    return tag("section", folded, id="matrix")


def _cell(entries: Sequence[Entry]) -> Html:
    if not entries:
        return tag("td", "-", class_="none")
    verdicts = [each for each in entries if each.kind != ERRORS]
    solved = sum(each.kind == SOLVED for each in verdicts)
    look = "hurt" if not verdicts else "well" if solved == len(verdicts) else "hurt" if solved else "down"
    look = "hurt" if look == "down" and any(each.reward > 0 for each in verdicts) else look
    share = tag("b", f"{solved}/{len(verdicts)}") if len(entries) > 1 else None
    more = f" +{len(entries) - SIGNS}" if len(entries) > SIGNS else None
    return tag("td", share, tag("span", *map(_sign, entries[:SIGNS]), more, class_="signs"), class_=look)


def _sign(each: Entry) -> Html:
    sign = "×" if each.kind == ERRORS else "●" if each.kind == SOLVED else "◐" if each.reward > 0 else "○"
    seed = f"seed {each.seed}: " if each.seed else ""
    said = f"{seed}{each.outcome[1]}, {each.reward:.2f}" if each.address else f"{seed}{each.error[:300]}"
    if not each.address:
        return tag("span", sign, title=said)
    return tag("a", sign, href=quote(each.address), title=said)
