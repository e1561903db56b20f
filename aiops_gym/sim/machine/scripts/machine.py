"""Walks tasks through their scripts."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.machine.scripts import words
from aiops_gym.sim.machine.scripts.allowance import GRACE, Allowance
from aiops_gym.sim.machine.scripts.files import Files, make_absolute
from aiops_gym.sim.machine.scripts.host import Host, Running
from aiops_gym.sim.machine.scripts.parser import ScriptError, parse
from aiops_gym.sim.machine.scripts.task import Stop, Task, new_task
from aiops_gym.types import Json

AT_ONCE = 150
"""Steps that a task does before it lets time pass."""

DEEPEST = 200

OPENING = 50
"""Units that a write to a file takes: others may look at it, and do so anew."""

KILLED = 137
"""Exit code of what was ended for what it took."""


class Machine:
    """Runs a task as far as it goes without waiting.

    Args:
        host: who runs it.
        task: the task, which is changed.
        allowance: what it may do; that of the container, if it is not part of another run.
    """

    def __init__(self, host: Host, task: Task, allowance: Allowance | None = None) -> None:
        self.host = host
        self.task = task
        self.c = host.c
        self.files = Files(host.c)
        self.waited = 0
        self.through = ""
        self.allowance = Allowance(host.c) if allowance is None else allowance
        self.least = -GRACE if isinstance(host, Aside) else 0

    def run(self) -> Stop:
        """Go on until something takes time, the task ends, or it has used up what it may do."""
        allowance = self.allowance
        for _ in range(AT_ONCE):
            if not self.task.stack:
                return Stop("exit", code=self.task.code)
            allowance.left -= 1
            if allowance.left < self.least:
                break
            try:
                stop = self._step()
            except (ScriptError, RecursionError) as error:
                self.write("2", f"{self.name}: 1: {error}\n")
                stop = Stop("exit", code=2)
            if self.waited and stop is None:
                stop, self.waited = Stop("sleep", self.waited), 0
            if stop is not None:
                return stop
        return Stop("busy")

    def _step(self) -> Stop | None:
        if len(self.task.stack) > DEEPEST:
            raise ScriptError("Maximum function recursion depth (1000) reached")
        frame = self.task.stack[-1]
        step = getattr(self, f"_{frame[0]}")
        stop: Stop | None = step(frame)
        return stop

    @property
    def name(self) -> str:
        """`$0` as error messages have it."""
        return self.task.args[0] if self.task.args else "sh"

    # Frames

    def _list(self, frame: list[Json]) -> Stop | None:
        items, index = frame[1][1], frame[2]
        if index >= len(items):
            self.task.stack.pop()
            return None
        frame[2] += 1
        node, background = items[index]
        if background:
            self._background(node)
        else:
            self.task.push("andor", node, 0)
        return None

    def _background(self, node: Json) -> None:
        data = {**self.task.data(), "stack": [["andor", node, 0]], "waits": -1}
        self.task.last = self.host.spawn(data)
        self.task.code = 0

    def _andor(self, frame: list[Json]) -> Stop | None:
        parts, index = frame[1][1], frame[2]
        if index >= len(parts):
            self.task.stack.pop()
            return None
        frame[2] += 1
        sign, pipe = parts[index]
        if (sign == "&&" and self.task.code != 0) or (sign == "||" and self.task.code == 0):
            return None
        if index < len(parts) - 1:
            self.task.push("guard")
        self.task.push("pipe", pipe, 0)
        return None

    def _guard(self, frame: list[Json]) -> Stop | None:
        self.task.stack.pop()
        return None

    def _pipe(self, frame: list[Json]) -> Stop | None:
        _, stages, negated = frame[1]
        if frame[2] == 0:
            frame[2] = 1
            if negated:
                self.task.push("guard")
            if len(stages) > 1:
                return self._pipeline(stages)
            self.task.push(stages[0][0], stages[0], 0)
            return None
        self.task.stack.pop()
        if negated:
            self.task.code = int(self.task.code == 0)
        elif self.task.code and "e" in self.task.options and not self.task.guarded():
            return Stop("exit", code=self.task.code)
        return None

    def _pipeline(self, stages: Sequence[Json]) -> Stop | None:
        """Stages run one after the other, each on all that the one before printed."""
        source: Json = self.task.fds["0"]
        for index, stage in enumerate(stages):
            data = {**self.task.data(), "stack": [[stage[0], stage, 0]], "waits": -1}
            data["fds"] = {**self.task.fds, "0": source}
            if index < len(stages) - 1:
                data["fds"]["1"] = ["out"]
                side = Aside(self.host, self.allowance)
                outcome = side.run(data)
                source = side.zero or ["text", side.text]
            else:
                outcome = Aside(self.host, self.allowance, self).run(data)
            if outcome.kind != "exit":
                return outcome
            self.waited += outcome.ms
            self.task.code = outcome.code
        return None

    def _simple(self, frame: list[Json]) -> Stop | None:
        _, names, parts, redirections = frame[1]
        self.task.stack.pop()
        before = self.task.fds
        argv = words.expand_fields(parts, self)
        self.allowance.move(sum(map(len, argv)))
        values = [[name, words.expand_text(word, self)] for name, word in names]
        if not self._redirect(redirections):
            self.task.code = 1
            return None
        if not argv:
            self.task.vars |= dict(values)
            self.task.fds = before
            return None
        saved, exports = {name: self.task.vars.get(name) for name, _ in values}, self.task.exports
        self.task.vars |= dict(values)
        self.task.exports = {**exports, **dict.fromkeys(saved, True)} if saved else exports
        if before is not self.task.fds and argv != ["exec"]:
            self.task.push("restore", before)
        stop = self.host.command(self, argv)
        if argv[0] not in ("export", "exec", "local"):
            self.task.vars = {k: v for k, v in {**self.task.vars, **saved}.items() if v is not None}
        if saved and argv[0] not in ("export", "exec"):
            self.task.exports = exports
        return stop

    def _restore(self, frame: list[Json]) -> Stop | None:
        self.task.stack.pop()
        self.task.fds = frame[1]
        return None

    def _if(self, frame: list[Json]) -> Stop | None:
        _, branches, otherwise, redirections = frame[1]
        index, tested = divmod(frame[2], 2)
        if frame[2] == 0 and not self._enter(frame, redirections):
            return None
        if tested and self.task.code == 0:
            self._become("list", branches[index][1])
            return None
        index += tested
        if index < len(branches):
            frame[2] = 2 * index + 1
            self.task.push("guard")
            self.task.push("list", branches[index][0], 0)
            return None
        self.task.code = 0
        self._become("list", otherwise or ["list", []])
        return None

    def _while(self, frame: list[Json]) -> Stop | None:
        _, condition, body, until, redirections = frame[1]
        if frame[2] == 0 and not self._enter(frame, redirections):
            return None
        if frame[2] == 1:
            if (self.task.code == 0) == until:
                self.task.stack.pop()
                self.task.code = 0
                return None
            frame[2] = 2
            self.task.push("list", body, 0)
            return None
        frame[2] = 1
        self.task.push("guard")
        self.task.push("list", condition, 0)
        return None

    def _for(self, frame: list[Json]) -> Stop | None:
        _, name, parts, body, redirections = frame[1]
        if frame[2] == 0:
            if not self._enter(frame, redirections):
                return None
            frame.append(words.expand_fields(parts, self) if parts is not None else self.arguments())
        values: list[str] = frame[3]
        if frame[2] >= len(values):
            self.task.stack.pop()
            return None
        self.task.vars[name] = values[frame[2]]
        frame[2] += 1
        self.task.push("list", body, 0)
        return None

    def _case(self, frame: list[Json]) -> Stop | None:
        _, subject, branches, redirections = frame[1]
        if not self._enter(frame, redirections):
            return None
        value = words.expand_text(subject, self)
        for patterns, body in branches:
            if any(fnmatchcase(value, words.expand_pattern(p, self)) for p in patterns):
                self._become("list", body)
                return None
        self.task.stack.pop()
        self.task.code = 0
        return None

    def _group(self, frame: list[Json]) -> Stop | None:
        if self._enter(frame, frame[1][2]):
            self._become("list", frame[1][1])
        return None

    def _subshell(self, frame: list[Json]) -> Stop | None:
        if not self._enter(frame, frame[1][2]):
            return None
        self.task.stack.pop()
        self.enter_shell(frame[1][1])
        return None

    def enter_shell(self, node: Json, args: Sequence[str] = ()) -> None:
        """Run a list in a shell of its own: what it sets is forgotten, and `exit` ends it alone."""
        task = self.task
        if not task.stack:  # it takes the place of the shell that there was
            task.args, task.functions = list(args) or task.args, {}
            task.push("list", node, 0)
            return
        task.push("shell", dict(task.vars), task.args, task.cwd, task.options, task.functions, task.exports)
        task.args = list(args) or task.args
        task.push("list", node, 0)

    def _shell(self, frame: list[Json]) -> Stop | None:
        task = self.task
        task.stack.pop()
        _, task.vars, task.args, task.cwd, task.options, task.functions, task.exports = frame
        return None

    def _call(self, frame: list[Json]) -> Stop | None:
        self.task.stack.pop()
        self.task.args = frame[1]
        return None

    def _resume(self, frame: list[Json]) -> Stop | None:
        """A trap's script has ended: what was there before goes on."""
        self.task.stack.pop()
        self.task.code = frame[1]
        return None

    def _function(self, frame: list[Json]) -> Stop | None:
        self.task.stack.pop()
        self.task.functions = {**self.task.functions, frame[1][1]: frame[1][2]}
        self.task.code = 0
        return None

    def _become(self, kind: str, node: Json) -> None:
        self.task.stack.pop()
        self.task.push(kind, node, 0)

    def _enter(self, frame: list[Json], redirections: Sequence[Json]) -> bool:
        """Open what a compound command is redirected to, before the frame itself. False if that failed."""
        if not redirections:
            return True
        before = self.task.fds
        if not self._redirect(redirections):
            self.task.stack.pop()
            self.task.code = 1
            return False
        self.task.stack.insert(len(self.task.stack) - 1, ["restore", before])
        return True

    # Descriptors

    def _redirect(self, redirections: Sequence[Json]) -> bool:
        fds = dict(self.task.fds)
        for number, sign, word in redirections:
            target = words.expand_text(word, self)
            if sign in (">&", "<&"):
                fds[number] = fds.get(target, ["null"])
            elif sign.startswith("<<"):
                fds[number] = ["text", target]
            else:
                opened = self._open(make_absolute(target, self.task.cwd), sign)
                if opened is None:
                    what = "nonexistent directory" if ">" in sign else "No such file"
                    verb = "create" if ">" in sign else "open"
                    self.write("2", f"{self.name}: 1: cannot {verb} {target}: {_why(what)}\n")
                    return False
                fds |= {"1": opened, "2": opened} if sign == "&>" else {number: opened}
        self.task.fds = fds if redirections else self.task.fds
        return True

    def _open(self, path: str, sign: str) -> Json:
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

    # Scope of expansions

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
        if name == "RANDOM":
            count = self.c.world.now * 1000 + len(task.stack) + task.turn
            return str(draws.pick(32768, self.c.world.seed, "RANDOM", str(self.c.process["id"]), count))
        given = self.c.env if task.exports.get(name, True) else {}
        return task.vars.get(name, given.get(name, {"PWD": task.cwd, "HOME": "/root"}.get(name)))

    def environment(self) -> dict[str, str]:
        """What a command gets: the container's variables and those that are exported."""
        exports, given = self.task.exports, self.c.env
        names = [name for name in (*given, *self.task.vars) if exports.get(name, name in given)]
        found = {name: self.get(name) for name in dict.fromkeys(names)}
        return {name: value for name, value in found.items() if value is not None}

    def set(self, name: str, value: str) -> None:
        """Give a variable a value."""
        self.task.vars[name] = value

    def substitute(self, script: str) -> str:
        """What a script prints, run here and now."""
        node = parse(script)
        side = Aside(self.host, self.allowance)
        data = {**self.task.data(), "stack": [["list", node, 0]], "waits": -1}
        outcome = side.run({**data, "fds": {**self.task.fds, "1": ["out"]}})
        self.waited += outcome.ms
        self.task.code = outcome.code
        return side.text

    def aside(self, stage: Json) -> Stop:
        """Run a command to its end here and now, with what it prints, and say how long it would take."""
        data = {**self.task.data(), "stack": [[stage[0], stage, 0]], "waits": -1}
        return Aside(self.host, self.allowance, self).run(data)

    def paths(self) -> list[str]:
        """All files."""
        return self.files.paths()

    def arguments(self) -> list[str]:
        """Positional parameters."""
        return self.task.args[1:]


def _why(what: str) -> str:
    return f"Directory {what}".replace("Directory nonexistent directory", "Directory nonexistent").replace(
        "Directory No such file", "No such file"
    )


LONGEST_ASIDE = 24 * 3_600_000


class Aside:
    """Runs a task to its end at once, counting the time it would take: substitutions, pipelines, hooks.

    Args:
        host: of the task beside it.
        allowance: what it may do, shared by all that come of one run.
        through: where output goes; kept as `text` without it.
    """

    def __init__(self, host: Host, allowance: Allowance, through: Machine | None = None) -> None:
        self.allowance = allowance
        self.c = host.c
        self.command = host.command
        self.host = host
        self.through = through
        self.text = ""
        self.zero: Json = None

    def run(self, data: dict[str, Json]) -> Stop:
        """The end: kind `exit` with code and the ms it took, or why it never ends."""
        self.allowance.asides -= 1
        if self.allowance.asides < 0:
            return Stop("exit", code=2)
        task, took, busy = Task(data), 0, 0
        machine = Machine(self, task, self.allowance)
        while True:
            if self.allowance.left < -GRACE:
                return Stop("exit", took, KILLED)
            stop = machine.run()
            if stop.kind == "exit":
                return Stop("exit", took, stop.code)
            took += stop.ms
            busy += stop.kind == "busy"
            if stop.kind in ("forever", "wait", "oom") or busy > 40 or took > LONGEST_ASIDE:
                return stop if stop.kind == "oom" else Stop("forever")

    def launch(self, machine: Running, argv: list[str]) -> Stop | None:
        """What has to end now cannot be one of the image's programs."""
        return None

    def write(self, task: Task, text: str) -> None:
        """Keep it, or pass it on."""
        if self.through is not None:
            self.through.write("1", text)
        else:
            self.text += text

    def complain(self, task: Task, text: str) -> None:
        """Errors are not what the one beside asked for."""
        self.host.complain(task, text)

    def spawn(self, data: dict[str, Json]) -> int:
        """In the background of whoever is beside."""
        return self.host.spawn(data)

    def kill(self, pid: int, signal: str) -> bool:
        """Like the one beside."""
        return self.host.kill(pid, signal)

    def trap(self, signal: str, script: str | None) -> None:
        """A shell of its own has traps of its own, which never come to act."""

    def children(self) -> list[int]:
        """None."""
        return []

    def ended(self, pid: int) -> int:
        """As the one beside knows it."""
        return self.host.ended(pid)


__all__ = ["Aside", "Host", "Machine", "new_task"]
