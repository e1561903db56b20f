"""The executables of images besides their programs: which there are and where they lie; small commands, one a file.

One table for whoever starts a command: the container runtime, `kubectl exec`, probes and scripts. `TOOLS` of each file
names the commands it provides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from posixpath import join, normpath
from typing import Any

from aiops_gym.scan import scan
from aiops_gym.sim.kernel.blueprint import Image
from aiops_gym.types import Output

Tool = Callable[[Any, Sequence[str], str], Output]
"""See `sim.machine.program.Tool`."""

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SHELLS = ("sh", "bash", "ash", "dash")
SYSTEM = ("/bin", "/usr/bin", "/sbin", "/usr/sbin")
"""Where small commands lie: distributions of today have merged these folders."""

_CORE = """
    [ arch awk b2sum base32 base64 basename cat chgrp chmod chown cksum cmp comm cp cut date dd df diff dirname du
    echo egrep env expand expr factor fallocate false fgrep find fmt fold getent grep groups gunzip gzip head
    hostname id install join link ln logger ls md5sum mkdir mkfifo mktemp mv nice nl nohup nproc numfmt od paste pr
    printenv printf pwd readlink realpath rev rm rmdir sed seq setsid sha1sum sha256sum sha512sum shuf sleep sort
    split stat stty sum sync tac tail tar tee test timeout touch tr true truncate tsort tty uname unexpand uniq
    unlink users wc which who whoami xargs yes
"""
CORE = frozenset(_CORE.split())
"""What every image with a shell has."""

BUSYBOX = (
    "free",
    "nc",
    "nslookup",
    "ping",
    "ps",
    "telnet",
    "top",
    "uptime",
    "vi",
    "wget",
    "xxd",
    "hexdump",
    "less",
    "more",
    "watch",
    "strings",
    "clear",
)
"""What comes with BusyBox besides, and in an image that does not say what it has."""


@cache
def load_commands() -> Mapping[str, Tool]:
    """The small commands of this folder, by name."""
    return {name: tool for tools in scan(__name__, "TOOLS").values() for name, tool in tools.items()}


def has_executable(image: Image, name: str) -> bool:
    """Whether an image has an executable of this name."""
    return name in image.binaries or _small(image, name)


def _small(image: Image, name: str) -> bool:
    if not image.shell:
        return False
    if name in ("sh", "ash" if image.sh == "busybox" else "dash"):
        return True
    return name in CORE or name in extras(image)


def extras(image: Image) -> tuple[str, ...]:
    """Commands of an image besides `CORE`."""
    if not image.shell:
        return ()
    own = (*load_commands(), *BUSYBOX) if image.tools is None else image.tools
    bash = ("bash",) if image.tools is None and image.sh != "busybox" else ()
    return (*own, *(BUSYBOX if image.sh == "busybox" else bash))


def find_path(image: Image, name: str) -> str:
    """The path of an executable, "" if the image has none of this name.

    >>> from aiops_gym.sim.kernel.blueprint import Binary
    >>> find_path(Image(entrypoint=("/pause",), binaries={"pause": Binary(program="pause")}), "pause")
    '/pause'
    """
    binary = image.binaries.get(name)
    if binary is None:
        return f"/bin/{name}" if _small(image, name) else ""
    first = image.entrypoint[0] if image.entrypoint else ""
    if binary.path or (first.startswith("/") and first.rpartition("/")[2] == name):
        return binary.path or first
    folders = image.env.get("PATH", PATH).split(":")
    return join(next((f for f in folders if not f.endswith("sbin")), "/usr/local/bin"), name)


def resolve(image: Image, word: str, folder: str, path: str = "") -> str:
    """The name of the executable that a word on a command line starts, "" if it starts none.

    Args:
        image: where it is looked for.
        word: a bare name, looked up in PATH, or a path, absolute or from `folder`.
        folder: where the process starts.
        path: the PATH in force; that of the image if empty.
    """
    name = word.rpartition("/")[2]
    lies = find_path(image, name)
    if not lies:
        return ""
    small = name not in image.binaries
    if "/" in word:
        full = normpath(join(folder or "/", word)).replace("//", "/")
        return name if full == lies or (small and full.rpartition("/")[0] in SYSTEM) else ""
    folders = (path or image.env.get("PATH", PATH)).split(":")
    found = any(f in folders for f in SYSTEM) if small else lies.rpartition("/")[0] in folders
    return name if found else ""


def list_installed(image: Image) -> Mapping[str, str]:
    """Name by path of the executables outside the system's folders."""
    found = {find_path(image, name): name for name in image.binaries}
    return {path: name for path, name in sorted(found.items()) if path.rpartition("/")[0] not in SYSTEM}
