"""Small tools that take no time: they read and change files, and print."""

from __future__ import annotations

import re
from collections.abc import Callable
from posixpath import basename, dirname
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.times import iso
from aiops_gym.sim.machine.scripts import memory
from aiops_gym.sim.machine.scripts.conditions import evaluate
from aiops_gym.sim.machine.scripts.files import make_absolute
from aiops_gym.sim.machine.scripts.patterns import compile_pattern

if TYPE_CHECKING:
    from aiops_gym.sim.machine.scripts.machine import Machine

Tool = Callable[["Machine", list[str]], int]
FORM = r"(%-?\d{0,3}(?:\.\d{0,2})?[sdiq%xb])"
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "a": "", "0": "\0", '"': '"'}


def unescape(text: str) -> str:
    """Backslashes as `echo -e` and printf read them."""
    return re.sub(r"\\([ntra\\0\"])", lambda m: ESCAPES[m[1]], text)


def echo(machine: Machine, argv: list[str]) -> int:
    """Words, with backslashes read as the shell reads them."""
    words, newline, escapes = argv[1:], "\n", machine.name.rpartition("/")[2] not in ("bash",)
    while words and words[0] in ("-n", "-e", "-ne", "-en", "-E"):
        newline = "" if "n" in words[0] else newline
        words = words[1:]
    text = " ".join(words)
    machine.write("1", (unescape(text) if escapes else text) + newline)
    return 0


def printf(machine: Machine, argv: list[str]) -> int:
    """A form filled in, again and again while there are words."""
    words = argv[2:]
    pieces = re.split(FORM, unescape(argv[1] if len(argv) > 1 else ""))
    taken = sum(1 for p in pieces if p != "%%" and re.fullmatch(FORM, p))
    out = ""
    while True:
        for piece in pieces:
            if not re.fullmatch(FORM, piece):
                out += piece
            elif piece == "%%":
                out += "%"
            else:
                out += _formatted(piece, words.pop(0) if words else "")
        if not words or not taken:
            break
    machine.write("1", out)
    return 0


def _formatted(piece: str, value: str) -> str:
    if piece[-1] in "sqb":
        return (piece[:-1] + "s") % value
    number = int(value) if re.fullmatch(r"-?\d+", value) else 0
    return (piece[:-1] + ("d" if piece[-1] == "i" else piece[-1])) % number


def _inputs(machine: Machine, argv: list[str], names: list[str]) -> tuple[list[str], int]:
    """Texts of files, or of standard input; and the exit code."""
    if not names or names == ["-"]:
        source = machine.stdin()
        return [source[1] if source[0] == "text" else ""], 0
    texts, code = [], 0
    for name in names:
        text = machine.files.read(make_absolute(name, machine.task.cwd))
        if text is None:
            what = (
                "Is a directory"
                if machine.files.kind(make_absolute(name, machine.task.cwd))
                else "No such file or directory"
            )
            machine.write("2", f"{argv[0].rpartition('/')[2]}: {name}: {what}\n")
            code = 1
        else:
            texts.append(text)
    return texts, code


def cat(machine: Machine, argv: list[str]) -> int:
    """Files, one after the other."""
    texts, code = _inputs(machine, argv, [w for w in argv[1:] if not w.startswith("-") or w == "-"])
    machine.write("1", "".join(texts))
    return code


def head(machine: Machine, argv: list[str]) -> int:
    """The first lines."""
    return _lines(machine, argv, lambda lines, n: lines[:n])


def tail(machine: Machine, argv: list[str]) -> int:
    """The last lines."""
    return _lines(machine, argv, lambda lines, n: lines[-n:] if n else [])


def _lines(machine: Machine, argv: list[str], cut: Callable[[list[str], int], list[str]]) -> int:
    count, names, words = 10, list[str](), argv[1:]
    while words:
        word = words.pop(0)
        if word == "-n" and words:
            word = f"-{words.pop(0).lstrip('+')}"
        digits = re.fullmatch(r"-n?(\d+)", word)
        if digits:
            count = int(digits[1])
        elif not word.startswith("-"):
            names.append(word)
    texts, code = (
        _inputs(machine, argv, [n for n in names if n != "/dev/null"]) if names else _inputs(machine, argv, [])
    )
    if names == ["/dev/null"]:
        return 0
    machine.write("1", "".join(line for text in texts for line in cut(text.splitlines(keepends=True), count)))
    return code


def grep(machine: Machine, argv: list[str]) -> int:
    """Lines that match."""
    flags = "".join(w[1:] for w in argv[1:] if w.startswith("-"))
    words = [w for w in argv[1:] if not w.startswith("-")]
    texts, code = _inputs(machine, argv, words[1:])
    found = compile_pattern(words[0] if words else "", "i" in flags, "F" in flags)
    lines = [line for text in texts for line in text.splitlines() if bool(found.search(line)) != ("v" in flags)]
    if "c" in flags:
        machine.write("1", f"{len(lines)}\n")
    elif "q" not in flags:
        machine.write("1", "".join(f"{line}\n" for line in lines))
    return code * 2 or int(not lines)


def wc(machine: Machine, argv: list[str]) -> int:
    """Lines, words and bytes."""
    texts, code = _inputs(machine, argv, [w for w in argv[1:] if not w.startswith("-")])
    text, source = "".join(texts), machine.stdin()
    size = source[1] if source[0] == "zero" and len(argv) < 3 else len(text.encode())
    counts = {"l": text.count("\n"), "w": len(text.split()), "c": size}
    flags = [f for f in "lwc" if any(w.startswith("-") and f in w for w in argv[1:])] or list("lwc")
    machine.write("1", " ".join(str(counts[f]) for f in flags) + "\n")
    return code


def test(machine: Machine, argv: list[str]) -> int:
    """A condition."""
    closing = {"[": "]", "[[": "]]"}.get(argv[0])
    words = argv[1:]
    if closing:
        if not words or words[-1] != closing:
            machine.write("2", f"{machine.name}: 1: [: missing ]\n")
            return 2
        words = words[:-1]
    return evaluate(machine, words)


def mkdir(machine: Machine, argv: list[str]) -> int:
    """Make folders."""
    code, parents = 0, any(w.startswith("-") and "p" in w for w in argv[1:])
    for name in [w for w in argv[1:] if not w.startswith("-")]:
        path = make_absolute(name, machine.task.cwd)
        known = machine.files.kind(path)
        if known and not (parents and known == "directory"):
            machine.write("2", f"mkdir: can't create directory '{name}': File exists\n")
            code = 1
        elif not known and not parents and machine.files.kind(dirname(path)) != "directory":
            machine.write("2", f"mkdir: can't create directory '{name}': No such file or directory\n")
            code = 1
        elif not known:
            pieces = path.split("/")
            for end in range(2, len(pieces) + 1):
                if not machine.files.kind("/".join(pieces[:end])):
                    machine.files.folder("/".join(pieces[:end]))
    return code


def remove(machine: Machine, argv: list[str]) -> int:
    """Take files and folders away."""
    code, force = 0, any(w.startswith("-") and "f" in w for w in argv[1:])
    for name in [w for w in argv[1:] if not w.startswith("-")]:
        path = make_absolute(name, machine.task.cwd)
        if machine.files.kind(path):
            machine.files.remove(path)
        elif not force:
            machine.write("2", f"rm: can't remove '{name}': No such file or directory\n")
            code = 1
    return code


def touch(machine: Machine, argv: list[str]) -> int:
    """Make files that are not there."""
    code = 0
    for name in [w for w in argv[1:] if not w.startswith("-")]:
        path = make_absolute(name, machine.task.cwd)
        if not machine.files.kind(path) and not machine.files.write(path, ""):
            machine.write("2", f"touch: {name}: No such file or directory\n")
            code = 1
    return code


def copy(machine: Machine, argv: list[str]) -> int:
    """`cp` and `mv` of files."""
    names = [make_absolute(w, machine.task.cwd) for w in argv[1:] if not w.startswith("-")]
    code = 0
    for name in names[:-1]:
        text = machine.files.read(name)
        target = f"{names[-1]}/{basename(name)}" if machine.files.kind(names[-1]) == "directory" else names[-1]
        if text is None or not machine.files.write(target, text):
            machine.write("2", f"{argv[0]}: can't stat '{name}': No such file or directory\n")
            code = 1
        elif argv[0] == "mv":
            machine.files.remove(name)
    return code


def ls(machine: Machine, argv: list[str]) -> int:
    """What is in a folder."""
    code = 0
    for name in [w for w in argv[1:] if not w.startswith("-")] or ["."]:
        path = make_absolute(name, machine.task.cwd)
        kind = machine.files.kind(path)
        if not kind:
            machine.write("2", f"ls: {name}: No such file or directory\n")
            code = 1
        elif kind == "file":
            machine.write("1", f"{name}\n")
        else:
            prefix = path.rstrip("/") + "/"
            inside = {p[len(prefix) :].partition("/")[0] for p in machine.paths() if p.startswith(prefix)}
            machine.write("1", "".join(f"{n}\n" for n in sorted(inside)))
    return code


def seq(machine: Machine, argv: list[str]) -> int:
    """Numbers."""
    numbers = [int(w) for w in argv[1:] if re.fullmatch(r"-?\d+", w)]
    if not numbers or len(numbers) > 3:
        return 1
    first, step, last = {1: (1, 1, numbers[0]), 2: (numbers[0], 1, numbers[-1])}.get(len(numbers), tuple(numbers))
    values = range(first, last + (1 if step > 0 else -1), step or 1)
    machine.write("1", "".join(f"{n}\n" for n in values[:100_000]))
    return 0


def date(machine: Machine, argv: list[str]) -> int:
    """The time."""
    seconds = machine.c.now // 1000
    form = next((w[1:] for w in argv[1:] if w.startswith("+")), "")
    stamp = iso(machine.c.now)
    pairs = {"%s": str(seconds), "%F": stamp[:10], "%T": stamp[11:19], "%H": stamp[11:13], "%M": stamp[14:16]}
    pairs |= {"%S": stamp[17:19], "%Y": stamp[:4], "%m": stamp[5:7], "%d": stamp[8:10], "%Z": "UTC", "%N": "000000000"}
    for sign, value in pairs.items():
        form = form.replace(sign, value)
    machine.write("1", f"{form or stamp}\n")
    return 0


def say(text: Callable[[Machine], str]) -> Tool:
    """A tool that prints something."""

    def tool(machine: Machine, argv: list[str]) -> int:
        machine.write("1", f"{text(machine)}\n")
        return 0

    return tool


def path_part(part: Callable[[str], str]) -> Tool:
    """`basename` or `dirname`."""

    def tool(machine: Machine, argv: list[str]) -> int:
        machine.write("1", f"{part(argv[1]) if len(argv) > 1 else ''}\n")
        return 0

    return tool


def _hostname(machine: Machine) -> str:
    return str(machine.c.hostname)


def _cwd(machine: Machine) -> str:
    return str(machine.task.cwd)


TOOLS: dict[str, Tool] = {
    **dict.fromkeys(("true", ":", "sync", "chmod", "chown", "ln", "logger", "mkfifo", "ps"), lambda m, a: 0),
    "false": lambda m, a: 1,
    **dict.fromkeys(("echo",), echo),
    "printf": printf,
    "grep": grep,
    "wc": wc,
    **dict.fromkeys(("test", "[", "[["), test),
    "mkdir": mkdir,
    **dict.fromkeys(("rm", "rmdir", "unlink"), remove),
    "touch": touch,
    **dict.fromkeys(("cp", "mv"), copy),
    "ls": ls,
    "seq": seq,
    "date": date,
    **dict.fromkeys(("fallocate", "truncate"), memory.allocate),
    "hostname": say(_hostname),
    "pwd": say(_cwd),
    "whoami": say(lambda m: "root"),
    "id": say(lambda m: "uid=0(root) gid=0(root) groups=0(root)"),
    "nproc": say(lambda m: "2"),
    "uname": say(lambda m: "Linux"),
    "basename": path_part(basename),
    "dirname": path_part(dirname),
}
