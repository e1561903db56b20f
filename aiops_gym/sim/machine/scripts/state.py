"""Commands that change the state of their shell: its options, arguments, traps and folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.machine.scripts import parameters
from aiops_gym.sim.machine.scripts.files import make_absolute
from aiops_gym.sim.machine.scripts.options import LONG_OPTIONS, MODES, ON, SHOPTS, is_on
from aiops_gym.sim.machine.scripts.parser import parse
from aiops_gym.sim.machine.scripts.reader import ScriptError
from aiops_gym.sim.machine.scripts.task import Stop

if TYPE_CHECKING:
    from aiops_gym.sim.machine.scripts.machine import Machine

_BUILTINS = """
    . : alias bg break cd command continue echo eval exec exit export false fg getopts hash jobs kill local printf pwd
    read readonly return set shift test times trap true type ulimit umask unalias unset wait [
"""
BUILTINS = frozenset(_BUILTINS.split())
_OF_BASH = """
    bind builtin caller compgen complete compopt declare dirs disown enable fc help history let logout mapfile popd
    pushd readarray shopt source suspend typeset
"""
OF_BASH = frozenset(_OF_BASH.split())
_KEYWORDS = "! { } case do done elif else esac fi for if in then until while"
KEYWORDS = frozenset(_KEYWORDS.split())
_KEYWORDS_OF_BASH = "[[ ]] function select time coproc"
KEYWORDS_OF_BASH = frozenset(_KEYWORDS_OF_BASH.split())


def cd(machine: Machine, argv: list[str]) -> Stop | None:
    """`cd [folder]`; `-` is where it was before."""
    words = [word for word in argv[1:] if word not in ("-L", "-P", "--", "-e")]
    if len(words) > 1 and machine.dialect == "bash":
        machine.blame("cd: too many arguments")
        machine.task.code = 1
        return None
    word = words[0] if words else machine.get("HOME") or "/root"
    before = machine.get("OLDPWD")
    if word == "-" and not before:
        machine.blame("cd: OLDPWD not set")
        machine.task.code = 1
        return None
    path = make_absolute((before or "") if word == "-" else word or ".", machine.task.cwd)
    if "-P" in argv:
        path = machine.files.follow(path)
    if go_to(machine, path, word, "cd") and word == "-":
        machine.write("1", f"{path}\n")
    return None


def go_to(machine: Machine, path: str, word: str, command: str) -> bool:
    """Make a folder the present one; False, with what was said of it, where it is none."""
    kind = machine.files.kind(path)
    if kind == "directory":
        machine.task.vars["OLDPWD"] = machine.task.cwd
        if machine.dialect == "bash" and "OLDPWD" not in machine.task.exports:
            machine.task.exports = {**machine.task.exports, "OLDPWD": True}
        machine.task.cwd = path
        machine.task.vars["PWD"] = path
        return True
    if machine.dialect == "bash":
        machine.blame(f"{command}: {word}: {'Not a directory' if kind else 'No such file or directory'}")
    else:
        machine.write("2", f"{machine.name}: 1: cd: can't cd to {word}\n")
    machine.task.code = 1 if machine.dialect == "bash" else 2
    return False


def stack_folders(machine: Machine, argv: list[str]) -> Stop | None:
    """`pushd`, `popd` and `dirs`."""
    task, words = machine.task, [word for word in argv[1:] if not word.startswith("-")]
    name = argv[0]
    if name == "pushd":
        target = words[0] if words else task.folders[0] if task.folders else ""
        if not target:
            machine.blame("pushd: no other directory")
            task.code = 1
            return None
        before = task.cwd
        if not go_to(machine, make_absolute(target, task.cwd), target, name):
            return None
        task.folders = [before, *(task.folders if words else task.folders[1:])]
    elif name == "popd":
        if not task.folders:
            machine.blame("popd: directory stack empty")
            task.code = 1
            return None
        first, task.folders = task.folders[0], task.folders[1:]
        go_to(machine, first, first, name)
    elif "-c" in argv:
        task.folders = []
        return None
    home = machine.get("HOME") or "/root"
    folders = [each if "-l" in argv else _short(each, home) for each in (task.cwd, *task.folders)]
    lines = "-p" in argv or "-v" in argv
    numbered = [f"{number:2d}  {each}" if "-v" in argv else each for number, each in enumerate(folders)]
    machine.write("1", ("\n" if lines else " ").join(numbered) + "\n")
    return None


def _short(folder: str, home: str) -> str:
    return f"~{folder[len(home) :]}" if folder == home or folder.startswith(f"{home}/") else folder


def set_(machine: Machine, argv: list[str]) -> Stop | None:
    """Options, and with words after them the arguments."""
    words, task = argv[1:], machine.task
    if not words:
        from aiops_gym.sim.machine.scripts.declaring import show_all  # noqa: PLC0415

        show_all(machine)
        return None
    while words and words[0].startswith(("-", "+")) and words[0] not in ("--", "-", "+"):
        word = words.pop(0)
        on, letters = word[0] == "-", word[1:].replace("o", "")
        if "o" in word:
            if not words:
                _show_options(machine, on)
                return None
            name = words.pop(0)
            if name not in LONG_OPTIONS and name not in MODES:
                machine.blame(f"set: {name}: invalid option name")
                task.code = 2
                return None
            letters += LONG_OPTIONS.get(name, "")
            if name in MODES:
                turn(machine, name, on)
        for letter in letters:
            if letter not in "abefhkmnptuvxBCEHPT":
                machine.blame(f"set: {word[0]}{letter}: invalid option")
                task.code = 2
                return None
        kept = set(task.options) | set(letters) if on else set(task.options) - set(letters)
        task.options = "".join(sorted(kept - set("hBHPm")))
    if words[:1] == ["-"]:
        words = words[1:]
        task.options = task.options.replace("x", "").replace("v", "")
        if not words:
            return None
    if words:
        task.args = [machine.name, *(words[1:] if words[0] == "--" else words)]
    return None


def turn(machine: Machine, name: str, on: bool, usual: bool = False) -> None:
    """Turn an option on or off; those that are on as a rule are kept where they are off."""
    modes = [each for each in machine.task.modes if each != name]
    machine.task.modes = [*modes, name] if on != (usual or name in ON) else modes


def _show_options(machine: Machine, table: bool) -> None:
    names = sorted(
        (*LONG_OPTIONS, *MODES, "histexpand", "ignoreeof", "interactive-comments", "keyword", "nolog", "onecmd")
    )
    for name in names:
        on = is_on(machine.task, name)
        machine.write("1", f"{name:<15}\t{'on' if on else 'off'}\n" if table else f"set {'-' if on else '+'}o {name}\n")


def shopt(machine: Machine, argv: list[str]) -> Stop | None:
    """Options of bash alone."""
    letters = "".join(word[1:] for word in argv[1:] if word.startswith("-"))
    names = [word for word in argv[1:] if not word.startswith("-")]
    known = (
        {name: is_on(machine.task, name) for name in (*LONG_OPTIONS, *MODES)}
        if "o" in letters
        else {name: (name in machine.task.modes) != usual for name, usual in SHOPTS.items()}
    )
    for name in names:
        if name not in known:
            machine.blame(f"shopt: {name}: invalid shell option name")
            machine.task.code = 1
        elif "s" in letters or "u" in letters:
            if "o" in letters:
                set_(machine, ["set", "-o" if "s" in letters else "+o", name])
            else:
                turn(machine, name, "s" in letters, SHOPTS[name])
    if "s" in letters or "u" in letters:
        if not names:
            _list_options(machine, {name: on for name, on in known.items() if on == ("s" in letters)}, letters)
        return None
    chosen = {name: known[name] for name in names if name in known} if names else known
    if "q" not in letters:
        _list_options(machine, chosen, letters)
    if names and not all(chosen.values()):
        machine.task.code = 1
    return None


def _list_options(machine: Machine, chosen: dict[str, bool], letters: str) -> None:
    for name, on in sorted(chosen.items()):
        shown = f"shopt {'-s' if on else '-u'} {name}" if "p" in letters else f"{name:<15}\t{'on' if on else 'off'}"
        machine.write("1", f"{shown}\n")


def shift(machine: Machine, argv: list[str]) -> Stop | None:
    """Drop the first arguments."""
    if len(argv) > 1 and not is_natural(argv[1]) and machine.dialect == "bash":
        negative = is_natural(argv[1].removeprefix("-"))
        what = "shift count out of range" if negative else "numeric argument required"
        machine.blame(f"shift: {argv[1]}: {what}")
        machine.task.code = 1
        return None
    count = int(argv[1]) if len(argv) > 1 and is_natural(argv[1]) else 1
    if count > len(machine.arguments()):
        if machine.dialect == "dash":
            raise ScriptError("shift: can't shift that many")
        machine.task.code, count = 1, 0
    machine.task.args = [machine.name, *machine.arguments()[count:]]
    return None


def getopts(machine: Machine, argv: list[str]) -> Stop | None:
    """The next option of the arguments."""
    if len(argv) < 3:
        machine.blame("getopts: usage: getopts optstring name [arg ...]")
        machine.task.code = 2
        return None
    wanted, name, task = argv[1], argv[2], machine.task
    given, at = argv[3:] or machine.arguments(), int(at) if is_natural(at := machine.get("OPTIND") or "1") else 1
    task.letter = task.letter if at > 0 and machine.get("OPTIND") == task.vars.get("\0optind", "1") else 0
    word = given[at - 1] if 0 < at <= len(given) else ""
    if not task.letter and (not word.startswith("-") or word in ("-", "--")):
        machine.set(name, "?")
        _place(machine, at + (word == "--"), 0)
        task.vars.pop("OPTARG", None)
        task.code = 1
        return None
    found, rest = word[task.letter + 1], word[task.letter + 2 :]
    place, takes = wanted.lstrip(":").find(found), f"{found}:" in wanted
    task.vars.pop("OPTARG", None)
    known = place >= 0 and found != ":"
    machine.set(name, found if known else "?")
    quiet, following, letter = wanted[:1] == ":", at, task.letter + 1
    if known and takes:
        following, letter = (at + 1 if rest else at + 2), 0
        if not rest and at >= len(given):
            machine.set(name, ":" if quiet else "?")
            _complain(machine, found, quiet, "option requires an argument -- {}", "No arg for -{} option")
            following = at + 1
        else:
            machine.set("OPTARG", rest or given[at])
    else:
        if not known:
            _complain(machine, found, quiet, "illegal option -- {}", "Illegal option -{}")
        following, letter = (at, letter) if rest else (at + 1, 0)
    _place(machine, following, letter)
    return None


def _place(machine: Machine, word: int, letter: int) -> None:
    machine.set("OPTIND", str(word))
    machine.task.vars["\0optind"], machine.task.letter = str(word), letter


def _complain(machine: Machine, letter: str, quiet: bool, bash: str, dash: str) -> None:
    if quiet:
        machine.set("OPTARG", letter)
    elif machine.dialect == "bash" and (machine.get("OPTERR") or "1") != "0":
        machine.write("2", f"{machine.name}: {bash.format(letter)}\n")
    elif machine.dialect != "bash":
        machine.write("2", f"{dash.format(letter)}\n")


def alias(machine: Machine, argv: list[str]) -> Stop | None:
    """`alias [-p] [name[=value] ...]`."""
    task, words = machine.task, [word for word in argv[1:] if word != "-p"]
    inner = any(frame[0] in ("source", "eval") for frame in task.stack)
    for word in words or sorted(task.aliases):
        name, sets, value = word.partition("=")
        if sets:
            task.aliases = {**task.aliases, name: [value, 0 if inner else machine.line]}
        elif name in task.aliases:
            machine.write("1", f"alias {name}={parameters.quote(task.aliases[name][0])}\n")
        else:
            machine.blame(f"alias: {name}: not found")
            task.code = 1
    return None


def unalias(machine: Machine, argv: list[str]) -> Stop | None:
    """`unalias [-a] [name ...]`."""
    task = machine.task
    names = list(task.aliases) if "-a" in argv else argv[1:]
    for name in names:
        if name not in task.aliases:
            machine.blame(f"unalias: {name}: not found")
            task.code = 1
    task.aliases = {name: each for name, each in task.aliases.items() if name not in names}
    return None


def find_type(machine: Machine, argv: list[str]) -> Stop | None:
    """`type name ...` and `command -v name ...`: what a word would run."""
    quiet = argv[0] == "command"
    words = argv[2 if quiet else 1 :]
    letters = ""
    while not quiet and words and words[0].startswith("-"):
        letters += words.pop(0)[1:]
    bash, some = machine.dialect == "bash", False
    for word in words:
        found = list(_meanings(machine, word, "f" in letters))
        if "p" in letters.lower():
            found = [each for each in found if each[0] == "file" and ("P" in letters or found[0][0] == "file")]
        found = found if "a" in letters else found[:1]
        if not found:
            machine.task.code = machine.task.code if quiet and bash else 1 if bash else 127
            if not quiet and not letters.strip("a"):
                text = (
                    f"{machine.name}: line {machine.line}: type: {word}: not found\n"
                    if bash
                    else f"{word}: not found\n"
                )
                machine.write("2" if bash else "1", text)
        some = some or bool(found)
        for kind, where in found:
            _tell_type(machine, word, kind, where, "quiet" if quiet else letters)
    if quiet and bash and not some:
        machine.task.code = 1
    return None


def _meanings(machine: Machine, word: str, no_functions: bool) -> Iterator[tuple[str, str]]:
    """What a word may mean, the first first: (kind, where a file lies)."""
    bash = machine.dialect == "bash"
    if word in machine.task.aliases and (not bash or "expand_aliases" in machine.task.modes):
        yield "alias", machine.task.aliases[word][0]
    if word in KEYWORDS or (bash and word in KEYWORDS_OF_BASH):
        yield "keyword", ""
    if word in machine.task.functions and not no_functions:
        yield "function", ""
    if word in BUILTINS or (bash and word in OF_BASH):
        yield "builtin", ""
    place = word if "/" in word and machine.files.kind(word) else machine.host.top.locate(word)
    if place:
        yield "file", place


def _tell_type(machine: Machine, word: str, kind: str, where: str, letters: str) -> None:
    bash = machine.dialect == "bash"
    if letters == "quiet":
        machine.write("1", f"alias {word}='{where}'\n" if kind == "alias" else f"{where or word}\n")
    elif kind == "alias" and "t" not in letters:
        machine.write("1", f"{word} is aliased to `{where}'\n")
    elif "t" in letters:
        machine.write("1", f"{kind}\n")
    elif "p" in letters.lower():
        machine.write("1", f"{where}\n")
    elif kind == "file":
        machine.write("1", f"{word} is {where}\n")
    elif bash:
        machine.write("1", f"{word} is a {'shell ' if kind != 'function' else ''}{kind}\n")
        if kind == "function":
            from aiops_gym.sim.machine.scripts.printing import show_function  # noqa: PLC0415

            machine.write("1", show_function(word, machine.task.functions[word]))
    else:
        machine.write("1", f"{word} is a shell {kind}\n")


def umask(machine: Machine, argv: list[str]) -> Stop | None:
    """`umask [-S] [mode]`, where a mode is a number."""
    words = [word for word in argv[1:] if word not in ("-S", "-p")]
    if words and re.fullmatch("[0-7]{1,4}", words[0]):
        machine.task.mask = machine.files.mask = int(words[0], 8) & 0o777
    elif words:
        machine.blame(
            f"umask: {words[0]}: {'invalid symbolic mode operator' if machine.dialect == 'bash' else 'Illegal mode'}"
        )
        machine.task.code = 1
    elif "-S" in argv:
        left = 0o777 & ~machine.task.mask
        machine.write(
            "1", ",".join(f"{who}={_letters(left >> at & 7)}" for who, at in (("u", 6), ("g", 3), ("o", 0))) + "\n"
        )
    else:
        machine.write("1", f"{machine.task.mask:04o}\n")
    return None


def _letters(bits: int) -> str:
    return "".join(letter for letter, bit in zip("rwx", (4, 2, 1), strict=True) if bits & bit)


def let(machine: Machine, argv: list[str]) -> Stop | None:
    """`let expression ...`."""
    value = 0
    for word in argv[1:]:
        try:
            value = machine.calculate(word)
        except ScriptError as error:
            machine.blame(f"let: {error.bash}")
            machine.task.code = 1
            return None
    machine.task.code = int(not value)
    return None


def caller(machine: Machine, argv: list[str]) -> Stop | None:
    """Where the running function was called."""
    frames = machine.callers()
    depth = int(argv[1]) if len(argv) > 1 and is_natural(argv[1]) else -1
    if depth < 0 and frames:
        machine.write("1", f"{frames[0][4]} NULL\n")
    elif 0 <= depth < len(frames) - 1:
        machine.write("1", f"{frames[depth][4]} {frames[depth + 1][3]} environment\n")
    else:
        machine.task.code = 1
    return None


def evaluate(machine: Machine, argv: list[str]) -> Stop | None:
    """`eval word ...`."""
    words = argv[2:] if argv[1:2] == ["--"] else argv[1:]
    machine.task.push("eval")
    machine.task.push("list", parse(" ".join(words), machine.dialect), 0)
    return None


COMMANDS = {
    "alias": alias,
    "unalias": unalias,
    "cd": cd,
    **dict.fromkeys(("pushd", "popd", "dirs"), stack_folders),
    "getopts": getopts,
    "type": find_type,
    "umask": umask,
    "set": set_,
    "shopt": shopt,
    "shift": shift,
    "let": let,
    "caller": caller,
    "eval": evaluate,
}
