"""`find`: the interpreter's own, over files that have the times of the cluster's clock."""

from __future__ import annotations

from aiops_gym.shell.commands.date import parse
from aiops_gym.shell.context import Context
from aiops_gym.types import Output

UNITS = {"min": 60, "time": 86_400}
MARK = "/var/tmp/.stdin-age"
"""A file as old as a test asks for, there only while the command runs."""


def run(context: Context, argv: list[str]) -> Output:
    """`find [PATH...] [EXPRESSION]`; ages (`-mmin`, `-mtime`, `-newermt`) are counted from the cluster's now."""
    words, ages, rest = ["find"], list[float](), argv[1:]
    while rest:
        word = rest.pop(0)
        age = _age(word, rest[0], context.cluster.now()) if rest else None
        if age is None:
            words.append(word)
            continue
        rest.pop(0)
        youngest, oldest = age
        words.append("(")
        if oldest is not None:
            words += ["-newer", f"{MARK}{len(ages)}"]
            ages.append(oldest)
        if youngest is not None:
            words += ["!", "-newer", f"{MARK}{len(ages)}"]
            ages.append(youngest)
        words.append(")")
    first = "".join(f"touch -d @{int(time)} {MARK}{number}; " for number, time in enumerate(ages))
    output, _ = context.spawn(words, context.stdin, own=True, first=first)
    return output


def _age(word: str, value: str, now: float) -> tuple[float | None, float | None] | None:
    """The moments between which a file must have changed, None where there is no bound; None for other tests."""
    if word in ("-newermt", "-newerct", "-newerat"):
        moment = parse(value, now)
        return None if moment is None else (None, moment)
    unit = UNITS.get(word[2:])
    number = value.lstrip("+-")
    if word[:2] not in ("-m", "-a", "-c") or unit is None or not number.isdigit():
        return None
    count = int(number)
    if value.startswith("-"):
        return None, now - count * unit
    whole = unit if unit == UNITS["time"] else 0
    if value.startswith("+"):
        return now - count * unit - whole, None
    return now - count * unit + unit - whole, now - count * unit - whole
