"""A page as somebody reads it who was woken by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aiops_gym.types import Json

HIDDEN = ("alertname", "severity", "job", "instance", "service", "uid", "node")
"""Labels that are said elsewhere, or tell of who measured only."""


def print_page(page: Mapping[str, Json]) -> str:
    """The text of a page, see `backends.paging.await_page`.

    >>> labels = {"alertname": "SlowAnswers", "namespace": "shop"}
    >>> alert = {"labels": {**labels, "proxy": "cart"}, "annotations": {"summary": "Slow."}, "since": "06:00:00Z"}
    >>> print(print_page({"time": "06:05:00Z", "groups": [{"labels": labels, "alerts": [alert]}], "ticket": ""}))
    The page, sent at 06:05:00Z:
    <BLANKLINE>
    [FIRING:1] SlowAnswers, namespace=shop
    - since 06:00:00Z, proxy=cart: Slow.
    """
    lines = [f"The page, sent at {page['time']}:"]
    for group in page["groups"]:
        lines += ["", *_print_group(group)]
    if page["ticket"]:
        lines += ["", f"[TICKET] {page['ticket']}"]
    return "\n".join(lines)


def _print_group(group: Mapping[str, Json]) -> Iterator[str]:
    common = group["labels"]
    name = ", ".join([str(common.get("alertname", "")), *_pairs(common)])
    yield f"[FIRING:{len(group['alerts'])}] {name}"
    for alert in sorted(group["alerts"], key=lambda each: (each["since"], sorted(each["labels"].items()))):
        own = {name: value for name, value in alert["labels"].items() if name not in common}
        severity = alert["labels"].get("severity", "")
        notes = alert["annotations"]
        what = " ".join(str(notes.get("description") or notes.get("summary") or "").split())
        told = ", ".join(filter(None, [f"since {alert['since']}", severity, *_pairs(own)]))
        yield f"- {told}: {what}"


def _pairs(labels: Mapping[str, Json]) -> list[str]:
    return [f"{name}={labels[name]}" for name in sorted(labels) if name not in HIDDEN]
