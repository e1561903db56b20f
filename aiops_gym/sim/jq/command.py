"""`jq` as a command: its words, its inputs, and what it prints; see `run_jq`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from aiops_gym.sim.jq.compiler import compile_program
from aiops_gym.sim.jq.errors import Halted, JqError, OutOfWork, SyntaxIssue
from aiops_gym.sim.jq.formats import to_json
from aiops_gym.sim.jq.machine import CHARACTERS, Node, Run
from aiops_gym.sim.jq.reader import ReadError, load, read
from aiops_gym.sim.jq.values import is_true, weigh, write
from aiops_gym.types import Json

NAME = "/usr/bin/jq"
USE = f"Use {NAME} --help for help with command-line options,\nor see the jq manpage, or online docs  at "
USE += "https://stedolan.github.io/jq\n"
HELP = f"""jq - commandline JSON processor [version 1.6]

Usage:\t{NAME} [options] <jq filter> [file...]
\t{NAME} [options] --args <jq filter> [strings...]
\t{NAME} [options] --jsonargs <jq filter> [JSON_TEXTS...]

jq is a tool for processing JSON inputs, applying the given filter to
its JSON text inputs and producing the filter's results as JSON on
standard output.
"""
NO_ROOM = "jq: error: cannot allocate memory\n"
ABORTED = 134

FLAGS = {"n": "null-input", "r": "raw-output", "j": "join-output", "a": "ascii-output", "c": "compact-output"}
FLAGS |= {"s": "slurp", "S": "sort-keys", "e": "exit-status", "R": "raw-input", "C": "color-output", "h": "help"}
FLAGS |= {"M": "monochrome-output", "f": "from-file", "V": "version"}
LONG = frozenset(FLAGS.values()) | {"tab", "unbuffered", "stream", "seq", "raw-output0"}
VALUED = {"arg": 2, "argjson": 2, "slurpfile": 2, "rawfile": 2, "indent": 1, "library-path": 1}


class Done(NamedTuple):
    """What a call printed, in order, on file descriptor 1 or 2; its exit code, and the operations it took."""

    pieces: Sequence[tuple[int, str]]
    code: int
    operations: int


class _Usage(Exception):
    """The words of the call are wrong: what to print, and the exit code."""

    def __init__(self, text: str, code: int = 2, out: bool = False) -> None:
        super().__init__(text)
        self.text, self.code, self.out = text, code, out


@dataclass
class _Options:
    """What the words of a call ask for."""

    flags: set[str] = field(default_factory=set)
    indent: int = 2
    program: str | None = None
    files: list[str] = field(default_factory=list)
    named: dict[str, Json] = field(default_factory=dict)
    positional: list[Json] = field(default_factory=list)


def run_jq(
    argv: Sequence[str],
    stdin: str,
    read_file: Callable[[str], str],
    env: Mapping[str, str],
    now: float,
    left: int,
) -> Done:
    """Run a call of jq.

    Args:
        argv: its words, its own name first.
        stdin: its standard input.
        read_file: the text of a file. Raises OSError.
        env: what `$ENV` shows.
        now: Unix seconds.
        left: operations that it may take at most; then it ends as if there were no memory.

    >>> run_jq(["jq", "-c", "[.[] + 1]"], "[1, 2]", str, {}, 0.0, 1_000).pieces
    [(1, '[2,3]\\n')]
    """
    try:
        options = _read_options(argv[1:], read_file)
        if options.program is None:
            raise _Usage(HELP.replace("jq -", "jq -", 1), 2)
        program = compile_program(options.program, frozenset(options.named))
    except _Usage as usage:
        return Done([(1 if usage.out else 2, usage.text)], usage.code, 0)
    except SyntaxIssue as issue:
        text = f"jq: error: {issue.message} at <top-level>, line {issue.line}:\n{issue.shown}\njq: 1 compile error\n"
        return Done([(2, text)], 3, 0)
    call = _Call(options, program, Run(left, now=now), read_file, stdin)
    call.run.variables = {
        **options.named,
        "ENV": dict(sorted(env.items())),
        "ARGS": {"positional": options.positional, "named": options.named},
        "__prog_args": options.positional,
    }
    code = call.go()
    return Done(call.pieces, code, left - max(0, call.run.left))


def _read_options(words: Sequence[str], read_file: Callable[[str], str]) -> _Options:
    found, rest, only, more = _Options(), list(words), False, ""
    while rest:
        word = rest.pop(0)
        if only or word[:1] != "-" or not (word[1:2] == "-" or word[1:2].isalpha()):
            _place(found, word, more)
        elif word == "--":
            only = True
        elif word in ("--args", "--jsonargs"):
            more = word
        elif word.startswith("--") or word == "-L":
            name = "library-path" if word == "-L" else word[2:]
            if name in VALUED:
                rest = _take(found, name, rest, read_file)
            elif name in LONG:
                found.flags.add(name)
            else:
                raise _Usage(f"{NAME}: Unknown option {word}\n{USE}")
        else:
            for sign in word[1:]:
                if sign not in FLAGS:
                    raise _Usage(f"{NAME}: Unknown option {word}\n{USE}")
                found.flags.add(FLAGS[sign])
    if "help" in found.flags:
        raise _Usage(HELP, 0, True)
    if "version" in found.flags:
        raise _Usage("jq-1.6\n", 0, True)
    if "from-file" in found.flags and found.program is not None:
        try:
            found.program = read_file(found.program)
        except OSError as error:
            raise _Usage(f"{NAME}: Could not open {found.program}: {_reason(error)}\n") from None
    return found


def _reason(error: OSError) -> str:
    return "Is a directory" if isinstance(error, IsADirectoryError) else "No such file or directory"


def _place(found: _Options, word: str, more: str) -> None:
    if found.program is None:
        found.program = word
    elif more == "--args":
        found.positional.append(word)
    elif more:
        try:
            found.positional.append(load(word))
        except ReadError:
            raise _Usage(f"{NAME}: Invalid JSON text passed to --jsonargs\n{USE}") from None
    else:
        found.files.append(word)


def _take(found: _Options, name: str, rest: list[str], read_file: Callable[[str], str]) -> list[str]:
    """An option with words of its own; what is left after them."""
    words, rest = rest[: VALUED[name]], rest[VALUED[name] :]
    if len(words) < VALUED[name]:
        many = {"arg": "two parameters (e.g. --arg varname value)"}.get(name, "two parameters (e.g. --%s varname text)")
        if name == "indent":
            raise _Usage(f"{NAME}: --indent takes one parameter\n{USE}")
        raise _Usage(f"{NAME}: --{name} takes {many.replace('%s', name)}\n{USE}")
    if name == "indent":
        if not words[0].isdecimal() or int(words[0]) > 7:
            raise _Usage(f"{NAME}: --indent takes a number between -1 and 7\n{USE}")
        found.indent = int(words[0])
    elif name == "arg":
        found.named.setdefault(words[0], words[1])
    elif name == "argjson":
        try:
            found.named.setdefault(words[0], load(words[1]))
        except ReadError:
            raise _Usage(f"{NAME}: invalid JSON text passed to --argjson\n{USE}") from None
    elif name in ("slurpfile", "rawfile"):
        _load(found, name, words, read_file)
    return rest


def _load(found: _Options, name: str, words: Sequence[str], read_file: Callable[[str], str]) -> None:
    try:
        text = read_file(words[1])
        value: Json = text if name == "rawfile" else [each.value for each in read(text)]
    except OSError as error:
        why = f"Could not open {words[1]}: {_reason(error)}"
        raise _Usage(f"{NAME}: Bad JSON in --{name} {words[0]} {words[1]}: {why}\n") from None
    except ReadError as error:
        raise _Usage(f"{NAME}: Bad JSON in --{name} {words[0]} {words[1]}: {error}\n") from None
    found.named.setdefault(words[0], value)


class _Broken(Exception):
    """The input cannot be read further."""


class _Call:
    """One call, from its first input to its exit code."""

    def __init__(self, options: _Options, program: Node, run: Run, read_file: Callable[[str], str], stdin: str) -> None:
        self.options, self.program, self.run = options, program, run
        self.read_file, self.stdin = read_file, stdin
        self.pieces: list[tuple[int, str]] = []
        self.code = 0
        self.missing = False
        self.where = "<unknown>"
        self.last: Json | tuple[()] = ()

    def go(self) -> int:
        """Evaluate the program for each input; the exit code."""
        flags, run = self.options.flags, self.run
        run.note = lambda text: self.pieces.append((2, text))
        run.inputs = self._inputs()
        try:
            for value in [None] if "null-input" in flags else run.inputs:
                self._evaluate(value)
        except _Broken as broken:
            self.pieces.append((2, f"parse error: {broken}\n"))
            return 4
        except Halted as halted:
            return self._halted(halted)
        except OutOfWork:
            self.pieces.append((2, NO_ROOM))
            return ABORTED
        if self.missing:
            return 2
        if self.code or "exit-status" not in flags:
            return self.code
        return 4 if self.last == () else 0 if is_true(self.last) else 1

    def _evaluate(self, value: Json) -> None:
        self.code = 0
        try:
            for found in self.run.outputs(self.program, value):
                self.last = found
                self.pieces.append((1, self._text(found)))
        except JqError as error:
            self.code = 5
            raised, colon = error.value, ":"
            text = raised if isinstance(raised, str) else to_json(self.run, raised)
            colon = ":" if isinstance(raised, str) else " (not a string):"
            self.pieces.append((2, f"jq: error (at {self.where}){colon} {text}\n"))

    def _text(self, value: Json) -> str:
        """An output as it is printed."""
        flags, options = self.options.flags, self.options
        raw = flags & {"raw-output", "join-output", "raw-output0"}
        if isinstance(value, str) and raw and "ascii-output" not in flags:
            text = value
        else:
            if self.run.made:
                self.run.charge(weigh(value, 2 * self.run.left + 2))
            flat = "compact-output" in flags or (options.indent == 0 and "tab" not in flags)
            text = write(value, None if flat else options.indent, "tab" in flags and not flat, "sort-keys" in flags)
            if "ascii-output" in flags:
                text = _ascii(text)
                text = text[1:-1] if raw and isinstance(value, str) and "\\" not in text else text
        self.run.charge(len(text) // CHARACTERS)
        end = "\0" if "raw-output0" in flags else "" if "join-output" in flags else "\n"
        return ("\x1e" if "seq" in flags else "") + text + end

    def _halted(self, halted: Halted) -> int:
        value = halted.value
        if isinstance(value, str):
            self.pieces.append((2, value))
        elif value is not None:
            self.pieces.append((2, write(value) + "\n"))
        return halted.code

    def _inputs(self) -> Iterator[Json]:
        flags = self.options.flags
        if "raw-input" in flags:
            yield from self._raw()
        elif "slurp" in flags:
            self.where = "<stdin>:0"
            yield list(self._values())
        else:
            yield from self._values()

    def _texts(self) -> Iterator[str]:
        """The texts of all files, or the standard input."""
        if not self.options.files:
            self.where = "<stdin>:0"
            yield self.stdin
        for path in self.options.files:
            try:
                text = self.read_file(path)
            except OSError as error:
                self.pieces.append((2, f"jq: error: Could not open file {path}: {_reason(error)}\n"))
                self.missing = True
                continue
            self.run.filename = path
            yield text

    def _raw(self) -> Iterator[Json]:
        if "slurp" in self.options.flags:
            yield "".join(self._texts())
            return
        text = "".join(self._texts())
        lines = text.split("\n")
        for number, line in enumerate(lines, 1):
            if number < len(lines) or line:
                self.run.lines = min(number, len(lines) - 1)
                self.where = f"{self.run.filename or '<stdin>'}:{self.run.lines}"
                yield line

    def _values(self) -> Iterator[Json]:
        for text in self._texts():
            self.run.charge(len(text) // CHARACTERS)
            try:
                for value, lines in read(text):
                    self.run.lines = lines
                    self.where = f"{self.run.filename or '<stdin>'}:{lines}"
                    if "stream" in self.options.flags:
                        yield from _events(value, ())
                    else:
                        yield value
            except ReadError as error:
                raise _Broken(str(error)) from None


def _events(value: Json, path: tuple[Json, ...], top: bool = True) -> Iterator[Json]:
    """A value as `--stream` has it: its leaves with their paths, and where its arrays and objects end."""
    if not isinstance(value, list | dict) or not value:
        yield [list(path), value]
        return
    key: Json = None
    for key, each in enumerate(value) if isinstance(value, list) else value.items():
        yield from _events(each, (*path, key), False)
    yield [[*path, key]]


def _ascii(text: str) -> str:
    units = text.encode("utf-16-be", "surrogatepass")
    pairs = [int.from_bytes(units[at : at + 2], "big") for at in range(0, len(units), 2)]
    return "".join(chr(each) if each < 0x7F else f"\\u{each:04x}" for each in pairs)
