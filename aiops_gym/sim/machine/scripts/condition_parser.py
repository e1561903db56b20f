"""The grammar of `[[ ]]`. Reference: Bash manual, 3.2.5.2."""

from __future__ import annotations

import re

from aiops_gym.sim.machine.scripts.reader import META, ScriptError
from aiops_gym.sim.machine.scripts.tokens import Tokens
from aiops_gym.types import Json

NUMBERS = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")
FILES = ("-nt", "-ot", "-ef")
TEXTS = ("=", "==", "!=", "<", ">", "=~")
BINARY = frozenset((*NUMBERS, *FILES, *TEXTS))
UNARY = frozenset(f"-{letter}" for letter in "abcdefghknoprstuvwxzGLNORS")
_SIGN = re.compile(r"(==|=~|=|!=|<|>|-\w\w)(?=\s)")
_TESTED = re.compile(r"-\w\s+(?!\]\]|==?\s|!=\s|=~\s|&&|\|\|)\S")


class ConditionParser(Tokens):
    """Reads conditions; see `parser` for what they become."""

    def _condition(self, word: str) -> list[Json]:
        found = self._any()
        self.take("]]")
        return ["cond", found]

    def _any(self) -> list[Json]:
        found = self._all()
        while self.operator_here("||"):
            found = ["or", found, self._all()]
        return found

    def _all(self) -> list[Json]:
        found = self._one()
        while self.operator_here("&&"):
            found = ["and", found, self._one()]
        return found

    def operator_here(self, sign: str) -> bool:
        """Take an operator within a condition if it is here."""
        self.skip(newlines=True)
        here = self.text.startswith(sign, self.at)
        self.at += len(sign) if here else 0
        return here

    def _one(self) -> list[Json]:
        self.skip(newlines=True)
        if self.peek() == "!":
            self.take("!")
            return ["not", self._one()]
        if self.operator_here("("):
            found = self._any()
            self.take(")")
            return found
        sign = self.peek()
        if sign in UNARY and _TESTED.match(self.text, self.at):
            self.at += len(sign)
            return ["un", sign, self._operand()]
        left = self._operand()
        self.skip()
        if sign in UNARY and self.text.startswith("]]", self.at):
            wrong = "unexpected argument `]]' to conditional unary operator"
            raise ScriptError("Syntax error", wrong, self.line)
        match = _SIGN.match(self.text, self.at)
        if match is None or match[1] not in BINARY:
            return ["word", left]
        self.at = match.end()
        self.skip()
        return ["bin", match[1], left, self._regex() if match[1] == "=~" else self._operand()]

    def _operand(self) -> list[Json]:
        self.skip(newlines=True)
        if self.peek() == "]]" or self.operator() in ("&&", "||", ")"):
            raise self.unexpected()
        return self.take_word(braces=False)

    def _regex(self) -> list[Json]:
        """A regular expression: brackets, bars and the like belong to it."""
        found: list[Json] = []
        depth = 0
        while self.at < len(self.text):
            found += self.parts(META)
            char = self.text[self.at : self.at + 1]
            if not char or (char in " \t\n)" and not depth) or self.text.startswith("&&", self.at):
                break
            depth += (char == "(") - (char == ")")
            found.append(["lit", char])
            self.at += 1
        if not found:
            raise self.unexpected()
        return found
