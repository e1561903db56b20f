"""One episode as one HTML page that needs nothing else: no network, no other file."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from string import Template
from typing import Any

from aiops_gym.runs.episode import Episode
from aiops_gym.runs.view import alerts, golden, graph
from aiops_gym.runs.view.accepted import list_accepted
from aiops_gym.runs.view.markup import Content, Html, embed_json, escape, format_seconds, join, pre, tag, void
from aiops_gym.runs.view.signals import Signals, read_signals
from aiops_gym.runs.view.story import System, Turn, number_of, tell
from aiops_gym.runs.view.timeline import draw_timeline

OPEN = 60_000
"""Characters of an episode up to which all steps are open when the page is."""

CLOCKS = ("TTD", "TTL", "TTA", "TTM", "TTR")
"""Results that are times: to detect, localise, analyse, mitigate, and to find the root cause."""

BIG = 100_000
"""Characters of an output from which its size is said."""

KINDS = (
    ("k-shell", "shell"),
    ("k-tool", "other tools"),
    ("k-none", "no call"),
    ("k-submit", "submission"),
    ("wrong", "refused"),
)
SIGNS = (("firing", "firing"), ("pending", "pending"), ("always", "fires always"), ("during", "the episode"),
         ("p50", "latency p50"), ("p99", "p99"))  # fmt: skip
LEVELS = (("well", "succeeds"), ("hurt", "hurt or slow"), ("down", "mostly fails"), ("idle", "not asked"))


def render_page(episode: Episode, up: str = "") -> str:
    """The page of an episode.

    Args:
        up: address of the list that it belongs to; "" for a page on its own.

    Returns:
        Text that encodes to UTF-8, whatever the episode holds.
    """
    turns, system = tell(episode)
    signals = read_signals(episode)
    return fill(
        "episode",
        title=escape(f"{episode.problem_id} - {episode.agent}"),
        up=tag("a", "All episodes", href=up, class_="up") if up else Html(),
        head=_head(episode, turns),
        verdict=_verdict(episode),
        timeline=draw_timeline(turns, system),
        legend=_legend(KINDS, turns),
        signals=_signals(signals, turns),
        steps=join(_prompt(episode), *_steps(turns, system)),
        system=_system(system, len(turns)),
        shape=_shape(system),
        data=embed_json(
            {
                "looks": graph.list_looks(system) if system else [],
                "at": [0, *(turn.state for turn in turns)],
                "signals": _moments(signals, turns) if signals else None,
            }
        ),
        about=escape(f"aiops_gym {episode.version}".strip()),
    )


def fill(name: str, **parts: Html | str) -> str:
    """A template of this folder with its own style and script, which alone are allowed to act in the page."""
    style, script = _read("style.css"), _read(f"{name}.js")
    allowed = f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    return Template(_read(f"{name}.html")).substitute(parts, policy=policy, style=style, script=script)


def describe_outcome(episode: Episode) -> tuple[str, str]:
    """How it ended, as a class and in words."""
    if episode.infra_error:
        return "hurt", "environment broke"
    if episode.success:
        return "well", "solved"
    if episode.agent_error and not episode.terminated:
        return "hurt", "agent gave up"
    if episode.reward > 0:
        return "hurt", "partly solved"
    return ("hurt", "out of steps") if episode.truncated else ("down", "not solved")


def _also(answers: Sequence[str]) -> Html:
    """Other answers that earn the points, below the expected one."""
    return (
        tag("ul", *(tag("li", "also accepted: ", tag("code", each)) for each in answers), class_="also")
        if answers
        else Html()
    )


@cache
def _read(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _head(episode: Episode, turns: Sequence[Turn]) -> Html:
    look, how = describe_outcome(episode)
    facts: list[tuple[str, Content]] = [
        ("task", episode.task or None),
        ("telemetry", episode.data or None),
        ("agent", episode.agent),
        ("seed", episode.seed),
        ("episode seed", episode.episode_seed or None),
        ("steps", len(turns)),
        ("virtual time", format_seconds(max(0.0, episode.end_time - episode.start_time))),
        ("refused calls", sum(bool(turn.error) for turn in turns) or None),
        ("environment", episode.env or None),
    ]
    shown = [tag("div", tag("dt", name), tag("dd", value)) for name, value in facts if value is not None]
    return join(
        tag("h1", episode.problem_id, tag("span", how, class_=f"badge {look}")),
        tag("dl", *shown, class_="facts"),
    )


def _verdict(episode: Episode) -> Html:
    look, _ = describe_outcome(episode)
    reward = number_of(episode.reward) or 0.0
    score = tag("div", tag("b", f"{reward:.2f}"), tag("span", "reward"), class_=f"score {look}")
    results = {**episode.results}
    reasons = str(results.pop("reasons", "") or "")
    beside = [_listed(said, results.pop(name)) for name, said in BESIDE.items() if isinstance(results.get(name), list)]
    answers = [
        tag("div", tag("h3", name), pre(_json_text(results.pop(name.lower())), "answer"), also)
        for name, also in (("Expected", _also(list_accepted(episode))), ("Submitted", None))
        if name.lower() in results
    ]
    figures = [
        tag("div", tag("dt", name), tag("dd", _shown(value))) for name, value in episode.reward_components.items()
    ]
    # What was done stands beside what was earned, of every task; a repair's own verdict has counted it more closely.
    figures += [
        tag("div", tag("dt", HARM[name]), tag("dd", _shown(value)))
        for name, value in episode.harm.items()
        if name in HARM and name not in episode.reward_components
    ]
    parts = tag("dl", *figures, class_="parts") if figures else Html()
    rest = (
        tag("details", tag("summary", "All results"), _table(results, "results"), class_="rest") if results else Html()
    )
    why = join(*(tag("p", each, class_="reasons") for each in (reasons, episode.agent_error) if each))
    return tag("section", score, tag("div", *answers, class_="answers"), parts, why, *beside, rest, class_="verdict")


HARM = {
    "error_minutes": "error minutes",
    "error_minutes_idle": "had nobody acted",
    "collateral": "collateral",
    "irreversible": "irreversible",
}
"""What was done to users and to the system, and what the page calls it."""

BESIDE = {"collateral": "Undone or opened beside the point", "left": "Left behind"}
"""Lists in the results of a repair, and what the page calls them."""


def _listed(said: str, lines: Sequence[Any]) -> Html:
    return tag("div", tag("h3", said), tag("ul", *(tag("li", str(line)) for line in lines)), class_="beside")


def _json_text(text: Any) -> str:
    """A result that is JSON in a string, without its quotes; long ones over several lines."""
    if text == "":
        return "no submission"
    try:
        value = json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return str(text)
    if isinstance(value, str):
        return value
    short = json.dumps(value, ensure_ascii=False)
    return "nothing" if value is None else short if len(short) < 48 else json.dumps(value, indent=2, ensure_ascii=False)


def _table(values: Mapping[str, Any], class_: str) -> Html:
    rows = [
        tag("tr", tag("th", str(name), scope="row"), tag("td", _result(name, value))) for name, value in values.items()
    ]
    return tag("table", tag("tbody", *rows), class_=class_) if rows else Html()


def _result(name: str, value: Any) -> str:
    """A value of the results; their times, `TTD` and its like, have the unit of all times."""
    return format_seconds(value) if name in CLOCKS and number_of(value) is not None else _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{value:g}" if abs(value) < 1e6 else f"{value:,.0f}"


def _signals(signals: Signals | None, turns: Sequence[Turn]) -> Html:
    if signals is None:
        return Html()
    legend = [tag("li", tag("i", class_=look), name) for look, name in SIGNS]
    return tag(
        "section",
        tag("h2", "Alerts and golden signals"),
        alerts.draw_alerts(signals, turns),
        tag("ul", *legend, class_="legend"),
        golden.draw_golden(signals),
        class_="strip signals",
        id="signals",
    )


def _moments(signals: Signals, turns: Sequence[Turn]) -> dict[str, Any]:
    """What the page's script shows of signals: for each step where it ended and its point, and all values."""
    ends = [0.0, *(turn.end for turn in turns)]
    return {
        "ends": ends,
        "places": [round(signals.place(end), 3) for end in ends],
        "points": [signals.find_point(end) for end in ends],
        "alerts": alerts.list_spans(signals),
        "values": golden.list_values(signals),
    }


def _legend(entries: Sequence[tuple[str, str]], turns: Sequence[Turn]) -> Html:
    there = {f"k-{turn.kind}" for turn in turns} | {"wrong" for turn in turns if turn.error}
    shown = [tag("li", tag("i", class_=look), name) for look, name in entries if look in there]
    return tag("ul", *shown, class_="legend")


def _prompt(episode: Episode) -> Html:
    if not episode.prompt:
        return Html()
    head = tag("summary", tag("span", "0", class_="n"), tag("span", "the prompt", class_="head"))
    return tag("details", head, pre(episode.prompt, "out"), class_="step prompt", id="step-0", data_step=0)


def _steps(turns: Sequence[Turn], system: System | None) -> Iterator[Html]:
    size = sum(len(turn.output) + len(turn.call) + len(turn.thought) for turn in turns)
    before = 0
    for turn in turns:
        yield _step(turn, system, turn.state != before, size <= OPEN)
        before = turn.state


def _step(turn: Turn, system: System | None, changed: bool, opened: bool) -> Html:
    summary = [
        tag("span", turn.number, class_="n"),
        tag("span", format_seconds(turn.end), class_="time") if turn.end else None,
        tag("span", turn.tool or "no call", class_="tool")
        if not (turn.tool and turn.headline.startswith(turn.tool))
        else None,
        tag("code", turn.headline, class_="head"),
        tag("span", turn.error, class_="flag") if turn.error else None,
        tag("span", "system changed", class_="changed") if changed and system else None,
    ]
    size = f"Output, {len(turn.output):,} characters" if len(turn.output) > BIG else "Output"
    body = [
        tag("p", turn.thought, class_="thought") if turn.thought else None,
        *_typed(turn),
        _copied(size) if turn.output else tag("h4", size),
        pre(turn.output, "out") if turn.output else tag("p", "nothing was printed", class_="empty"),
    ]
    class_ = f"step k-{turn.kind}{' wrong' if turn.error else ''}"
    head = tag("summary", *summary)
    return tag("details", head, *body, class_=class_, id=f"step-{turn.number}", data_step=turn.number, open=opened)


def _typed(turn: Turn) -> Iterator[Html]:
    """What was typed: the shell command or the call, and folded up all of the action where there is more to it."""
    yield _copied("Command" if turn.command else "Call")
    yield pre(turn.command or turn.call, "call")
    if turn.raw.strip() not in (turn.command or turn.call, ""):
        yield tag("details", tag("summary", "As it was typed"), _copied("Action"), pre(turn.raw, "raw"), class_="typed")


def _copied(name: str) -> Html:
    """The heading of a text, with a button that copies it."""
    return tag("div", tag("h4", name), tag("button", "Copy", class_="copy", hidden=True), class_="named")


def _shape(system: System | None) -> str:
    """Classes of the page: whether there is a graph, and whether it needs more room than most."""
    return "no-system" if system is None else "with-system deep" if graph.is_deep(system) else "with-system"


def _system(system: System | None, steps: int) -> Html:
    if system is None:
        return Html()
    slider = void("input", type="range", min=0, max=steps, value=0, id="moment", aria_label="Step whose state is shown")
    control = tag(
        "div", tag("button", "▶", id="play", title="Play"), slider, tag("button", "Wider", id="wider"), class_="control"
    )
    shown = [tag("li", tag("i", class_=look), name) for look, name in LEVELS]
    return tag(
        "aside",
        tag("h2", "The system"),
        control,
        tag("p", "At the start", id="caption"),
        tag("div", graph.draw_graph(system), class_="scroll"),
        tag("h3", "Requests of users that succeed"),
        graph.render_operations(system),
        tag("ul", *shown, class_="legend"),
        id="system",
    )
