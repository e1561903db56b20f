"""How many cases are equal: `figures.py [--derived [--seed N]] [--record | --replay | --drift] [PART...]`.

Compares live with the kubectl on PATH, or with the recorded answers (`--replay`); `--record` keeps the live answers;
`--drift` keeps what a newer kubectl says differently; `--derived` is about the lines of `derive.py`, of which it
records the sample; another seed draws others, to judge what was mended by these. A PART chooses the cases whose ids
contain it. The last line is
`equal / all`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator

import derive
import live
import recording
import worlds
from compare import differences
from known import DRIFT, why_any_order, why_different
from sides import EMULATED, Case, kubectl


def replayed(some: list[Case]) -> Iterator[tuple[str, str]]:
    for case in some:
        world, answers = recording.read(case.state)
        here = live.named(case, world)
        yield case.id, differences(here, world, answers[case.id], bool(why_any_order(case.id)))


def compared(some: list[Case], record: bool, derived: bool) -> Iterator[tuple[str, str]]:
    start = int(time.time() * 1000) - worlds.LIFE
    outcomes = []
    for outcome in live.run(some, start):
        outcomes.append(outcome)
        yield outcome.case.id, outcome.difference
    for state in (derive.STATES if derived else worlds.STATES) if record else ():
        found = [outcome for outcome in outcomes if outcome.case.state == state]
        recording.write(state, start, found, derive.recorded(state) if derived else state)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--derived", action="store_true")
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--drift", action="store_true")
    parser.add_argument("--seed", type=int, default=derive.SEED)
    parser.add_argument("parts", nargs="*")
    asked = parser.parse_args()
    parts = [] if asked.record else asked.parts
    lines = live.cases()
    if asked.derived:
        lines = derive.sample() if asked.record else derive.cases(asked.seed)
    some = [case for case in lines if not parts or any(part in case.id for part in parts)]
    equal = known = 0
    drift: list[str] = []
    for name, difference in replayed(some) if asked.replay else compared(some, asked.record, asked.derived):
        equal += not difference
        known += bool(difference and why_different(name))
        if difference and not why_different(name):
            drift.append(name)
            print(f"=== {name}\n{difference}\n", flush=True)
    program = kubectl()
    if asked.drift and program is not None and program.version != EMULATED:
        told = json.loads(DRIFT.read_text(encoding="utf-8"))
        told[".".join(map(str, program.version))] = sorted(drift)
        DRIFT.write_text(json.dumps(told, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{known} known to differ")
    print(f"{equal} / {len(some)}")


if __name__ == "__main__":
    main()
