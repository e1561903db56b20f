"""The shells and text tools of this machine, as judges of ours."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

ENV = {"PATH": "/usr/bin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
HEARING = ("env", "--default-signal=INT,QUIT")
"""Who runs this in the background ignores both, and what is ignored at a shell's start cannot be trapped.

Python itself could do this between fork and exec, and would then copy the tables of a process of 2 GB each time.
"""


def run_real(program: str, script: str) -> tuple[str, int]:
    """What a shell of this machine, called by the name that it is known by, prints in an empty folder; how it ends."""
    with TemporaryDirectory() as folder:
        ended = subprocess.run(
            [*HEARING, "sh" if program == "dash" else program, "-c", script],
            check=False,
            cwd=folder,
            env=ENV,
            capture_output=True,
            input=b"",
        )
    return ended.stdout.decode(errors="replace"), ended.returncode


def has_debians_tools() -> bool:
    """Whether bash and all tools are those of Debian 12, whose words differ from those of other versions."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return False
    there = all(map(shutil.which, ("bash", "column", "diff", "xxd")))
    awk = Path(shutil.which("awk") or "/").resolve().name
    return release.get("VERSION_CODENAME") == "bookworm" and there and awk == "mawk"
