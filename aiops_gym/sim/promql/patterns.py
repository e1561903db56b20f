"""Conditions on labels, and the regular expressions in them: RE2's, which never try a text in ever more ways."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from aiops_gym.sim.kernel.patterns import compile_pattern
from aiops_gym.sim.promql.series import Matcher

Condition = Callable[[str], bool]
_MEANT = re.compile(r"(?<!\\)(\\\\)*\\(?:[Az]|[pP]\{\w+\})|\[\[:\^?\w+:\]\]")
_CLASSES = {"alnum": "0-9A-Za-z", "alpha": "A-Za-z", "digit": "0-9", "lower": "a-z", "upper": "A-Z"}
_CLASSES |= {"punct": r"!-/:-@\[-`{-~", "space": r"\t\n\v\f\r ", "word": "0-9A-Za-z_", "xdigit": "0-9A-Fa-f"}
_CLASS = re.compile(r"\[:(\w+):\]")


@lru_cache(maxsize=512)
def compile_anchored(text: str) -> re.Pattern[str]:
    """A pattern that has to match the whole of a text. Raises re.error with the words of Go."""
    translated = _CLASS.sub(lambda found: _CLASSES.get(found[1], found[0]), text).replace(r"\z", r"\Z")
    try:
        return re.compile(compile_pattern(translated).pattern, re.ASCII)
    except (re.error, FutureWarning, RecursionError, OverflowError) as error:
        raise re.error(f"error parsing regexp: {_translate(str(error), text)}") from None


def _translate(wrong: str, text: str) -> str:
    """What Go's parser says where Python's says this."""
    whole = f"`^(?:{text})$`"
    found = re.search(r"position (\d+)", wrong)
    rest = text[int(found[1]) :] if found else text
    if wrong.startswith("nothing to repeat"):
        return f"missing argument to repetition operator: `{rest[:1]}`"
    if wrong.startswith("multiple repeat"):
        return f"invalid nested repetition operator: `{text[max(0, len(text) - len(rest) - 1) :][:2]}`"
    if wrong.startswith("missing )"):
        return f"missing closing ): {whole}"
    if wrong.startswith("unbalanced"):
        return f"unexpected ): {whole}"
    if wrong.startswith("unterminated character set"):
        return f"missing closing ]: `{rest})$`"
    if wrong.startswith("bad character range"):
        return f"invalid character class range: `{wrong.split()[3]}`"
    if wrong.startswith("bad escape (end"):
        return f"missing closing ): {whole}"
    if wrong.startswith("bad escape"):
        return f"invalid escape sequence: `{wrong.split()[2]}`"
    if wrong.startswith("expression too large"):
        return "expression nests too deeply"
    return f"invalid or unsupported Perl syntax: `{rest[:3]}`"


def compile_matcher(matcher: Matcher) -> Condition:
    """What the value of its label has to fulfil; the empty value stands for a missing label. Raises re.error."""
    wanted = matcher.value
    if matcher.op == "=":
        return lambda value: value == wanted
    if matcher.op == "!=":
        return lambda value: value != wanted
    takes = compile_anchored(wanted).fullmatch
    if matcher.op == "=~":
        return lambda value: takes(value) is not None
    return lambda value: takes(value) is None


def compile_matchers(matchers: Sequence[Matcher]) -> Callable[[Mapping[str, str]], bool]:
    """Whether a label set fulfils them all.

    >>> takes = compile_matchers([Matcher("pod", "=~", "geo.*"), Matcher("zone", "=", "")])
    >>> takes({"pod": "geo-1"}), takes({"pod": "a-geo"}), takes({"pod": "geo-1", "zone": "a"})
    (True, False, False)
    """
    conditions = [(matcher.label, compile_matcher(matcher)) for matcher in matchers]
    return lambda labels: all(takes(labels.get(label, "")) for label, takes in conditions)
