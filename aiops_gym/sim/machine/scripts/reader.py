"""Words of a shell as they are written, into parts.

    word [part, ...]
    part ["lit", text] as written; ["quo", text] quoted; ["dq", word] in double quotes, where "lit" is quoted, too;
         ["til", user]; ["par", name, index, operator, arguments, indirect]; ["sub", list]; ["ari", word];
         ["pro", "<" or ">", list]; ["brc", word], of which braces make several words

The index of a parameter is None, "@", "*" or a word. Reference: Bash manual, 3.1.2 and 3.5; POSIX, Shell Command
Language, 2.2 to 2.6.
"""

from __future__ import annotations

import re

from aiops_gym.types import Json

META = " \t\r\n;&|<>()"
SPECIAL = "?$!#@*-"
_PLAIN = re.compile(r"[\w./:=,%+^-]+")
_NAME = re.compile(r"[A-Za-z_]\w*")
_PARAMETER = re.compile(r"[A-Za-z_]\w*|\d+|[?$!#@*-]")
_ASSIGNS = re.compile(r"[A-Za-z_]\w*=")
_TILDE = re.compile(r"~([\w.+-]*)(?=[/:\s;&|<>()]|$)")
_OPERATORS = {
    "dash": re.compile(r":?[-=+?]|##?|%%?"),
    "busybox": re.compile(r":?[-=+?]|##?|%%?|//?|:"),
    "bash": re.compile(r":?[-=+?]|##?|%%?|//?|\^\^?|,,?|~~?|@[A-Za-z]|:"),
}
_ESCAPE = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|c(.))",
    re.DOTALL,
)
_ESCAPES = dict(zip("abeEfnrtv\\'\"?", "\a\b\033\033\f\n\r\t\v\\'\"?", strict=True))
UNQUOTED = "Syntax error: Unterminated quoted string"
BAD = "Bad substitution"


class ScriptError(ValueError):
    """A script that no shell would take, or that none would go on with.

    Attributes:
        bash: what bash says of it, where that is something else.
        line: where the script does not parse, 0 for other errors.
        code: with which a shell ends for it.
    """

    def __init__(self, text: str, bash: str = "", line: int = 0, code: int = 0) -> None:
        super().__init__(text)
        self.bash, self.line, self.code = bash or text, line, code


class Reader:
    """Reads words.

    Args:
        text: the script.
        dialect: `bash`, `dash` or `busybox`.
        line: number of its first line.
    """

    def __init__(self, text: str, dialect: str = "bash", line: int = 1) -> None:
        self.text, self.dialect = text, dialect
        self.at, self.first = 0, line
        self.nested = 0
        self.bash, self.rich = dialect == "bash", dialect != "dash"

    def items(self, ends: tuple[str, ...]) -> list[Json]:
        """Commands up to one of these words."""
        raise NotImplementedError

    @property
    def line(self) -> int:
        """Number of the line that is being read."""
        return self.text.count("\n", 0, self.at) + self.first

    def unclosed(self, sign: str, line: int) -> ScriptError:
        """The error of what has no end."""
        return ScriptError(UNQUOTED, f"unexpected EOF while looking for matching `{sign}'", line)

    def word(self, ends: str = META, value: bool = False) -> list[Json]:
        """Parts up to one of these signs; of a value that is assigned, tildes are read behind colons as well."""
        parts = _read_tildes(self.parts(ends), value, self.bash)
        if self.bash and not value and any(part[0] == "lit" and "{" in part[1] for part in parts):
            return [["brc", parts]]
        return parts

    def parts(self, ends: str, quoted: bool = False, balanced: bool = False, document: bool = False) -> list[Json]:
        """The same without tildes and braces.

        Args:
            ends: signs.
            quoted: as in double quotes.
            balanced: brackets are paired before the end.
            document: of a here-document, where double quotes are letters.
        """
        parts: list[Json] = []
        bare: list[str] = []
        text, depth = self.text, 0
        while self.at < len(text):
            char = text[self.at]
            if plain := _PLAIN.match(text, self.at) if not ends or ends in (META, '"', ")") else None:
                bare.append(plain[0])
                self.at = plain.end()
                continue
            if char in "<>" and self._begins_process(ends):
                found: Json = self._process()
            elif char in ends and not depth and not (char == "(" and self._opens_group(ends)):
                break
            else:
                if char in "()" and (balanced or depth or self._opens_group(ends)):
                    depth += 1 if char == "(" else -1
                found = self._part(char, quoted, document)
            if isinstance(found, str):
                bare.append(found)
            elif found is not None:
                parts += [["lit", "".join(bare)], found] if bare else [found]
                bare = []
        return [*parts, ["lit", "".join(bare)]] if bare else parts

    def _begins_process(self, ends: str) -> bool:
        return self.bash and ends == META and self.text.startswith("(", self.at + 1)

    def _opens_group(self, ends: str) -> bool:
        """Whether a bracket is that of `@(a|b)` and its like."""
        return (
            self.bash
            and ends == META
            and self.text[self.at] == "("
            and self.text[self.at - 1 : self.at] in tuple("?*+@!")
        )

    def _process(self) -> list[Json]:
        sign = self.text[self.at]
        self.at += 1
        return ["pro", sign, self._inside()]

    def _part(self, char: str, quoted: bool, document: bool) -> Json:
        """What begins here: a part, text as it is written, or None for nothing."""
        if char == "\\":
            return self._escaped(quoted, document)
        if char == "$":
            return self._expansion(quoted)
        if char == "`":
            return self._backquoted(quoted)
        if char == '"' and not document:
            return self._double()
        if char == "'" and not quoted:
            start = self.at + 1
            end = self.text.find("'", start)
            if end < 0:
                raise self.unclosed("'", self.line)
            self.at = end + 1
            return ["quo", self.text[start:end]]
        self.at += 1
        return char

    def _escaped(self, quoted: bool, document: bool) -> Json:
        follows = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if follows == "\n":
            return None
        if not follows:
            return "\\"
        if quoted and (follows not in '$`"\\}' or (document and follows == '"')):
            return f"\\{follows}"
        return ["quo", follows]

    def _double(self) -> list[Json]:
        line, nested, self.nested = self.line, self.nested, 0
        self.at += 1
        parts = self.parts('"', quoted=True)
        self.nested = nested
        if self.at >= len(self.text):
            raise self.unclosed('"', line)
        self.at += 1
        return ["dq", parts]

    def _backquoted(self, quoted: bool) -> list[Json]:
        line, start, at = self.line, self.at + 1, self.at + 1
        while at < len(self.text) and self.text[at] != "`":
            at += 2 if self.text[at] == "\\" else 1
        if at >= len(self.text):
            raise self.unclosed("`", line)
        self.at = at + 1
        inner = re.sub(r"\\([$`\\\"])" if quoted else r"\\([$`\\])", r"\1", self.text[start:at])
        parser = type(self)(inner, self.dialect, line)
        return ["sub", parser.whole()]

    def whole(self) -> list[Json]:
        """All of the text, as a list."""
        raise NotImplementedError

    def _expansion(self, quoted: bool) -> Json:
        text, at = self.text, self.at
        follows = text[at + 1 : at + 2]
        if follows == "(":
            if text.startswith("((", at + 1) and (found := self.arithmetic(at + 3)) is not None:
                return ["ari", found]
            self.at = at + 1
            return ["sub", self._inside()]
        if follows == "{":
            return self._braced(quoted)
        if follows == "[" and self.bash:
            self.at = at + 2
            parts = self.parts("]", quoted=True)
            self.at += 1
            return ["ari", parts]
        if follows == "'" and self.rich and (not quoted or (self.nested and self.bash)):
            return self._ansi()
        if follows == '"' and self.bash and not quoted:
            self.at = at + 1
            return self._double()
        match = _PARAMETER.match(text, at + 1)
        if match is None:
            self.at = at + 1
            return "$"
        name = match[0][:1] if match[0].isdigit() else match[0]
        self.at = at + 1 + len(name)
        return ["par", name, None, "", [], False]

    def _inside(self) -> list[Json]:
        """Commands in brackets."""
        line = self.line
        self.at += 1
        found = self.items((")",))
        if not self.text.startswith(")", self.at):
            raise self.unclosed(")", line)
        self.at += 1
        return found

    def arithmetic(self, start: int) -> list[Json] | None:
        """An expression up to `))`; None, and nothing taken, where there is none."""
        before, self.at = self.at, start
        found = self.parts(")", quoted=True, balanced=True)
        if self.text.startswith("))", self.at):
            self.at += 2
            return found
        self.at = before
        return None

    def _ansi(self) -> list[Json]:
        line, start, at = self.line, self.at + 2, self.at + 2
        while at < len(self.text) and self.text[at] != "'":
            at += 2 if self.text[at] == "\\" else 1
        if at >= len(self.text):
            raise self.unclosed("'", line)
        self.at = at + 1
        return ["quo", _ESCAPE.sub(_escape, self.text[start:at]).partition("\0")[0]]

    def _braced(self, quoted: bool) -> list[Json]:
        """`${name}` with whatever is done to it."""
        start, line = self.at, self.line
        self.at += 2
        length = re.compile(r"#(?=[\w?$!#@*-])(?!.?[-+=?%:]\w)").match(self.text, self.at)
        if length and not self.text.startswith("#}", self.at):
            self.at += 1
        indirect = not length and self.bash and re.compile(r"!(?:\w|#\})").match(self.text, self.at) is not None
        self.at += indirect
        match = _PARAMETER.match(self.text, self.at)
        if match is None:
            return self._bad(start)
        self.at = match.end()
        index = self._index() if self.bash and _NAME.fullmatch(match[0]) else None
        operator, arguments = "len" if length else "", list[Json]()
        if indirect and (every := re.compile(r"[@*](?=\})").match(self.text, self.at)):
            self.at, operator = every.end(), "names" + every[0]
        elif indirect and index in ("@", "*"):
            operator = "keys"
        elif not length:
            operator, arguments = self._operation(quoted)
        if self.at >= len(self.text):
            raise self.unclosed("}", line)
        if self.text[self.at] != "}":
            return self._bad(start)
        self.at += 1
        return ["par", match[0], index, operator, arguments, indirect]

    def _bad(self, start: int) -> list[Json]:
        """What means nothing: that is told when it comes to it."""
        self.at = start + 2
        self.parts("}", quoted=True)
        if self.at >= len(self.text):
            raise self.unclosed("}", self.line)
        self.at += 1
        return ["bad", self.text[start : self.at]]

    def _index(self) -> Json:
        if not self.text.startswith("[", self.at):
            return None
        self.at += 1
        for every in ("@", "*"):
            if self.text.startswith(f"{every}]", self.at):
                self.at += 2
                return every
        return self.subscript()

    def subscript(self) -> list[Json]:
        """A word up to its bracket, which is taken."""
        found: list[Json] = []
        while True:
            found += self.parts("[]")
            if self.at >= len(self.text):
                raise self.unclosed("]", self.line)
            self.at += 1
            if self.text[self.at - 1] == "]":
                return found
            found += [["lit", "["], *self.subscript(), ["lit", "]"]]

    def _operation(self, quoted: bool) -> tuple[str, list[Json]]:
        """What is done to a parameter, and with what."""
        match = _OPERATORS[self.dialect].match(self.text, self.at)
        if match is None:
            return "", []
        self.at, sign = match.end(), match[0]
        if sign[0] == "@":
            return sign, []
        if sign == ":":
            return sign, self._range()
        if sign in ("/", "//"):
            return self._replacement(sign)
        word = sign[-1] in "-=+?"
        self.nested += 1
        found = self.parts("}", quoted=quoted and word)
        self.nested -= 1
        return sign, [_read_tildes(found, False) if word and not quoted else found]

    def _range(self) -> list[Json]:
        found = [self.parts(":}", quoted=True, balanced=True)]
        if self.text.startswith(":", self.at):
            self.at += 1
            found.append(self.parts("}", quoted=True))
        return found

    def _replacement(self, sign: str) -> tuple[str, list[Json]]:
        if sign == "/" and self.text[self.at : self.at + 1] in ("#", "%"):
            sign += self.text[self.at]
            self.at += 1
        first = "/" if self.text.startswith("/", self.at) and sign in ("/", "//") else ""
        self.at += len(first)
        pattern = self.parts("/}")
        replacement: list[Json] = []
        if self.text.startswith("/", self.at):
            self.at += 1
            replacement = self.parts("}")
        return sign, [[["lit", first], *pattern] if first else pattern, replacement]


def _read_tildes(parts: list[Json], value: bool, assigned: bool = False) -> list[Json]:
    """A word in which `~` at its beginning, and in a value behind each colon, is somebody's folder.

    To bash, any word that looks like an assignment has a value.
    """
    if not any(part[0] == "lit" and "~" in part[1] for part in parts):
        return parts
    if assigned and not value and parts[0][0] == "lit" and (begin := _ASSIGNS.match(parts[0][1])):
        rest = [["lit", parts[0][1][begin.end() :]], *parts[1:]]
        return [["lit", begin[0]], *_read_tildes(rest if rest[0][1] else rest[1:], True)]
    found: list[Json] = []
    for number, (kind, *rest) in enumerate(parts):
        if kind != "lit" or "~" not in rest[0]:
            found.append([kind, *rest])
            continue
        pieces = re.split(r"(?<=:)(?=~)", rest[0]) if value else [rest[0]]
        for place, piece in enumerate(pieces):
            match = _TILDE.match(piece) if place or not number else None
            whole = match is not None and (
                match.end() < len(piece) or number == len(parts) - 1 or place < len(pieces) - 1
            )
            if match is not None and whole:
                found.append(["til", match[1]])
            left = piece[match.end() :] if match is not None and whole else piece
            found += [["lit", left]] if left else []
    return found


def _escape(match: re.Match[str]) -> str:
    simple, octal, *hexadecimal, control = match.groups()
    if simple:
        return _ESCAPES[simple]
    if octal:
        return chr(int(octal, 8) & 255)
    if control:
        return chr(ord(control.upper()) ^ 64)
    number = int(next(each for each in hexadecimal if each), 16)
    return "\ufffd" if number > 0x10FFFF or 0xD800 <= number < 0xE000 else chr(number)
