"""`diff`, `comm` and `column`, judged by those of Debian 12 over drawn files and options."""

from __future__ import annotations

import re
import shlex

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from real_shell import has_debians_tools, run_real

from aiops_gym.shell.plain import Timer
from aiops_gym.shell.sandbox import Sandbox

LINES = st.sampled_from(
    (
        "a",
        "b",
        "c",
        "",
        "  x\ty",
        "a b",
        "a  b",
        "A",
        "\t",
        "ab\tcd\te",
        "10",
        "é",
        "x:y::z",
        ":",
        " ".join(["more"] * 20),
    )
)
TEXTS = st.tuples(st.lists(LINES, max_size=12), st.booleans()).map(lambda t: "\n".join(t[0]) + "\n" * t[1])
SORTED = st.lists(LINES, max_size=8).map(lambda lines: "".join(f"{line}\n" for line in sorted(lines)))

DIFF = """
    -u -c -y -q -s -r -N -i -w -b -B -Z -a -U1 -U0 -C1 --unified=2 --context=1 -W30 -W9 --left-column --normal
    --suppress-common-lines --brief --nope -Ux -Lx --label=b --width=40 --recursive --new-file -xg
"""
COMM = "-1 -2 -3 -12 -z --total --output-delimiter=:: --check-order --nocheck-order --nope"
COLUMN = "-t -x -L -d -s: -o| -c40 -c1 -NA,B -R1 -R0 -RA -H1 -HB -O2,1 --table --separator=: --table-columns=A --nope"

FILES = st.dictionaries(st.sampled_from([f"{d}/{name}" for d in "de" for name in ("f", "g", "sub/h")]), TEXTS)
PAIRS = ("d/f e/f", "d/f e/g", "d e", "d/sub e/sub", "d/f e", "d e/g", "- e/f < d/f", "d/f d/f", "nope d/f")
TIME = re.compile(r"\t\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{9} \+0000")

pytestmark = pytest.mark.skipif(not has_debians_tools(), reason="the tools here are not those of Debian 12")
drawn = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
drawn_often = settings(drawn, max_examples=200)


def compare(script: str, files: dict[str, str]) -> None:
    """Both shells print the same of files, errors and exit code included; only the times of files are their own."""
    made = "".join(f"printf %s {shlex.quote(text)} > {path}\n" for path, text in files.items())
    script = f"mkdir -p d/sub e/sub\n{made}{script} 2> errors\necho $?; cat errors"
    ours = Sandbox(Timer(), 1).run(f"mkdir /tmp/empty; cd /tmp/empty\n{script}").stdout
    assert TIME.sub("", ours) == TIME.sub("", run_real("bash", script)[0])


def options(words: str, most: int) -> st.SearchStrategy[str]:
    """Some of the options, quoted."""
    return st.lists(st.sampled_from(words.split()), max_size=most).map(shlex.join)


@drawn
@given(options(DIFF, 3), FILES, st.sampled_from(PAIRS))
def test_diff_shows_what_gnu_diff_shows(chosen, files, pair):
    compare(f"diff {chosen} {pair}", files)


@drawn
@given(options(COMM, 2), st.one_of(TEXTS, SORTED), st.one_of(TEXTS, SORTED))
def test_comm_sorts_lines_into_three_columns(chosen, first, second):
    compare(f"comm {chosen} A B", {"A": first, "B": second})


@drawn
@given(options(COLUMN, 3), TEXTS, st.sampled_from(("A", "< A", "nope A", "A A", "- < A")))
def test_column_puts_lines_and_words_side_by_side(chosen, text, names):
    compare(f"column {chosen} {names}", {"A": text})


@pytest.mark.full
@drawn_often
@given(options(DIFF, 3), FILES, st.sampled_from(PAIRS))
def test_diff_shows_what_gnu_diff_shows_of_many(chosen, files, pair):
    compare(f"diff {chosen} {pair}", files)


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        ("seq 1 9000 | sort -R > a; seq 1 9000 > b; diff a b > c; echo $?; grep -c '^[<>]' c | wc -c", "1\n6\n"),
        ("seq 1 99 > a; diff -y -W 1000000000 a a 2>&1; echo $?", "diff: memory exhausted\n2\n"),
        ("seq 1 9999 | column -t -N $(seq -s, 1 999) 2>&1; echo $?", "column: Cannot allocate memory\n1\n"),
        (
            'x=$(seq 9999); seq 1 9999 > a; comm --output-delimiter="$x" a a 2>&1; echo $?',
            "comm: memory exhausted\n1\n",
        ),
    ],
)
def test_what_asks_for_too_much_ends_by_count(script, printed):
    assert Sandbox(Timer(), 1).run(f"cd /tmp; {script}").stdout == printed


def test_folders_that_lead_into_themselves_end():
    script = "mkdir b c; ln -s ../b b/u; ln -s ../b b/v; ln -s ../c c/u; ln -s $PWD b/w; ln -s $PWD c/w; ln -s no c/x"
    compare(f"{script}; diff -r b c; diff -r b b", {})
