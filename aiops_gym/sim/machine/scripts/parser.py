"""The grammar of POSIX shell, as far as start-up scripts and probes use it, into nested lists.

    list     ["list", [[node, in background], ...]]
    node     ["andor", [[operator, pipeline], ...]], where the first operator is ""
    pipeline ["pipe", [command, ...], negated]
    command  ["simple", [[name, word], ...], [word, ...], redirections], ["if", [[condition, list], ...], else or None,
             redirections], ["while", condition, list, until, redirections], ["for", name, [word, ...] or None, list,
             redirections], ["case", word, [[[pattern, ...], list], ...], redirections],
             ["group" or "subshell", list, redirections], ["function", name, command]
    word     [part, ...]: text as written, see `words`; redirections [[descriptor, operator, word], ...]

>>> parse("echo a && exit 1")[1][0][0][1][1][0]
'&&'
"""

from __future__ import annotations

import re

from aiops_gym import caches
from aiops_gym.types import Json

NAME = re.compile(r"[A-Za-z_]\w*")
ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=")
OPERATORS = ("&&", "||", ";;", "<<-", "<<", ">>", ">&", "<&", "&>", ">|", "&", "|", ";", "<", ">", "(", ")", "\n")
CLOSING = ("then", "do", "done", "fi", "else", "elif", "esac", "}")


class ScriptError(ValueError):
    """A script that no shell would take."""


@caches.function(512, "parsing a script in a container")
def parse(text: str) -> list[Json]:
    """A script as a list node. Read it, never change it. Raises ScriptError."""
    parser = _Parser(text)
    try:
        found = parser.items(())
    except RecursionError as error:
        raise ScriptError("Syntax error: nested too deeply") from error
    parser.skip(newlines=True)
    parser.documents()
    if parser.at < len(text):
        raise ScriptError(f'Syntax error: "{parser.peek() or text[parser.at]}" unexpected')
    return found


@caches.function(512, "parsing a word within an expansion")
def parse_inner(text: str) -> list[Json]:
    """Parts of a word in which blanks are letters as others: read them, never change them. Raises ScriptError."""
    return _Parser(text).parts("")


class _Parser:
    """A recursive descent over the text.

    Args:
        text: the script.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.pending: list[tuple[list[Json], str, bool]] = []

    def skip(self, newlines: bool = False) -> None:
        """Go past blanks, comments and joined lines; newlines too if asked."""
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in " \t\r" or (char == "\n" and newlines and not self.pending):
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif char == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif char == "\n" and newlines:
                self.at += 1
                self.documents()
            else:
                return

    def operator(self) -> str:
        """The operator here, "" if there is none."""
        self.skip()
        return next((o for o in OPERATORS if self.text.startswith(o, self.at)), "")

    def peek(self) -> str:
        """The bare word here, without taking it."""
        self.skip(newlines=True)
        match = re.compile(r"[^\s;&|<>()'\"$`\\]+").match(self.text, self.at)
        return match[0] if match else ""

    def take(self, word: str) -> None:
        """Take a keyword or operator that must be here."""
        self.skip(newlines=True)
        if not self.text.startswith(word, self.at):
            here = self.peek() or self.text[self.at : self.at + 1]
            what = f'"{here}"' if here else "end of file"
            raise ScriptError(f'Syntax error: {what} unexpected (expecting "{word}")')
        self.at += len(word)

    def items(self, ends: tuple[str, ...]) -> list[Json]:
        """Commands up to one of these words."""
        items: list[Json] = []
        while True:
            self.skip(newlines=True)
            if self.at >= len(self.text) or self.peek() in ends or self.operator() in (*ends, ")", ";;"):
                return ["list", items]
            if self.peek() in CLOSING and self.peek() not in ends:
                raise ScriptError(f'Syntax error: "{self.peek()}" unexpected')
            node = self._andor()
            sign = self.operator()
            items.append([node, sign == "&"])
            if sign in ("&", ";"):
                self.at += 1
            elif sign == "\n":
                self.at += 1
                self.documents()
            elif sign not in ("", ")", ";;"):
                raise ScriptError(f'Syntax error: "{sign}" unexpected')

    def _andor(self) -> list[Json]:
        parts: list[Json] = [["", self._pipe()]]
        while (sign := self.operator()) in ("&&", "||"):
            self.at += 2
            self.skip(newlines=True)
            parts.append([sign, self._pipe()])
        return ["andor", parts]

    def _pipe(self) -> list[Json]:
        negated = False
        while self.peek() == "!":
            self.take("!")
            negated = not negated
        commands = [self._command()]
        while self.operator() == "|":
            self.at += 1
            self.skip(newlines=True)
            commands.append(self._command())
        return ["pipe", commands, negated]

    def _command(self) -> list[Json]:
        word = self.peek()
        compound = {"if": self._if, "while": self._while, "until": self._while, "for": self._for, "case": self._case}
        if word in compound:
            self.take(word)
            return [*compound[word](word), self._redirections()]
        if word == "{":
            self.take("{")
            body = self.items(("}",))
            self.take("}")
            return ["group", body, self._redirections()]
        if self.operator() == "(":
            self.at += 1
            body = self.items((")",))
            self.take(")")
            return ["subshell", body, self._redirections()]
        return self._function(word) or self._simple()

    def _function(self, word: str) -> list[Json] | None:
        match = re.compile(r"(?:function\s+)?([\w-]+)\s*\(\s*\)").match(self.text, self.at)
        if match is None and word == "function":
            match = re.compile(r"function\s+([\w-]+)").match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        self.skip(newlines=True)
        return ["function", match[1], self._command()]

    def _if(self, word: str) -> list[Json]:
        branches, otherwise = [], None
        while True:
            condition = self.items(("then",))
            self.take("then")
            branches.append([condition, self.items(("elif", "else", "fi"))])
            if self.peek() != "elif":
                break
            self.take("elif")
        if self.peek() == "else":
            self.take("else")
            otherwise = self.items(("fi",))
        self.take("fi")
        return ["if", branches, otherwise]

    def _while(self, word: str) -> list[Json]:
        condition = self.items(("do",))
        return ["while", condition, self._body(), word == "until"]

    def _for(self, word: str) -> list[Json]:
        self.skip()
        match = NAME.match(self.text, self.at)
        if match is None:
            raise ScriptError("Syntax error: Bad for loop variable")
        self.at = match.end()
        words: list[Json] | None = None
        if self.peek() == "in":
            self.take("in")
            words = []
            while self.operator() not in (";", "\n") and self.at < len(self.text):
                words.append(self._word())
        if self.operator() in (";", "\n"):
            self.at += 1
        return ["for", match[0], words, self._body()]

    def _body(self) -> list[Json]:
        self.take("do")
        body = self.items(("done",))
        self.take("done")
        return body

    def _case(self, word: str) -> list[Json]:
        subject, branches = self._word(), []
        self.take("in")
        while self.peek() != "esac":
            if self.operator() == "(":
                self.at += 1
            patterns = [self._word()]
            while self.operator() == "|":
                self.at += 1
                patterns.append(self._word())
            self.take(")")
            branches.append([patterns, self.items(("esac",))])
            if self.operator() == ";;":
                self.at += 2
        self.take("esac")
        return ["case", subject, branches]

    def _simple(self) -> list[Json]:
        names: list[Json] = []
        words: list[Json] = []
        redirections: list[Json] = []
        while True:
            if self._redirection(redirections):
                continue
            sign = self.operator()
            if sign or self.at >= len(self.text):
                break
            match = ASSIGNMENT.match(self.text, self.at)
            if match and not words:
                self.at = match.end()
                blank = self.at >= len(self.text) or self.text[self.at] in " \t\r\n;&|)"
                names.append([match[1], [] if blank else self._word()])
            else:
                words.append(self._word())
        if not names and not words and not redirections:
            here = self.operator() or self.text[self.at : self.at + 1]
            raise ScriptError(f'Syntax error: "{here}" unexpected' if here else UNFINISHED)
        return ["simple", names, words, redirections]

    def _redirections(self) -> list[Json]:
        found: list[Json] = []
        while self._redirection(found):
            pass
        return found

    def _redirection(self, found: list[Json]) -> bool:
        self.skip()
        match = re.compile(r"(\d?)(<<-|<<|>>|>&|<&|&>|>\||<|>)").match(self.text, self.at)
        if match is None:
            return False
        self.at = match.end()
        number, sign = match[1] or ("0" if match[2][0] == "<" else "1"), match[2]
        self.skip()
        entry: list[Json] = [number, sign, self._word()]
        if sign.startswith("<<"):
            self.pending.append((entry, "".join(p[1] for p in entry[2]), sign == "<<-"))
        found.append(entry)
        return True

    def documents(self) -> None:
        """Read the here-documents that begin after the newline just taken."""
        for entry, end, dash in self.pending:
            lines = []
            while self.at < len(self.text):
                stop = self.text.find("\n", self.at)
                stop = len(self.text) if stop < 0 else stop
                line, self.at = self.text[self.at : stop], min(stop + 1, len(self.text))
                line = line.lstrip("\t") if dash else line
                if line == end:
                    break
                lines.append(f"{line}\n")
            quoted = any(part[0] != "bare" for part in entry[2])
            entry[2] = [["single" if quoted else "body", "".join(lines)]]
        self.pending = []

    def _word(self) -> list[Json]:
        """Parts of a word: ["bare" | "single" | "double" | "ansi", text]; text keeps its `$`."""
        self.skip()
        parts = self.parts(" \t\r\n;&|<>()")
        if not parts:
            raise ScriptError(UNFINISHED)
        return parts

    def parts(self, ends: str) -> list[Json]:
        """Parts up to one of these signs."""
        parts: list[Json] = []
        bare = ""
        while self.at < len(self.text) and self.text[self.at] not in ends:
            char = self.text[self.at]
            if char == "'" or self.text.startswith("$'", self.at):
                start = self.at + (1 if char == "'" else 2)
                end = self._find("'", start)
                text = self.text[start:end]
                parts += [["bare", bare]] if bare else []
                parts.append(["single", text] if char == "'" else ["ansi", _escapes(text)])
                bare, self.at = "", end + 1
            elif char == '"':
                end = self._quote(self.at + 1)
                parts += [["bare", bare]] if bare else []
                parts.append(["double", self.text[self.at + 1 : end]])
                bare, self.at = "", end + 1
            elif char == "\\":
                parts += [["bare", bare]] if bare else []
                parts.append(["single", self.text[self.at + 1 : self.at + 2]])
                bare, self.at = "", self.at + 2
            else:
                end = self._piece(self.at)
                bare += self.text[self.at : end]
                self.at = end
        if bare:
            parts.append(["bare", bare])
        return parts

    def _quote(self, at: int) -> int:
        while at < len(self.text) and self.text[at] != '"':
            at = at + 2 if self.text[at] == "\\" else self._piece(at)
        if at >= len(self.text):
            raise ScriptError(UNQUOTED)
        return at

    def _piece(self, at: int) -> int:
        """The end of what begins here: a character, or a whole expansion."""
        return find_expansion_end(self.text, at) if self.text[at] in "$`" else at + 1

    def _find(self, char: str, at: int) -> int:
        end = self.text.find(char, at)
        if end < 0:
            raise ScriptError(UNQUOTED)
        return end


_BACK = re.compile(r"`(?:[^`\\]|\\.)*`", re.DOTALL)
UNQUOTED = "Syntax error: Unterminated quoted string"
UNFINISHED = "Syntax error: end of file unexpected"


def find_expansion_end(text: str, at: int) -> int:
    """Where the expansion that begins with `$` or a backquote ends. Raises ScriptError."""
    if text[at] == "`":
        end = _BACK.match(text, at)
        if end is None:
            raise ScriptError(UNQUOTED)
        return end.end()
    opening = text[at + 1 : at + 2]
    if opening not in ("(", "{"):
        match = re.compile(r"\$(?:\w+|[?$!#@*-])?").match(text, at)
        if match and match[0][1:2].isdigit():
            return at + 2
        return match.end() if match else at + 1
    depth, i = 0, at + 1
    while i < len(text):
        char = text[i]
        if char == "\\":
            i += 1
        elif char == "'" and opening == "(":
            i = max(i, text.find("'", i + 1))
        elif char in "({":
            depth += 1
        elif char in ")}":
            depth -= 1
            if depth == 0:
                return i + 1
        i += 1
    raise ScriptError(UNQUOTED)


def _escapes(text: str) -> str:
    pairs = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
    return re.sub(r"\\([ntr\\'\"])", lambda m: pairs[m[1]], text)
