"""Scripts as people on call type them, against what GNU bash 5.2 printed for them on a real machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aiops_gym.shell import make_shell

FOLDER = Path(__file__).parent / "conformance"
ROWS = [row for name in ("plain", "with-kubectl") for row in json.loads((FOLDER / f"{name}.json").read_text())]

KNOWN = {
    "h056": "the reference is mawk, to which gensub is a variable; ours is a function, as in gawk",
    "h062": "mawk names standard input before it is read; ours names it nothing, as gawk does",
    "h176": "the name of the shell: the reference was started as /bin/bash, ours as bash",
    "043": "reads a file that was on the reference's disk only",
    "081": "lists files that were on the reference's disk only",
}
"""Rows that differ, and why that is right."""


def replayed(row) -> tuple[str, int]:
    """Run a row's script over commands that answer as they did: stdout and exit code."""
    left = list(row.get("calls", ()))

    def replay(argv, stdin):
        call = next((call for call in left if call["argv"] == list(argv)), None)
        assert call is not None, f"nobody ran {argv}"
        left.remove(call)
        return call["stdout"], call["stderr"], call["exit"]

    names = {"kubectl", "helm"} | {call["argv"][0] for call in row.get("calls", ())} if "calls" in row else set()
    stdout, _, code = make_shell(dict.fromkeys(names, replay)).run(row["script"])
    return stdout, code


def figure() -> tuple[int, int]:
    """How many rows print what bash printed, and how many there are."""
    return sum(replayed(row) == (row["stdout"], row["exit"]) for row in ROWS), len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_script_prints_what_bash_printed(row):
    assert (replayed(row) == (row["stdout"], row["exit"])) is (row["id"] not in KNOWN)


def test_nearly_all_rows_are_equal():
    assert figure() == (len(ROWS) - len(KNOWN), len(ROWS))
