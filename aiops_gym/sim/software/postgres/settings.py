"""The command line of `postgres`: settings by name, checked against all that a server of version 17 knows.

The names, kinds, ranges and usual values in `parameters.json` are those of `pg_settings`, read from a server of version
15 and brought to 17 by its release notes; texts of refusals are src/backend/utils/misc/guc.c's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from aiops_gym.errors import AiopsGymError
from aiops_gym.types import Json

SHORT = {"B": "shared_buffers", "h": "listen_addresses", "k": "unix_socket_directories", "N": "max_connections"}
SHORT |= {"p": "port", "S": "work_mem", "D": "data_directory"}
"""Options of one letter with a value, and the settings that they are."""

FLAGS = {"F": ("fsync", "off"), "i": ("listen_addresses", "*"), "l": ("ssl", "on")}
"""Options of one letter without a value."""

YES, NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
BYTES = {"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
TIMES = {"us": 0.001, "ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
BASES = {"8kB": 8 << 10}
NUMBER = re.compile(r"\s*([-+]?\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*$")
BYTE_UNITS = 'Valid units for this parameter are "B", "kB", "MB", "GB", and "TB".'
TIME_UNITS = 'Valid units for this parameter are "us", "ms", "s", "min", "h", and "d".'
LOCAL = frozenset(("localhost", "127.0.0.1", "::1"))


class Unusable(AiopsGymError):
    """Settings with which a server does not start.

    Attributes:
        lines: what it says, each with its level: `fatal`, `hint`, or "" for a line without a time.
    """

    def __init__(self, text: str, hint: str = "", level: str = "fatal") -> None:
        super().__init__(text)
        self.lines = [(level, text), *([("hint", hint)] if hint else [])]


class Settings(NamedTuple):
    """What was said on a command line, by name, in the form in which `SHOW` prints it."""

    given: Mapping[str, str]

    def show(self, name: str) -> str | None:
        """A value as `SHOW` prints it; None for a name that there is not.

        >>> Settings({}).show("Shared_Buffers"), Settings({"port": "6543"}).show("port"), Settings({}).show("x")
        ('128MB', '6543', None)
        """
        found = find_parameter(name)
        if found is None:
            return None
        return self.given.get(found, _print(_table()[found], str(_table()[found]["value"] or "")))

    def number(self, name: str) -> int:
        """A whole number without a unit."""
        return int(self.show(name) or 0)

    @property
    def differing(self) -> dict[str, str]:
        """Those that are not as they usually are."""
        return {name: text for name, text in sorted(self.given.items()) if text != Settings({}).show(name)}

    @property
    def local(self) -> bool:
        """Whether only its own pod reaches it."""
        return LOCAL.issuperset(word.strip() for word in (self.show("listen_addresses") or "").split(",") if word)


def read(argv: Sequence[str], files: Mapping[str, str], folder: str) -> Settings:
    """The settings of a command line. Raises Unusable.

    Args:
        argv: of the container.
        files: that are there.
        folder: where the data are.

    >>> read(["postgres", "-c", "max_connections=20", "-p", "6543"], {}, "/data").given
    {'max_connections': '20', 'port': '6543'}
    """
    given: dict[str, str] = {}
    for name, value in _split([word for word in argv[1:2] if word != "postgres"] + list(argv[2:])):
        given |= _check(name, value)
    found = Settings(given)
    _check_reserved(*(found.number(f"{name}_connections") for name in ("superuser_reserved", "reserved", "max")))
    for what in ("config", "hba", "ident"):
        path = given.get(f"{what}_file", "")
        if path and path not in files and not path.startswith(folder):
            raise Unusable(f'could not open configuration file "{path}": No such file or directory')
    if given.get("ssl") == "on":
        raise Unusable('could not load server certificate file "server.crt": No such file or directory')
    if given.get("wal_level") == "minimal" and found.number("max_wal_senders"):
        raise Unusable('WAL streaming ("max_wal_senders" > 0) requires "wal_level" to be "replica" or "logical"')
    return found


def _check_reserved(superusers: int, others: int, most: int) -> None:
    if superusers + others >= most:
        kept = f"superuser_reserved_connections ({superusers}) plus reserved_connections ({others})"
        raise Unusable(f"postgres: {kept} must be less than max_connections ({most})", level="")


def find_parameter(name: str) -> str | None:
    """A parameter as it is spelt; upper and lower case are the same."""
    return _spellings().get(name.lower())


def count_bytes(text: str) -> int:
    """Bytes of a value as `SHOW` prints it; 0 for none.

    >>> count_bytes("128MB")
    134217728
    """
    found = NUMBER.match(text)
    return int(found[1]) * BYTES.get(found[2], 0) if found else 0


@cache
def _table() -> Mapping[str, Mapping[str, Json]]:
    found: dict[str, Mapping[str, Json]] = json.loads(Path(__file__).with_name("parameters.json").read_text("utf-8"))
    return found


@cache
def _spellings() -> Mapping[str, str]:
    return {name.lower(): name for name in _table()}


def _split(words: list[str]) -> Iterator[tuple[str, str]]:
    """Settings as they are said, one after the other. Raises Unusable."""
    while words:
        word = words.pop(0)
        letter, rest = word[1:2], word[2:]
        if word.startswith("--") or letter == "c":
            said = word[2:] if word.startswith("--") else rest or (words.pop(0) if words else "")
            name, equals, value = said.partition("=")
            if not equals:
                raise Unusable(f"{'--' if word.startswith('--') else '-c '}{said} requires a value")
            yield name.replace("-", "_"), value
        elif word.startswith("-") and letter in FLAGS:
            yield FLAGS[letter]
        elif word.startswith("-") and letter in SHORT and (rest or words):
            yield SHORT[letter], rest or words.pop(0)
        else:
            what = f"invalid option -- '{letter}'" if word.startswith("-") else f'invalid argument: "{word}"'
            raise Unusable(f"postgres: {what}", 'Try "postgres --help" for more information.', level="")


def _check(name: str, text: str) -> dict[str, str]:
    """One setting by its name, as `SHOW` prints it. Raises Unusable."""
    found = find_parameter(name)
    if found is None:
        if re.fullmatch(r"\w+(\.\w+)+", name):
            return {name: text}  # an extension's, which may be there or not
        raise Unusable(f'unrecognized configuration parameter "{name}"')
    row = _table()[found]
    if row.get("fixed"):
        raise Unusable(f'parameter "{found}" cannot be changed')
    if row["type"] == "bool":
        return {found: _read_bool(found, text)}
    if row["type"] == "enum":
        value = text.lower()
        value = next((on for on, words in (("on", YES), ("off", NO)) if value in words and on in row["values"]), value)
        if value not in row["values"]:
            raise Unusable(
                f'invalid value for parameter "{found}": "{text}"', f"Available values: {', '.join(row['values'])}."
            )
        return {found: value}
    return {found: text if row["type"] == "string" else _print(row, str(_read_number(found, row, text)))}


def _read_bool(name: str, text: str) -> str:
    """`on` or `off` of any beginning of a word that is one only."""
    value = text.lower()
    if value in ("1", "0") or (value and value != "o"):
        for word, said in (("on", YES), ("off", NO)):
            if any(each.startswith(value) for each in said):
                return word
    raise Unusable(f'parameter "{name}" requires a Boolean value')


def _read_number(name: str, row: Mapping[str, Json], text: str) -> float | int:
    """A number in the parameter's own unit. Raises Unusable."""
    unit, found = str(row.get("unit", "")), NUMBER.match(text)
    wrong = f'invalid value for parameter "{name}": "{text}"'
    if found is None:
        raise Unusable(wrong)
    value = float(found[1])
    if found[2]:
        sizes: Mapping[str, float] = TIMES if unit in TIMES else {**BYTES, **BASES} if unit else {}
        if found[2] not in sizes or found[2] in BASES:
            hint = "" if not unit else TIME_UNITS if unit in TIMES else BYTE_UNITS
            raise Unusable(wrong, hint)
        value = value * sizes[found[2]] / sizes[unit]
    whole = row["type"] == "integer"
    if whole and not abs(value) < 1 << 31:
        raise Unusable(wrong, "Value exceeds integer range.")
    least, most = (float(each) for each in row["range"])
    number = round(value) if whole else value
    if not least <= number <= most:
        inside = " .. ".join(row["range"])
        shown = str(number) if whole else f"{number:g}"
        raise Unusable(f'{shown}{unit and f" {unit}"} is outside the valid range for parameter "{name}" ({inside})')
    return number


def _print(row: Mapping[str, Json], value: str) -> str:
    """A value in the largest unit in which it is a whole number."""
    unit = str(row.get("unit", ""))
    if not unit or row["type"] != "integer" or int(value) <= 0:
        return value
    sizes: Mapping[str, float] = TIMES if unit in TIMES else BYTES
    whole = int(value) * ({**BYTES, **TIMES, **BASES}[unit])
    name, size = max(((n, s) for n, s in sizes.items() if whole % s == 0 and whole >= s), key=lambda pair: pair[1])
    return f"{int(whole / size)}{name}"
