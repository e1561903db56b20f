"""What descriptions of all kinds share: labels, annotations, times, conditions, events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from aiops_gym import caches
from aiops_gym.clients.gosort import go_sort
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View
from aiops_gym.sim.kernel.objects import controller_of
from aiops_gym.sim.kernel.times import millis
from aiops_gym.types import Json

Object = Mapping[str, Json]

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
ANNOTATION_WIDTH = 140


def title(page: Page, obj: Object, *, namespaced: bool = True) -> None:
    """Name and namespace."""
    page.line(f"Name:\t{obj['metadata']['name']}")
    if namespaced:
        page.line(f"Namespace:\t{obj['metadata'].get('namespace', '')}")


def write_metadata(page: Page, obj: Object) -> None:
    """Labels and annotations."""
    write_labels(page, "Labels", obj["metadata"].get("labels"))
    write_annotations(page, "Annotations", obj["metadata"].get("annotations"))


def write_labels(page: Page, heading: str, pairs: Mapping[str, str] | None, indent: str = "") -> None:
    """`key=value` pairs below each other."""
    write_several(page, f"{indent}{heading}", [f"{k}={v}" for k, v in sorted((pairs or {}).items())], indent)


def write_several(page: Page, heading: str, lines: Sequence[str], indent: str = "") -> None:
    """A heading and what belongs to it, below each other; `<none>` when empty."""
    if not lines:
        page.line(f"{heading}:\t<none>")
    for number, line in enumerate(lines):
        page.line(f"{indent}\t{line}" if number else f"{heading}:\t{line}")


def write_annotations(page: Page, heading: str, pairs: Mapping[str, str] | None) -> None:
    """Annotations, long ones cut; what `kubectl apply` remembers is left out."""
    keys = sorted(k for k in pairs or {} if k != LAST_APPLIED)
    if not keys:
        page.line(f"{heading}:\t<none>")
    for number, key in enumerate(keys):
        value = (pairs or {})[key].removesuffix("\n")
        start = "\t" if number else f"{heading}:\t"
        if len(value.encode()) + len(key) + 2 > ANNOTATION_WIDTH or "\n" in value:
            page.line(f"{start}{key}:")
            for line in value.split("\n"):
                page.line(f"\t  {shorten(line, ANNOTATION_WIDTH - 2)}")
        else:
            page.line(f"{start}{key}: {value}")


def shorten(text: str, limit: int) -> str:
    """At most `limit` bytes of a text, with dots when something is missing."""
    data = text.encode()
    return text if len(data) <= limit else data[:limit].decode(errors="replace") + "..."


@caches.function(8192, "writing a time as `describe` does")
def format_time(timestamp: str | None) -> str:
    """A time as in mail headers.

    >>> format_time("2026-11-21T21:14:03Z")
    'Sat, 21 Nov 2026 21:14:03 +0000'
    """
    if not timestamp:
        return "Mon, 01 Jan 0001 00:00:00 +0000"
    return datetime.fromtimestamp(millis(timestamp) // 1000, UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")


def format_pairs(pairs: Mapping[str, str] | None) -> str:
    """`a=1,b=2`, or `<none>`."""
    return ",".join(f"{k}={v}" for k, v in sorted((pairs or {}).items())) or "<none>"


def format_selector(value: Object | None) -> str:
    """A label selector in the words of `-l`, or `<none>`.

    >>> format_selector({"matchLabels": {"app": "geo"}, "matchExpressions": [{"key": "tier", "operator": "Exists"}]})
    'app=geo,tier'
    """
    if value is None:
        return "<none>"
    terms = [(k, f"{k}={v}") for k, v in (value.get("matchLabels") or {}).items()]
    for term in value.get("matchExpressions") or ():
        key, names = term["key"], ",".join(sorted(term.get("values") or ()))
        texts = {
            "In": f"{key} in ({names})",
            "NotIn": f"{key} notin ({names})",
            "Exists": key,
            "DoesNotExist": f"!{key}",
        }
        terms.append((key, texts.get(term["operator"], key)))
    return ",".join(text for _, text in sorted(terms)) or "<none>"


def write_controller(page: Page, obj: Object) -> None:
    """The controller, where there is one."""
    if owner := controller_of(obj):
        page.line(f"Controlled By:\t{owner['kind']}/{owner['name']}")


def write_conditions(page: Page, found: Sequence[Object], fields: Sequence[str] = ("type", "status", "reason")) -> None:
    """Conditions as a table; kubectl leaves a blank after the type."""
    if not found:
        return
    heads = [field[0].upper() + field[1:] for field in fields]
    page.line("Conditions:")
    page.rows([heads, ["-" * len(head) for head in heads]])
    page.rows([f"{c['type']} ", *(c.get(field, "") for field in fields[1:])] for c in found)


def write_events(page: Page, found: Sequence[Object], view: View) -> None:
    """Events, oldest first."""
    if not found:
        page.line("Events:\t<none>")
        return
    page.line("Events:")
    page.line("  Type\tReason\tAge\tFrom\tMessage")
    page.line("  ----\t------\t----\t----\t-------")
    for event in go_sort(found, lambda a, b: (a.get("lastTimestamp") or "") < (b.get("lastTimestamp") or "")):
        source = (event.get("source") or {}).get("component") or event.get("reportingComponent", "")
        message = str(event.get("message", "")).strip()
        page.line(f"  {event.get('type', '')}\t{event.get('reason', '')}\t{lasted(event, view)}\t{source}\t{message}")


def lasted(event: Object, view: View) -> str:
    """When an event was seen last, how often, and since when: `22s (x3 over 38s)`."""
    first = view.age(event.get("eventTime") or event.get("firstTimestamp"))
    if series := event.get("series"):
        return f"{view.age(series.get('lastObservedTime'))} (x{series.get('count', 0)} over {first})"
    if event.get("count", 0) > 1:
        return f"{view.age(event.get('lastTimestamp'))} (x{event['count']} over {first})"
    return first
