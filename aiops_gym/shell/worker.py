"""The process in which commands run that nothing inside a process could end; see `shell.apart`.

Run as a program, it imports the interpreter and nothing of ours, opens no file and no socket, and answers one request
after the other until its standard input ends, as it does when the parent is gone. Each request has a copy of this
process to itself (`fork`), so that nothing is left of the one before; where there is no `fork`, one request is all.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from shlex import join
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bashkit import Bash

STACK = 1 << 28
"""Bytes of the stack; its room counts towards the memory of a request."""

MAX_COMMANDS = 5_000
MAX_LOOPS = 10_000
"""Commands of a script, and turns of one loop, of awk's as well: the same as in the process that asks."""

PATIENCE = 3600.0
"""Seconds on the interpreter's own clock: it is the processor's time that counts, and the system keeps that."""

WARM = "awk 'BEGIN { print 1 }'; python3 -c 'print(1)'; find /var/tmp"
"""What the interpreter sets up once for all requests."""

OWNER = {"EUID": "0", "UID": "0"}
TIDY = "unset BASHKIT_ALLOW_INPROCESS_PYTHON; declare +x EUID UID"
"""Whose shell it is, and what no program of it is to see."""

UNSEEN = frozenset({"/bin", "/usr/bin", "/proc", "/dev"})
"""As in `shell.disk`, which cannot be imported here."""

Stamps = dict[str, tuple[Any, ...]]


def main(folder: str) -> None:
    """Answer requests; `folder` is where the interpreter is installed."""
    sys.path.insert(0, folder)
    shells = {python: _interpreter(python) for python in (False, True)}
    for each in shells.values():
        each.execute_sync(WARM)
        each.execute_sync(TIDY)
    while (request := read_frame(sys.stdin.buffer)) is not None:
        shell = shells[bool(request["python"])]
        if not hasattr(os, "fork"):
            write_frame(sys.stdout.buffer, _in_thread(shell, request))
            return
        pid = os.fork()
        if pid == 0:
            _child(shell, request)
        _, status, usage = os.wait4(pid, 0)
        cpu = usage.ru_utime + usage.ru_stime
        write_frame(sys.stdout.buffer, {"cpu": cpu, "signal": os.WTERMSIG(status), "code": status >> 8})


def read_frame(stream: IO[bytes]) -> dict[str, Any] | None:
    """The next message; None where there is no more."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    body = stream.read(int.from_bytes(head, "big"))
    found: dict[str, Any] = json.loads(body)
    return found


def write_frame(stream: IO[bytes], message: dict[str, Any]) -> None:
    """Send a message: its length and its JSON, in which bytes are Latin-1."""
    body = json.dumps(message).encode()
    stream.write(len(body).to_bytes(4, "big"))
    stream.write(body)
    stream.flush()


def _interpreter(python: bool) -> Bash:
    from bashkit import Bash, ExecutionProfile  # noqa: PLC0415 - only this process has the path to it

    return Bash(
        profile=ExecutionProfile.Interactive,
        max_commands=MAX_COMMANDS,
        max_loop_iterations=MAX_LOOPS,
        timeout_seconds=PATIENCE,
        username="root",
        cwd="/root",
        env=OWNER,
        files={"/etc/hostname": ""},  # any: only with files of its own is all of the file system writable
        python=python,
    )


def _child(shell: Bash, request: dict[str, Any]) -> None:
    import resource
    import signal  # noqa: PLC0415 - its timers neither

    code = 1
    try:
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
    except OSError:  # only Linux tells; elsewhere the limit counts what was there before as well
        used = 0
    try:
        for limit, most in (
            (resource.RLIMIT_AS, used + int(request["memory"])),
            (resource.RLIMIT_CPU, int(request["seconds"]) + 2),
            (resource.RLIMIT_CORE, 0),
        ):
            try:
                resource.setrlimit(limit, (most, most))
            except (ValueError, OSError):  # some systems do not grant every limit; the timer always holds
                continue
        signal.setitimer(signal.ITIMER_PROF, float(request["seconds"]))
        answer = _in_thread(shell, request)
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        if answer:
            write_frame(sys.stdout.buffer, answer)
            code = 0
    finally:
        os._exit(code)


def _in_thread(shell: Bash, request: dict[str, Any]) -> dict[str, Any]:
    """The answer, worked out where there is room for what nests; empty when that failed."""
    answers: list[dict[str, Any]] = []
    threading.stack_size(STACK)
    thread = threading.Thread(target=lambda: answers.append(_answer(shell, request)))
    thread.start()
    thread.join()
    return answers[0] if answers else {}


def _answer(shell: Bash, request: dict[str, Any]) -> dict[str, Any]:
    drive = shell.fs()
    dates: dict[int, list[str]] = {}
    for path, kind, mode, data, time in request["files"]:
        if (folder := path.rpartition("/")[0]) and not drive.exists(folder):
            drive.mkdir(folder, True)
        if kind == "directory":
            drive.mkdir(path, True)
        elif kind == "symlink":
            drive.symlink(data, path)
            continue
        else:
            drive.write_file(path, data.encode("latin-1"))
        drive.chmod(path, mode)
        dates.setdefault(time, []).append(path)
    if request["writes"] and dates:  # the interpreter itself dates files by the wall clock
        shell.execute_sync("\n".join(f"touch -d @{time} {join(paths)}" for time, paths in dates.items()))
    before = _seen(drive) if request["writes"] else {}
    result = shell.execute_sync(request["script"])
    answer = {"stdout": result.stdout, "stderr": result.stderr, "code": result.exit_code, "error": result.error or ""}
    if request["writes"]:
        after = _seen(drive)
        changed = [path for path, stamp in after.items() if before.get(path) != stamp]
        answer["written"] = [[path, *after[path][:2], _data(drive, path, after[path][0])] for path in changed]
        answer["removed"] = [path for path in before if path not in after]
    return answer


def _data(drive: Any, path: str, kind: str) -> str:
    if kind == "symlink":
        return str(drive.read_link(path))
    return str(drive.read_file(path).decode("latin-1")) if kind == "file" else ""


def _seen(drive: Any) -> Stamps:
    """What lies where, and what tells whether it was changed."""
    found: Stamps = {}
    folders = ["/"]
    while folders:
        folder = folders.pop()
        for entry in drive.read_dir(folder):
            path, about = f"{folder.rstrip('/')}/{entry['name']}", entry["metadata"]
            if path in UNSEEN:
                continue
            kind = about["file_type"]
            if kind == "directory":
                folders.append(path)
            stamp = (about["modified"], about["size"]) if kind == "file" else ()
            found[path] = (kind, about["mode"], *stamp)
    return dict(sorted(found.items()))


if __name__ == "__main__":
    main(sys.argv[1])
