"""`column`: lines side by side, or the words of lines as a table (util-linux 2.38)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from getopt import GetoptError, gnu_getopt
from unicodedata import east_asian_width

from aiops_gym.clients.context import Context
from aiops_gym.shell.options import word
from aiops_gym.sim.kernel.digits import parse_natural
from aiops_gym.types import Output

TAB = 8
WORDS = {
    "table": "-t",
    "separator=": "-s",
    "output-separator=": "-o",
    "table-columns=": "-N",
    "table-right=": "-R",
    "table-name=": "-n",
    "table-hide=": "-H",
    "table-order=": "-O",
    "table-header-repeat": "-e",
    "table-noheadings": "-d",
    "output-width=": "-c",
    "fillrows": "-x",
    "keep-empty-lines": "-L",
    "help": "-h",
}
ROOM = 16_000_000
"""Characters that are printed at most."""

CELLS = 2_000_000
"""Cells of a table at most; names of columns are looked for no more often."""


def run(context: Context, argv: list[str]) -> Output:
    """`column [-t] [-s CHARS] [-o TEXT] [-N NAMES] [-R|-H|-O COLUMNS] [-dLx] [-c WIDTH] [FILE...]`."""
    try:
        given, names = gnu_getopt(argv[1:], "ts:o:n:N:R:H:O:dec:xLh", [*WORDS])
    except GetoptError as error:
        return Output("", f"column: {word(error)}\nTry 'column --help' for more information.\n", 1)
    spelt = {f"--{long.rstrip('=')}": letter for long, letter in WORDS.items()}
    options = {spelt.get(name, name): value for name, value in given}
    width = parse_natural(options.get("-c", "80"))
    if "-h" in options:
        return context.spawn(["column", "--help"], own=True)[0]
    if not width:
        return Output("", f"column: invalid columns argument: '{options['-c']}'\n", 1)
    if {"-t", "-x"} <= options.keys():
        return Output("", "column: mutually exclusive arguments: --table --fillrows\n", 1)
    if options.keys() & {"-H", "-N", "-O", "-R"} and "-t" not in options:
        return Output("", "column: option --table required for all --table-*\n", 1)
    lines, errors = _read(context, names, keep="-L" in options)
    if lines and "-t" in options:
        shown = _table(lines, options)
        if shown is None:
            return Output("", "column: Cannot allocate memory\n", 1)
        return Output(shown, errors, 0 if shown else 1)
    return Output(_fill(lines, width, rows="-x" in options), errors, 1 if errors else 0)


def _read(context: Context, names: Sequence[str], keep: bool) -> tuple[list[str], str]:
    """Lines of the files or the input, empty ones only if they are kept, and what went wrong."""
    texts, errors = [] if names else [context.stdin], ""
    for name in names:
        try:
            texts.append(context.files.read(name))
        except OSError as error:
            errors += f"column: {name}: {error.strerror or 'No such file or directory'}\n"
    lines = [line for text in texts if text for line in text.removesuffix("\n").split("\n")]
    return [line for line in lines if keep or line.strip()], errors


def _fill(lines: Sequence[str], width: int, rows: bool) -> str:
    """As many lines beside each other as there is room for, down the columns or along the rows."""
    step = (max(map(_width, lines), default=0) + TAB) // TAB * TAB
    count = max(1, width // step) if step < width else 1
    if count == 1:
        return "".join(f"{line}\n" for line in lines)
    height = -(-len(lines) // count)
    along, down = range(0, len(lines), count), range(height)
    grid = [lines[start : start + count] for start in along] if rows else [lines[row::height] for row in down]
    return "".join("".join(_tabbed(line, step) for line in row[:-1]) + f"{row[-1]}\n" for row in grid)


def _tabbed(line: str, step: int) -> str:
    return line + "\t" * -(-(step - _width(line)) // TAB)


def _table(lines: Sequence[str], options: Mapping[str, str]) -> str | None:
    """A table whose columns are as wide as what stands in them, the last one not padded; None without room for it."""
    marks = str.maketrans(dict.fromkeys(options.get("-s", ""), "\0"))
    names = options["-N"].split(",") if "-N" in options else []
    rows = [line.translate(marks).split("\0") if "-s" in options else line.split() for line in lines]
    count = max(map(len, [names, *rows]))
    named = {key: options.get(key, "").split(",") for key in ("-H", "-O", "-R")}
    if count * max(len(rows), *map(len, named.values())) > CELLS:
        return None
    head = [names] if names and "-d" not in options else []
    cells = [[*row, *[""] * (count - len(row))] for row in [*head, *rows]]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    between = options.get("-o", "  ")
    if len(cells) * (sum(widths) + len(between) * count) > ROOM:
        return None
    order = sorted(range(count), key=lambda place: _rank(named["-O"], place, names))
    kept = [place for place in order if not _is_among(named["-H"], place, names)]
    right = {place for place in kept if "0" in named["-R"] or _is_among(named["-R"], place, names)}
    padded = (
        [_padded(row[place], widths[place], place in right, last=place == kept[-1]) for place in kept] for row in cells
    )
    return "".join(f"{between.join(row)}\n" for row in padded) if count else ""


def _rank(wanted: Sequence[str], place: int, names: Sequence[str]) -> int:
    """Where a column comes; those that an option does not list come behind."""
    return next((n for n, each in enumerate(wanted) if _is_among([each], place, names)), len(wanted))


def _is_among(wanted: Sequence[str], place: int, names: Sequence[str]) -> bool:
    """Whether a column is listed, by its number or by its name."""
    return str(place + 1) in wanted or (place < len(names) and names[place] in wanted)


def _padded(text: str, width: int, right: bool, last: bool) -> str:
    space = " " * (width - _width(text))
    return text if last and not (right and text) else space + text if right else text + space


def _width(text: str) -> int:
    return sum(1 + (east_asian_width(letter) in "WF") for letter in text if letter.isprintable())
