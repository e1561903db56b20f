"""Many rounds at length: `python tests/fuzz/hunt.py [ROUNDS] [SEED] [WRITES]`. Tells each way to fail once.

Needs `PYTHONPATH=.:tests/fuzz:tests/differential`.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

from fuzzing import PROBLEMS, Round


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", nargs="?", type=int, default=10)
    parser.add_argument("seed", nargs="?", type=int, default=0)
    parser.add_argument("writes", nargs="?", type=int, default=500)
    parser.add_argument("--whole", action="store_true", help="print all that leads there, not only where")
    asked = parser.parse_args()
    seen: Counter[str] = Counter()
    began = time.process_time()
    for seed in range(asked.seed, asked.seed + asked.rounds):
        problem = PROBLEMS[seed % len(PROBLEMS)]
        for failure in Round(problem, seed, asked.writes).play():
            if not seen[failure.sign]:
                shown = str(failure) if asked.whole else f"{failure.sign}\n{failure.trace}\n{failure.last[:500]}"
                print(f"=== {problem}, seed {seed}\n{shown}\n", flush=True)
            seen[failure.sign] += 1
    for sign, count in seen.most_common():
        print(count, sign)
    print(f"{asked.rounds} rounds of {asked.writes} writes, {time.process_time() - began:.0f} s of CPU")


if __name__ == "__main__":
    main()
