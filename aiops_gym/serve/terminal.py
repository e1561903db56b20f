"""A shell that somebody types into, or writes to bit by bit.

The container's shell runs whole scripts only. So each line, or what is written before a pause, is a script of its own
that begins in the folder where the one before ended; variables of one are not known in the next.
"""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from aiops_gym.types import Output

STDOUT, STDERR = 1, 2
PROMPT = b"# "
MARK = "::folder::"
ERASE, INTERRUPT, END = b"\x7f\x08", b"\x03", b"\x04"
CUT = "execution cancelled\n"
"""What ends the errors of a command that would not end."""

Exec = Callable[[list[str], str], Awaitable[Output]]
Send = Callable[[int, bytes], Awaitable[None]]


class Terminal:
    """One session.

    Args:
        exec_: runs words in the container.
        typed: what comes from the client; an empty piece is a pause.
        send: to the client, by channel.
        tty: whether the client shows what we echo, and sends each key.
    """

    def __init__(self, exec_: Exec, typed: AsyncIterator[bytes], send: Send, tty: bool) -> None:
        self.exec, self.typed, self.send, self.tty = exec_, typed, send, tty
        self.running = False
        self.folder = ""
        self.prompt = PROMPT
        self.line = b""
        self.code = 0

    async def run(self) -> int:
        """Until the client is done; the last line's exit code."""
        await (self._keys() if self.tty else self._scripts())
        return self.code

    async def _scripts(self) -> None:
        """All that comes before a pause is one script."""
        async for piece in self.typed:
            self.line += piece
            if not piece and not await self._enter():
                return
        await self._enter()

    async def _keys(self) -> None:
        """Every line is a script, and keys edit it."""
        await self.send(STDOUT, self.prompt)
        async for piece in self.typed:
            for at in range(len(piece)):
                if not await self._key(piece[at : at + 1]):
                    return

    async def _key(self, key: bytes) -> bool:
        """One byte of input; False ends the session."""
        if self.running and key != INTERRUPT:
            return True
        if key in b"\r\n":
            await self.send(STDOUT, b"\r\n")
            if not await self._enter():
                return False
            await self.send(STDOUT, b"" if self.running else self.prompt)
        elif key in ERASE:
            await self.send(STDOUT, b"\b \b" if self.line else b"")
            self.line = self.line[:-1]
        elif key == INTERRUPT:
            self.line, self.running = b"", False
            await self.send(STDOUT, b"^C\r\n" + self.prompt)
        elif key == END:
            return bool(self.line)
        elif key >= b" ":
            self.line += key
            await self.send(STDOUT, key)
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
        if not mark and self.tty and output.stderr.endswith(CUT):  # goes on for longer than one call may take
            self.code, self.running = 130, True
            await self._tell(shown, output.stderr.removesuffix(CUT))
            return True
        await self._tell(shown, output.stderr)
        return bool(mark) or "syntax error" in output.stderr

    async def _tell(self, stdout: str, stderr: str) -> None:
        if self.tty:
            await self.send(STDOUT, (stdout + stderr).replace("\n", "\r\n").encode("utf-8", "replace"))
            return
        await self.send(STDOUT, stdout.encode("utf-8", "replace"))
        await self.send(STDERR, stderr.encode("utf-8", "replace"))


class Repl(Terminal):
    """A program that answers line by line, such as the shell of a database.

    The container's program takes whole scripts, too: what a line leaves behind, as `use`, goes before the next one.

    Args:
        argv: the program.
        rest: as for a Terminal.
    """

    def __init__(self, argv: list[str], *rest: Any) -> None:
        super().__init__(*rest)
        self.argv = [*argv, "--quiet"] if "--quiet" not in argv else argv
        self.greeted = self.argv is argv
        self.kept: list[str] = []
        self.said = ""
        self.prompt = PROMPTS[argv[0].rpartition("/")[2]]

    async def run(self) -> int:
        """Greet, and go on until the client is done."""
        if not self.greeted:
            greeting = await self.exec([word for word in self.argv if word != "--quiet"], "")
            await self._tell(greeting.stdout.removesuffix("bye\n"), greeting.stderr)
        return await super().run()

    async def _enter(self) -> bool:
        """Run the line; False if it ended the program."""
        text, self.line = self.line.decode("utf-8", "replace").strip(), b""
        if text.rstrip(";").removesuffix("()") in ("exit", "quit"):
            await self._tell("bye\n", "")
            return False
        if not text:
            return True
        output = await self.exec(self.argv, "\n".join([*self.kept, text, ""]))
        await self._tell(output.stdout.removeprefix(self.said), output.stderr)
        if text.startswith(LASTING) and not output.code:
            self.kept.append(text)
            self.said = output.stdout
        return True


PROMPTS = {"mongo": b"> "}
"""What such programs ask with."""

LASTING = ("use ", "db.auth(", "var ", "let ", "const ")
"""How lines begin whose effect lasts for the session."""
