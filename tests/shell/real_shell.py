"""The shells and text tools of this machine, as judges of ours."""

from __future__ import annotations

import platform
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

ENV = {"PATH": "/usr/bin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def run_real(program: str, script: str) -> tuple[str, int]:
    """What a shell of this machine, called by the name that it is known by, prints in an empty folder; how it ends."""
    with TemporaryDirectory() as folder, _hearing():
        ended = subprocess.run(
            ["sh" if program == "dash" else program, "-c", script],
            check=False,
            executable=shutil.which(program),
            cwd=folder,
            env=ENV,
            capture_output=True,
            input=b"",
        )
    return ended.stdout.decode(errors="replace"), ended.returncode


@contextmanager
def _hearing() -> Iterator[None]:
    """Let what is begun meanwhile hear the signals that this process ignores, as one in the background does.

    What is ignored at a shell's start cannot be trapped there. A handler ends with exec, what is ignored does not; and
    `preexec_fn` would have Python copy the tables of a process of 2 GB for each shell.
    """
    ignored = [each for each in (signal.SIGINT, signal.SIGQUIT) if signal.getsignal(each) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, lambda *_: None)
    try:
        yield
    finally:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)


def has_debians_tools() -> bool:
    """Whether bash and all tools are those of Debian 12, whose words differ from those of other versions."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return False
    there = all(map(shutil.which, ("bash", "column", "diff", "xxd")))
    awk = Path(shutil.which("awk") or "/").resolve().name
    return release.get("VERSION_CODENAME") == "bookworm" and there and awk == "mawk"
