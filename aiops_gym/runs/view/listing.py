"""A folder of episodes as one page: a table whose lines lead to the pages of the episodes, and numbers above it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from aiops_gym.runs.view.line import ERRORS, FAILED, SOLVED, Entry
from aiops_gym.runs.view.markup import Html, escape, format_seconds, join, tag
from aiops_gym.runs.view.matrix import render_matrix
from aiops_gym.runs.view.means import render_means
from aiops_gym.runs.view.page import fill

COLUMNS = ("problem", "agent", "task", "outcome", "reward", "steps", "time", "seed", "error")

NUMBERS = ("reward", "steps", "time", "seed")


def render_listing(entries: Sequence[Entry], title: str) -> str:
    """The page of a folder.

    Args:
        entries: in the order in which they are shown.
        title: of the page.
    """
    played = [each for each in entries if each.kind != ERRORS]
    heads = [
        tag("th", tag("button", name), scope="col", class_="number" if name in NUMBERS else None) for name in COLUMNS
    ]
    return fill(
        "list",
        title=escape(title),
        facts=_facts(entries, played),
        numbers=render_means(played),
        matrix=render_matrix(entries),
        filters=join(*(_filter(name, entries) for name in ("agent", "task")), _outcomes(entries)),
        heads=join(*heads),
        rows=Html("\n".join(_row(each) for each in entries)),
    )


def _facts(entries: Sequence[Entry], played: Sequence[Entry]) -> Html:
    facts = [
        ("episodes", f"{len(played):,}"),
        ("problems", f"{len({each.problem for each in played}):,}"),
        ("without a verdict", f"{len(entries) - len(played):,}"),
        ("steps", f"{sum(each.steps for each in played):,}"),
        ("virtual time", format_seconds(sum(each.seconds for each in played))),
    ]
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in facts), class_="facts")


def _filter(name: str, entries: Iterable[Entry]) -> Html:
    values = sorted({str(getattr(each, name)) for each in entries} - {""})
    if len(values) < 2:
        return Html()
    options = [tag("option", f"every {name}", value=""), *(tag("option", value, value=value) for value in values)]
    return tag("select", *options, name=name, aria_label=name)


def _outcomes(entries: Sequence[Entry]) -> Html:
    """Solved, failed and errors, with how many there are; below each what it is of, where that is several things."""
    if len({each.outcome[1] for each in entries}) < 2:
        return Html()
    options = [tag("option", f"every outcome ({len(entries):,})", value="")]
    for kind in (SOLVED, FAILED, ERRORS):
        words = Counter(each.outcome[1] for each in entries if each.kind == kind)
        if words:
            options.append(tag("option", f"{kind} ({words.total():,})", value=kind))
        for word, count in sorted(words.items()) if len(words) > 1 else ():
            options.append(tag("option", f"\u2003{word} ({count:,})", value=word))
    return tag("select", *options, name="outcome", aria_label="outcome")


def _row(each: Entry) -> Html:
    look, how = each.outcome
    link = tag("a", each.problem, href=quote(each.address)) if each.address else each.problem
    cells = [
        tag("td", link, class_="problem"),
        tag("td", each.agent, class_="agent"),
        tag("td", each.task),
        tag("td", tag("span", how, class_=f"badge {look}")),
        tag("td", f"{each.reward:.2f}" if each.address else "", class_="number", data_value=each.reward),
        tag("td", each.steps if each.address else "", class_="number"),
        tag(
            "td",
            format_seconds(each.seconds) if each.address else "",
            class_="number",
            data_value=f"{each.seconds:.3f}",
        ),
        tag("td", each.seed, class_="number"),
        tag("td", each.error[:300], class_="error"),
    ]
    return tag("tr", *cells, data_agent=each.agent, data_task=each.task, data_outcome=how, data_kind=each.kind)
