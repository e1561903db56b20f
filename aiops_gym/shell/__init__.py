"""The sandboxed shell of an agent, and a shell over other people's commands: `make_shell`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiops_gym.shell.plain import PlainShell as PlainShell
    from aiops_gym.shell.plain import make_shell as make_shell
    from aiops_gym.shell.sandbox import Sandbox as Sandbox

__all__ = ["PlainShell", "Sandbox", "make_shell"]


def __getattr__(name: str) -> object:
    """Load the shell when it is first asked for: the interpreter takes 20 ms to import."""
    if name == "Sandbox":
        from aiops_gym.shell.sandbox import Sandbox  # noqa: PLC0415 - heavy, see above

        return Sandbox
    if name in ("PlainShell", "make_shell"):
        from aiops_gym.shell import plain  # noqa: PLC0415 - heavy, see above

        return getattr(plain, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
