"""`diff`: what two files, or the files of two folders, do not have in common (GNU diffutils 3.8)."""

from __future__ import annotations

from getopt import GetoptError

from aiops_gym.clients.context import Context
from aiops_gym.shell.commands.diff.comparison import Comparison
from aiops_gym.shell.commands.diff.options import CONFLICTING_WIDTHS, HELP, parse
from aiops_gym.shell.options import word
from aiops_gym.types import Output


def run(context: Context, argv: list[str]) -> Output:
    """`diff [OPTION]... FILE FILE`; see `options.LETTERS` and `options.WORDS`."""
    if "--help" in argv:
        return Output(HELP)
    try:
        options, names = parse(argv[1:])
        if len(names) < 2:
            raise GetoptError(f"missing operand after '{argv[-1]}'")
        if names[2:]:
            raise GetoptError(f"extra operand '{names[2]}'")
    except GetoptError as error:
        hint = "" if error.msg == CONFLICTING_WIDTHS else "diff: Try 'diff --help' for more information.\n"
        return Output("", f"diff: {word(error)}\n{hint}", 2)
    comparison = Comparison(context, options)
    comparison.compare(*names)
    return Output("".join(comparison.out), "".join(comparison.errors), comparison.code)
