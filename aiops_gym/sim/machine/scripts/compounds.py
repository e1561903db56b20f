"""Walks tasks through compound commands, and opens what they are redirected to."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.sim.machine.scripts import conditions, patterns, prompts, words
from aiops_gym.sim.machine.scripts.files import make_absolute
from aiops_gym.sim.machine.scripts.parser import parse
from aiops_gym.sim.machine.scripts.printing import show_condition, show_word
from aiops_gym.sim.machine.scripts.reader import ScriptError
from aiops_gym.sim.machine.scripts.scope import Scope
from aiops_gym.sim.machine.scripts.task import Stop
from aiops_gym.types import Json

FIRST_FREE = 10
"""Descriptor that bash takes first for `{name}> file`."""

_OWN = "vars args cwd options functions exports kinds fixed modes traps shell given level unset last"
OWN = tuple(_OWN.split())
"""What a shell of its own may change of a task without anybody else's seeing it."""


class Compounds(Scope):
    """The frames of compound commands; see `machine.Machine`."""

    before: int
    substituted: int

    def expand_text(self, word: Sequence[Json]) -> str:
        """A word that is not split."""
        return words.expand_text(word, self)

    def expand_pattern(self, word: Sequence[Json]) -> str:
        """A word as a pattern."""
        return words.expand_pattern(word, self)

    def decode_prompt(self, text: str) -> str:
        """A text as it would be shown as a prompt."""
        return prompts.decode(self, text)

    def leave(self, code: int) -> Stop | None:
        """End the innermost shell."""
        raise NotImplementedError

    def end_redirection(self, before: Json, drains: Sequence[Json] = ()) -> None:
        """Give descriptors back."""
        raise NotImplementedError

    def trace(self, *words: str) -> None:
        """Show a command before it runs, after `set -x`."""
        if "x" in self.task.options:
            self.write("2", f"{self.get('PS4') or ''}{' '.join(words)}\n")

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
        self.task.code = self.task.code if otherwise else 0
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
        values: list[str] = frame[3]
        self.task.code = self.task.code if values else 0
        if frame[2] >= len(values):
            self.task.stack.pop()
            return None
        self.trace("for", name, "in", *(map(show_word, parts) if parts is not None else ('"$@"',)))
        self.set(name, values[frame[2]])
        frame[2] += 1
        self.task.push("list", body, 0)
        return None

    def _select(self, frame: list[Json]) -> Stop | None:
        """A menu on standard error, and a choice from standard input, until that ends."""
        _, name, parts, body, redirections = frame[1]
        if frame[2] == 0:
            if not self._enter(frame, redirections):
                return None
            frame.append(words.expand_fields(parts, self) if parts is not None else self.arguments())
            self.task.code, frame[2] = 0, 1
        values: list[str] = frame[3]
        self.write("2", "".join(f"{number}) {value}\n" for number, value in enumerate(values, 1)) + "#? ")
        source = self.stdin()
        line, newline, rest = (source[1] if source[0] == "text" else "").partition("\n")
        if newline and not line:  # who answers nothing is asked again
            self.consume(source, rest)
            return None
        if not line and not newline:
            self.write("1", "\n")
            self.task.stack.pop()
            self.task.code = 1
            return None
        self.consume(source, rest)
        chosen = int(line) if line.isdigit() and 1 <= int(line) <= len(values) else 0
        self.set("REPLY", line)
        self.set(name, values[chosen - 1] if chosen else "")
        self.task.push("list", body, 0)
        return None

    def _cfor(self, frame: list[Json]) -> Stop | None:
        _, steps, body, redirections = frame[1]
        if frame[2] == 0:
            if not self._enter(frame, redirections):
                return None
            self._calculate(steps[0])
            self.task.code = 0
        elif frame[2] == 1:
            self._calculate(steps[2])
        frame[2] = 1
        if steps[1] and not self._calculate(steps[1]):
            self.task.stack.pop()
            return None
        self.task.push("list", body, 0)
        return None

    def _calculate(self, word: Json) -> int:
        return self.calculate(words.expand_text(word, self)) if word else 0

    def _case(self, frame: list[Json]) -> Stop | None:
        _, subject, branches, redirections = frame[1]
        if frame[2] == 0:
            if not self._enter(frame, redirections):
                return None
            self.trace("case", show_word(subject), "in")
            frame += [words.expand_text(subject, self), "", 0]
            frame[2] = 1
        value, last, place = frame[3:]
        if last == ";;" or place >= len(branches):
            self.task.code = self.task.code if last else 0
            self.task.stack.pop()
            return None
        patterns_, body, end = branches[place]
        frame[5] += 1
        if last == ";&" or any(self._fits(value, each) for each in patterns_):
            frame[4] = end or ";;"
            self.task.code = self.task.code if body[1] else 0
            self.task.push("list", body, 0)
        return None

    def _fits(self, value: str, word: Json) -> bool:
        pattern = words.expand_pattern(word, self)
        return patterns.matches(value, pattern, self.extended, self.folds("nocasematch"))

    def _cond(self, frame: list[Json]) -> Stop | None:
        if frame[2] == 0 and not self._enter(frame, frame[1][2]):
            return None
        self.task.stack.pop()
        self.trace("[[", show_condition(frame[1][1]), "]]")
        try:
            self.task.code = int(not conditions.hold(self, frame[1][1]))
        except ScriptError as error:
            if error.code == 127:
                raise
            self.blame(f"[[: {error.bash}")
            self.task.code = error.code or 1
        return None

    def _arith(self, frame: list[Json]) -> Stop | None:
        if frame[2] == 0 and not self._enter(frame, frame[1][2]):
            return None
        self.task.stack.pop()
        self.trace("((", show_word(frame[1][1]).strip(), "))")
        try:
            self.task.code = int(not self._calculate(frame[1][1]))
        except ScriptError as error:
            if error.code == 127:
                raise
            self.blame(f"((: {error.bash}")
            self.task.code = 1
        return None

    def _syntax(self, frame: list[Json]) -> Stop | None:
        _, text, bash, line = frame[1]
        self.task.stack.pop()
        raise ScriptError(text, bash, line)

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

    def enter_shell(self, node: Json, args: Sequence[str] = (), fresh: bool = False, **given: Json) -> None:
        """Run a list in a shell of its own: what it sets is forgotten, and `exit` ends it alone.

        Args:
            node: the list.
            args: of the shell; those of this one if there are none.
            fresh: it is another program, which gets what is exported.
            given: attributes of the task in it.
        """
        task = self.task
        kept = {name: value for name, value in task.vars.items() if not fresh or self.is_exported(name)}
        kept = {name: dict(value) if isinstance(value, dict) else value for name, value in kept.items()}
        kind = "script" if fresh else "list"
        if not task.stack:  # it takes the place of the shell that there was
            task.args, task.functions, task.vars = list(args) or task.args, {}, kept
            for name, value in given.items():
                setattr(task, name, value)
            task.push(kind, node, 0)
            return
        task.push("shell", {"fresh": fresh, "kept": {name: getattr(task, name) for name in OWN}}, None)
        task.vars, task.kinds, task.level = kept, dict(task.kinds), task.level + 1
        task.traps = (
            {} if fresh else {name: each for name, each in task.traps.items() if name == "ERR" and "E" in task.options}
        )
        if fresh:
            task.functions = {name: each for name, each in task.functions.items() if task.exports.get(f"{name}()")}
            task.options, task.level, task.modes, task.fixed, task.kinds = "", 0, [], [], {}
        for name, value in given.items():
            setattr(task, name, value)
        task.args = list(args) or task.args
        task.push(kind, node, 0)

    def _shell(self, frame: list[Json]) -> Stop | None:
        task = self.task
        if script := frame[2]:  # a trap for its end
            frame[2] = None
            task.push("resume", task.code)
            task.push("list", parse(script, self.dialect), 0)
            return None
        task.stack.pop()
        for name, value in frame[1]["kept"].items():
            setattr(task, name, value)
        return None

    def _source(self, frame: list[Json]) -> Stop | None:
        self.task.stack.pop()
        self.task.args = frame[1]
        return None

    def _call(self, frame: list[Json]) -> Stop | None:
        if (script := self.task.traps.get("RETURN")) and not frame[6]:
            frame[6] = True
            self.task.push("resume", self.task.code)
            self.task.push("list", parse(script, self.dialect), 0)
            return None
        self.task.stack.pop()
        self.end_call(frame)
        return None

    def end_call(self, frame: list[Json]) -> None:
        """A function is left: its arguments and its own variables go."""
        self.task.args = frame[1]
        for name, kept in frame[2].items():
            if name == "-":
                self.task.options, self.task.modes = kept
            else:
                self.give_back(name, kept)
        if frame[5] is not None and "RETURN" not in self.task.traps:
            self.task.traps["RETURN"] = frame[5]

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
        if not self.redirect(redirections):
            self.task.stack.pop()
            return False
        drains, self.drains = self.drains, []
        self.task.stack.insert(len(self.task.stack) - 1, ["restore", before, drains])
        return True

    # Descriptors

    def redirect(self, redirections: Sequence[Json]) -> bool:
        """Open what a command is redirected to; False, with what was said of it, where that fails."""
        before = self.task.fds
        self.task.fds = dict(before)
        for given, sign, word, *_ in redirections:
            target = words.expand_text(word, self)
            number = given if given.isdigit() else self._allot(given, target)
            if not self._open(number, sign, target):
                self.task.fds = before
                self.task.code = 2 if self.dialect == "dash" else 1
                return False
        return True

    def _allot(self, name: str, target: str) -> str:
        """The descriptor that a variable holds, or is given."""
        if target == "-":
            return self.get(name) or ""
        number = next(str(n) for n in range(FIRST_FREE, 256) if str(n) not in self.task.fds)
        self.set(name, number)
        return number

    def _open(self, number: str, sign: str, target: str) -> bool:
        fds = self.task.fds
        if sign in (">&", "<&") and (target == "-" or target.rstrip("-").isdigit()):
            return self._duplicate(number, target)
        if sign in ("<<", "<<-", "<<<"):
            fds[number] = self.open_text(target + "\n" * (sign == "<<<"))
            return True
        both = sign in ("&>", "&>>", ">&")
        path = make_absolute(target, self.task.cwd) if target else ""
        guarded = sign == ">" and "C" in self.task.options and self.files.kind(path) == "file"
        if guarded and not path.startswith("/dev/"):
            self.blame(f"{target}: cannot overwrite existing file")
            return False
        opened = self.open_file(path, ">" if sign in (">|", ">&", "&>") else sign) if path else None
        if opened is None:
            self._blame_file(target, path, sign)
            return False
        fds |= {"1": opened, "2": opened} if both else {number: opened}
        return True

    def _duplicate(self, number: str, target: str) -> bool:
        fds, source = self.task.fds, target.rstrip("-")
        if target == "-":
            fds.pop(number, None)
            return True
        if source not in fds:
            self.blame(f"{source}: Bad file descriptor")
            return False
        fds[number] = fds[source]
        if target.endswith("-"):
            del fds[source]
        return True

    def _blame_file(self, target: str, path: str, sign: str) -> None:
        if self.dialect == "bash":
            folder = path and self.files.kind(path) == "directory"
            self.blame(f"{target}: {'Is a directory' if folder else 'No such file or directory'}")
            return
        verb, why = ("create", "Directory nonexistent") if ">" in sign else ("open", "No such file")
        self.write("2", f"{self.name}: 1: cannot {verb} {target}: {why}\n")
