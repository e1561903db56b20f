"""Reads a jq program into a tree of tuples, whose first members say what they are: see `parse`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aiops_gym.sim.jq.errors import SyntaxIssue
from aiops_gym.sim.jq.lexer import KEYWORDS, Token, read_token
from aiops_gym.sim.jq.reader import ReadError, unescape
from aiops_gym.sim.jq.values import number

Tree = tuple[Any, ...]

DEEPEST = 100
"""Brackets and the like inside each other."""

TEXT: Tree = ("format", "text")
SELF: Tree = ("self",)

_LEVELS: Sequence[tuple[frozenset[str], str]] = (
    (frozenset({"//", "?//"}), "right"),
    (frozenset({"=", "|=", "+=", "-=", "*=", "/=", "%=", "//="}), "none"),
    (frozenset({"or"}), "left"),
    (frozenset({"and"}), "left"),
    (frozenset({"==", "!=", "<", "<=", ">", ">="}), "none"),
    (frozenset({"+", "-"}), "left"),
    (frozenset({"*", "/", "%"}), "left"),
)
"""Operators, those that bind least first."""

_LEVEL = {sign: level for level, (signs, _) in enumerate(_LEVELS) for sign in signs}


def parse(text: str) -> Tree:
    """The tree of a program. Raises SyntaxIssue.

    Its parts: `self`, `literal` value, `text` format parts, `format` name, `index` term key, `slice` term from to,
    `each` term, `try` body handler, `array` body, `object` pairs, `negative` of, `pipe` a b, `comma` a b,
    `operator` sign a b, `and`, `or`, `otherwise` a b, `assign` sign a b, `if` condition then else,
    `reduce` source pattern start update, `foreach` source pattern start update extract, `function` name parameters body
    rest, `bind` source patterns rest, `label` name rest, `break` name, `variable` name, `call` name arguments; the
    last three with their places.

    >>> parse(".a | f(1)")
    ('pipe', ('index', ('self',), ('literal', 'a')), ('call', 'f', (('literal', 1),), 5))
    """
    return _Parser(text).program()


def parse_definitions(text: str) -> Sequence[Tree]:
    """The functions that a text defines, one after the other."""
    parser, found = _Parser(text), []
    while parser.token.text == "def":
        found.append(parser.definition())
    return found


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.last = self.token = read_token(text, 0)
        self.depth = 0
        self.closing: list[str] = []

    def program(self) -> Tree:
        definitions = list[Tree]()
        while self._is("def"):
            definitions.append(self.definition())
        begins = self.token.start
        try:
            tree: Tree = SELF if self.token.kind == "end" else self.pipe()
        except SyntaxIssue:
            if self.token.start == begins and self.token.kind != "end":
                raise self.wrong(", expecting $end") from None
            raise
        if self.token.kind != "end":
            raise self.wrong(", expecting $end")
        for name, parameters, body in reversed(definitions):
            tree = ("function", name, parameters, body, tree)
        return tree

    def wrong(self, expecting: str = "") -> SyntaxIssue:
        token = self.token
        at = self.last if token.kind == "end" else token
        name = "INVALID_CHARACTER" if token.text in tuple(")]}") and not self.closing else token.name
        message = f"syntax error, unexpected {name}{expecting} (Unix shell quoting issues?)"
        return SyntaxIssue.at(message, self.text, at.start)

    def _next(self) -> Token:
        self.last, self.token = self.token, read_token(self.text, self.token.end)
        return self.last

    def _is(self, *texts: str) -> bool:
        return self.token.text in texts and self.token.kind in ("sign", "word")

    def _take(self, *texts: str) -> bool:
        return bool(self._is(*texts) and self._next())

    def _expect(self, text: str, expecting: str = "") -> None:
        if not self._take(text):
            raise self.wrong(f", expecting {expecting}" if expecting else "")

    def _open(self, closing: str) -> None:
        self.closing.append(closing)
        self.depth += 1
        if self.depth > DEEPEST:
            raise SyntaxIssue("memory exhausted", self.text.partition("\n")[0])

    def _close(self, expecting: str = "") -> None:
        self._expect(self.closing[-1], expecting)
        self.closing.pop()
        self.depth -= 1

    def _word(self) -> str:
        if self.token.kind != "word" or self.token.text in KEYWORDS:
            raise self.wrong()
        return self._next().text

    def definition(self) -> Tree:
        """`def name(parameters): body;`"""
        self._next()
        name = self._next().text if self.token.kind == "word" else self._word()
        parameters = list[str]()
        if self._take("("):
            while True:
                parameters.append(("$" if self._take("$") else "") + self._word())
                if not self._take(";"):
                    break
            self._expect(")")
        self._expect(":")
        self._open(";")
        body = self.pipe()
        self._close()
        return name, tuple(parameters), body

    def pipe(self) -> Tree:
        """A whole expression; what is bound in one reaches to its end."""
        self.depth += 1
        if self.depth > 4 * DEEPEST:
            raise SyntaxIssue("memory exhausted", self.text.partition("\n")[0])
        tree = self._pipe()
        self.depth -= 1
        return tree

    def _pipe(self) -> Tree:
        if self._is("def"):
            name, parameters, body = self.definition()
            return ("function", name, parameters, body, self.pipe())
        if self._is("label"):
            self._next()
            self._expect("$")
            name = self._word()
            self._expect("|")
            return ("label", name, self.pipe())
        left = self._comma()
        return ("pipe", left, self.pipe()) if self._take("|") else left

    def _comma(self) -> Tree:
        left = self.operation(0)
        while self._take(","):
            left = ("comma", left, self.operation(0))
        return left

    def operation(self, level: int) -> Tree:
        """Operators that bind as much as `level` or more."""
        left = self._operand()
        while self.token.kind in ("sign", "word") and _LEVEL.get(self.token.text, -1) >= level:
            sign = self._next().text
            at = _LEVEL[sign]
            right = self.operation(at if _LEVELS[at][1] == "right" else at + 1)
            left = _join(sign, left, right)
            if _LEVELS[at][1] == "none" and _LEVEL.get(self.token.text) == at and self.token.kind == "sign":
                raise self.wrong()
        return left

    def _operand(self) -> Tree:
        if self._take("-"):
            return ("negative", self._postfix())
        return self._postfix()

    def _postfix(self) -> Tree:
        tree = self._term()
        while True:
            if self.token.kind == "field":
                tree = ("index", tree, ("literal", self._next().text[1:]))
            elif self._is(".") and read_token(self.text, self.token.end).kind == "quote":
                self._next()
                tree = ("index", tree, self.string())
            elif self._is(".") and read_token(self.text, self.token.end).text == "[":
                self._next()
            elif self._is("["):
                tree = self._bracket(tree)
            elif self._take("?"):
                tree = ("try", tree, None)
            elif self._take("as"):
                return self._binding(tree)
            else:
                return tree

    def _binding(self, source: Tree) -> Tree:
        patterns = [self.pattern()]
        while self._take("?//"):
            patterns.append(self.pattern())
        self._expect("|")
        return ("bind", source, tuple(patterns), self.pipe())

    def _bracket(self, tree: Tree) -> Tree:
        self._next()
        self._open("]")
        if self._is("]"):
            self._close()
            return ("each", tree)
        if self._take(":"):
            found: Tree = ("slice", tree, None, self.pipe())
        else:
            key = self.pipe()
            if self._take(":"):
                found = ("slice", tree, key, None if self._is("]") else self.pipe())
            else:
                found = ("index", tree, key)
        self._close()
        return found

    def _term(self) -> Tree:
        token = self.token
        if token.kind == "number":
            return ("literal", number(float(self._next().text)))
        if token.kind == "field":
            return ("index", SELF, ("literal", self._next().text[1:]))
        if token.kind == "quote":
            return self.string()
        if token.kind == "format":
            name = self._next().text[1:]
            return self.string(name) if self.token.kind == "quote" else ("format", name)
        if token.kind == "word":
            return self._named()
        if token.kind == "sign" and token.text in _STARTS:
            return _STARTS[token.text](self)
        raise self.wrong()

    def dot(self) -> Tree:
        """`.`, `."name"`, `.[...]`"""
        self._next()
        return ("index", SELF, self.string()) if self.token.kind == "quote" else SELF

    def all(self) -> Tree:
        """`..`"""
        self._next()
        return ("call", "recurse", ())

    def dollar(self) -> Tree:
        """`$name`, `$__loc__`"""
        start = self._next().start
        if self.token.text == "__loc__":
            self._next()
            line = self.text.count("\n", 0, start) + 1
            return ("literal", {"file": "<top-level>", "line": line})
        if self.token.kind == "word":  # the names of keywords are names too
            return ("variable", self._next().text, start)
        raise self.wrong(", expecting IDENT")

    def group(self) -> Tree:
        """`(...)`"""
        self._next()
        self._open(")")
        tree = self.pipe()
        self._close()
        return tree

    def array(self) -> Tree:
        """`[...]`"""
        self._next()
        self._open("]")
        tree = ("array", None if self._is("]") else self.pipe())
        self._close()
        return tree

    def _named(self) -> Tree:
        word, start = self.token.text, self.token.start
        if word in _SPECIAL:
            self._next()
            return _SPECIAL[word](self)
        if word in KEYWORDS:
            raise self.wrong()
        self._next()
        arguments = list[Tree]()
        if self._take("("):
            self._open(")")
            arguments.append(self.pipe())
            while self._take(";"):
                arguments.append(self.pipe())
            self._close("';' or ')'")
        if word == "break" and self._is("$"):
            return ("break", self._label(), start)
        return ("call", word, tuple(arguments), start)

    def _label(self) -> str:
        self._next()
        return self._word()

    def condition(self) -> Tree:
        """`if ... then ... elif ... else ... end`; without an `else`, what is not so stays as it is."""
        test = self.pipe()
        self._expect("then")
        then = self.pipe()
        if self._take("elif"):
            return ("if", test, then, self.condition())
        other = self.pipe() if self._take("else") else SELF
        self._expect("end")
        return ("if", test, then, other)

    def attempt(self) -> Tree:
        """`try ... catch ...`"""
        body = self._guarded()
        return ("try", body, self._guarded() if self._take("catch") else None)

    def _guarded(self) -> Tree:
        tree = self._term()
        while self.token.kind == "field" or self._is("[", ".", "?"):
            if self._take("?"):
                tree = ("try", tree, None)
            elif self.token.kind == "field":
                tree = ("index", tree, ("literal", self._next().text[1:]))
            elif self._is("["):
                tree = self._bracket(tree)
            else:
                self._next()
                tree = ("index", tree, self.string()) if self.token.kind == "quote" else tree
        return tree

    def _loop(self) -> tuple[Tree, Tree, list[Tree]]:
        source = self._guarded()
        self._expect("as")
        pattern = self.pattern()
        self._expect("(")
        self._open(")")
        parts = [self.pipe()]
        while self._take(";"):
            parts.append(self.pipe())
        self._close()
        return source, pattern, parts

    def reduction(self) -> Tree:
        """`reduce source as $x (start; update)`"""
        source, pattern, parts = self._loop()
        if len(parts) != 2:
            raise self.wrong()
        return ("reduce", source, pattern, *parts)

    def iteration(self) -> Tree:
        """`foreach source as $x (start; update; extract)`"""
        source, pattern, parts = self._loop()
        if len(parts) not in (2, 3):
            raise self.wrong()
        return ("foreach", source, pattern, *parts, *([SELF] if len(parts) == 2 else []))

    def pattern(self) -> Tree:
        """What a value is taken apart into: `variable` name, `list` patterns, `fields` of key, variable and pattern."""
        if self._take("$"):
            return ("variable", self._word())
        if self._take("["):
            self._open("]")
            found = [self.pattern()]
            while self._take(","):
                found.append(self.pattern())
            self._close("',' or ']'")
            return ("list", tuple(found))
        self._expect("{", "'$' or '[' or '{'")
        self._open("}")
        fields = [self._field()]
        while self._take(","):
            fields.append(self._field())
        self._close()
        return ("fields", tuple(fields))

    def _field(self) -> Tree:
        name = ""
        if self._take("$"):
            name = self._next().text if self.token.kind == "word" else self._word()
            key: Tree = ("literal", name)
            if not self._is(":"):
                return key, name, None
        else:
            key = self._key()
        self._expect(":")
        return key, name, self.pattern()

    def _key(self) -> Tree:
        if self.token.kind == "word":
            return ("literal", self._next().text)
        if self.token.kind == "quote":
            return self.string()
        if self._is("("):
            return self.group()
        raise self.wrong()

    def object(self) -> Tree:
        """`{...}`"""
        self._next()
        self._open("}")
        pairs = list[Tree]()
        while not self._is("}"):
            pairs.append(self._pair())
            if not self._take(","):
                break
        self._close("'}'" if pairs and self.token.kind != "end" else "")
        return ("object", tuple(pairs))

    def _pair(self) -> Tree:
        if self._is("$"):
            value = self.dollar()
            key: Tree = ("literal", value[1] if value[0] == "variable" else "__loc__")
        elif self.token.kind == "format":
            name = self._next().text[1:]
            key = self.string(name) if self.token.kind == "quote" else ("literal", f"@{name}")
            value = ("index", SELF, key)
        elif self.token.kind == "number":
            raise SyntaxIssue("Object keys must be strings", self.text)
        else:
            key = self._key()
            value = ("index", SELF, key)
        return key, self._value() if self._take(":") else value

    def _value(self) -> Tree:
        tree = ("negative", self._guarded()) if self._take("-") else self._guarded()
        while self._take("|"):
            tree = ("pipe", tree, self._guarded())
        return tree

    def string(self, form: str = "text") -> Tree:
        """A string, with what is inserted into it."""
        text, at, parts, plain = self.text, self.token.end, list[Any](), self.token.end
        while True:
            char = text[at : at + 1]
            if char not in ('"', "\\"):
                if not char:
                    self.last = Token("word", "", min(self.token.end, len(text)), at)
                    self.token = Token("end", "", at, at)
                    raise self.wrong(", expecting QQSTRING_TEXT or QQSTRING_INTERP_START or QQSTRING_END")
                at += 1
            elif char == '"':
                parts.append(self._plain(plain, at))
                break
            elif text[at + 1 : at + 2] == "(":
                parts.append(self._plain(plain, at))
                self.token = read_token(text, at + 2)
                self._open(")")
                parts.append(self.pipe())
                if not self._is(")"):
                    raise self.wrong()
                self.closing.pop()
                self.depth -= 1
                at = plain = self.token.end
            else:
                at += 2
        self.last, self.token = Token("quote", '"', at, at + 1), read_token(text, at + 1)
        if len(parts) == 1:
            return ("literal", parts[0])
        return ("text", form, tuple(part for part in parts if part != ""))

    def _plain(self, start: int, end: int) -> str:
        try:
            return unescape(self.text[start:end])
        except ReadError as error:
            raise SyntaxIssue(f"{error} at line 1, column {end - start} (while parsing)", self.text) from None


def _join(sign: str, left: Tree, right: Tree) -> Tree:
    if sign in ("and", "or"):
        return (sign, left, right)
    if sign in ("//", "?//"):
        return ("otherwise", left if sign == "//" else ("try", left, None), right)
    if sign[-1] == "=" and sign not in ("==", "!=", "<=", ">="):
        return ("assign", sign[:-1], left, right)
    return ("operator", sign, left, right)


_STARTS = {
    ".": _Parser.dot,
    "..": _Parser.all,
    "$": _Parser.dollar,
    "(": _Parser.group,
    "[": _Parser.array,
    "{": _Parser.object,
}
_SPECIAL = {
    "if": _Parser.condition,
    "try": _Parser.attempt,
    "reduce": _Parser.reduction,
    "foreach": _Parser.iteration,
}
