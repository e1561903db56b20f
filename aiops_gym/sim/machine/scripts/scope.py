"""What surrounds a task while it is walked: its variables, its descriptors, its files."""

from __future__ import annotations

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.machine.scripts.allowance import Allowance
from aiops_gym.sim.machine.scripts.files import Files
from aiops_gym.sim.machine.scripts.host import Host
from aiops_gym.sim.machine.scripts.parser import ScriptError
from aiops_gym.sim.machine.scripts.task import Task
from aiops_gym.types import Json

OPENING = 50
"""Units that a write to a file takes: others may look at it, and do so anew."""

HOME = "/root"
"""Of root, as whom everything runs."""


class Scope:
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
        self.files = Files(host.c)
        self.allowance = allowance
        self._image = host.c.image()

    def substitute(self, script: str) -> str:
        """What a script prints, run here and now."""
        raise NotImplementedError

    @property
    def dialect(self) -> str:
        """`bash`, `dash` or `busybox`."""
        if self.name.rpartition("/")[2] == "bash" or self._image is None:
            return "bash"
        return "dash" if self._image.sh != "busybox" else "busybox"

    @property
    def name(self) -> str:
        """`$0` as error messages have it."""
        return self.task.args[0] if self.task.args else "sh"

    def open_file(self, path: str, sign: str) -> Json:
        special: dict[str, Json] = {"/dev/null": ["null"], "/dev/zero": ["zero", -1]}
        special |= {name: ["out"] for name in ("/dev/stdout", "/proc/1/fd/1")}
        special |= {name: ["err"] for name in ("/dev/stderr", "/proc/1/fd/2")}
        if path in special:
            return special[path]
        if sign == "<":
            text = self.files.read(path)
            if text == "" and (size := self.files.size(path)):
                return ["zero", size]
            return None if text is None else ["text", text]
        return ["file", path] if self.files.write(path, "", append=sign == ">>") else None

    def write(self, number: str, text: str) -> None:
        """Write to a descriptor."""
        self.allowance.move(len(text))
        target = self.task.fds.get(number, ["null"])
        if target[0] == "out" and text:
            self.host.write(self.task, text)
        elif target[0] == "err" and text:
            self.host.complain(self.task, text)
        elif target[0] == "file" and text:
            self.files.write(target[1], text, append=True)
            self.allowance.left -= OPENING

    def stdin(self) -> Json:
        """What can be read: ["text", text] or ["zero", bytes]."""
        return self.task.fds.get("0", ["text", ""])

    def get(self, name: str) -> str | None:
        """Value of a parameter."""
        task = self.task
        special = {"?": str(task.code), "$": str(task.pid), "!": str(task.last or ""), "-": task.options}
        if name in special:
            return special[name]
        if name in ("@", "*", "#"):
            return str(len(self.arguments())) if name == "#" else " ".join(self.arguments())
        if is_natural(name):
            return task.args[int(name)] if int(name) < len(task.args) else None
        if name == "RANDOM" and self.dialect != "dash":
            count = self.c.world.now * 1000 + len(task.stack) + task.turn
            return str(draws.pick(32768, self.c.world.seed, "RANDOM", str(self.c.process["id"]), count))
        given = self.c.env if task.exports.get(name, True) else {}
        return task.vars.get(name, given.get(name, {"PWD": task.cwd, "HOME": HOME}.get(name)))

    def environment(self) -> dict[str, str]:
        """What a command gets: the container's variables and those that are exported."""
        given, exports = {"HOME": HOME, **self.c.env}, self.task.exports  # which the runtime adds from /etc/passwd
        found = {name: value for name, value in given.items() if exports.get(name, True)}
        return found | {name: value for name, value in self.task.vars.items() if exports.get(name, name in given)}

    def is_exported(self, name: str) -> bool:
        return self.task.exports.get(name, name == "HOME" or name in self.c.env)

    def set(self, name: str, value: str) -> None:
        """Give a variable a value. Raises ScriptError for one that is to stay as it is."""
        if name in self.task.fixed:
            raise ScriptError(f"{name}: is read only")
        self.task.vars[name] = value

    def paths(self) -> list[str]:
        """All files."""
        return self.files.paths()

    def arguments(self) -> list[str]:
        """Positional parameters."""
        return self.task.args[1:]
