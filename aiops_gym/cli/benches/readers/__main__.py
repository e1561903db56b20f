"""One reader in a process of its own: `python -m aiops_gym.cli.benches.readers NAME PATH WINDOWS ANSWER [REPEAT]`.

WINDOWS is JSON: a list of [start, end, component or null], the first of which is not counted where there are others;
ANSWER is `call` or `frame`. Prints JSON: of each pass a list of [processor seconds, seconds] of each window.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from typing import Any


def main(name: str, path: str, windows: str, answer: str, passes: str = "1") -> None:
    """Ask the reader once for each window, as many times over."""
    reader = importlib.import_module(f"aiops_gym.cli.benches.readers.{name}")
    state, asked = reader.prepare(path), json.loads(windows)
    ask = getattr(reader, answer)
    if len(asked) > 1:
        ask(state, *asked.pop(0))
    found = [[_timed(ask, state, window) for window in asked] for _ in range(int(passes))]
    sys.stdout.write(json.dumps(found))


def _timed(ask: Any, state: Any, window: list[Any]) -> tuple[float, float]:
    used, began = time.process_time(), time.perf_counter()
    ask(state, *window)
    return time.process_time() - used, time.perf_counter() - began


main(*sys.argv[1:])
