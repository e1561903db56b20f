"""How fast recorded telemetry is read, beside the best of what people use for it: medians of one interleaved run."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aiops_gym.cli.benches import spans
from aiops_gym.cli.benches.readers import ENDS
from aiops_gym.folders import VARIABLE
from aiops_gym.openrca import clock

MINUTE = 60_000


class Rival(NamedTuple):
    """One way to read.

    Attributes:
        reader: a module of `readers`.
        library: that it needs.
        parquet: whether it reads Parquet; else the CSV.
    """

    reader: str
    library: str
    parquet: bool


RIVALS = {
    "pandas (pyarrow), CSV": Rival("pandas_csv", "pandas", False),
    "polars, CSV": Rival("polars_lazy", "polars", False),
    "DuckDB, CSV": Rival("duckdb_sql", "duckdb", False),
    "pyarrow, Parquet": Rival("parquet", "pyarrow", True),
    "polars, Parquet": Rival("polars_lazy", "polars", True),
    "DuckDB, Parquet": Rival("duckdb_sql", "duckdb", True),
    "store": Rival("store", "pyarrow", False),
}
OURS = "store"

ANSWERS = {"text": "call", "DataFrame": "frame"}
"""What is asked for, and the function of a reader that gives it."""

KINDS = {"30 min": 30, "5 min": 5, "30 min, one component": 30}
"""Windows by minutes. A reader of the CSV reads all of it whatever the window, and is asked for the first kind only."""

FEW = 2
"""Rounds in which the CSV is read: a call takes seconds."""

WORKERS, ENVS = 8, 16

HOT = 4 + 1 + 4
"""Bytes of a span that a text answer reads: its time, component and duration."""

Found = Mapping[tuple[str, str, str], Sequence[Sequence[float]]]
"""By answer, kind of window and reader: processor seconds and seconds of each call."""

LARGE = 1 << 28
"""Bytes that are read to measure how fast memory is: more than any processor keeps beside it."""

_CONVERT = """
import json, sys, time
from aiops_gym.cli.benches.readers import store
from aiops_gym.cli.measure import measure_peak_memory
began, used = time.perf_counter(), time.process_time()
state = store.prepare(sys.argv[1])
store.call(state, int(sys.argv[2]), int(sys.argv[2]), None)
print(json.dumps([time.process_time() - used, time.perf_counter() - began, measure_peak_memory()]))
"""
_PANDAS = """
import sys, time
import pandas
from aiops_gym.cli.benches.spans import layout_of
used = time.process_time()
pandas.read_csv(sys.argv[1], dtype=dict.fromkeys(layout_of(sys.argv[1]).texts, str))
print(time.process_time() - used)
"""
_ENVS = """
import sys
from aiops_gym.cli.benches.readers import store
from aiops_gym.cli.measure import measure_own_memory
states = [store.prepare(sys.argv[1]) for _ in range(int(sys.argv[2]))]
day = int(sys.argv[3])
for at, state in enumerate(states):
    for hour in range(4):
        begin = day + (at * 4 + hour) % 47 * 1_800_000
        store.call(state, begin, begin + 1_800_000, None)
print(measure_own_memory())
"""


def measure(
    count: int, rounds: int, place: Path | None = None, layouts: Iterable[str] = tuple(spans.LAYOUTS)
) -> dict[str, Any]:
    """Conversion, calls and memory, for each way in which a day's spans may lie in their file.

    Args:
        count: spans of a day.
        rounds: times that each reader is started, interleaved.
        place: where the days and their conversions are put for as long as it takes; None for the system's own place.
        layouts: of these ways.
    """
    bandwidth = _bandwidth()
    report: dict[str, Any] = {"spans of a day": count, "memory is read, GB a second": bandwidth / 1e9}
    for lying in layouts:
        with tempfile.TemporaryDirectory(prefix="aiops_gym-bench-", dir=place) as folder:
            bench = Bench(spans.write(Path(folder) / "data", count, lying), Path(folder) / "cache", count, bandwidth)
            report |= {f"{lying}: the file": bench.conversion(), **bench.calls(rounds, lying)}
            report[f"{lying}: memory"] = bench.memory()
    return report


class Bench:
    """One day of spans, and a cache of its own.

    Args:
        path: the CSV file.
        cache: a folder that is made and removed at will.
        count: spans in the file.
        bandwidth: bytes a second that memory gives.
    """

    def __init__(self, path: Path, cache: Path, count: int, bandwidth: float) -> None:
        self.path, self.cache, self.count, self.bandwidth = path, cache, count, bandwidth
        self.layout = spans.layout_of(path)
        self.day = clock.parse(self.layout.day)

    def conversion(self) -> dict[str, float]:
        """Medians of two, each in a new process and an empty cache, in turn with pandas reading the file once."""
        found, reads = [], []
        for _ in range(2):
            shutil.rmtree(self.cache, ignore_errors=True)
            found.append(json.loads(self._python(_CONVERT, self.day)))
            reads.append(float(self._python(_PANDAS)))
        size = sum(each.stat().st_size for each in self.cache.rglob("*") if each.is_file())
        used, seconds, peak = (statistics.median(each) for each in zip(*found, strict=True))
        whole = self.path.stat().st_size
        return {
            "CSV, MB: each call of a reader of CSV reads and parses all of it": whole / 1e6,
            "conversion, once, processor s": used,
            "conversion, once, s": seconds,
            "conversion, in pandas read_csv calls (processor)": used / statistics.median(reads),
            "conversion, peak memory, MB": peak / 1e6,
            "cache, in sizes of the CSV": size / whole,
        }

    def calls(self, rounds: int, lying: str) -> dict[str, dict[str, float]]:
        """Each reader in a new process a round, interleaved; other windows each round."""
        self._python("import sys; from aiops_gym.cli.benches.readers import parquet; parquet.write(sys.argv[1])")
        found: dict[tuple[str, str, str], list[list[float]]] = {}
        floors: list[float] = []
        for turn in range(rounds):
            for name, rival in self._there(turn):
                for answer, kind, windows in self._asked(turn, rival):
                    passes = self._read(rival, windows, ANSWERS[answer])
                    found.setdefault((answer, kind, name), []).extend(passes[0])
                    if name == OURS:
                        found.setdefault((answer, kind, f"{name}, again"), []).extend(passes[-1])
            floors += _floor(self.path, self._windows(turn, 30))
        return {
            f"{lying}: {answer}": {**_compared(found, answer), **self._limit(found, answer, floors)}
            for answer in ANSWERS
        }

    def _limit(self, found: Found, answer: str, floors: Sequence[float]) -> dict[str, float]:
        """How far the store is from what memory allows: to read what the answer is made of once; of text, the floor."""
        start, end, _ = self._windows(0, KINDS["30 min"])[0]
        rows = self.count * (end - start) / clock.DAY
        width = HOT if answer == "text" else self.path.stat().st_size / self.count
        limit = 1e3 * rows * width / self.bandwidth
        used = 1e3 * statistics.median(each[0] for each in found[answer, "30 min", OURS])
        report = {"limit: to read what it is made of once, 30 min, ms": limit, "store, 30 min, in limits": used / limit}
        if answer == "text":
            floor = 1e3 * statistics.median(floors)
            report["floor: one histogram and the ends' lines, from memory, 30 min, processor ms"] = floor
            report["store, 30 min, in floors"] = used / floor
        return report

    def memory(self) -> dict[str, float]:
        """Private memory of a process with 16 readers, and of each of 8 processes that share the cache."""
        many = int(self._python(_ENVS, ENVS, self.day))
        command = [sys.executable, "-c", _ENVS, str(self.path), "2", str(self.day)]
        started = [
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=self._environment())
            for _ in range(WORKERS)
        ]
        found = [int(worker.communicate()[0]) for worker in started]
        return {
            f"private memory of a process with {ENVS} readers, MB": many / 1e6,
            f"private memory of each of {WORKERS} workers, MB": max(found) / 1e6,
        }

    def _there(self, turn: int) -> Iterator[tuple[str, Rival]]:
        """The rivals of a round whose library is there."""
        for name, rival in RIVALS.items():
            reads_csv = not rival.parquet and name != OURS
            if importlib.util.find_spec(rival.library) and (turn < FEW or not reads_csv):
                yield name, rival

    def _asked(self, turn: int, rival: Rival) -> Iterator[tuple[str, str, list[Any]]]:
        once = not rival.parquet and rival.reader != OURS
        for answer in ANSWERS:
            for kind, minutes in list(KINDS.items())[: 1 if once else None]:
                component = self.layout.component if "component" in kind else None
                windows = self._windows(turn, minutes, component)
                yield answer, kind, windows[:1] if once else windows

    def _windows(self, turn: int, minutes: int, component: str | None = None) -> list[Any]:
        """The first of several is a warm-up that is not counted."""
        starts = [self.day + ((turn * 7 + at) * 97 % 1380) * MINUTE for at in range(6)]
        return [[start, start + minutes * MINUTE, component] for start in starts]

    def _read(self, rival: Rival, windows: list[Any], function: str) -> list[list[list[float]]]:
        path = str(self.path.with_suffix(".parquet") if rival.parquet else self.path)
        passes = "2" if rival.reader == OURS else "1"
        module = ["-m", "aiops_gym.cli.benches.readers", rival.reader, path, json.dumps(windows), function, passes]
        found: list[list[list[float]]] = json.loads(self._run(module))
        return found

    def _python(self, code: str, *arguments: object) -> str:
        return self._run(["-c", code, str(self.path), *map(str, arguments)])

    def _run(self, arguments: list[str]) -> str:
        command = [sys.executable, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=self._environment()).stdout

    def _environment(self) -> dict[str, str]:
        return {**os.environ, VARIABLE: str(self.cache)}


def _compared(found: Found, answer: str) -> dict[str, float]:
    """Processor and wall time of one answer, and how often the store's goes into each rival's."""
    report: dict[str, float] = {}
    used = {}
    for (asked, kind, name), times in found.items():
        if asked == answer:
            used[kind, name], seconds = (1e3 * statistics.median(each) for each in zip(*times, strict=True))
            report[f"{name}, {kind}, processor ms"] = used[kind, name]
            report[f"{name}, {kind}, wall ms"] = seconds
    for (kind, name), each in used.items():
        if not name.startswith(OURS):
            report[f"{name}, {kind}, in processor times of the store"] = each / used[kind, OURS]
    return report


def _bandwidth() -> float:
    """Bytes a second at which one thread reads memory, at best."""
    data = np.ones(LARGE // 8, np.int64)
    return LARGE / min(_used(data.max) for _ in range(5))


def _floor(path: Path, windows: list[Any]) -> list[float]:
    """Processor time of the text answer if all columns lay in memory, sorted: one histogram, and the ends' lines."""
    import pyarrow.parquet as pq  # noqa: PLC0415  # The incidents' bench does without.

    first, last = windows[0][0], max(each[1] for each in windows)
    limits = [("timestamp", ">=", first), ("timestamp", "<=", last)]
    table = pq.read_table(path.with_suffix(".parquet"), filters=limits).combine_chunks()
    times, durations = table["timestamp"].to_numpy(), table["duration"].to_numpy().astype(np.int32)
    codes = table["cmdb_id"].chunk(0).dictionary_encode().indices.to_numpy().astype(np.int64)
    shift = max(0, int(durations.max()).bit_length() - 12)
    ends = [",".join(map(str, row.values())).split(",") for row in table.slice(0, 2 * ENDS).to_pylist()]

    def answer(start: int, end: int) -> str:
        low, high = np.searchsorted(times, np.array((start, end), times.dtype))
        cells = np.bincount((codes[low:high] << 12) + (durations[low:high] >> shift), minlength=(codes.max() + 1) << 12)
        reached = cells.reshape(-1, 1 << 12).cumsum(axis=1)
        shares = [(reached >= part * reached[:, -1:]).argmax(axis=1) for part in (0.5, 0.95)]
        return "\n".join(map(",".join, ends)) + str(shares)

    return [_used(partial(answer, *window[:2])) for window in windows[1:]]


def _used(action: Callable[[], Any]) -> float:
    """Processor seconds of one call."""
    began = time.process_time()
    action()
    return time.process_time() - began
