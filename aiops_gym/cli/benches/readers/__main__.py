"""One reader in a process of its own: `python -m aiops_gym.cli.benches.readers NAME CSV WINDOWS [REPEAT]`.

WINDOWS is JSON: a list of [start, end, component or null]. Prints JSON: seconds of each call, and memory.
"""

from __future__ import annotations

import importlib
import json
import sys
import time

from aiops_gym.cli.measure import measure_own_memory, measure_peak_memory


def main(name: str, path: str, windows: str, passes: str = "1") -> None:
    """Call the reader once for each window, as many times over."""
    reader = importlib.import_module(f"aiops_gym.cli.benches.readers.{name}")
    state = reader.prepare(path)
    asked = json.loads(windows)
    warm, asked = asked[0], asked[1:]
    reader.call(state, *warm)
    found = [[_seconds(reader, state, window) for window in asked] for _ in range(int(passes))]
    sys.stdout.write(json.dumps({"seconds": found, "anonymous": measure_own_memory(), "peak": measure_peak_memory()}))


def _seconds(reader: object, state: object, window: list[object]) -> float:
    begin = time.perf_counter()
    reader.call(state, *window)  # type: ignore[attr-defined]
    return time.perf_counter() - begin


main(*sys.argv[1:])
