"""A shell that somebody types into, one line after another.

The container's shell runs whole scripts only. So each line is a script of its own that begins in the folder where the
one before ended; variables of one line are not known in the next.
"""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator, Awaitable, Callable

from aiops_gym.types import Output

STDOUT, STDERR = 1, 2
PROMPT = b"# "
MARK = "\x1e"
ERASE, INTERRUPT, END = b"\x7f\x08", b"\x03", b"\x04"

Exec = Callable[[list[str], str], Awaitable[Output]]
Send = Callable[[int, bytes], Awaitable[None]]


class Terminal:
    """One session.

    Args:
        exec_: runs words in the container.
        typed: what comes from the client; empty pieces mean nothing.
        send: to the client, by channel.
        tty: whether the client shows what we echo, and sends each key.
    """

    def __init__(self, exec_: Exec, typed: AsyncIterator[bytes], send: Send, tty: bool) -> None:
        self.exec, self.typed, self.send, self.tty = exec_, typed, send, tty
        self.folder = ""
        self.line = b""
        self.code = 0

    async def run(self) -> int:
        """Until the client is done; the last line's exit code."""
        await self._prompt()
        async for piece in self.typed:
            for at in range(len(piece)):
                if not await self._key(piece[at : at + 1]):
                    return self.code
        if self.line:
            await self._enter()
        return self.code

    async def _key(self, key: bytes) -> bool:
        """One byte of input; False ends the session."""
        if key in b"\r\n":
            await self._echo(b"\r\n")
            if not await self._enter():
                return False
            await self._prompt()
        elif self.tty and key in ERASE:
            if self.line:
                self.line = self.line[:-1]
                await self._echo(b"\b \b")
        elif self.tty and key == INTERRUPT:
            self.line = b""
            await self._echo(b"^C\r\n")
            await self._prompt()
        elif self.tty and key == END:
            return bool(self.line)
        elif not self.tty or key >= b" ":
            self.line += key
            await self._echo(key)
        return True

    async def _enter(self) -> bool:
        """Run the line; False if it ended the shell."""
        text, self.line = self.line.decode("utf-8", "replace").strip(), b""
        if not text:
            return True
        begin = f"cd {shlex.quote(self.folder)}\n" if self.folder else ""
        end = f'\n__code=$?; printf "{MARK}%s" "$PWD"; exit $__code'
        output = await self.exec(["sh", "-c", f"{begin}{text}{end}"], "")
        shown, mark, folder = output.stdout.rpartition(MARK)
        self.code = output.code
        if mark:
            self.folder = folder
        else:
            shown = output.stdout
        await self._tell(shown, output.stderr)
        return bool(mark) or text.split()[0] not in ("exit", "exec", "logout")

    async def _tell(self, stdout: str, stderr: str) -> None:
        if self.tty:
            await self.send(STDOUT, (stdout + stderr).replace("\n", "\r\n").encode("utf-8", "replace"))
            return
        await self.send(STDOUT, stdout.encode("utf-8", "replace"))
        await self.send(STDERR, stderr.encode("utf-8", "replace"))

    async def _prompt(self) -> None:
        if self.tty:
            await self.send(STDOUT, PROMPT)

    async def _echo(self, text: bytes) -> None:
        if self.tty:
            await self.send(STDOUT, text)
