"""Walks tasks through their scripts."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from aiops_gym.sim.machine.scripts import words
from aiops_gym.sim.machine.scripts.allowance import GRACE, Allowance
from aiops_gym.sim.machine.scripts.files import make_absolute
from aiops_gym.sim.machine.scripts.host import Host
from aiops_gym.sim.machine.scripts.parser import ScriptError, parse
from aiops_gym.sim.machine.scripts.scope import Scope
from aiops_gym.sim.machine.scripts.task import Stop, Task, new_task
from aiops_gym.types import Json

AT_ONCE = 150
"""Steps that a task does before it lets time pass."""

DEEPEST = 200

KILLED = 137
"""Exit code of what was ended for what it took."""


class Machine(Scope):
    """Runs a task as far as it goes without waiting.

    Args:
        host: who runs it.
        task: the task, which is changed.
        allowance: what it may do; that of the container, if it is not part of another run.
    """

    def __init__(self, host: Host, task: Task, allowance: Allowance | None = None) -> None:
        super().__init__(host, task, Allowance(host.c) if allowance is None else allowance)
        self.waited = 0
        self.through = ""
        self.before = self.substituted = 0
        self.beside = isinstance(host, Aside)
        self.least = -GRACE if self.beside else 0

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
                stop = self.leave(2)
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

    def unwind(self, *kinds: str) -> None:
        """Leave what is innermost, up to a frame of one of these kinds."""
        task = self.task
        while task.stack and task.stack[-1][0] not in kinds:
            frame = task.stack.pop()
            if frame[0] == "restore":
                task.fds = frame[1]

    def leave(self, code: int) -> Stop | None:
        """End the innermost shell."""
        self.unwind("shell")
        self.task.code = code
        return None if self.task.stack else Stop("exit", code=code)

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
            return self.leave(self.task.code)
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
        self.substituted = 0
        argv = words.expand_fields(parts, self)
        self.allowance.move(sum(map(len, argv)))
        saved, exports = {name: self.task.vars.get(name) for name, _ in names}, self.task.exports
        for name, word in names:
            self.set(name, words.expand_text(word, self))
        if "x" in self.task.options and (argv or names):
            self.write("2", f"+ {' '.join([*(f'{name}={self.get(name)}' for name, _ in names), *argv])}\n")
        if not self._redirect(redirections):
            return self.leave(2) if argv[:1] == ["exec"] else None
        if not argv:
            self.task.fds, self.task.code = before, self.substituted
            return None
        self.task.exports = {**exports, **dict.fromkeys(saved, True)} if saved else exports
        if before is not self.task.fds and argv != ["exec"]:
            self.task.push("restore", before)
        depth = len(self.task.stack)
        stop = self.host.command(self, argv)
        if saved and argv[0] not in ("export", "exec", "local", "readonly", "eval", "."):
            if len(self.task.stack) > depth:  # what a shell or function is called with lasts as long as it does
                self.task.stack.insert(depth, ["lent", saved, exports])
            else:
                self._give_back(saved, exports)
        return stop

    def _give_back(self, saved: dict[str, str | None], exports: dict[str, bool]) -> None:
        self.task.vars = {k: v for k, v in {**self.task.vars, **saved}.items() if v is not None}
        self.task.exports = exports

    def _lent(self, frame: list[Json]) -> Stop | None:
        self.task.stack.pop()
        self._give_back(frame[1], frame[2])
        return None

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
                self.task.code = frame[3] if frame[3:] else 0
                return None
            frame[2] = 2
            self.task.push("list", body, 0)
            return None
        frame[3:] = [self.task.code] if frame[2] == 2 else []
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
            self.task.code = 0
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

    def enter_shell(self, node: Json, args: Sequence[str] = (), fresh: bool = False) -> None:
        """Run a list in a shell of its own: what it sets is forgotten, and `exit` ends it alone.

        A `fresh` one is another program, which gets what is exported.
        """
        task = self.task
        exported = {name: value for name, value in task.vars.items() if not fresh or self.is_exported(name)}
        if not task.stack:  # it takes the place of the shell that there was
            task.args, task.functions, task.vars = list(args) or task.args, {}, exported
            task.push("list", node, 0)
            return
        task.push("shell", task.vars, task.args, task.cwd, task.options, task.functions, task.exports)
        task.vars = exported
        if fresh:
            task.functions, task.options = {}, ""
        task.args = list(args) or task.args
        task.push("list", node, 0)

    def _shell(self, frame: list[Json]) -> Stop | None:
        task = self.task
        if script := frame[7:]:  # a trap for its end
            del frame[7:]
            task.push("resume", task.code)
            task.push("list", parse(script[0]), 0)
            return None
        task.stack.pop()
        _, task.vars, task.args, task.cwd, task.options, task.functions, task.exports = frame
        return None

    def _call(self, frame: list[Json]) -> Stop | None:
        self.task.stack.pop()
        self.task.args = frame[1]
        self.task.vars = {k: v for k, v in {**self.task.vars, **dict(*frame[2:])}.items() if v is not None}
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
                if target == "-":
                    del fds[number]
            elif sign.startswith("<<"):
                fds[number] = ["text", target]
            else:
                opened = self.open_file(make_absolute(target, self.task.cwd), sign)
                if opened is None:
                    what = "nonexistent directory" if ">" in sign else "No such file"
                    verb = "create" if ">" in sign else "open"
                    self.write("2", f"{self.name}: 1: cannot {verb} {target}: {_why(what)}\n")
                    self.task.code = 2 if self.dialect == "dash" else 1
                    return False
                fds |= {"1": opened, "2": opened} if sign == "&>" else {number: opened}
        self.task.fds = fds if redirections else self.task.fds
        return True

    def substitute(self, script: str) -> str:
        """What a script prints, run here and now."""
        node = parse(script)
        side = Aside(self.host, self.allowance)
        data = {**self.task.data(), "stack": [["list", node, 0]], "waits": -1}
        outcome = side.run({**data, "fds": {**self.task.fds, "1": ["out"]}})
        self.waited += outcome.ms
        self.substituted = outcome.code
        return side.text

    def aside(self, stage: Json) -> Stop:
        """Run a command to its end here and now, with what it prints, and say how long it would take."""
        data = {**self.task.data(), "stack": [[stage[0], stage, 0]], "waits": -1}
        return Aside(self.host, self.allowance, self).run(data)


def _why(what: str) -> str:
    return f"Directory {what}".replace("Directory nonexistent directory", "Directory nonexistent").replace(
        "Directory No such file", "No such file"
    )


class Aside(Host):
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
        self.steps: list[tuple[int, int]] = []
        self.traps: dict[str, str | None] = {}
        self.took = 0
        self.zero: Json = None

    def run(self, data: dict[str, Json]) -> Stop:
        """The end: kind `exit` with code and the ms it took, or why it never ends."""
        self.allowance.asides -= 1
        if self.allowance.asides < 0:
            return Stop("exit", code=2)
        task, busy = Task(data), 0
        machine = Machine(self, task, self.allowance)
        while True:
            if self.allowance.left < -GRACE:
                return Stop("exit", self.took, KILLED)
            stop = machine.run()
            if stop.kind == "exit" and not self._leave(task, stop.code):
                return Stop("exit", self.took + machine.waited, stop.code)
            self.took += stop.ms
            busy += stop.kind == "busy"
            if (
                stop.kind in ("forever", "wait", "oom")
                or busy > self.allowance.turns
                or self.took > self.allowance.longest
            ):
                return stop if stop.kind == "oom" else Stop("forever")

    def _leave(self, task: Task, code: int) -> bool:
        """Begin what is to be done at the end, if there is something."""
        script = self.traps.pop("EXIT", None)
        if script:
            task.code, task.stack = code, [["resume", code], ["list", parse(script), 0]]
        return bool(script)

    def write(self, task: Task, text: str) -> None:
        """Keep it, or pass it on."""
        if self.through is not None:
            self.through.write("1", text)
        else:
            self.text += text
            self.steps.append((self.took, text.count("\n")))

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
        """A shell of its own has traps of its own, of which only that for its end comes to act."""
        self.traps[signal] = script

    def remaining(self, pid: int) -> int:
        """As the one beside knows it."""
        return self.host.remaining(pid)

    def ended(self, pid: int) -> int:
        """As the one beside knows it."""
        return self.host.ended(pid)


__all__ = ["Aside", "Host", "Machine", "new_task"]
