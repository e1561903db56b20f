"""What both are asked: written and drawn queries, at one time or over a stretch of time, and the other paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from promql_drawn import Drawer
from promql_patterns import PATTERNS, TEMPLATES
from promql_samples import LENGTH, START
from promql_written import WRITTEN

Case = tuple[str, dict[str, Any]]
"""Path and form."""

KNOWN = (
    # 2.42 moves a window that `@` holds fast when the function reads the time as well.
    re.compile(r"(predict_linear|timestamp)\(.*@", re.DOTALL),
    # It forgets to sort the labels of `by` after it has added the new one.
    re.compile(r"count_values by \(\w|count_values\(.*\) by \(\w", re.DOTALL),
)
"""What 2.42 does wrong and nobody asks for."""


def is_known(query: str) -> bool:
    """Whether the real one is known to answer something else."""
    return any(pattern.search(query) for pattern in KNOWN)


def _timed(drawer: Drawer, query: str) -> Case:
    if drawer.maybe(0.5):
        return "/api/v1/query", {"query": query, "time": drawer.instant()}
    start, end, step = drawer.times()
    return "/api/v1/query_range", {"query": query, "start": start, "end": end, "step": step}


def draw(seed: int, many: int) -> Iterator[Case]:
    """Queries of the grammar, and a quarter as many with something wrong; some are only written out anew."""
    drawer = Drawer(seed)
    for i in range(many):
        query = drawer.broken() if i % 5 == 4 else drawer.query()
        if is_known(query):
            continue
        yield ("/api/v1/format_query", {"query": query}) if i % 10 == 3 else _timed(drawer, query)


def write(seed: int) -> Iterator[Case]:
    """Written queries, each at a time and over a stretch of time; and what is asked besides queries."""
    drawer = Drawer(seed)
    for query in WRITTEN:
        yield "/api/v1/query", {"query": query, "time": (START + LENGTH // 2) / 1000}
        start, end, step = drawer.times()
        yield "/api/v1/query_range", {"query": query, "start": start, "end": end, "step": step}
        yield "/api/v1/format_query", {"query": query}
    window = {"start": START / 1000, "end": (START + LENGTH) / 1000}
    for selectors in (["up"], ["up", "kube_pod_info{namespace='shop'}"], ["missing"], ["{job='api'}"], ["{}"], ["up["]):
        for path in ("/api/v1/series", "/api/v1/labels", "/api/v1/label/pod/values", "/api/v1/label/job/values"):
            yield path, {"match[]": selectors, **window}
    yield from ((path, window) for path in ("/api/v1/series", "/api/v1/labels", "/api/v1/label/__name__/values"))
    yield "/api/v1/label/9a/values", window
    yield from (
        (path, {"query": "up"}) for path in ("/api/v1/query_range", "/api/v1/query_exemplars", "/api/v1/nothing")
    )
    yield from _times()
    yield from _patterns()


def _patterns() -> Iterator[Case]:
    """Regular expressions in selectors and in `label_replace`."""
    middle = (START + LENGTH // 2) / 1000
    for i, pattern in enumerate(PATTERNS):
        yield "/api/v1/query", {"query": f'up{{instance=~"{pattern}"}}', "time": middle}
        yield "/api/v1/query", {"query": f'count({{__name__=~"up|kube.*",job!~"{pattern}"}})', "time": middle}
        template = TEMPLATES[i % len(TEMPLATES)]
        replaced = f'label_replace(up, "new", "{template}", "instance", "{pattern}")'
        yield "/api/v1/query", {"query": replaced, "time": middle}


def _times() -> Iterator[Case]:
    """Ways to write times and steps, right and wrong."""
    middle = (START + LENGTH // 2) // 1000
    for time in (
        "1700001000.1234",
        "2023-11-14T22:40:00Z",
        "2023-11-14T22:40:00.5+01:00",
        "now",
        "",
        "1e9",
        "-1",
    ):
        if time:  # without a time it is now, and they do not live in the same
            yield "/api/v1/query", {"query": "time()", "time": time}
        yield "/api/v1/query_range", {"query": "time()", "start": time, "end": middle, "step": "1h"}
    for step in ("60", "1m", "1m30s", "0.5", "0", "-1", "x", "", "1e400", "5", "1y", "1.5m"):
        form = {"query": "vector(1)", "start": middle - 120, "end": middle, "step": step}
        yield "/api/v1/query_range", form
    yield "/api/v1/query_range", {"query": "up", "start": middle, "end": middle - 1, "step": 1}
    yield "/api/v1/query_range", {"query": "up", "start": 0, "end": middle, "step": 1}
    yield "/api/v1/query", {"query": "up", "time": middle, "timeout": "soon"}
    for text in (
        "",
        " ",
        "1",
        '"a"',
        "-Inf",
        "1e-7",
        "vector(1e-7)",
        "vector(1e21)",
        "1e21",
        "up[90s]",
        "(up[1m:20s])",
    ):
        yield "/api/v1/query", {"query": text, "time": middle}
        yield "/api/v1/query_range", {"query": text, "start": middle - 60, "end": middle, "step": 30}
