"""`timeout`: a command with a deadline on the cluster's clock."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.shell.commands.sleep import parse_duration
from aiops_gym.types import Output

HELP = "Try 'timeout --help' for more information.\n"


def run(context: Context, argv: list[str]) -> Output:
    """`timeout [-s SIGNAL] [-k DURATION] [--preserve-status] DURATION COMMAND [ARG]...`: 124 when it was ended."""
    rest, kill, preserve = argv[1:], False, False
    while rest and rest[0].startswith("-") and rest[0] != "-":
        option = rest.pop(0)
        if option == "--":
            break
        name, _, value = option.partition("=")
        if name in ("-s", "-k", "--signal", "--kill-after"):
            if not value and rest:
                value = rest.pop(0)
            kill = kill or (name in ("-s", "--signal") and value.upper().removeprefix("SIG") in ("9", "KILL"))
        elif option.startswith("-s"):
            kill = option[2:].upper().removeprefix("SIG") in ("9", "KILL")
        elif option == "--preserve-status":
            preserve = True
        elif option not in ("--foreground", "-v", "--verbose") and not option.startswith("-k"):
            return Output("", f"timeout: unrecognized option '{option}'\n{HELP}", 125)
    if len(rest) < 2:
        return Output("", f"timeout: missing operand\n{HELP}", 125)
    seconds = parse_duration(rest[0])
    if seconds is None:
        return Output("", f"timeout: invalid time interval ‘{rest[0]}’\n{HELP}", 125)
    output, ended = context.spawn(rest[1:], context.stdin, seconds or None)
    if not ended:
        stderr = output.stderr
        if output.code == 127:
            stderr = stderr.replace(
                f"bash: line 1: {rest[1]}: command not found",
                f"timeout: failed to run command ‘{rest[1]}’: No such file or directory",
            )
        return Output(output.stdout, stderr, output.code)
    return Output(output.stdout, output.stderr, 137 if kill else 143 if preserve else 124)
