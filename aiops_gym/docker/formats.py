"""How docker prints: tables, `--format` with Go templates, sizes, times and filters."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aiops_gym.clients.flags import FlagError, parse_duration
from aiops_gym.docker import nils
from aiops_gym.docker.call import Call, Failure
from aiops_gym.sim.golang import functions
from aiops_gym.sim.golang.functions import TemplateError
from aiops_gym.sim.golang.template import Room, render_nodes
from aiops_gym.sim.golang.template_parser import KNOWN, Nodes, parse_nodes
from aiops_gym.sim.kernel.times import iso, millis
from aiops_gym.types import Json

Row = Mapping[str, Json]

LEAST, GAP = 10, 3
"""Width of a column at least, and blanks between two."""

JSON = "{{json .}}"
PARSING = "template parsing error: template: :"
NAMES = frozenset({*KNOWN, "join", "json", "lower", "split", "title", "truncate", "upper"})
"""Functions of templates: Go's, and docker's own."""

_ACTION = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_NIL = re.compile(rf"\.({'|'.join(nils.HIDDEN)})\.\w")
_FIELD = re.compile(r"(?<![\w)\]\"])\.([A-Za-z]\w*)")


def align(rows: Sequence[Sequence[str]], least: int = LEAST) -> str:
    """Lines of cells as columns.

    >>> print(align([("NAME", "A"), ("web", "b")]), end="")
    NAME      A
    web       b
    """
    count = max(map(len, rows), default=0)
    widths = [max(least, GAP + max(len(row[n]) for row in rows if len(row) > n)) for n in range(count)]
    lines = ["".join([*(c.ljust(w) for c, w in zip(row[:-1], widths, strict=False)), *row[-1:]]) for row in rows]
    return "".join(f"{line}\n" for line in lines)


def read_form(call: Call) -> str:
    """The template of `--format`, of which `json` is another name for one, or ""."""
    form = call.flags.text("format").replace("\\t", "\t").replace("\\n", "\n")
    return JSON if form == "json" else form


def write_rows(call: Call, rows: Sequence[Row]) -> None:
    """Print rows as a table, or as `--format` says; with `--quiet` their ids. Raises Failure."""
    form, headers = read_form(call), call.verb.headers
    shown = [*headers][: call.verb.shown + int(bool(call.flags.values.get("size")))]
    if call.flags.on("quiet") if "quiet" in call.flags.values else False:
        call.write("".join(f"{row['ID']}\n" for row in rows))
    elif not form or form == "table":
        call.write(align([[headers[name] for name in shown], *([row[name] for name in shown] for row in rows)]))
    else:
        table = form.startswith("table ")
        _check(form, headers, call.verb.row)
        sources = [dict(sorted(row.items())) for row in ([headers] if table else []) + [*rows]]
        lines = [render(form.removeprefix("table "), row) for row in sources]
        call.write(align([line.split("\t") for line in lines]) if table else "".join(f"{line}\n" for line in lines))


def _check(form: str, known: Mapping[str, str], kind: str) -> None:
    for action in _ACTION.finditer(form):
        for field in _FIELD.finditer(action[0]):
            if field[1] not in known:
                at = action.start() + field.start()
                where = f'template parsing error: template: :1:{at}: executing "" at <.{field[1]}>'
                raise Failure(f"{where}: can't evaluate field {field[1]} in type *formatter.{kind}")


def render(form: str, data: Json, *, strict: bool = False) -> str:
    """A Go template with docker's functions; `strict`: fields that are not there are an error. Raises Failure."""
    try:
        return render_nodes(parse(form), data, _function, Room(), strict)
    except TemplateError as problem:
        owner, error = _NIL.search(form), str(problem)
        if owner and "can't evaluate field" in error:  # the daemon leaves it out, and so nobody finds it
            error = f'map has no entry for key "{owner[1]}"'
        missing = re.search(r'no entry for key "(\w+)"', error)
        chain = re.search(rf"(?:\.\w+)*?(\.{missing[1]})\b(?:\.\w+)*", form) if missing else None
        where = f':{chain.start(1)}: executing "" at <{chain[0]}>' if chain else ""
        raise Failure(f"{PARSING}1{where}: {error}") from None
    except RecursionError:
        raise Failure(f"{PARSING}1: too deep") from None


def parse(form: str, code: int = 1) -> Nodes:
    """The nodes of a template. Raises Failure."""
    try:
        return parse_nodes(form, functions=NAMES)
    except TemplateError as error:
        raise Failure(f"{PARSING}{str(error).removeprefix('template: output:')}", code) from None


def _function(name: str, arguments: list[Any]) -> Any:
    texts = [str(argument) for argument in arguments]
    try:
        match name, len(texts):
            case "json", 1:
                return write_json(arguments[0])
            case (("lower" | "upper" | "title"), 1):
                return getattr(texts[0], name)()
            case "split", 2:
                return texts[0].split(texts[1]) if texts[1] else list(texts[0])
            case "join", 2:
                return texts[1].join(map(str, arguments[0]))
            case "truncate", 2:
                return texts[0][: max(0, int(arguments[1]))]
    except (TypeError, ValueError) as error:
        raise TemplateError(f"error calling {name}: {error}") from None
    return functions.call(name, arguments)


def write_json(value: Json) -> str:
    """JSON on one line."""
    found = None if value is functions.MISSING else nils.remove(value)
    return json.dumps(found, separators=(",", ":"), ensure_ascii=False)


def read_filters(call: Call) -> list[tuple[str, str]]:
    """The pairs of `--filter`. Raises Failure for a name, or a value of it, that the daemon does not know."""
    found = []
    for text in call.flags.items("filter"):
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            why = f'invalid argument "{text}" for "-f, --filter" flag: bad format of filter (expected name=value)'
            raise Failure(f"{why}\nSee 'docker {call.verb.name} --help'.", 125)
        known = call.verb.filters.get(name.lower(), [])
        if known is not None and value not in known:
            raise Failure(f"Error response from daemon: invalid filter '{f'{name}={value}' if known else name}'")
        found.append((name.lower(), value))
    return found


def matches_all(filters: Sequence[tuple[str, str]], fits: Callable[[Json, str, str], bool], found: Json) -> bool:
    """Whether each name of a filter has a value that fits: values of one name are alternatives, labels are not."""
    names = dict.fromkeys(name for name, _ in filters)
    return all(
        (all if name == "label" else any)(fits(found, name, value) for other, value in filters if other == name)
        for name in names
    )


def has_label(labels: Mapping[str, str], wanted: str) -> bool:
    """Whether there is a label `name` or `name=value`."""
    name, equals, value = wanted.partition("=")
    return name in labels and (not equals or labels[name] == value)


def read_time(call: Call, flag: str) -> int | None:
    """A time in ms: a moment, Unix seconds, or a duration before now; None where it is not given. Raises Failure."""
    text = call.flags.text(flag)
    if not text:
        return None
    if re.fullmatch(r"\d{1,11}(\.\d{1,9})?", text, re.ASCII):
        return round(1000 * float(text))
    try:
        return round(1000 * (call.context.cluster.now() - parse_duration(text)))
    except (ValueError, FlagError):
        pass
    try:
        moment = text if re.search(r"(Z|[+-]\d\d:\d\d)$", text) else f"{text}+00:00"
        return millis(moment if "T" in text else f"{text}T00:00:00Z")
    except (ValueError, OverflowError):
        raise Failure(f'invalid value for "{flag}": failed to parse value as time or duration: "{text}"') from None


def say_moment(seconds: int) -> str:
    """A time as Go prints it.

    >>> say_moment(1_772_442_000)
    '2026-03-02 09:00:00 +0000 UTC'
    """
    return f"{iso(1000 * seconds)[:19].replace('T', ' ')} +0000 UTC"


def say_binary(size: float) -> str:
    """Bytes in binary units, four digits.

    >>> say_binary(124_000_000), say_binary(0)
    ('118.3MiB', '0B')
    """
    return _scale(size, 1024.0, ("B", "KiB", "MiB", "GiB", "TiB"), 4)


def say_size(size: float) -> str:
    """Bytes in decimal units.

    >>> say_size(6_413_007_190), say_size(912)
    ('6.41GB', '912B')
    """
    return _scale(size, 1000.0, ("B", "kB", "MB", "GB", "TB"), 3)


def _scale(size: float, base: float, units: Sequence[str], digits: int) -> str:
    unit = 0
    while size >= base and unit < len(units) - 1:
        size, unit = size / base, unit + 1
    return f"{size:.{digits}g}{units[unit]}" if size < 10**digits else f"{size:.0f}{units[unit]}"
