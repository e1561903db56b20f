"""Walks tasks through their scripts: lists, pipelines and simple commands. The rest is in `compounds`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aiops_gym.sim.machine.scripts import aliases, coprocesses, words
from aiops_gym.sim.machine.scripts.allowance import GRACE, Allowance
from aiops_gym.sim.machine.scripts.aside import Aside
from aiops_gym.sim.machine.scripts.compounds import Compounds
from aiops_gym.sim.machine.scripts.host import Call, Host
from aiops_gym.sim.machine.scripts.nodes import count_lines_read, find_only, list_only_pipe
from aiops_gym.sim.machine.scripts.parser import parse
from aiops_gym.sim.machine.scripts.reader import ScriptError
from aiops_gym.sim.machine.scripts.task import Stop, Task
from aiops_gym.types import Json

AT_ONCE = 150
"""Steps that a task does before it lets time pass."""

DEEPEST = 200

PER_ELEMENT = 20
"""Characters that it is as good as to move, to look at an element of an array."""

UNBOUND = 127
"""With which bash ends for a variable that must have a value."""


class Machine(Compounds):
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
        self.excused = False
        self.beside = isinstance(host, Aside)
        self.least = -GRACE if self.beside else 0
        task.began = task.began or self.clock()

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
                stop = self._fail(error)
            if self.waited and stop is None:
                stop, self.waited = Stop("sleep", self.waited), 0
            if stop is not None:
                return stop
        return Stop("busy")

    def _step(self) -> Stop | None:
        if len(self.task.stack) > DEEPEST:
            self.blame("Maximum function recursion depth (1000) reached")
            self.task.stack.clear()
            return Stop("exit", code=2)
        frame = self.task.stack[-1]
        kind = frame[0]
        step = STEPS.get(kind) or STEPS.setdefault(kind, getattr(Machine, f"_{kind}"))
        stop: Stop | None = step(self, frame)
        return stop

    def _fail(self, error: ScriptError | RecursionError) -> Stop | None:
        """What cannot be gone on with: dash ends there, bash with the line, or with all for want of a value."""
        if self.dialect != "bash" or isinstance(error, RecursionError):
            what = "Cannot fork" if isinstance(error, RecursionError) else error
            self.write("2", f"{self.name}: {self.line if self.dialect == 'bash' else 1}: {what}\n")
            return self.leave(2)
        if error.line:
            self.blame_syntax(error)
            return self.leave(2) if not any(frame[0] == "eval" for frame in self.task.stack) else self._discard(2)
        self.blame(error.bash)
        if error.code == UNBOUND:
            return self.leave(1 if "e" in self.task.options or self.task.level else UNBOUND)
        return self._discard(max(1, error.code))

    def blame_syntax(self, error: ScriptError) -> None:
        """Tell where a script does not parse, as bash does."""
        text, _, source = error.bash.partition("\0")
        where = "-c: " if self.task.given == "c" and not any(f[0] == "eval" for f in self.task.stack) else ""
        more = f"{self.name}: {where}line {error.line}: {source}\n" if source else ""
        self.write("2", f"{self.name}: {where}line {error.line}: {text}\n{more}")

    def _discard(self, code: int) -> Stop | None:
        """Give up the line of the script, the text of `eval`, or the subshell."""
        self.unwind("script", "eval", "shell")
        self.task.code = code
        if not self.task.stack:
            return Stop("exit", code=code)
        frame = self.task.stack[-1]
        if frame[0] == "shell":
            return self.leave(code)
        if frame[0] == "eval":
            self.task.stack.pop()
        else:
            items = frame[1][1]
            line = items[frame[2] - 1][2] if frame[2] else 0
            while frame[2] < len(items) and items[frame[2]][2] == line:
                frame[2] += 1
        return None

    def unwind(self, *kinds: str) -> None:
        """Leave what is innermost, up to a frame of one of these kinds."""
        task = self.task
        while task.stack and task.stack[-1][0] not in kinds:
            frame = task.stack.pop()
            if frame[0] == "restore":
                task.fds = frame[1]
            elif frame[0] == "call":
                self.end_call(frame)
            elif frame[0] == "lent":
                self.give_all_back(frame[1])

    def leave(self, code: int) -> Stop | None:
        """End the innermost shell."""
        self.unwind("shell")
        if self.task.stack and code == UNBOUND and not self.task.stack[-1][1].get("fresh") and self.dialect == "bash":
            code = 1
        self.task.code = code
        return None if self.task.stack else Stop("exit", code=code)

    # Frames

    def _list(self, frame: list[Json]) -> Stop | None:
        items, index = frame[1][1], frame[2]
        if index >= len(items) or ("n" in self.task.options and frame[0] == "script"):
            self.task.stack.pop()
            return None
        frame[2] += 1
        node, background, *_ = items[index]
        if background:
            self._background(node)
        elif (command := find_only(node)) is not None and not ("e" in self.task.options or "ERR" in self.task.traps):
            self.task.push("simple", command, 0)
        else:
            self.task.push("andor", node, 0)
        return None

    _script = _list

    def _eval(self, frame: list[Json]) -> Stop | None:
        self.task.stack.pop()
        return None

    def _coprocess(self, frame: list[Json]) -> Stop | None:
        self.task.stack.pop()
        coprocesses.begin(self, frame[1][1], frame[1][2])
        return None

    def _background(self, node: Json) -> None:
        fds = {**self.task.fds, "0": ["null"]} if self.dialect == "bash" else self.task.fds
        data = {**self.task.data(), "fds": fds, "stack": [["andor", node, 0]], "waits": -1}
        self.task.last = self.host.spawn(data, self.elapsed())
        self.task.code = 0

    def _andor(self, frame: list[Json]) -> Stop | None:
        parts, index = frame[1][1], frame[2]
        if index >= len(parts):
            self.task.stack.pop()
            return None
        frame[2] += 1
        sign, pipe = parts[index]
        self.excused = index == len(parts) - 1 and sign == "&&" and self.task.code != 0
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
        _, stages, negated, timed = frame[1]
        if frame[2] == 0:
            frame[2] = 1
            frame.append(self.clock() if timed else 0)
            if negated:
                self.task.push("guard")
            if len(stages) > 1:
                return self._pipeline(stages)
            self.task.push(stages[0][0], stages[0], 0)
            return None
        self.task.stack.pop()
        if len(stages) == 1:
            self.task.status = [self.task.code]
        if timed:
            self._tell_time(timed, self.clock() - frame[3])
        if negated:
            self.task.code = int(self.task.code == 0)
        elif self.task.code and not self.task.guarded() and not self.excused:
            return self._failed()
        return None

    def _failed(self) -> Stop | None:
        """A command that should not have failed: what is trapped for it, and the end after `set -e`."""
        trapped = self.task.traps.get("ERR") if "E" in self.task.options or not self.callers() else None
        if trapped and not any(frame[0] == "trapping" for frame in self.task.stack):
            self.task.push("trapping", self.task.code, "e" in self.task.options)
            self.task.push("list", parse(trapped, self.dialect), 0)
            return None
        return self.leave(self.task.code) if "e" in self.task.options else None

    def _trapping(self, frame: list[Json]) -> Stop | None:
        self.task.stack.pop()
        self.task.code = frame[1]
        return self.leave(frame[1]) if frame[2] else None

    def clock(self) -> int:
        """Milliseconds on the clock of whoever runs this."""
        return int(self.c.now) + self.elapsed()

    def elapsed(self) -> int:
        """Milliseconds that have passed for this task while the world stood still."""
        return self.waited + (self.host.elapsed if isinstance(self.host, Aside) else 0)

    def _tell_time(self, how: str, took: int) -> None:
        if how == "time -p":
            self.write("2", f"real {took / 1000:.2f}\nuser 0.00\nsys 0.00\n")
        else:
            self.write("2", f"\nreal\t{took // 60_000}m{took % 60_000 / 1000:.3f}s\nuser\t0m0.001s\nsys\t0m0.000s\n")

    def _pipeline(self, stages: Sequence[Json]) -> Stop | None:
        """Stages run one after the other, each on all that the one before printed."""
        source, codes = self.stdin(), list[int]()
        if trap := self.task.traps.get("DEBUG"):
            for _ in (stage for stage in stages if stage[0] == "simple"):
                Aside(self, self).run(self._beside(["list", parse(trap, self.dialect), 0]))
        while (index := len(codes)) < len(stages):
            if calls := self.host.top.gather(self, stages[index:]):
                text, found = self._join(calls, source, last=index + len(calls) == len(stages))
                source, codes = ["text", text], [*codes, *found]
                if self.host.top.over and len(codes) < len(stages):
                    self._finish_pipeline(stages[len(codes) :], source)
                    return Stop("busy")
                continue
            stage = stages[index]
            data = self._beside([stage[0], stage, 0])
            data["fds"] = {**self.task.fds, "0": source}
            if index == len(stages) - 1 and "lastpipe" in self.task.modes:
                self.task.push("piped", codes)
                self.task.push("restore", self.task.fds)
                self.task.fds = {**self.task.fds, "0": source}
                self.task.push(stage[0], stage, 0)
                return None
            if index < len(stages) - 1:
                data["fds"]["1"] = ["out"]
                side = Aside(self, errors=self)
                side.room = count_lines_read(stages[index + 1])
                outcome = side.run(data)
                source = side.zero or ["text", side.text]
            else:
                outcome = Aside(self, self).run(data)
            if outcome.kind == "killed" and index < len(stages) - 1:
                self._finish_pipeline(stages[index + 1 :], source)
            if outcome.kind != "exit":
                return outcome
            self.waited += outcome.ms
            codes.append(outcome.code)
        self._end_pipeline(codes)
        return Stop("busy") if self.host.top.over else None

    def _join(self, calls: list[Call], source: Json, last: bool) -> tuple[str, list[int]]:
        """Run commands that need no shell of their own; what the last one prints, if that is not printed here."""
        if "x" in self.task.options:
            for argv, _ in calls:
                self.trace(*map(quote_traced, argv))
        output, codes = self.host.top.join(self, calls, source[1] if source[0] == "text" else "")
        if last:
            self.write("1", output.stdout)
        self.write("2", output.stderr)
        return output.stdout, codes

    def _finish_pipeline(self, stages: Sequence[Json], source: Json) -> None:
        """The time is up: what was printed by then goes through commands that take none."""
        calls = self.host.top.gather(self, stages) if source[0] == "text" and source[1] else []
        if len(calls) == len(stages):
            self._join(calls, source, last=True)

    def _end_pipeline(self, codes: list[int]) -> None:
        self.task.code, self.task.status = self._pick_code(codes), codes

    def _pick_code(self, codes: list[int]) -> int:
        """The exit code of a pipeline whose commands ended with these."""
        failed = [code for code in codes if code] if "pipefail" in self.task.modes else []
        return failed[-1] if failed else codes[-1]

    def _piped(self, frame: list[Json]) -> Stop | None:
        self.task.stack.pop()
        self._end_pipeline([*frame[1], self.task.code])
        return None

    def _simple(self, frame: list[Json]) -> Stop | None:
        _, assignments, parts, redirections, line = frame[1]
        if "DEBUG" in self.task.traps and frame[2] == 0 and not any(f[0] == "trapping" for f in self.task.stack):
            frame[2], self.line, self.current = 1, line, frame[1]
            self.task.push("trapping", self.task.code, False)
            self.task.push("list", parse(self.task.traps["DEBUG"], self.dialect), 0)
            return None
        self.task.stack.pop()
        self.excused = False
        if self.task.aliases and (node := aliases.expand(self.task, frame[1], self.dialect)) is not None:
            self.task.push("list", node, 0)
            return None
        before = self.task.fds
        if not any(each[0] == "trapping" for each in self.task.stack):
            self.line, self.current = line, frame[1]
        self.substituted = 0
        argv = words.expand_fields(parts, self)
        self.task.status = []
        self.allowance.move(sum(map(len, argv)))
        if argv and "x" in self.task.options:
            self.trace(*map(quote_traced, argv))
        if redirections and not self.redirect(redirections):
            return self.leave(2) if self.dialect == "dash" and argv[:1] and argv[0] in SPECIAL else None
        if not argv:
            for assignment in assignments:
                self.assign(assignment)
            self.end_redirection(before)
            self.task.code = self.substituted
            return None
        return self._command(argv, assignments, before)

    def _command(self, argv: list[str], assignments: Sequence[Json], before: Json) -> Stop | None:
        """Call what the words name, with assignments for it alone."""
        kept = {each[0]: self.remember(each[0]) for each in assignments}
        for assignment in assignments:
            self.assign(assignment)
        if kept:
            self.task.exports = {**self.task.exports, **dict.fromkeys(kept, True)}
        if (before is not self.task.fds or self.drains) and argv != ["exec"]:
            self.task.push("restore", before, self.drains)
        self.drains = []
        depth = len(self.task.stack)
        stop = self.host.command(self, argv)
        self.task.underscore = argv[-1]
        if kept and (self.dialect == "bash" or argv[0] not in SPECIAL) and argv[0] != "exec":
            if len(self.task.stack) > depth:  # what a shell or function is called with lasts as long as it does
                self.task.stack.insert(depth, ["lent", kept])
            else:
                self.give_all_back(kept)
        return stop

    def assign(self, assignment: Json) -> None:
        """Give a variable a value, or an array its elements. Raises ScriptError."""
        name, index, added, value = assignment
        if value and value[0] == "array":
            before = self.task.vars.get(name)
            self.allowance.move(PER_ELEMENT * len(before) if isinstance(before, dict) else 0)
            entries: list[tuple[str | None, bool, str]] = []
            for key, more, word in value[1]:
                if key is None:
                    entries += [(None, False, field) for field in words.expand_fields([word], self)]
                else:
                    entries.append((words.expand_text(key, self), more, words.expand_text(word, self)))
            self.set_array(name, entries, added)
        elif index is not None:
            text = words.expand_text(value, self)
            self.set_element(name, self.key(name, words.expand_text(index, self)), text, added)
        else:
            self.set(name, words.expand_text(value, self), added)
        if "x" in self.task.options and not (value and value[0] == "array"):
            self.write("2", f"+ {name}={quote_traced(self.get(name) or '')}\n")

    def give_all_back(self, kept: dict[str, Json]) -> None:
        """Let variables be what they were."""
        for name, each in kept.items():
            self.give_back(name, each)

    def _lent(self, frame: list[Json]) -> Stop | None:
        self.task.stack.pop()
        self.give_all_back(frame[1])
        return None

    def _restore(self, frame: list[Json]) -> Stop | None:
        self.task.stack.pop()
        self.end_redirection(frame[1], frame[2] if len(frame) > 2 else ())
        return None

    def end_redirection(self, before: Json, drains: Sequence[Json] = ()) -> None:
        """Give descriptors back, and let commands read what was written for them."""
        pending, self.drains, self.task.fds = [*(drains or self.drains)], [], before
        for sign, path, node in pending:
            text = self.files.read(path) or ""
            self.files.remove(path)
            if sign == ">":
                data = {**self.task.data(), "stack": [["list", node, 0]], "waits": -1}
                data["fds"] = {**before, "0": ["text", text]}
                Aside(self, self).run(data)

    def input(self, number: str) -> Json:
        """What can be read at a descriptor."""
        source = self.task.fds.get(number, ["text", ""])
        return coprocesses.take(self, source[1]) if source[0] == "coprocess" else source

    def give(self, key: str, text: str) -> None:
        """Write to a coprocess."""
        coprocesses.give(self, key, text)

    def substitute(self, node: Json) -> str:
        """What commands print, run here and now."""
        kept = self.dialect != "bash" or "inherit_errexit" in self.task.modes
        text, code = self._collect(node, self.task.options if kept else self.task.options.replace("e", ""))
        self.substituted = code
        if self.dialect == "bash":
            self.task.code = code
        return text.replace("\0", "").rstrip("\n")

    def _collect(self, node: Json, options: str) -> tuple[str, int]:
        """All that commands print, and how they end."""
        stages = list_only_pipe(node)
        if stages and len(calls := self.host.top.gather(self, stages)) == len(stages):
            output, codes = self.host.top.join(self, calls, self.stdin()[1] if self.stdin()[0] == "text" else "")
            self.write("2", output.stderr)
            return output.stdout, self._pick_code(codes)
        side = Aside(self, errors=self)
        data = {**self._beside(["list", node, 0]), "options": options, "fds": {**self.task.fds, "1": ["out"]}}
        outcome = side.run(data)
        self.waited += outcome.ms
        return side.text, outcome.code

    def _beside(self, frame: list[Json]) -> dict[str, Json]:
        """A subshell that begins with a frame; the trap for each command it has only after `set -T`."""
        traps = {name: each for name, each in self.task.traps.items() if name != "DEBUG" or "T" in self.task.options}
        level = self.task.level + 1
        return {**self.task.data(), "stack": [frame], "waits": -1, "level": level, "traps": traps}

    def open_process(self, sign: str, node: Json) -> str:
        """A file with what commands print, or for what they read; see `end_redirection`."""
        path = f"/dev/fd/{63 - len(self.drains)}"
        text = self._collect(node, self.task.options)[0] if sign == "<" else ""
        self.files.lend(path, text)
        self.drains.append([sign, path, node])
        return path

    def aside(self, stage: Json) -> Stop:
        """Run a command to its end here and now, with what it prints, and say how long it would take."""
        data = {**self.task.data(), "stack": [[stage[0], stage, 0]], "waits": -1}
        return Aside(self, self).run(data)


STEPS: dict[str, Callable[[Machine, list[Json]], Stop | None]] = {}
"""What is done with a frame, by its kind; found when it is first needed."""

_SPECIAL = ". : break continue eval exec exit export readonly return set shift times trap unset"
SPECIAL = frozenset(_SPECIAL.split())
"""Commands of which POSIX has it that what is assigned before them stays, and that an error ends the shell."""


def quote_traced(word: str) -> str:
    """A word as `set -x` shows it."""
    plain = word and not any(sign in word for sign in " \t\n'\"\\$`&|;<>()*?[]#~!{}")
    return word if plain else "'" + word.replace("'", "'\\''") + "'"


__all__ = ["Machine"]
