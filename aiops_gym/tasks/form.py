"""What a person is asked for who wants to submit: a question or two in the task's words, instead of Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aiops_gym.errors import ArgumentError, make_hint

LISTED = 20
"""Choices that are listed with numbers; more are found in the task."""


@dataclass(frozen=True, slots=True)
class Field:
    """One question.

    Attributes:
        name: of the value.
        ask: the question.
        choices: what may be said, by name in any case, by number or by a beginning; empty for any text.
        like: what any other text is like, a regular expression.
        many: several choices, or none of them as `nothing`.
        last: the choice after which nothing more is asked.
    """

    name: str
    ask: str
    choices: Sequence[str] = ()
    like: str = ""
    many: bool = False
    last: str = ""

    @property
    def question(self) -> str:
        """The question, with the choices where they are few."""
        if self.many or not 2 < len(self.choices) <= LISTED:
            return self.ask
        return "\n".join([self.ask, *(f"  {number}  {each}" for number, each in enumerate(self.choices, 1))])

    def read(self, said: str) -> str | list[str]:
        """The value. Raises ArgumentError for what is no choice, with those that are near.

        >>> field = Field("sure", "Sure?", ("Yes", "No"))
        >>> field.read("y"), field.read("2"), Field("names", "Which?", ("geo", "rate"), many=True).read("Rate, geo")
        ('Yes', 'No', ['rate', 'geo'])
        """
        if not self.choices:
            if not re.fullmatch(self.like or ".*", said.strip()):
                raise ArgumentError(f"{said.strip()!r} is no answer: {self.ask}")
            return said.strip()
        if not self.many:
            return self._choice(said.strip())
        words = [word for word in re.split(r"[\s,]+", said.strip().strip("[]")) if word]
        return [] if [word.lower() for word in words] == [NOTHING] else [self._choice(w.strip("'\"")) for w in words]

    def _choice(self, said: str) -> str:
        if said.isdecimal() and not self.many and 1 <= int(said) <= min(len(self.choices), LISTED):
            return self.choices[int(said) - 1]
        low = said.lower()
        for fits in (str.__eq__, str.startswith):
            found = [each for each in self.choices if fits(each.lower(), low)]
            if len(found) == 1:
                return found[0]
        raise ArgumentError(f"{said!r} is no answer: {make_hint(said, self.choices)}")


NOTHING = "nothing"
"""Said where nothing is wrong."""


@dataclass(frozen=True, slots=True)
class Form:
    """Questions, and the arguments of `submit` that follow from the answers; None where nothing is to be submitted.

    Attributes:
        name: of the API that takes them.
    """

    fields: Sequence[Field]
    arguments: Callable[[Mapping[str, Any]], tuple[Any, ...] | None]
    name: str = "submit"
