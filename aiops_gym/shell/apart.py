"""Commands of the interpreter that nothing inside a process could end, in a process of their own: `run_apart`.

A program of awk or python3 can go on for ever, or ask for all the memory there is, between two of the places at
which the interpreter counts. Such a call is handed to a worker (`shell.worker`), with a limit of processor time and one
of memory. The worker is started when it is first needed and then kept, for a start costs 50 ms and a call 3. It knows
nothing of this process: neither its environment nor its files or sockets.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from aiops_gym.shell import worker
from aiops_gym.shell.disk import File, Tree

SECONDS = 2.0
"""Of processor time, for all calls of one action that take more than `FREE` of it."""

FREE = 0.01
"""Seconds of processor time of each call that do not count: what a call takes that does nothing."""

MEMORY = 500_000_000
"""Bytes of address space beyond those of the waiting worker, its stack of 268 MB included."""

REAL_SECONDS = 120.0
"""After which a worker that a stalled machine gives no time is given up.

Where a system has no limits of processor time (no `fork`), these seconds are `REAL_SECONDS_ONLY`.
"""

REAL_SECONDS_ONLY = 20.0


class Answer(NamedTuple):
    """How a call ended.

    Attributes:
        late: it was ended for its time; nothing of what it printed is known.
        cpu: seconds of processor time that it took.
        written: files that it left, and folders, by path.
        removed: paths that it removed.
    """

    stdout: str = ""
    stderr: str = ""
    code: int = 0
    late: bool = False
    cpu: float = 0.0
    written: Tree = MappingProxyType({})
    removed: tuple[str, ...] = ()


KILLED = Answer("", "Killed\n", 137)
"""Of a call that wanted more memory than there is: as the kernel would end it."""


def run_apart(script: str, files: Tree, seconds: float = SECONDS, writes: bool = False, python: bool = False) -> Answer:
    """Run a script of the interpreter's own commands over some files.

    Args:
        script: what to run.
        files: all that it can see.
        seconds: of processor time.
        writes: whether to tell what it changed.
        python: whether there is a Python.
    """
    listed = [[path, file.kind, file.mode, _text(file), int(file.time)] for path, file in files.items()]
    request = {
        "script": script,
        "files": listed,
        "writes": writes,
        "python": python,
        "seconds": seconds,
        "memory": MEMORY,
    }
    return _worker().ask(request)


class Worker:
    """A process that waits for calls. It may be used from several threads, which take turns."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: dict[str, Any]) -> Answer:
        """Have one call answered."""
        with self._lock:
            if self._process is not None and self._process.poll() is not None:
                self.close()  # somebody ended it
            process = self._process or self._started()
            forks = hasattr(os, "fork")
            timer = threading.Timer(REAL_SECONDS if forks else REAL_SECONDS_ONLY, _kill, (process,))
            timer.daemon = True
            whole = False
            try:
                timer.start()
                frames = _exchanged(process, request, 2 if forks else 1)
                whole = True
            finally:
                stalled = not timer.is_alive()
                timer.cancel()
                if not whole or not forks or stalled or frames[-1:] == [None]:
                    self.close()
            return _read(frames, stalled)

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            _kill(process)
            _let_go(process)
            process.wait()

    def forget(self) -> None:
        """In a copy of this process (`fork`): the worker is the original's, and what leads to it is closed here."""
        process, self._process = self._process, None
        self._lock = threading.Lock()
        if process is not None:
            _let_go(process)
            process.returncode = 0

    def _started(self) -> subprocess.Popen[bytes]:
        found = find_spec("bashkit")
        assert found is not None
        assert found.origin is not None
        folder = str(Path(found.origin).parent.parent)
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(worker.__file__)), folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ},
            cwd=os.path.abspath(os.sep),
            start_new_session=True,
        )
        return self._process


def _exchanged(process: subprocess.Popen[bytes], request: dict[str, Any], count: int) -> list[dict[str, Any] | None]:
    """Send a request; the answer if there is one, and how the call ended. None where the worker is gone."""
    assert process.stdin is not None
    assert process.stdout is not None
    frames: list[dict[str, Any] | None] = []
    with suppress(BrokenPipeError, ValueError):
        worker.write_frame(process.stdin, request)
        while len(frames) < count:
            frame = worker.read_frame(process.stdout)
            frames.append(frame)
            if frame is None or "signal" in frame:
                return frames
        return frames
    return [*frames, None]


def _read(frames: list[dict[str, Any] | None], stalled: bool) -> Answer:
    end = frames[-1] or {}
    cpu = float(end.get("cpu", 0.0))
    if stalled or int(end.get("signal") or 0) in _out_of_time():
        return Answer("", "", 124, late=True, cpu=cpu)
    first = frames[0] or {}
    if "stdout" not in first:
        return KILLED._replace(cpu=cpu)
    written = {path: File(kind, mode, _bytes(kind, data)) for path, kind, mode, data in first.get("written", ())}
    removed = tuple(first.get("removed", ()))
    code = 124 if first["error"] else int(first["code"])
    return Answer(first["stdout"], first["stderr"], code, cpu=cpu, written=written, removed=removed)


def _out_of_time() -> list[int]:
    import signal  # noqa: PLC0415 - not every system has these two

    return [int(getattr(signal, name)) for name in ("SIGPROF", "SIGXCPU") if hasattr(signal, name)]


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the worker, and the copy of it that is at work."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            import signal  # noqa: PLC0415 - a system without process groups has no SIGKILL

            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _let_go(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()


def _text(file: File) -> str:
    return file.data.decode(errors="replace") if file.kind == "symlink" else file.data.decode("latin-1")


def _bytes(kind: str, data: str) -> bytes:
    return data.encode() if kind == "symlink" else data.encode("latin-1")


_lock = threading.Lock()
_workers: list[Worker] = []


def _worker() -> Worker:
    """The worker of this process."""
    with _lock:
        if not _workers:
            _workers.append(Worker())
            atexit.register(close)
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=_forget)
        return _workers[0]


def close() -> None:
    """End this process's worker, if there is one; the next call starts another."""
    for each in _workers:
        each.close()


def _forget() -> None:
    global _lock  # noqa: PLW0603 - another thread of the original may have held it
    _lock = threading.Lock()
    for each in _workers:
        each.forget()
