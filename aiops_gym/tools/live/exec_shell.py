"""Running commands."""

from __future__ import annotations

from aiops_gym.errors import ToolError
from aiops_gym.shell.block import refuse
from aiops_gym.tools.registry import Context, action
from aiops_gym.types import Result

LONGEST = 900
"""Seconds that a command may take at most."""

LIMITS = {"time": "timeout", "wall": "wall_clock"}
"""Errors by the limit of the shell that ended a command; the others are part of the world."""


@action
def exec_shell(context: Context, command: str, timeout: int = 30) -> Result:
    """Run a command in a bash shell with kubectl and the usual tools, and print its output.

    The shell is neither stateful nor interactive: files stay, but the working folder, variables and functions do not,
    and commands that open an editor or wait for a person are refused.

    Args:
        command: the command line, in quotes.
        timeout: seconds after which it is ended, 1 to 900.
    """
    if not 1 <= timeout <= LONGEST:
        raise ToolError(f"Error: timeout is in seconds, 1 to {LONGEST}, not {timeout}.")
    refusal = refuse(command)
    if refusal is not None:
        raise ToolError(refusal, "blocked")
    run = context.backend.shell.run(command, float(timeout))
    output = run.output
    if run.limit == "time" and timeout < LONGEST:
        more = f"exec_shell(command, timeout={min(LONGEST, 4 * timeout)})"
        output += f"What takes longer is given more time, up to {LONGEST} seconds: {more}\n"
    return Result(_with_code(output, run.code), LIMITS.get(run.limit, ""))


def _with_code(output: str, code: int) -> str:
    if code == 0:
        return output
    end = "" if not output or output.endswith("\n") else "\n"
    return f"{output}{end}[exit code {code}]"
