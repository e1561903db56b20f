"""The options of `diff`, as GNU's manual lists them, without those for programs in C, patterns and colours."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from getopt import GetoptError, gnu_getopt

from aiops_gym.sim.kernel.digits import parse_natural

LETTERS = "qsuU:cC:yW:iwbBZrNL:x:a"
WORDS = {
    "brief": "q",
    "report-identical-files": "s",
    "unified": "u",
    "context": "c",
    "side-by-side": "y",
    "width=": "W",
    "ignore-case": "i",
    "ignore-all-space": "w",
    "ignore-space-change": "b",
    "ignore-blank-lines": "B",
    "ignore-trailing-space": "Z",
    "recursive": "r",
    "new-file": "N",
    "label=": "L",
    "exclude=": "x",
    "text": "a",
    "normal": "normal",
    "suppress-common-lines": "suppress-common-lines",
    "left-column": "left-column",
    "strip-trailing-cr": "strip-trailing-cr",
}
"""What is spelt out -> its letter, or itself."""

LINES = {"--unified": "-U", "--context": "-C", "-u": "-U", "-c": "-C"}
"""Options whose number of lines may be left out -> those whose may not."""

CONFLICTING_WIDTHS = "conflicting width options"
NO_COLOUR = {"--color", "--color=auto", "--color=never"}
HELP = """\
Usage: diff [OPTION]... FILES
Compare FILES line by line.

      --normal                  output a normal diff (the default)
  -q, --brief                   report only when files differ
  -s, --report-identical-files  report when two files are the same
  -c, -C NUM, --context[=NUM]   output NUM (default 3) lines of copied context
  -u, -U NUM, --unified[=NUM]   output NUM (default 3) lines of unified context
  -y, --side-by-side            output in two columns
  -W, --width=NUM               output at most NUM (default 130) print columns
      --left-column             output only the left column of common lines
      --suppress-common-lines   do not output common lines
  -L, --label LABEL             use LABEL instead of file name and timestamp
  -r, --recursive               recursively compare any subdirectories found
  -N, --new-file                treat absent files as empty
  -x, --exclude=PAT             exclude files that match PAT
  -i, --ignore-case             ignore case differences in file contents
  -Z, --ignore-trailing-space   ignore white space at line end
  -b, --ignore-space-change     ignore changes in the amount of white space
  -w, --ignore-all-space        ignore all white space
  -B, --ignore-blank-lines      ignore changes where lines are all blank
  -a, --text                    treat all files as text
      --strip-trailing-cr       strip trailing carriage return on input
"""


@dataclass(frozen=True)
class Options:
    """What was asked for.

    Attributes:
        flags: letters, or words where there is none.
        style: "", "u", "c", "y" or "q".
        lines: shown around a change.
        width: columns of a screen.
        labels, excluded: names to show, and patterns of names to leave out.
        typed: as it was typed, shown above each pair of two folders' files.
    """

    flags: frozenset[str]
    style: str
    lines: int
    width: int
    labels: Sequence[str]
    excluded: Sequence[str]
    typed: str


def parse(words: Sequence[str]) -> tuple[Options, list[str]]:
    """Options, and what is none. Raises GetoptError.

    >>> options, names = parse(["-ru", "old", "new", "--label=a"])
    >>> options.style, options.typed, names
    ('u', " -ru '--label=a'", ['old', 'new'])
    """
    given, names = gnu_getopt([_spelt_out(word) for word in words if word not in NO_COLOUR], LETTERS, [*WORDS])
    names_of = {f"--{word.rstrip('=')}": letter for word, letter in WORDS.items()}
    pairs = [(names_of.get(name) or name.lstrip("-"), value) for name, value in given]
    numbers = _numbers(pairs)
    flags = frozenset(letter.lower() if letter in ("U", "C") else letter for letter, _ in pairs)
    values = {letter: [value for name, value in pairs if name == letter] for letter in "Lx"}
    typed = "".join(f" {shlex.quote(word) if '=' not in word else repr(word)}" for word in words if word not in names)
    style = next((letter for letter in "qycu" if letter in flags), "")
    lines = max((numbers[letter] for letter in "UC" if letter in numbers), default=3)
    return Options(flags, style, lines, numbers.get("W", 130), values["L"], values["x"], typed), names


def _spelt_out(word: str) -> str:
    name, _, value = word.partition("=")
    found = re.fullmatch(r"(-[uc])(\d+)", word)
    if found:
        name, value = found.groups()
    return f"{LINES[name]}{value}" if value and name in LINES else word


def _numbers(pairs: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Values of the options that have numbers, as they are read one after the other. Raises GetoptError."""
    numbers, styles = dict[str, int](), set[str]()
    for letter, value in pairs:
        number = _count(letter, value) if letter in ("U", "C", "W") else 0
        if letter == "W" and numbers.setdefault("W", number) != number:
            raise GetoptError(CONFLICTING_WIDTHS)
        numbers[letter] = max(number, numbers.get(letter, 0))
        styles |= {letter.lower()} & {"u", "c", "y", "normal"}
        if len(styles) > 1:
            raise GetoptError("conflicting output style options")
    return numbers


def _count(letter: str, text: str) -> int:
    number = parse_natural(text)
    if number is None or (letter == "W" and not number):
        raise GetoptError(f"invalid {'width' if letter == 'W' else 'context length'} '{text}'")
    return number
