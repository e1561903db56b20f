"""How much a function does, counted: the same on every machine, however busy."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable


def calls(run: Callable[[], object]) -> int:
    """How many functions are called meanwhile, Python's own and built-in ones."""
    count = 0

    def note(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


def cpu(run: Callable[[], object]) -> float:
    """Seconds of the processor: to be compared with those of something else, with a wide margin."""
    before = time.process_time()
    run()
    return time.process_time() - before
