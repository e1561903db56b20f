"""Thousands of drawn command lines through both kubectls: `python tests/differential/draw.py [EXAMPLES] [SEED]`.

Goes on where something differs, and tells each difference once; the suite draws the same few always.
"""

from __future__ import annotations

import argparse
import time

import worlds
from drawn import Drawn
from grammar import cases
from hypothesis import HealthCheck, Phase, given, seed, settings
from known import why_different
from sides import Case


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", nargs="?", type=int, default=1000)
    parser.add_argument("seed", nargs="?", type=int, default=0)
    asked = parser.parse_args()
    seen: dict[str, bool] = {}
    with Drawn(int(time.time() * 1000) - worlds.LIFE) as drawn:

        @seed(asked.seed)
        @settings(
            max_examples=asked.examples,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(cases())
        def told(case: Case) -> None:
            if case.id in seen:
                return
            difference = "" if why_different(case.id) else drawn.difference(case)
            seen[case.id] = not difference
            if difference:
                print(f"=== {case.id}\n{difference}\n", flush=True)

        told()
    print(f"{sum(seen.values())} / {len(seen)}")


if __name__ == "__main__":
    main()
