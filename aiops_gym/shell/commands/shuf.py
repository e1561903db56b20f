"""`shuf`: lines in an order from the shell's own stream."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.sim.kernel.digits import parse_natural
from aiops_gym.types import Output

MOST = 100_000
ROOM = 16_000_000
"""Lines and characters that are printed at most."""


def run(context: Context, argv: list[str]) -> Output:
    """`shuf [-n COUNT] [-r] [-e ARG...] [-i LO-HI] [FILE]`."""
    rest, count, repeat, echo, lines, files = argv[1:], -1, False, False, list[str](), list[str]()
    while rest:
        word = rest.pop(0)
        name, _, value = word.partition("=")
        if name in ("-n", "--head-count", "-i", "--input-range"):
            value = value or (rest.pop(0) if rest else "")
        elif word.startswith(("-n", "-i")) and len(word) > 2:
            name, value = word[:2], word[2:]
        if name in ("-n", "--head-count"):
            number = parse_natural(value)
            if number is None:
                return Output("", f"shuf: invalid line count: ‘{value}’\n", 1)
            count = number
        elif name in ("-i", "--input-range"):
            low, high = (parse_natural(part) for part in (*value.split("-", 1), "")[:2])
            if low is None or high is None or low > high + 1:
                return Output("", f"shuf: invalid input range: ‘{value}’\n", 1)
            lines = [str(n) for n in range(low, min(high, low + MOST - 1) + 1)]
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
        except IsADirectoryError:
            return Output("", "shuf: read error: Is a directory\n", 1)
        except OSError as error:
            name = files[0] or "''"
            return Output("", f"shuf: {name}: {error.strerror or 'No such file or directory'}\n", 1)
        lines = text.splitlines()
    if repeat and lines:
        chosen = _repeated(context, lines, min(count if count >= 0 else MOST, MOST))
    else:
        for last in range(len(lines) - 1, 0, -1):
            other = int(context.draw() * (last + 1))
            lines[last], lines[other] = lines[other], lines[last]
        chosen = lines if count < 0 else lines[:count]
    return Output("".join(f"{line}\n" for line in chosen))


def _repeated(context: Context, lines: list[str], count: int) -> list[str]:
    """So many lines of these, any of them more than once, as far as there is room."""
    chosen, room = list[str](), ROOM
    for _ in range(count):
        line = lines[int(context.draw() * len(lines))]
        room -= len(line) + 1
        if room < 0:
            break
        chosen.append(line)
    return chosen
