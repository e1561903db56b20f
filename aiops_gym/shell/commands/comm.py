"""`comm`: lines of two sorted files that the first has, the second has, and both have (GNU coreutils 9.1)."""

from __future__ import annotations

from collections.abc import Sequence
from getopt import GetoptError, gnu_getopt

from aiops_gym.clients.context import Context
from aiops_gym.shell.options import word
from aiops_gym.types import Output

WORDS = ["check-order", "nocheck-order", "output-delimiter=", "total", "zero-terminated", "help"]
ROOM = 16_000_000
"""Characters between columns that are printed at most."""


def run(context: Context, argv: list[str]) -> Output:
    """`comm [-123z] [--check-order] [--nocheck-order] [--output-delimiter=STR] [--total] FILE1 FILE2`."""
    try:
        given, names = gnu_getopt(argv[1:], "123z", WORDS)
        if len(names) < 2 and ("--help", "") not in given:
            raise GetoptError(f"missing operand after ‘{names[0]}’" if names else "missing operand")
        if names[2:]:
            raise GetoptError(f"extra operand ‘{names[2]}’")
    except GetoptError as error:
        return Output("", f"comm: {word(error)}\nTry 'comm --help' for more information.\n", 1)
    chosen = dict(given)
    if "--help" in chosen:
        return context.spawn(["comm", "--help"], own=True)[0]
    end = "\0" if chosen.keys() & {"-z", "--zero-terminated"} else "\n"
    sides = list[list[str]]()
    for name in names:
        try:
            text = context.stdin if name == "-" else context.files.read(name)
        except OSError as error:
            return Output("", f"comm: {name}: {error.strerror or 'No such file or directory'}\n", 1)
        sides.append(text.removesuffix(end).split(end) if text else [])
    if len(chosen.get("--output-delimiter", "")) * sum(map(len, sides)) > ROOM:
        return Output("", "comm: memory exhausted\n", 1)
    return _Merge(sides, chosen, end).output()


class _Merge:
    """Both files at once, the smaller line first. `late`: whose lines were found out of order."""

    def __init__(self, sides: Sequence[list[str]], options: dict[str, str], end: str) -> None:
        self.sides, self.options = sides, options
        self.counts, self.late, self.out = [0, 0, 0], list[int](), list[str]()
        between = options.get("--output-delimiter", "\t")
        shown = ["", *(between if f"-{column}" not in options else "" for column in "12")]
        self.heads = [shown[0], shown[1], shown[1] + shown[2]]
        self.end, self.between = end, between

    def output(self) -> Output:
        """What is printed; 1 where a file is not sorted and its order mattered."""
        at = [0, 0]
        strict = "--check-order" in self.options
        while any(place < len(side) for place, side in zip(at, self.sides, strict=True)) and not (strict and self.late):
            ahead = [side[place] if place < len(side) else None for place, side in zip(at, self.sides, strict=True)]
            column = 2 if ahead[0] == ahead[1] else 0 if ahead[1] is None or (ahead[0] or "") < ahead[1] else 1
            column = 1 if ahead[0] is None else column
            self.counts[column] += 1
            if f"-{column + 1}" not in self.options:
                self.out.append(f"{self.heads[column]}{ahead[column % 2]}{self.end}")
            for which in (0, 1) if column == 2 else (column,):
                at[which] += 1
                self._check(which, at[which])
        errors = "".join(f"comm: file {which + 1} is not in sorted order\n" for which in self.late)
        if self.late and not strict:
            errors += "comm: input is not in sorted order\n"
        if "--total" in self.options:
            self.out.append(f"{self.between.join(map(str, self.counts))}{self.between}total{self.end}")
        return Output("".join(self.out), errors, 1 if self.late else 0)

    def _check(self, which: int, place: int) -> None:
        """Whether the next line comes after the one before, at the end the last two; once lines without a pair came."""
        side, strict = self.sides[which], "--check-order" in self.options
        asked = "--nocheck-order" not in self.options and (strict or self.counts[0] + self.counts[1] > 0)
        place = min(place, len(side) - 1)
        if asked and which not in self.late and not (strict and self.late) and place and side[place] < side[place - 1]:
            self.late.append(which)
