"""The grammar of the shells, into nested lists.

    list     ["list", [[node, in background, line], ...]]
    node     ["andor", [[operator, pipeline], ...]], where the first operator is ""
    pipeline ["pipe", [command, ...], negated, timed]
    command  ["simple", [assignment, ...], [word, ...], redirections, line], ["if", [[condition, list], ...], else or
             None, redirections], ["while", condition, list, until, redirections], ["for", name, [word, ...] or None,
             list, redirections], ["select", the same], ["cfor", [word, word, word], list, redirections],
             ["case", word, [[[pattern, ...], list, end], ...], redirections], ["group" or "subshell", list,
             redirections], ["function", name, command], ["cond", condition, redirections], ["arith", word,
             redirections], ["coprocess", name, command, line], ["syntax", what is wrong]
    word     as `reader` has it, or [["asg", assignment]] where a command that declares is given one
    assignment [name, index or None, whether it is added, word or ["array", [[index or None, added, word], ...]]]
    redirections [[descriptor or variable, operator, word], ...]
    condition ["or" or "and", condition, condition], ["not", condition], ["un", operator, word],
             ["bin", operator, word, word], ["word", word]

>>> parse("echo a && exit 1")[1][0][0][1][1][0]
'&&'
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from aiops_gym import caches
from aiops_gym.sim.machine.scripts.condition_parser import ConditionParser
from aiops_gym.sim.machine.scripts.reader import META, ScriptError
from aiops_gym.sim.machine.scripts.tokens import REDIRECTION
from aiops_gym.types import Json

NAME = re.compile(r"[A-Za-z_]\w*")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(?=(?:\[|\+?=))")
_FUNCTION = re.compile(r"(?:function\s+)?([^\s;&|<>()'\"$`\\=]+)[ \t]*\([ \t]*\)|function\s+([^\s;&|<>()'\"$`\\]+)")
CLOSING = ("then", "do", "done", "fi", "else", "elif", "esac", "}")
DECLARING = frozenset(("declare", "typeset", "local", "export", "readonly"))
NESTED = 150
"""Commands inside one another, well within Python's own stack."""


@caches.function(512, "parsing a script")
def parse(text: str, dialect: str = "bash") -> list[Json]:
    """A script as a list node. Read it, never change it.

    What comes before a line that does not parse is run before that is told, as shells do.

    Raises:
        ScriptError: its first line does not parse.
    """
    parser = Parser(text, dialect)
    try:
        return parser.whole()
    except RecursionError as error:
        raise ScriptError("Syntax error: nested too deeply") from error
    except ScriptError as error:
        if not parser.complete:
            raise
        return ["list", [*parser.complete, *_make_failed(error)[1]]]


def parse_program(text: str, dialect: str) -> list[Json]:
    """A script that is to run as a program; one that does not parse at all says so and ends with 2."""
    try:
        return parse(text, dialect)
    except ScriptError as error:
        return _make_failed(error)


def _make_failed(error: ScriptError) -> list[Json]:
    failed: Json = ["syntax", str(error), error.bash, error.line]
    return ["list", [[["andor", [["", ["pipe", [failed], False, ""]]]], False, error.line]]]


class Parser(ConditionParser):
    """A recursive descent over the text; see `Reader`."""

    def __init__(self, text: str, dialect: str = "bash", line: int = 1) -> None:
        super().__init__(text, dialect, line)
        self.complete: list[Json] = []
        self.depth = 0

    def whole(self) -> list[Json]:
        """All of the text."""
        found = self.items(())
        self.skip(newlines=True)
        self.documents()
        if self.at < len(self.text):
            raise self.unexpected()
        return found

    def items(self, ends: tuple[str, ...]) -> list[Json]:
        """Commands up to one of these words."""
        items: list[Json] = []
        self.depth += 1
        if self.depth > NESTED:
            raise ScriptError("Syntax error: nested too deeply")
        while True:
            self.skip(newlines=True)
            if self.at >= len(self.text) or self.peek() in ends or self.operator() in (*ends, ")", ";;", ";&", ";;&"):
                self.depth -= 1
                return ["list", items]
            if self.peek() in CLOSING:
                raise self.unexpected()
            line = self.line
            node = self._andor()
            sign = self.operator()
            items.append([node, sign == "&", line])
            if sign in ("&", ";", "\n"):
                self.at += 1
            if sign == "\n":
                self.documents()
                if self.depth == 1 and not ends:
                    self.complete = list(items)
            elif sign not in ("&", ";", "", ")", ";;", ";&", ";;&") or (not sign and self._goes_on()):
                raise self.unexpected()

    def _goes_on(self) -> bool:
        """Whether something stands here that should not."""
        return self.at < len(self.text) and self.text[self.at] not in ")\n"

    def _body(self, *ends: str) -> list[Json]:
        """Commands of which there must be one."""
        found = self.items(ends)
        if not found[1] and not (self.bash and ends == (")",)):
            raise self.unexpected(ends[-1] if self.at >= len(self.text) else "")
        return found

    def _andor(self) -> list[Json]:
        parts: list[Json] = [["", self._pipe()]]
        while (sign := self.operator()) in ("&&", "||"):
            self.at += 2
            self.skip(newlines=True)
            parts.append([sign, self._pipe()])
        return ["andor", parts]

    def _pipe(self) -> list[Json]:
        negated, timed = False, ""
        while (word := self.peek()) == "!" or (word == "time" and self.bash):
            self.take(word)
            negated ^= word == "!"
            timed = "time" if word == "time" else timed
            if timed and self.peek() == "-p":
                self.take("-p")
                timed = "time -p"
        if timed and self.operator() in (";", "\n", "", ")") and not self._goes_on():
            return ["pipe", [["group", ["list", []], []]], negated, timed]
        commands = [self._command()]
        while (sign := self.operator()) == "|" or (sign == "|&" and self.bash):
            self.at += len(sign)
            if sign == "|&":
                _redirections_of(commands[-1]).append(["2", ">&", [["lit", "1"]]])
            self.skip(newlines=True)
            commands.append(self._command())
        return ["pipe", commands, negated, timed]

    def _command(self) -> list[Json]:
        word, compound = self.peek(), self._compound()
        if word == "coproc" and self.bash:
            return self._coprocess(compound)
        if word in compound:
            self.take(word)
            return [*compound[word](word), self._redirections()]
        if self.operator() == "(":
            if (
                self.bash
                and self.text.startswith("((", self.at)
                and (found := self.arithmetic(self.at + 2)) is not None
            ):
                return ["arith", found, self._redirections()]
            self.at += 1
            body = self._body(")")
            self.take(")")
            return ["subshell", body, self._redirections()]
        return self._function() or self._simple()

    def _coprocess(self, compound: Mapping[str, object]) -> list[Json]:
        """`coproc [name] command`, with a name only before a compound one."""
        self.take("coproc")
        line, before, name = self.line, self.at, self.peek()
        if NAME.fullmatch(name) and name not in compound:
            self.take(name)
            if self.peek() in compound or self.operator() == "(":
                return ["coprocess", name, self._command(), line]
            self.at = before
        return ["coprocess", "COPROC", self._command(), line]

    def _compound(self) -> dict[str, Json]:
        found = {"if": self._if, "while": self._while, "until": self._while, "for": self._for, "case": self._case}
        found["{"] = self._group
        if self.rich:
            found["[["] = self._condition
        if self.bash:
            found["select"] = self._for
        return found

    def _group(self, word: str) -> list[Json]:
        body = self._body("}")
        self.take("}")
        return ["group", body]

    def _function(self) -> list[Json] | None:
        match = _FUNCTION.match(self.text, self.at)
        if match is None or (match[2] and not self.rich) or (match[0].startswith("function ") and not self.rich):
            return None
        if match[1] and match[1][-1:] in "?*+@!" and self.bash:
            return None
        self.at = match.end()
        self.skip(newlines=True)
        return ["function", match[1] or match[2], self._command()]

    def _if(self, word: str) -> list[Json]:
        branches, otherwise = [], None
        while True:
            condition = self._body("then")
            self.take("then")
            branches.append([condition, self._body("elif", "else", "fi")])
            if self.peek() != "elif":
                break
            self.take("elif")
        if self.peek() == "else":
            self.take("else")
            otherwise = self._body("fi")
        self.take("fi")
        return ["if", branches, otherwise]

    def _while(self, word: str) -> list[Json]:
        condition = self._body("do")
        return ["while", condition, self._do(), word == "until"]

    def _for(self, word: str) -> list[Json]:
        self.skip()
        if self.bash and word == "for" and self.text.startswith("((", self.at):
            return self._counting()
        match = NAME.match(self.text, self.at)
        if match is None:
            raise ScriptError("Syntax error: Bad for loop variable", self.unexpected().bash, self.line)
        self.at = match.end()
        self.skip(newlines=True)
        words: list[Json] | None = None
        if self.peek() == "in":
            self.take("in")
            words = []
            while self.operator() not in (";", "\n") and self.at < len(self.text):
                words.append(self.take_word())
        if self.operator() in (";", "\n"):
            self.at += 1
        return [word, match[0], words, self._do()]

    def _counting(self) -> list[Json]:
        self.at += 2
        steps: list[Json] = []
        for end in (";", ";", ")"):
            steps.append(self.parts(end, quoted=True, balanced=True))
            self.take(end)
        self.take(")")
        if self.operator() in (";", "\n"):
            self.at += 1
        return ["cfor", steps, self._do()]

    def _do(self) -> list[Json]:
        self.skip(newlines=True)
        if self.bash and self.peek() == "{":
            self.take("{")
            return list(self._group("")[1])
        self.take("do")
        body = self._body("done")
        self.take("done")
        return body

    def _case(self, word: str) -> list[Json]:
        subject, branches = self.take_word(braces=False), []
        self.take("in")
        self.skip(newlines=True)
        while self.peek() != "esac":
            if self.operator() == "(":
                self.at += 1
            patterns = [self.take_word(braces=False)]
            while self.operator() == "|":
                self.at += 1
                patterns.append(self.take_word(braces=False))
            self.take(")")
            body = self.items(("esac",))
            sign = self.operator()
            end = sign if sign in (";;", ";&", ";;&") else ""
            self.at += len(end)
            branches.append([patterns, body, end])
            self.skip(newlines=True)
            if not end:
                break
        self.take("esac")
        return ["case", subject, branches]

    def _simple(self) -> list[Json]:
        names: list[Json] = []
        words: list[Json] = []
        redirections: list[Json] = []
        self.skip()
        line = self.line
        while True:
            if self._redirection(redirections):
                continue
            if self.operator() not in ("", "(") or self.at >= len(self.text):
                break
            if self.operator() == "(" and not self._is_process():
                raise self.unexpected()
            if not words and (found := self._assignment()) is not None:
                names.append(found)
            elif words and self.bash and _declares(words) and (found := self._assignment()) is not None:
                words.append([["asg", found]])
            else:
                words.append(self.take_word())
        if not names and not words and not redirections:
            raise self.unexpected()
        return ["simple", names, words, redirections, line]

    def _is_process(self) -> bool:
        return self.bash and self.text[self.at : self.at + 1] in ("<", ">")

    def _assignment(self) -> list[Json] | None:
        """`name=value`, `name+=value`, `name[index]=value`, `name=(values)`."""
        match = _ASSIGNMENT.match(self.text, self.at)
        if match is None:
            return None
        before, self.at, index = self.at, match.end(), None
        if self.text[self.at] == "[":
            if not self.bash:
                self.at = before
                return None
            self.at += 1
            try:
                index = self.subscript()
            except ScriptError:
                self.at = before
                return None
        sign = re.compile(r"\+?=" if self.bash else "=").match(self.text, self.at)
        if sign is None:
            self.at = before
            return None
        self.at = sign.end()
        return [match[1], index, sign[0] == "+=", self._value(index is None)]

    def _value(self, several: bool) -> list[Json]:
        if several and self.bash and self.text.startswith("(", self.at):
            self.at += 1
            return ["array", self._elements()]
        if self.at >= len(self.text) or (self.text[self.at] in META and not self._begins_process(META)):
            return []
        return self.word(value=True)

    def _elements(self) -> list[Json]:
        found: list[Json] = []
        while True:
            self.skip(newlines=True)
            if self.at >= len(self.text):
                raise self.unclosed(")", self.line)
            if self.text[self.at] == ")":
                self.at += 1
                return found
            if self.text[self.at] == "[" and (match := re.compile(r"\[[^]\n]*\]\+?=").match(self.text, self.at)):
                self.at += 1
                index, added = self.subscript(), match[0].endswith("+=")
                self.at += 2 if added else 1
                found.append([index, added, self._value(False)])
            else:
                found.append([None, False, self.take_word()])

    def _redirections(self) -> list[Json]:
        found: list[Json] = []
        while self._redirection(found):
            pass
        return found

    def _redirection(self, found: list[Json]) -> bool:
        self.skip()
        match = REDIRECTION.match(self.text, self.at)
        if match is None or (match[4] and not self.rich):
            return False
        sign, number = match[2] or match[4], match[1] or ""
        if self.bash and sign in ("<", ">") and self.text.startswith("(", match.end()) and not number:
            return False
        if sign == "<<<" and not self.rich:
            sign = "<<"
        self.at = match.end() - (match[2] == "<<<" and not self.rich)
        number = number.strip("{}") or ("0" if sign[0] == "<" else "1")
        self.skip()
        if self.operator() or self.at >= len(self.text):
            raise self.unexpected()
        entry: list[Json] = [number, sign, self.take_word(braces=False)]
        if sign in ("<<", "<<-"):
            parts = entry[2]
            end = "".join(
                p[1] if p[0] != "dq" else "".join(q[1] for q in p[1]) for p in parts if p[0] in ("lit", "quo", "dq")
            )
            self.pending.append((entry, end, sign == "<<-", any(p[0] in ("quo", "dq") for p in parts)))
        found.append(entry)
        return True


def _declares(words: list[Json]) -> bool:
    first = words[0]
    if first in ([["lit", "command"]], [["lit", "builtin"]]):
        first = words[1] if len(words) > 1 else first
    return len(first) == 1 and first[0][0] == "lit" and first[0][1] in DECLARING


def _redirections_of(command: list[Json]) -> list[Json]:
    if command[0] == "function":
        return _redirections_of(command[2])
    found: list[Json] = command[3 if command[0] == "simple" else -1]
    return found


def make_call(argv: Sequence[str]) -> list[Json]:
    """The list that holds one command, whose words mean themselves."""
    simple: Json = ["simple", [], [[["quo", word]] for word in argv], [], 1]
    return ["list", [[["andor", [["", ["pipe", [simple], False, ""]]]], False, 1]]]
