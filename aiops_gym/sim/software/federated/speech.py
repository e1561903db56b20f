"""What these programs say, in the words of their binary: lines by key, and the tracebacks of their apps."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.scripts.files import Files
from aiops_gym.types import Json


def write(words: Json, key: str, **values: object) -> list[str]:
    """The lines of a key, filled in: each is [level, text], and `levels` say what stands before the text."""
    lines = []
    for level, text in words[key]:
        filled = re.sub(r"<(\w+)>", lambda found: str(values.get(found[1], found[0])), text)
        lines.append(words["levels"][level] + filled)
    return lines


def say(c: Container, key: str, **values: object) -> None:
    """Log the lines of a key."""
    c.log(*write(c.params["words"], key, **values))


def write_traceback(c: Container, place: str, frames: Sequence[Sequence[str]]) -> list[str]:
    """A traceback: frames are [file, line, function, code], with the marked part of the code between « and ».

    Files without a `/` lie in the app's folder; of them line 0 is looked for in the function, and shown as it is there.
    """
    lines, files = ["Traceback (most recent call last):"], Files(c)
    for file, number, function, written in frames:
        path, code, line = file, written.replace("«", "").replace("»", ""), int(number)
        if "/" not in file:
            path = f"{place}/{file}"
            line, code = _find_line((files.read(path) or "").splitlines(), function, code)
        lines += [f'  File "{path}", line {line}, in {function}', f"    {code}"]
        if "«" in written:
            lines.append(f"    {' ' * written.index('«')}{'^' * (written.index('»') - written.index('«') - 1)}")
    return lines


def _find_line(lines: Sequence[str], function: str, code: str) -> tuple[int, str]:
    """The line of a function that begins with some code, counted from 1; where there is none, the last one."""
    inside = False
    for number, line in enumerate(lines, 1):
        if line.strip().startswith("def "):
            inside = line.strip().startswith(f"def {function}(")
        elif inside and line.strip().startswith(code):
            return number, line.strip()
    return len(lines), code


def read_port(address: str) -> int:
    """The port of an address, 0 where it has none.

    >>> read_port("0.0.0.0:9094"), read_port("nowhere")
    (9094, 0)
    """
    port = address.rpartition(":")[2]
    return int(port) if port.isascii() and port.isdigit() and len(port) < 6 else 0
