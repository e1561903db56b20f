"""Writes docs/conformance.md: what the original documents promise, and the tests that show it.

    python docs/making/conformance.py          # checks that every test exists, and writes the page
    python docs/making/conformance.py --run    # runs all of them first; the page is written if they pass

The statements are in promises.yaml beside this file.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
SOURCE = Path(__file__).with_name("promises.yaml")
PAGE = ROOT / "docs" / "conformance.md"

STATES = {"works": "works", "different": "different", "missing": "not yet"}
"""Key of a statement -> what the page says; each statement has exactly one."""

HEAD = """\
# Promises kept

<!-- Written by `make conformance` from docs/making/promises.yaml; a test compares them. -->

Three documents describe what this package is to do: the tasks and the actions of AIOpsLab, and a plan that brings
OpenRCA's recorded incidents to it. Each of their statements is listed here with the tests that show it, with the reason
where it is deliberately otherwise, or with what is not there yet. Every test named here exists (a test checks that by
collecting them), and `python docs/making/conformance.py --run` runs them all.
"""

MISSING = re.compile(r"^ERROR: not found: (\S+)", re.MULTILINE)
"""How pytest says that a file has no such test."""


def documents() -> Sequence[Mapping[str, Any]]:
    """The documents with their statements.

    Raises:
        ValueError: a statement has no number, no state or several.
    """
    found: Sequence[Mapping[str, Any]] = yaml.safe_load(SOURCE.read_text(encoding="utf-8"))
    numbers = [each["n"] for document in found for each in document["statements"]]
    if numbers != list(range(1, len(numbers) + 1)):
        raise ValueError(f"{SOURCE.name}: the numbers of the statements are not 1, 2, 3 ...")
    for each in statements(found):
        if sum(state in each for state in STATES) != 1:
            raise ValueError(f"{SOURCE.name}: statement {each['n']} has not one of {', '.join(STATES)}")
    return found


def statements(found: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """All of them, in order."""
    return (each for document in found for each in document["statements"])


def tests(statement: Mapping[str, Any]) -> Sequence[str]:
    """The ids of the tests that show a statement, or what is there instead of it."""
    given: Sequence[str] = statement.get("works") or statement.get("tests") or ()
    return given


def state(statement: Mapping[str, Any]) -> str:
    """The key of what has become of a statement."""
    return next(key for key in STATES if key in statement)


def dead(ids: Iterable[str]) -> list[str]:
    """Those ids that pytest does not find.

    A file that needs a package which is not installed is not collected; then its text says what it has.
    """
    asked = set(ids)
    there = {id_ for id_ in asked if _file(id_).is_file()}  # pytest stops at a file that is not
    missed = {Path(id_).relative_to(ROOT).as_posix() for id_ in MISSING.findall(_collected(there))}
    return sorted((asked - there) | {id_ for id_ in missed if not _defined(id_)})


def _file(id_: str) -> Path:
    return ROOT / id_.partition("::")[0]


def _defined(id_: str) -> bool:
    return f"def {id_.rpartition('::')[2]}(" in _file(id_).read_text(encoding="utf-8")


def _collected(ids: Iterable[str]) -> str:
    return _pytest("--collect-only", *sorted(ids)).stderr


def _pytest(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def page() -> str:
    """The page as it should be."""
    found = documents()
    parts = [HEAD, _counts(found), *(_table(document) for document in found)]
    return "\n".join(parts)


def _counts(found: Sequence[Mapping[str, Any]]) -> str:
    lines = [f"| | {' | '.join(STATES.values())} | of |", "|---|---:|---:|---:|---:|"]
    for name, each in (*((d["document"], d["statements"]) for d in found), ("all", list(statements(found)))):
        counts = Counter(map(state, each))
        lines.append(f"| {name} | {' | '.join(str(counts[key]) for key in STATES)} | {len(each)} |")
    return "\n".join([*lines, ""])


def _table(document: Mapping[str, Any]) -> str:
    rows = [
        f"## {document['document']}\n",
        "| | section | says | stands | shown by, or why |",
        "|---:|---|---|---|---|",
    ]
    for each in document["statements"]:
        reason = "" if "works" in each else f"{each[state(each)]} "
        shown = ", ".join(f"`{id_.removeprefix('tests/')}`" for id_ in tests(each))
        cells = (str(each["n"]), each["in"], each["says"], STATES[state(each)], f"{reason}{shown}".strip())
        rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join([*rows, ""])


def main(arguments: Sequence[str]) -> int:
    """Check, run if asked to, write."""
    ids = sorted({id_ for each in statements(documents()) for id_ in tests(each)})
    if gone := dead(ids):
        sys.stderr.write("\n  ".join(["there are no such tests:", *gone]) + "\n")
        return 1
    if "--run" in arguments:
        done = _pytest(*ids)
        sys.stdout.write(done.stdout)
        if done.returncode:
            return done.returncode
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
