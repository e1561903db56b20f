"""How a program of jq ends otherwise than with its outputs."""

from __future__ import annotations

from aiops_gym.types import Json


class JqError(Exception):
    """An error that the program may catch; `value` is what it raised, mostly a text."""

    def __init__(self, value: Json) -> None:
        super().__init__(value)
        self.value = value


class Broken(Exception):
    """`break` leaves the label with this number."""

    def __init__(self, label: int) -> None:
        super().__init__(label)
        self.label = label


class Halted(Exception):
    """`halt` and `halt_error`: what to print on stderr, and the exit code."""

    def __init__(self, value: Json, code: int) -> None:
        super().__init__(code)
        self.value, self.code = value, code


class OutOfWork(Exception):
    """The operations that a call may take are used up, or what it makes has no room."""


class SyntaxIssue(Exception):
    """What is wrong with the text of a program, in jq's words, and where (its line, from 1)."""

    def __init__(self, message: str, shown: str = "", line: int = 1) -> None:
        super().__init__(message)
        self.message, self.shown, self.line = message, shown, line

    @classmethod
    def at(cls, message: str, text: str, place: int) -> SyntaxIssue:
        """What is wrong at a place of a program: its line is shown, with as many blanks as stand before the place."""
        start = text.rfind("\n", 0, place) + 1
        shown = text[start:].partition("\n")[0] + " " * (place - start)
        return cls(message, shown, text.count("\n", 0, place) + 1)
