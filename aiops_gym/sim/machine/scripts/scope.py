"""What surrounds a task while it is walked: its variables, its descriptors, its files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.machine.scripts import patterns
from aiops_gym.sim.machine.scripts.allowance import Allowance
from aiops_gym.sim.machine.scripts.escapes import unescape
from aiops_gym.sim.machine.scripts.files import make_absolute
from aiops_gym.sim.machine.scripts.host import Host
from aiops_gym.sim.machine.scripts.printing import show_command
from aiops_gym.sim.machine.scripts.reader import ScriptError
from aiops_gym.sim.machine.scripts.task import Task
from aiops_gym.sim.machine.scripts.variables import Variables
from aiops_gym.types import Json

OPENING = 50
"""Units that a write to a file takes: others may look at it, and do so anew."""

_GLOB, _QUOTED = re.compile(r"[*?\[]|[@+!]\("), re.compile(r"\\(.)")

HOME = "/root"
"""Of root, as whom everything runs."""

VERSION = ("5", "2", "15", "1", "release", "x86_64-pc-linux-gnu")
"""Of bash in Debian 12."""

BASH_VERSION = f"{'.'.join(VERSION[:3])}({VERSION[3]})-{VERSION[4]}"

SOWN = "\0random"
"""Where it is kept from what the next random number is drawn."""

_FIXED = {
    "BASH": "/usr/bin/bash",
    "BASH_VERSION": BASH_VERSION,
    "BASH_VERSINFO": VERSION[0],
    "UID": "0",
    "EUID": "0",
    "PPID": "0",
    "SHLVL": "1",
    "HOSTTYPE": "x86_64",
    "OSTYPE": "linux-gnu",
    "MACHTYPE": VERSION[5],
    "GROUPS": "0",
    "OPTIND": "1",
    "OPTERR": "1",
    "PS4": "+ ",
}
"""Variables that bash gives itself, unless somebody sets them."""


class Scope(Variables):
    """The surroundings of a task, which is changed.

    Args:
        host: who runs it.
        task: the task.
        allowance: what it may do.
    """

    def __init__(self, host: Host, task: Task, allowance: Allowance) -> None:
        self.host = host
        self.task = task
        self.c = host.c
        self.files = host.top.open_files(task.mask)
        self.allowance = allowance
        self.longest = allowance.longest_text
        self.line: int = 1
        self.current: Json = None
        self.drains: list[Json] = []
        self._image = host.c.image()

    def clock(self) -> int:
        """Milliseconds on the clock of whoever runs this."""
        raise NotImplementedError

    def expand_text(self, word: Sequence[Json]) -> str:
        """A word that is not split; see `words`."""
        raise NotImplementedError

    def expand_pattern(self, word: Sequence[Json]) -> str:
        """A word as a pattern; see `words`."""
        raise NotImplementedError

    @property
    def separators(self) -> str:
        """Signs by which fields are split."""
        given = self.get("IFS")
        return " \t\n" if given is None else given

    def substitute(self, node: Json) -> str:
        """What commands print, run here and now."""
        raise NotImplementedError

    def open_process(self, sign: str, node: Json) -> str:
        """The name under which what commands print can be read, or what they read be written."""
        raise NotImplementedError

    @property
    def dialect(self) -> str:  # type: ignore[override]
        """`bash`, `dash` or `busybox`."""
        if self.task.shell:
            return self.task.shell
        if self.name.rpartition("/")[2] == "bash" or self._image is None:
            return "bash"
        return "dash" if self._image.sh != "busybox" else "busybox"

    @property
    def name(self) -> str:
        """`$0` as error messages have it."""
        return self.task.args[0] if self.task.args else "sh"

    def blame(self, text: str) -> None:
        """Tell what is wrong as the shell does, with its name and the line."""
        where = f"line {self.line}" if self.dialect == "bash" else str(self.line)
        self.write("2", f"{self.name}: {where}: {text}\n")

    @property
    def extended(self) -> bool:
        """Whether patterns may have groups."""
        return "extglob" in self.task.modes

    def folds(self, mode: str) -> bool:
        """Whether one of bash's options is on."""
        return mode in self.task.modes

    def open_file(self, path: str, sign: str) -> Json:
        special: dict[str, Json] = {"/dev/null": ["null"], "/dev/zero": ["zero", -1]}
        special |= {each[1]: ["file", each[1]] for each in self.drains if sign != "<"}
        special |= {name: ["out"] for name in ("/proc/1/fd/1",)}
        special |= {name: ["err"] for name in ("/proc/1/fd/2",)}
        if path in special:
            return special[path]
        own = {"/dev/stdin": "0", "/dev/stdout": "1", "/dev/stderr": "2"}.get(path) or path.removeprefix("/dev/fd/")
        if own in self.task.fds:
            return self.task.fds[own]
        if sign == "<":
            text = self.files.read(path)
            if text == "" and (size := self.files.size(path)):
                return ["zero", size]
            return None if text is None else self.open_text(text)
        return ["file", path] if self.files.write(path, "", append=sign in (">>", "&>>", "<>")) else None

    def write(self, number: str, text: str) -> None:
        """Write to a descriptor."""
        self.allowance.move(len(text))
        target = self.task.fds.get(number, ["null"])
        if target[0] == "out" and text:
            self.host.write(self.task, text)
        elif target[0] == "err" and text:
            self.host.complain(self.task, text)
        elif target[0] == "coprocess":
            self.give(target[1], text)
        elif target[0] == "kept":
            target[1].append(text)
        elif target[0] == "file" and text:
            self.files.write(target[1], text, append=True)
            self.allowance.left -= OPENING

    def stdin(self) -> Json:
        """What can be read: ["text", text] or ["zero", bytes]."""
        return self.input("0")

    def input(self, number: str) -> Json:
        """What can be read at a descriptor: the same."""
        raise NotImplementedError

    def give(self, key: str, text: str) -> None:
        """Write to a coprocess."""
        raise NotImplementedError

    def consume(self, source: Json, rest: str) -> None:
        """What was read of an input is gone, for all who have it open."""
        if source[2:] and source[2] in self.task.coprocesses:
            self.task.coprocesses[source[2]]["left"] = rest
        frames = [frame[1] for frame in self.task.stack if frame[0] == "restore"]
        for fds in (self.task.fds, *frames):
            for number, each in list(fds.items()):
                if each[0] == source[0] == "text" and each[2:] == source[2:]:
                    fds[number] = ["text", rest, *source[2:]]

    def open_text(self, text: str) -> Json:
        """An input that is one place for all who have it open."""
        self.task.opened += 1
        return ["text", text, self.task.opened]

    def find_special(self, name: str) -> str | None:
        """The value of a parameter that the shell keeps."""
        task = self.task
        if name.isalpha() and name not in _KEPT:
            return None
        if name == "?":
            return str(task.code)
        if is_natural(name):
            return task.args[int(name)] if int(name) < len(task.args) else None
        if name in ("@", "*", "#"):
            return str(len(self.arguments())) if name == "#" else " ".join(self.arguments())
        if name in ("$", "!"):
            return str(task.pid) if name == "$" else str(task.last or "")
        if name == "_" and self.dialect == "bash":
            return task.underscore or "/usr/bin/bash"
        if name == "-":
            return f"h{task.options}B{task.given}" if self.dialect == "bash" else task.options
        if name in _KEPT and self.dialect != "dash" and name not in task.vars:
            return _KEPT[name](self)
        return None

    def set(self, name: str, value: str, added: bool = False) -> None:
        """Give a variable a value; seconds are counted, and random numbers drawn, anew from it."""
        if name == "SECONDS" and self.dialect == "bash":
            self.task.began = self.clock() - 1000 * self.calculate(value)
        elif name == "RANDOM" and self.dialect == "bash":
            self.task.vars[SOWN] = str(self.calculate(value) & 0xFFFFFFFF)
        else:
            super().set(name, value, added)

    def inherited(self, name: str) -> str | None:
        """The container's variables, and what the shell gives itself."""
        given = self.c.env if self.task.exports.get(name, True) else {}
        if name in given:
            return given[name]
        usual = {"PWD": self.task.cwd, "HOME": HOME, "PATH": self.c.env.get("PATH", None), "IFS": " \t\n"}
        if name in usual and name not in self.task.unset:
            return usual[name]
        return _FIXED.get(name) if self.dialect == "bash" and name not in self.task.unset else None

    def array(self, name: str) -> Mapping[str, str]:
        """The elements of an array, those that the shell keeps among them."""
        if name in _ARRAYS and self.dialect == "bash" and name not in self.task.vars:
            return {str(place): value for place, value in enumerate(_ARRAYS[name](self))}
        return super().array(name)

    def names(self) -> list[str]:
        """Names of all variables that have a value."""
        return [*self.task.vars, *(name for name in self.c.env if name not in self.task.vars), *_FIXED]

    def attributes(self, name: str) -> str:
        """What `declare` says of a variable, as `-x` or `--`."""
        kind = self.task.kinds.get(name, "")
        fixed, exported = name in self.task.fixed, self.is_exported(name)
        letters = "".join(each for each in "aAilnu" if each in kind) + "r" * fixed + "x" * exported
        return f"-{''.join(sorted(letters, key='aAilnrtux'.index))}" if letters else "--"

    def environment(self) -> dict[str, str]:
        """What a command gets: the container's variables and those that are exported."""
        given, exports = {"HOME": HOME, **self.c.env}, self.task.exports  # which the runtime adds from /etc/passwd
        if not exports and not self.task.vars:
            return given
        found = {name: value for name, value in given.items() if exports.get(name, True)}
        own = {name: value for name, value in self.task.vars.items() if isinstance(value, str)}
        return found | {name: value for name, value in own.items() if exports.get(name, name in given)}

    def is_exported(self, name: str) -> bool:
        return self.task.exports.get(name, name == "HOME" or name in self.c.env)

    def paths(self, below: str = "/") -> list[str]:
        """All files, those below a folder among them."""
        return self.files.paths(below)

    def arguments(self) -> list[str]:
        """Positional parameters."""
        return self.task.args[1:]

    def callers(self) -> Sequence[Json]:
        """Frames of the functions that are running, the innermost first."""
        return [frame for frame in reversed(self.task.stack) if frame[0] == "call"]

    def glob(self, field: str, pattern: str) -> list[str]:
        """The files that a field with stars means, itself where there are none."""
        if not patterns.SIGNS.search(pattern) or "f" in self.task.options or pattern == patterns.quote(field):
            return [field]
        found = _match_paths(self, pattern)
        if ignored := self.task.vars.get("GLOBIGNORE"):
            each = [patterns.read(piece, True) for piece in str(ignored).split(":")]
            found = [name for name in found if not any(match.matches(name) for match in each)]
        if found or "nullglob" in self.task.modes:
            return found
        if "failglob" in self.task.modes:
            raise ScriptError(f"no match: {field}")
        return [field]

    def draw(self, purpose: str, below: int) -> str:
        """A random number, as text; after a value was given to `RANDOM`, those that bash 5.2 draws from it."""
        if purpose == "RANDOM" and (sown := self.task.vars.get(SOWN)):
            high, low = divmod(int(sown) or 123_459_876, 127_773)
            found = (16_807 * low - 2_836 * high) % 0x7FFFFFFF
            self.task.vars[SOWN] = str(found)
            return str((found >> 16 ^ found & 0xFFFF) & 0x7FFF)
        self.task.draws += 1
        count = int(self.c.world.now * 1000 + self.task.draws + 100 * self.task.turn)
        return str(draws.pick(below, self.c.world.seed, purpose, str(self.c.process["id"]), count))

    def decode_prompt(self, text: str) -> str:
        """`${x@P}`: a text as it would be shown as a prompt; see the manual, 6.9."""
        raise NotImplementedError

    def unescape(self, text: str) -> str:
        """`${x@E}`."""
        return unescape(text, self.files.binary)[0]


_KEPT: Mapping[str, Callable[[Scope], str | None]] = {
    "RANDOM": lambda scope: scope.draw("RANDOM", 1 << 15),
    "SRANDOM": lambda scope: scope.draw("SRANDOM", 1 << 32),
    "SECONDS": lambda scope: str((scope.clock() - scope.task.began) // 1000),
    "LINENO": lambda scope: str(scope.line),
    "BASHPID": lambda scope: str(scope.task.pid),
    "BASH_SUBSHELL": lambda scope: str(sum(frame[0] == "shell" for frame in scope.task.stack) + scope.task.level),
    "EPOCHSECONDS": lambda scope: str(scope.clock() // 1000),
    "EPOCHREALTIME": lambda scope: f"{scope.clock() // 1000}.{scope.clock() % 1000:03d}000",
    "HOSTNAME": lambda scope: scope.c.hostname,
    "FUNCNAME": lambda scope: next((frame[3] for frame in scope.callers()), None),
    "BASH_COMMAND": lambda scope: show_command(scope.current) if scope.current else "",
    "PIPESTATUS": lambda scope: str((scope.task.status or [scope.task.code])[0]),
}
_ARRAYS: Mapping[str, Callable[[Scope], Sequence[str]]] = {
    "BASH_VERSINFO": lambda scope: VERSION,
    "PIPESTATUS": lambda scope: [str(code) for code in scope.task.status or [scope.task.code]],
    "FUNCNAME": lambda scope: (
        [*(frame[3] for frame in scope.callers()), *(["main"] if scope.callers() else [])]
        if not scope.task.given
        else [frame[3] for frame in scope.callers()]
    ),
    "BASH_LINENO": lambda scope: [str(frame[4]) for frame in scope.callers()],
    "BASH_SOURCE": lambda scope: ["environment" for _ in scope.callers()],
    "DIRSTACK": lambda scope: [scope.task.cwd],
    "GROUPS": lambda scope: ["0"],
}


def _match_paths(scope: Scope, pattern: str) -> list[str]:
    pieces = re.split(r"/+", pattern)
    folders_only = pieces[-1] == ""
    pieces = pieces[:-1] if folders_only else pieces
    last = len(pieces) - 1
    plain = next(at for at, piece in enumerate(pieces) if at == last or _GLOB.search(_QUOTED.sub("", piece)))
    written = "".join(_QUOTED.sub(r"\1", piece) + "/" for piece in pieces[:plain])
    prefix = scope.files.follow(make_absolute(written or ".", scope.task.cwd)).rstrip("/") + "/"
    found: set[str] = set()
    for path in scope.paths(prefix):
        if path.startswith(prefix) and _fits(names := path[len(prefix) :].split("/"), pieces[plain:], scope):
            if folders_only and scope.files.kind(path) != "directory":
                continue
            found.add(written + "/".join(names) + ("/" if folders_only else ""))
    return sorted(found)


def _fits(names: Sequence[str], pieces: Sequence[str], scope: Scope) -> bool:
    """Whether a path fits, part by part; a dot at the beginning of a name has to be written."""
    if pieces and pieces[0] == "**" and "globstar" in scope.task.modes:
        return any(_fits(names[skipped:], pieces[1:], scope) for skipped in range(len(names) + 1)) or (
            len(pieces) == 1 and bool(names)
        )
    if not names or not pieces:
        return not names and not pieces
    name, piece = names[0], pieces[0]
    hidden = name[:1] == "." and piece[:1] != "." and "dotglob" not in scope.task.modes
    same = patterns.matches(name, piece, scope.extended, scope.folds("nocaseglob"))
    return same and not hidden and _fits(names[1:], pieces[1:], scope)
