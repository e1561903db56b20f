"""`python tests/differential/figures.py [PART...]`: the cases whose ids contain a part, live; equal / all."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import live
import worlds


def main() -> None:
    parts = sys.argv[1:]
    if parts and parts[0].startswith("@"):
        parts = Path(parts[0][1:]).read_text().splitlines()
    some = [case for case in live.cases() if not parts or any(part in case.id for part in parts)]
    start = int(time.time() * 1000) - worlds.LIFE
    equal = 0
    for case, answer, difference in live.run(some, start):
        if difference:
            print(f"=== {case.id}\n{difference}\n", flush=True)
        equal += not difference
    print(f"{equal} of {len(some)} equal")


if __name__ == "__main__":
    main()
