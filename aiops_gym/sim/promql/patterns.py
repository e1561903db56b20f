"""Conditions on labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from aiops_gym.sim.kernel.regex import Regex
from aiops_gym.sim.kernel.regex_parser import RegexError
from aiops_gym.sim.promql.series import Matcher

Condition = Callable[[str], bool]


def compile_regex(text: str) -> Regex:
    """A pattern that has to match the whole of a text. Raises RegexError."""
    try:
        return Regex(text)
    except RegexError as error:
        raise RegexError(f"error parsing regexp: {error}") from None


def compile_matcher(matcher: Matcher) -> Condition:
    """What the value of its label has to fulfil; "" stands for a missing label. Raises RegexError."""
    wanted = matcher.value
    if matcher.op == "=":
        return lambda value: value == wanted
    if matcher.op == "!=":
        return lambda value: value != wanted
    matches = compile_regex(wanted).matches
    return matches if matcher.op == "=~" else lambda value: not matches(value)


def compile_matchers(matchers: Sequence[Matcher]) -> Callable[[Mapping[str, str]], bool]:
    """Whether a label set fulfils them all.

    >>> takes = compile_matchers([Matcher("pod", "=~", "geo.*"), Matcher("zone", "=", "")])
    >>> takes({"pod": "geo-1"}), takes({"pod": "a-geo"}), takes({"pod": "geo-1", "zone": "a"})
    (True, False, False)
    """
    conditions = [(matcher.label, compile_matcher(matcher)) for matcher in matchers]
    return lambda labels: all(takes(labels.get(label, "")) for label, takes in conditions)
