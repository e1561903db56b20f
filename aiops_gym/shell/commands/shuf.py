"""`shuf`: lines in an order from the shell's own stream."""

from __future__ import annotations

from aiops_gym.shell.context import Context
from aiops_gym.types import Output

MOST = 100_000


def run(context: Context, argv: list[str]) -> Output:
    """`shuf [-n COUNT] [-r] [-e ARG...] [-i LO-HI] [FILE]`."""
    rest, count, repeat, echo, lines, files = argv[1:], None, False, False, list[str](), list[str]()
    while rest:
        word = rest.pop(0)
        name, _, value = word.partition("=")
        if name in ("-n", "--head-count", "-i", "--input-range"):
            value = value or (rest.pop(0) if rest else "")
        elif word.startswith(("-n", "-i")) and len(word) > 2:
            name, value = word[:2], word[2:]
        if name in ("-n", "--head-count"):
            if not value.isdigit():
                return Output("", f"shuf: invalid line count: ‘{value}’\n", 1)
            count = int(value)
        elif name in ("-i", "--input-range"):
            low, _, high = value.partition("-")
            if not (low.isdigit() and high.isdigit()):
                return Output("", f"shuf: invalid input range: ‘{value}’\n", 1)
            lines = [str(n) for n in range(int(low), min(int(high), int(low) + MOST - 1) + 1)]
        elif word in ("-r", "--repeat"):
            repeat = True
        elif word in ("-e", "--echo"):
            echo = True
        elif word in ("-z", "--zero-terminated"):
            continue
        else:
            files.append(word)
    if echo:
        lines = files
    elif not lines:
        try:
            text = context.files.read(files[0]) if files and files[0] != "-" else context.stdin
        except FileNotFoundError:
            return Output("", f"shuf: {files[0]}: No such file or directory\n", 1)
        lines = text.splitlines()
    if repeat and lines:
        chosen = [lines[int(context.draw() * len(lines))] for _ in range(min(count or MOST, MOST))]
    else:
        for last in range(len(lines) - 1, 0, -1):
            other = int(context.draw() * (last + 1))
            lines[last], lines[other] = lines[other], lines[last]
        chosen = lines[:count]
    return Output("".join(f"{line}\n" for line in chosen))
