"""What `${...}` does to parameters. Reference: Bash manual, 3.5.3; POSIX, Shell Command Language, 2.6.2."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from aiops_gym.sim.machine.scripts import patterns
from aiops_gym.sim.machine.scripts.reader import ScriptError
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.machine.scripts.scope import Scope

EVERY = ("@", "*")
_ALL = re.compile(r"([A-Za-z_]\w*)\[([@*])\]|([@*])")
DEFAULTS = frozenset(("-", ":-", "=", ":=", "?", ":?", "+", ":+"))


def is_many(part: Json, quoted: bool = False) -> bool:
    """Whether a part is all arguments or all elements, each of which is a field of its own."""
    _, name, index, operator, _, indirect = part
    if operator == "len" or operator in DEFAULTS:
        return operator in DEFAULTS and not indirect and "@" in (name, index)
    if operator in ("names@", "keys") or (operator == "names*" and not quoted):
        return operator != "keys" or index == "@" or not quoted
    if indirect:
        return False
    return "@" in (name, index) or (not quoted and "*" in (name, index))


def resolve(part: Json, scope: Scope) -> Json:
    """`${!name}` as what it stands for, where that is all of an array or of the arguments."""
    _, name, index, operator, arguments, indirect = part
    if not indirect or operator in ("names@", "names*", "keys"):
        return part
    match = _ALL.fullmatch(_value(name, index, False, scope) or "")
    return ["par", match[1] or match[3], match[2], operator, arguments, False] if match else part


def expand_many(part: Json, scope: Scope) -> list[str]:
    """All of them."""
    _, name, index, operator, arguments, _ = part
    if operator in ("names@", "names*"):
        return sorted(each for each in scope.names() if each.startswith(name))
    if operator == "keys":
        return list(scope.array(name))
    if operator in ("@A", "@K", "@k") and index is not None:
        return _described(name, operator, scope)
    found = _all(name, index, scope)
    if operator in DEFAULTS:
        return [scope.expand_text(arguments[0])] if _takes_word(operator, found) else found
    return _changed(found, part, scope)


def _described(name: str, operator: str, scope: Scope) -> list[str]:
    """All of an array in one word, or as keys and values in turn."""
    if operator == "@A":
        return [describe(scope, name)]
    if operator == "@K":
        return [" ".join(f"{key} {quote_twice(value)}" for key, value in scope.array(name).items())]
    return [each for pair in scope.array(name).items() for each in pair]


def _all(name: str, index: Json, scope: Scope) -> list[str]:
    return scope.arguments() if name in EVERY else list(scope.array(name).values())


def _takes_word(operator: str, found: Sequence[str] | None) -> bool:
    missing = not found or (operator[0] == ":" and not any(found))
    return missing != operator.endswith("+")


def choose(part: Json, scope: Scope) -> Sequence[Json] | None:
    """The word that stands for a parameter in `${name:-word}` and `${name:+word}`; None where the value does."""
    _, name, index, operator, arguments, indirect = part
    if operator not in ("-", ":-", "+", ":+"):
        return None
    value = _value(name, index, indirect, scope)
    if value is not None and not value and name in EVERY and not scope.arguments():
        value = None
    takes = _takes_word(operator, None if value is None else [value])
    if not takes and operator.endswith("+"):
        return ()
    found: Sequence[Json] = arguments[0]
    return found if takes else None


def expand(part: Json, scope: Scope) -> str:
    """A parameter as one text. Raises ScriptError."""
    _, name, index, operator, _, indirect = part
    if operator == "" and index is None and not indirect and name not in EVERY:
        value = scope.get(name)
        return _given(name, scope) if value is None else value
    if is_many(part) or operator.startswith(("names", "keys")) or (index in EVERY and operator == ":"):
        sign = scope.separators[:1] if "*" in (name, index, operator[-1:]) else " "
        return sign.join(expand_many(part, scope))
    if operator == "len":
        return _length(name, index, scope)
    value = _value(name, index, indirect, scope)
    if operator in ("=", ":=", "?", ":?"):
        return _insist(part, value, scope)
    if value is None and operator not in DEFAULTS:
        value = _given(name if index is None else f"{name}[{_text(index, scope)}]", scope)
    return (_changed([value or ""], part, scope) or [""])[0]


def _text(index: Json, scope: Scope) -> str:
    return index if isinstance(index, str) else scope.expand_text(index)


def _value(name: str, index: Json, indirect: bool, scope: Scope) -> str | None:
    if indirect:
        target = scope.follow(name) if "n" in scope.task.kinds.get(name, "") else _value(name, index, False, scope)
        if "n" in scope.task.kinds.get(name, ""):
            return target
        return scope.get(target) if target else None
    if name in EVERY or index in EVERY:
        sign = scope.separators[:1] if "*" in (name, index) else " "
        found = _all(name, index, scope)
        return sign.join(found) if found or name in EVERY else None
    if index is not None:
        return scope.element(name, scope.expand_text(index))
    return scope.get(name)


def _given(name: str, scope: Scope) -> str:
    """The value of what has none: nothing, or an error after `set -u`."""
    if "u" in scope.task.options and name not in (*EVERY, "!"):
        raise ScriptError(f"{name}: parameter not set", f"{name}: unbound variable", code=127)
    return ""


def _length(name: str, index: Json, scope: Scope) -> str:
    if name in EVERY or index in EVERY:
        return str(len(_all(name, index, scope)))
    value = _value(name, index, False, scope)
    return str(len(_given(name, scope) if value is None else value))


def _insist(part: Json, value: str | None, scope: Scope) -> str:
    """`${name:=word}` and `${name:?word}`."""
    _, name, index, operator, arguments, _ = part
    if not _takes_word(operator, None if value is None else [value]):
        return value or ""
    default = scope.expand_text(arguments[0])
    if operator.endswith("?"):
        usual = "parameter null or not set" if operator[0] == ":" else "parameter not set"
        raise ScriptError(f"{name}: {default or usual}", code=127)
    scope.set(name if index is None else f"{name}[{_text(index, scope)}]", default)
    return default


def _changed(values: list[str], part: Json, scope: Scope) -> list[str]:
    """Values with what the operator does to each of them."""
    _, name, index, operator, arguments, _ = part
    if not operator or operator in DEFAULTS:
        return values
    if operator == ":":
        return _cut(values, part, scope)
    if operator[0] == "@":
        return [_transform(value, operator[1], name, index, scope) for value in values]
    pattern = patterns.read(scope.expand_pattern(arguments[0]), scope.extended, scope.folds("nocasematch"))
    for value in values:
        scope.allowance.move(pattern.measure(value))
    if scope.allowance.left < 0:
        raise ScriptError("Out of space", "xrealloc: cannot allocate memory")
    if operator[0] in "#%":
        return [pattern.trim(value, operator) for value in values]
    if operator[0] == "/":
        return _replaced(values, operator, pattern, arguments[1], scope)
    anything = not arguments[0]
    change = CASES[operator[0]]
    every = len(operator) == 2
    return [
        "".join(
            change(char) if (every or not place) and (anything or pattern.matches(char)) else char
            for place, char in enumerate(value)
        )
        for value in values
    ]


CASES: Mapping[str, Callable[[str], str]] = {"^": str.upper, ",": str.lower, "~": str.swapcase}


def _replaced(values: list[str], sign: str, pattern: patterns.Pattern, word: Sequence[Json], scope: Scope) -> list[str]:
    """`${name/pattern/word}`, where an `&` that is not quoted is what was found."""
    if word and any(part[0] == "lit" and "&" in part[1] for part in word) and scope.dialect == "bash":
        form = scope.expand_pattern(word)

        def into(found: str) -> str:
            return re_sub(form, found)

        return [pattern.replace(value, sign, into) for value in values]
    plain = scope.expand_text(word)
    return [pattern.replace(value, sign, lambda _: plain) for value in values]


def re_sub(form: str, found: str) -> str:
    """A replacement, quoted as a pattern is, with what was found in place of `&`."""
    result, at = "", 0
    while at < len(form):
        if form[at] == "\\":
            result += form[at + 1 : at + 2]
            at += 2
        else:
            result += found if form[at] == "&" else form[at]
            at += 1
    return result


def _cut(values: list[str], part: Json, scope: Scope) -> list[str]:
    """`${name:offset:length}`."""
    _, name, index, _, arguments, _ = part
    offset = scope.calculate(scope.expand_text(arguments[0]) or "0")
    length = scope.calculate(scope.expand_text(arguments[1]) or "0") if len(arguments) > 1 else None
    if name in EVERY or index in EVERY:
        return _slice(values, offset, length, part, scope)
    value = values[0]
    start = offset + len(value) if offset < 0 else offset
    if not 0 <= start <= len(value):
        return [""]
    end = len(value) if length is None else start + length if length >= 0 else len(value) + length
    if end < start and length is not None and length < 0:
        raise ScriptError(f"{length}: substring expression < 0")
    return [value[start:end]]


def _slice(values: list[str], offset: int, length: int | None, part: Json, scope: Scope) -> list[str]:
    name = part[1]
    if length is not None and length < 0:
        raise ScriptError(f"{length}: substring expression < 0")
    if name in EVERY:
        values = [scope.name, *values]
        offset = offset + len(values) if offset < 0 else offset
        return values[offset:][:length] if offset >= 0 else []
    elements = scope.array(name)
    numbers = list(elements)
    top = (int(numbers[-1]) + 1) if numbers and numbers[-1].isdigit() else len(numbers)
    start = offset + top if offset < 0 else offset
    if start < 0:
        return []
    kept = [value for key, value in elements.items() if not key.isdigit() or int(key) >= start]
    return kept[:length]


def _transform(value: str, letter: str, name: str, index: Json, scope: Scope) -> str:
    """`${name@Q}` and its like."""
    if letter == "Q":
        return quote(value)
    if letter in "UL":
        return value.upper() if letter == "U" else value.lower()
    if letter == "u":
        return value[:1].upper() + value[1:]
    if letter == "E":
        return scope.unescape(value)
    if letter == "a":
        return scope.attributes(name).replace("-", "")
    if letter == "A":
        flags = scope.attributes(name)
        return f"declare {flags} {name}={quote(value)}" if flags != "--" else f"{name}={quote(value)}"
    if letter in "kK":
        return quote(value)
    if letter == "P":
        return scope.decode_prompt(value)
    raise ScriptError("Bad substitution", f"${{{name}@{letter}}}: bad substitution")


def quote(text: str) -> str:
    """A text as bash's `${x@Q}` has it."""
    if any(ord(char) < 32 or ord(char) == 127 for char in text):
        return ansi_quote(text)
    return "'" + text.replace("'", "'\\''") + "'"


def ansi_quote(text: str) -> str:
    """A text in `$'...'`."""
    names = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\v": "\\v", "\033": "\\E"}
    names |= {"\\": "\\\\", "'": "\\'"}
    return (
        "$'" + "".join(names.get(c) or (f"\\{ord(c):03o}" if ord(c) < 32 or ord(c) == 127 else c) for c in text) + "'"
    )


def describe(machine: Scope, name: str) -> str:
    """A variable as `declare -p` shows it."""
    value, flags = machine.task.vars.get(name), machine.attributes(name)
    if isinstance(value, dict):
        pairs = [f"[{_key(key)}]={quote_twice(each)}" for key, each in machine.array(name).items()]
        ending = " " if "A" in flags and pairs else ""
        return f"declare {flags} {name}=({' '.join(pairs)}{ending})"
    if "n" in machine.task.kinds.get(name, ""):
        return f"declare {flags} {name}={quote_twice(str(value or ''))}"
    text = machine.get(name)
    return f"declare {flags} {name}" + ("" if text is None else f"={quote_twice(text)}")


def _key(key: str) -> str:
    return key if key and all(char.isalnum() or char in "_-./" for char in key) else quote_twice(key)


def quote_twice(text: str) -> str:
    """A text in double quotes, or in `$'...'` where it has signs that cannot be seen."""
    if any(ord(char) < 32 or ord(char) == 127 for char in text):
        return ansi_quote(text)
    return '"' + "".join(f"\\{char}" if char in '"\\$`' else char for char in text) + '"'
