"""What ended and what is missing, which the text of samples cannot carry: judged by `promtool test rules`."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from promql_samples import Samples

from aiops_gym.sim.promql import evaluate
from aiops_gym.sim.promql.golang import print_float, print_labels
from aiops_gym.sim.promql.parser import parse
from aiops_gym.sim.promql.series import STALE, Series

INPUT = {
    'a{pod="ends"}': "0+10x5 stale _x20",
    'a{pod="returns"}': "0+10x3 stale _x2 100+10x10",
    'a{pod="gap"}': "1 2 3 _x7 4 5 6",
    'a{pod="stays"}': "0+6x30",
    'b{pod="once"}': "7",
    'b{pod="late"}': "_x10 5+1x10",
    'c{le="1"}': "0+1x4 stale",
    'c{le="2"}': "0+2x20",
    'c{le="+Inf"}': "0+3x20",
}
"""Samples a minute, in promtool's notation: `a+bxn`, `_` for none, `stale` for an end."""

QUERIES = (
    *("a", "b", "c", "a offset 2m", "rate(a[3m])", "increase(a[5m])", "delta(a[4m])", "irate(a[2m])", "sum(a)"),
    *("count(a)", "last_over_time(a[10m])", "count_over_time(a[6m])", "present_over_time(b[15m])", "timestamp(a)"),
    *("absent(b)", "absent_over_time(b[3m])", "a and on (pod) b", "a unless on (pod) a offset 6m", "changes(a[9m])"),
    *("histogram_quantile(0.9, rate(c[5m]))", "max_over_time(sum(a)[8m:1m])", "a @ 300", "min_over_time(a[5m] @ 600)"),
    *("sum_over_time(a[5m:30s])", "quantile_over_time(0.5, a[7m])", "resets(a[20m])", "group(b)", "min(a)"),
)
MINUTES = (0, 1, 3, 4, 5, 6, 8, 9, 10, 11, 12, 14, 15, 16, 20, 26, 30, 34, 36)


def _expand(notation: str) -> list[float | None]:
    found = list[float | None]()
    for part in notation.split():
        if part == "stale":
            found.append(STALE)
        elif part.startswith("_"):
            found += [None] * (int(part[2:]) if part[1:] else 1)
        elif "x" in part:
            numbers, _, many = part.partition("x")
            first, step = (float(each) for each in numbers.split("+"))
            found += [first + step * i for i in range(int(many) + 1)]
        else:
            found.append(float(part))
    return found


@pytest.fixture(scope="module")
def samples() -> Samples:
    series = []
    for title, notation in INPUT.items():
        selector = parse(title)
        labels = tuple(sorted((each.label, each.value) for each in selector.matchers))
        points = [(minute * 60_000, value) for minute, value in enumerate(_expand(notation)) if value is not None]
        times, values = zip(*points, strict=True)
        series.append(Series(labels, np.array(times, np.int64), np.array(values, np.float64)))
    return Samples(series)


def _expected(found: Sequence[Series]) -> list[dict[str, object]]:
    rows = []
    for series in found:
        name = dict(series.labels).get("__name__", "")
        labels = print_labels(tuple(pair for pair in series.labels if pair[0] != "__name__"))
        rows.append({"labels": f"{name}{labels}", "value": float(print_float(float(series.values[0])))})
    return rows


@pytest.mark.skipif(shutil.which("promtool") is None, reason="no promtool here")
def test_ends_and_gaps_are_the_real_ones(samples: Samples, tmp_path: Path) -> None:
    asked = []
    for query in QUERIES:
        for minute in MINUTES:
            found = evaluate.query(samples, parse(query), minute * 60_000)
            asked.append({"expr": query, "eval_time": f"{minute}m", "exp_samples": _expected(found.series)})
    inputs = [{"series": title, "values": notation} for title, notation in INPUT.items()]
    tests = [{"interval": "1m", "input_series": inputs, "promql_expr_test": asked}]
    path = tmp_path / "ends.json"  # JSON is YAML
    path.write_text(json.dumps({"tests": tests}))
    done = subprocess.run(["promtool", "test", "rules", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[:3000]


def test_a_series_ends_at_once_where_it_is_marked_and_after_five_minutes_where_not(samples: Samples) -> None:
    def pods(minute: float) -> set[str]:
        found = evaluate.query(samples, parse("a"), int(minute * 60_000))
        return {dict(series.labels)["pod"] for series in found.series}

    assert "ends" in pods(5.99)
    assert "ends" not in pods(6)
    assert "gap" in pods(7)
    assert "gap" not in pods(7.001)
