"""A summary of metrics: which pods lose packets, see errors, or are held back, by their counters."""

from __future__ import annotations

import re
from collections.abc import Callable

SUMMARY = (
    'awk -F, \'FNR == 1 {{ name = FILENAME; sub(/.*kpi_container_/, "", name); sub(/_total.csv/, "", name); next }} '
    '{{ id = $2 " " name; if (!(id in first)) first[id] = $4; last[id] = $4 }} '
    'END {{ for (id in last) if (last[id] > first[id]) print "rate " id ": " last[id] - first[id] }}\' '
    "{metrics}/container/*dropped_total.csv {metrics}/container/*errors_total.csv "
    "{metrics}/container/*periods_total.csv | sort"
)
"""By how much the counters of losses, of errors and of processor time have grown."""

_ROW = re.compile(r"^rate [^.\s]+\.([a-z0-9-]+) (\S+): ([0-9.]+)$", re.MULTILINE)

STRAIN = ("loses_packets", "has_errors", "held_back")
"""Of a component: 1 from a hundred packets or errors on, and the share of the time in which it is held back."""


def parse_strain(text: str, owner: Callable[[str], str]) -> dict[str, dict[str, float]]:
    """By component, by `STRAIN`; those of which nothing is printed are left out.

    >>> text = "rate node.pay-1 cpu_cfs_periods: 40\\nrate node.pay-1 cpu_cfs_throttled_periods: 10"
    >>> parse_strain(text, lambda pod: pod.rpartition("-")[0])
    {'pay': {'loses_packets': 0.0, 'has_errors': 0.0, 'held_back': 0.25}}
    """
    counts: dict[str, dict[str, float]] = {}
    for pod, name, grown in _ROW.findall(text):
        each = counts.setdefault(owner(pod), {})
        each[name] = each.get(name, 0.0) + float(grown)
    return {name: dict(zip(STRAIN, _numbers(each), strict=True)) for name, each in counts.items()}


def _numbers(counts: dict[str, float]) -> tuple[float, float, float]:
    lost = sum(value for name, value in counts.items() if "dropped" in name)
    wrong = sum(value for name, value in counts.items() if "errors" in name)
    periods = max(1.0, counts.get("cpu_cfs_periods", 0.0))
    held = counts.get("cpu_cfs_throttled_periods", 0.0) / periods
    return min(1.0, lost / 100), min(1.0, wrong / 100), min(1.0, held)
