"""What the grammar of the shells is made of: operators, keywords, here-documents."""

from __future__ import annotations

import re

from aiops_gym.sim.machine.scripts.reader import Reader, ScriptError
from aiops_gym.types import Json

_OPERATOR = re.compile(r"&&|\|\||;;&|;;|;&|\|&|[&|;()\n]")
_BARE = re.compile(r"[^\s;&|<>()'\"$`\\]+")
REDIRECTION = re.compile(r"(\d*|\{[A-Za-z_]\w*\})(<<<|<<-|<<|<>|<&|<|>>|>&|>\||>)|()(&>>|&>)")


class Tokens(Reader):
    """Reads operators and keywords; see `Reader`."""

    def __init__(self, text: str, dialect: str = "bash", line: int = 1) -> None:
        super().__init__(text, dialect, line)
        self.pending: list[tuple[list[Json], str, bool, bool]] = []

    def unexpected(self, expected: str = "") -> ScriptError:
        """What stands here should not."""
        self.skip()
        operator = self.operator()
        here = operator or self.peek() or self.text[self.at : self.at + 1]
        shown = {"\n": "newline"}.get(here, here)
        what = f'"{shown}" unexpected' if shown != "newline" else "newline unexpected"
        end = f' (expecting "{expected}")' if expected else ""
        if not here:
            bash = "syntax error: unexpected end of file"
            return ScriptError(f"Syntax error: end of file unexpected{end}", bash, self.line + 1)
        number = self.line
        source = self.text.split("\n")[number - self.first]
        bash = f"syntax error near unexpected token `{shown}'\0`{source}'"
        return ScriptError(f"Syntax error: {what}{end}", bash, number)

    def skip(self, newlines: bool = False) -> None:
        """Go past blanks, comments and joined lines; newlines too if asked."""
        text = self.text
        while self.at < len(text):
            char = text[self.at]
            if char in " \t\r":
                self.at += 1
            elif char == "\\" and text.startswith("\\\n", self.at):
                self.at += 2
            elif char == "#":
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            elif char == "\n" and newlines:
                self.at += 1
                self.documents()
            else:
                return

    def operator(self) -> str:
        """The operator here, "" if there is none."""
        self.skip()
        match = _OPERATOR.match(self.text, self.at)
        return match[0] if match and not (self.rich and REDIRECTION.match(self.text, self.at)) else ""

    def peek(self) -> str:
        """The bare word here, without taking it."""
        self.skip()
        match = _BARE.match(self.text, self.at)
        if match is None or self.text[match.end() : match.end() + 1] in tuple("'\"$`\\"):
            return ""
        return match[0]

    def take(self, word: str) -> None:
        """Take a keyword or operator that must be here."""
        self.skip(newlines=True)
        named = word[0].isalpha() or word in "{}"
        if not (self.peek() == word if named else self.text.startswith(word, self.at)):
            raise self.unexpected(word)
        self.at += len(word)

    def documents(self) -> None:
        """Read the here-documents that begin after the newline just taken."""
        pending, self.pending = self.pending, []
        for entry, end, dash, quoted in pending:
            lines, number = [], self.line
            while self.at < len(self.text):
                stop = self.text.find("\n", self.at)
                stop = len(self.text) if stop < 0 else stop
                line, self.at = self.text[self.at : stop], min(stop + 1, len(self.text))
                line = line.lstrip("\t") if dash else line
                if line == end:
                    break
                lines.append(f"{line}\n")
            body = "".join(lines)
            entry.append(f"'{end}'" if quoted else end)
            inner = type(self)(body, self.dialect, number)
            entry[2] = [["quo", body]] if quoted else [["dq", inner.parts("", quoted=True, document=True)]]

    def take_word(self, braces: bool = True) -> list[Json]:
        """Take a word that must be here; in some places its braces are letters."""
        self.skip()
        parts = self.word() if braces else self.word(value=True)
        if not parts:
            raise self.unexpected()
        return parts
