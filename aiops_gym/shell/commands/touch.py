"""`touch`: files that are there, and the times of their last change."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from getopt import GetoptError, gnu_getopt
from posixpath import dirname, join

from aiops_gym.clients.context import Context
from aiops_gym.shell.commands.date import parse
from aiops_gym.shell.options import word
from aiops_gym.types import Output

LONG = ["no-create", "date=", "no-dereference", "reference=", "time="]
HELP = "Try 'touch --help' for more information.\n"
_STAMP = re.compile(r"(?:(\d\d)?(\d\d))?(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?", re.ASCII)


def run(context: Context, argv: list[str]) -> Output:
    """`touch [-acm] [-d TIME | -t STAMP | -r FILE] FILE...`; times of access are not kept."""
    try:
        options, names = gnu_getopt(argv[1:], "acfhmd:r:t:", LONG)
    except GetoptError as error:
        return Output("", f"touch: {word(error)}\n{HELP}", 1)
    letters = {name for name, _ in options}
    moment: float | None = context.cluster.now()
    for name, value in options:
        if name in ("-d", "--date", "-t"):
            moment = _read_stamp(value, context.cluster.now()) if name == "-t" else parse(value, context.cluster.now())
            if moment is None:
                return Output("", f"touch: invalid date format ‘{value}’\n", 1)
        elif name in ("-r", "--reference"):
            about = context.files.about(value)
            if about is None:
                return Output("", f"touch: failed to get attributes of '{value}': No such file or directory\n", 1)
            moment = about.time
    if not names:
        return Output("", f"touch: missing file operand\n{HELP}", 1)
    if "-a" in letters and "-m" not in letters:
        moment = None
    makes = letters.isdisjoint({"-c", "--no-create"})
    errors = "".join(_touch(context, name, moment, makes) for name in names)
    return Output("", errors, int(bool(errors)))


def _touch(context: Context, name: str, moment: float | None, makes: bool) -> str:
    """What is wrong with a file, "" if it has the time."""
    if not context.files.exists(name):
        if not makes:
            return ""
        if not context.files.exists(dirname(join(context.cwd, name)) or "/"):
            return f"touch: cannot touch '{name}': No such file or directory\n"
        try:
            context.files.write(name, "")
        except OSError as error:
            return f"touch: cannot touch '{name}': {error.strerror}\n"
    if moment is not None:
        context.files.date(name, moment)
    return ""


def _read_stamp(text: str, now: float) -> float | None:
    """Unix seconds of `[[CC]YY]MMDDhhmm[.ss]`; None where that is no time.

    >>> _read_stamp("202001011200.30", 0.0)
    1577880030.0
    """
    found = _STAMP.fullmatch(text)
    if found is None:
        return None
    century, year, *rest = found.groups()
    short = int(year or 0)
    full = int(century) * 100 + short if century else 2000 + short - 100 * (short > 68)
    month, day, hour, minute, second = (int(each or 0) for each in rest)
    try:
        whole = full if year else datetime.fromtimestamp(now, UTC).year
        return datetime(whole, month, day, hour, minute, second, tzinfo=UTC).timestamp()
    except ValueError:
        return None
