"""`watch`: a command again and again, for as long as there is time."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.shell.commands.date import render
from aiops_gym.shell.host import NAME
from aiops_gym.shell.words import split_words
from aiops_gym.types import Output

FLAGS = split_words(
    """
    -t --no-title -d --differences -b --beep -c --color -w --no-wrap -p --precise -e --errexit
    """
)

MOST = 100
"""Runs of the command; after them nobody looks, and only time passes."""

FOREVER = 1e9
"""Seconds: longer than any command may take."""


def run(context: Context, argv: list[str]) -> Output:
    """`watch [-n SECONDS] COMMAND`: without a terminal there is no screen to redraw, so only changes are printed."""
    rest, interval, title, direct = argv[1:], 2.0, True, False
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        name, _, value = option.partition("=")
        if name in ("-n", "--interval"):
            value = value or (rest.pop(0) if rest else "")
            try:
                interval = max(0.1, float(value))
            except ValueError:
                return Output("", f"watch: failed to parse argument: '{value}'\n", 1)
        elif option.startswith("-n") and option[2:].replace(".", "", 1).isdigit():
            interval = max(0.1, float(option[2:]))
        elif option in ("-x", "--exec"):
            direct = True
        elif option in FLAGS:
            title = title and option not in ("-t", "--no-title")
        else:
            return Output("", f"watch: unrecognized option '{option}'\n", 1)
    if not rest:
        return Output("", "Usage:\n watch [options] command\n", 1)
    command = rest if direct or (len(rest) > 1 and " " not in "".join(rest)) else ["sh", "-c", " ".join(rest)]
    printed, last = [], ""
    for turn in range(MOST + 1):
        output, ended = context.spawn(command)
        text = output.stdout + output.stderr
        if text != last:
            head = f"Every {interval:.1f}s: {' '.join(rest)}    {NAME}: {render(context.cluster.now(), '%c')}\n\n"
            printed.append((head if title else "") + text)
            last = text
        if ended or not context.cluster.wait(interval if turn < MOST else FOREVER):
            break
    return Output("\n".join(printed), "", 124)
