"""The alerts of an episode: a row each, and a bar for each time that it was pending and firing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aiops_gym.runs.view.markup import Html, format_seconds, join, tag
from aiops_gym.runs.view.signals import Alert, Signals, Span
from aiops_gym.runs.view.story import Turn
from aiops_gym.runs.view.timeline import ticks

ROW, BAR = 22, 12
"""Pixels: height of a row, and of a bar that fires; one that is pending is half as high."""

PENDING, FIRING, GONE = "pending", "firing", "-"


def draw_alerts(signals: Signals, turns: Sequence[Turn]) -> Html:
    """A table, above it the steps on the same axis, below it the time."""
    if not signals.alerts:
        return tag("p", "No alert was pending or firing.", class_="note")
    ordered = sorted(signals.alerts, key=lambda alert: alert.severity == "none")  # what fires always comes last
    head = tag("tr", tag("th", "alert", scope="col"), tag("th", "now", scope="col"), tag("th", _steps(signals, turns)))
    foot = tag("tr", tag("td"), tag("td"), tag("td", _axis(signals)))
    rows = join(*(_row(alert, signals) for alert in ordered))
    table = tag("table", tag("thead", head), tag("tbody", rows), tag("tfoot", foot), class_="alerts")
    return tag("div", table, class_="scroll")


def list_spans(signals: Signals) -> list[list[Span]]:
    """When each alert was what, in the order of the rows."""
    ordered = sorted(signals.alerts, key=lambda alert: alert.severity == "none")
    return [list(alert.spans) for alert in ordered]


def describe_state(spans: Sequence[Span], now: float) -> str:
    """What an alert was at a moment.

    >>> [describe_state([(10.0, 70.0, 130.0)], now) for now in (0.0, 10.0, 70.0, 130.0)]
    ['-', 'pending', 'firing', '-']
    """
    for since, fired, ended in spans:
        if since <= now and (ended is None or now < ended):
            return FIRING if fired is not None and fired <= now else PENDING
    return GONE


def _row(alert: Alert, signals: Signals) -> Html:
    name = tag("th", alert.name, " ", tag("span", alert.where, class_="soft"), scope="row", title=alert.what or None)
    state = describe_state(alert.spans, 0.0)
    return tag("tr", name, tag("td", tag("b", state, class_=f"state {state}")), tag("td", _bars(alert, signals)))


def _bars(alert: Alert, signals: Signals) -> Html:
    told = "; ".join(_tell(span) for span in alert.spans)
    parts = [tag("title", told), *(bar for span in alert.spans for bar in _draw(span, signals, alert.severity))]
    return tag("svg", *parts, _cursor(signals), width="100%", height=ROW, role="img", aria_label=told, class_="bars")


def _tell(span: Span) -> str:
    since, fired, ended = span
    told = "" if fired == since else f"pending from {format_seconds(since)}"
    if fired is not None:
        told += f"{', ' if told else ''}firing from {format_seconds(fired)}"
    return told if ended is None else f"{told}, ended at {format_seconds(ended)}"


def _draw(span: Span, signals: Signals, severity: str) -> Iterator[Html]:
    since, fired, ended = span
    until = signals.end if ended is None else ended
    look = f"firing {'always' if severity == 'none' else severity}"
    for begin, end, class_, height in (
        (since, until if fired is None else fired, "pending", BAR // 2),
        (until if fired is None else fired, until, look, BAR),
    ):
        left, right = signals.place(begin), signals.place(end)
        if right > left:
            at: dict[str, str | float] = {
                "x": f"{left:.3f}%",
                "width": f"{right - left:.3f}%",
                "y": (ROW - height) / 2,
                "height": height,
            }
            yield tag("rect", **at, class_=class_)


def _steps(signals: Signals, turns: Sequence[Turn]) -> Html:
    """The steps as marks, each a link, from which lines go down through all rows."""
    marks = [tag("title", "The steps")]
    for turn in turns:
        left, right = signals.place(turn.begin), signals.place(turn.end)
        wrong = " wrong" if turn.error else ""
        at: dict[str, str | float] = {
            "x": f"{left:.3f}%",
            "width": f"{max(right - left, 0.15):.3f}%",
            "y": 2,
            "height": BAR,
        }
        hover = tag("title", f"step {turn.number}: {turn.headline}")
        box = tag("rect", **at, class_=f"k-{turn.kind}{wrong}")
        marks.append(tag("a", hover, box, href=f"#step-{turn.number}", data_step=turn.number, class_="at", tabindex=-1))
    return tag("svg", *marks, _cursor(signals), width="100%", height=ROW - 4, class_="bars", role="group",
               aria_label="Steps on the axis of the alerts")  # fmt: skip


def _cursor(signals: Signals) -> Html:
    """Where the chosen step is; the page's script moves it."""
    at = f"{signals.place(0.0):.3f}%"
    return tag("line", x1=at, x2=at, y1=0, y2=ROW, class_="cursor")


def _axis(signals: Signals) -> Html:
    parts = []
    whole = signals.end - signals.start
    step = ticks(whole)[1]
    first = -int(-signals.start // step) * step
    for value in (first + i * step for i in range(int((signals.end - first) / step) + 1)):
        at = signals.place(value)
        anchor = "start" if at < 3 else "end" if at > 97 else "middle"
        name = "the agent begins" if value == 0 and at < 90 else format_seconds(value)
        parts.append(tag("text", name, x=f"{at:.3f}%", y=12, text_anchor=anchor, class_="tick"))
    return tag("svg", *parts, width="100%", height=16, class_="bars", aria_hidden="true")
