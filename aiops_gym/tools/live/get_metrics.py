"""Exporting metrics to files."""

from __future__ import annotations

import time
from collections.abc import Sequence

from aiops_gym.tools.places import need_namespace, window
from aiops_gym.tools.registry import TELEMETRY_SECONDS, Context, read
from aiops_gym.tools.table import save, to_csv
from aiops_gym.types import Result, Sample

FOLDER = "metrics_output"
COLUMNS = ("timestamp", "cmdb_id", "kpi_name", "value")


@read
def get_metrics(context: Context, namespace: str, duration: int = 5) -> Result:
    """Collect the metrics of all pods of a namespace into CSV files, one file a metric.

    The files have the columns timestamp, cmdb_id (node and pod), kpi_name, value; those named `_total` are counters.
    Read one with read_metrics, or with any command in exec_shell.

    Args:
        namespace: namespace whose pods are measured.
        duration: the last so many minutes.
    """
    start, end = window(context, duration)
    need_namespace(context, namespace)
    stamp = time.strftime("%Y%m%d_%H%M%S", time.gmtime(end))
    folder = f"{FOLDER}/metric_{stamp}"
    backend = context.backend
    backend.spend(TELEMETRY_SECONDS)
    written = []
    for name in backend.telemetry.metric_names():
        samples = backend.telemetry.metrics(name, namespace, start, end)
        if samples:
            written.append(f"kpi_{name}.csv")
            save(backend.shell, f"{folder}/container/kpi_{name}.csv", _csv(name, samples))
    if not written:
        return Result(f"No metrics of the namespace {namespace} in the last {duration} minutes.")
    tree = "\n".join(f"        {name}" for name in sorted(written))
    return Result(f"Metrics data exported to directory: {folder}\n{folder.rpartition('/')[2]}/\n    container/\n{tree}")


def _csv(name: str, samples: Sequence[Sample]) -> str:
    texts: dict[float, str] = {}  # most points repeat the value of the scrape before them
    rows = []
    for time_, series, label, value in samples:
        text = texts.get(value)
        if text is None:
            text = texts[value] = f"{value:.3f}"
        rows.append((str(time_), series, f"{name}.{label}" if label else name, text))
    return to_csv(COLUMNS, rows)
