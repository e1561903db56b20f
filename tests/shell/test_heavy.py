"""What could hang the interpreter or fill the memory ends in seconds, in a process of its own where need be."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from aiops_gym.shell import apart, engine
from aiops_gym.shell.analysis import analyse
from aiops_gym.shell.apart import run_apart
from aiops_gym.shell.heavy import builds, parsed

IDIOMS = (
    ".",
    ".items[].metadata.name",
    ".. | .image? // empty",
    '.items[] | select(.status.phase != "Running") | "\\(.metadata.namespace)/\\(.metadata.name)"',
    ".data | to_entries[] | [.key, .value] | @tsv",
    "group_by(.a) | map({k: .[0].a, n: length}) | sort_by(-.n)",
    '.items | map(select(.metadata.name | test("^geo"))) | length',
    "with_entries(.value |= @base64d) | del(.x) | keys, paths",
    "first(.[]), limited, [range(5)], input_line_number",
)


@pytest.mark.parametrize("program", IDIOMS)
def test_the_usual_programs_of_jq_stay_in_the_process(program):
    assert not builds(program)
    assert not analyse(f"kubectl get pods -o json | jq -r '{program}'").deep


@pytest.mark.parametrize(
    "program", ["reduce .[] as $x (0; .+$x)", "def f: f; f", "last(repeat(.))", "[.,.]|" * 30 + "."]
)
def test_programs_that_could_build_anything_do_not(program):
    assert builds(program)


def test_the_words_of_jq_are_told_apart():
    assert parsed(["jq", "-nf", "p", "a"]) == (("-n",), None, "p", ("a",))
    assert parsed(["jq", "--from-file", "p", "--indent", "1"]) == (("--indent", "1"), None, "p", ())
    assert parsed(["jq", "-n", "$ARGS", "--args", "a", "-b"]) == (("-n",), "$ARGS", "", ("--args", "a", "-b"))
    assert parsed(["jq"]).program is None


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        ("echo '[1,2,3]' | jq 'reduce .[] as $x (0; .+$x)'", "6\n"),
        ("echo '{\"a\":[1]}' > f; jq -c 'walk(if type==\"number\" then .+1 else . end)' f", '{"a":[2]}\n'),
        ("echo 'def f: .+1; 1|f, (now|floor)' > p; jq -n -f p", "2\n1772442000\n"),
        ("jq -rn --arg a b 'def f: $a; f, env.HOME'; echo $?", "b\n/root\n0\n"),
        ("cd /tmp; echo 1 > n; export Q=7; jq --slurpfile x n -n 'def f: $x[0]; f, ($ENV.Q|tonumber)'", "1\n7\n"),
        ("p='def f: .; f'; echo 5 | jq \"$p\" | tr 5 6", "6\n"),
        ("jq -n 'def f: error(\"no\"); f' 2>&1; echo $?", "jq: error (at <unknown>): no\n5\n"),
        ("jq -nf /nope 2>&1", "jq: error: Could not open /nope: No such file or directory\n"),
    ],
)
def test_a_program_that_runs_apart_prints_what_it_would_print_here(shell, script, stdout):
    assert shell.run(script).stdout == stdout


def test_a_value_too_deep_to_print_ends_its_own_process_only(shell):
    result = shell.run("jq -n 'reduce range(100000) as $x (null;[.])'; echo on")
    assert (result.stdout, result.stderr, result.limit) == ("on\n", "Killed\n", "")


def test_what_takes_too_long_apart_is_ended_with_the_script(shell, monkeypatch):
    monkeypatch.setattr(engine, "WALL_SECONDS", 0.5)
    began = time.monotonic()
    result = shell.run("echo a; while :; do timeout 9 sh -c \"jq -n 'def f: f; f'\"; done")
    assert (result.code, result.limit) == (124, "wall")
    assert result.output == "a\nbash: killed: more than 0.5 seconds of real time used\n"
    assert time.monotonic() - began < 4


def test_a_process_apart_has_no_more_time_than_it_is_given():
    assert run_apart(["jq", "-n", "def f: f; f"], "", {}, "/", {}, 0.2) is None
    assert run_apart(["jq", "-c", "."], "[1, 2]", {}, "/root", {}, 5) == ("[1,2]\n", "", 0)


def test_a_process_apart_imports_nothing_of_ours():
    assert "aiops_gym" not in "".join(
        line for line in Path(apart.__file__).read_text().splitlines() if "import" in line
    )


MEMORY_BOMBS = (
    "jq '[range(1e9)]' <<< 1",
    "awk 'BEGIN{s=\"a\";for(i=0;i<60;i++)s=s s;print length(s)}'",
    "printf '%1000000000s' x | wc -c",
    "echo {1..100000000}",
    "seq 1000000000 | sort -n | tail -1",
    "x=a; for i in $(seq 60); do x=$x$x; done",
    "python3 -c 'print(len(\"a\" * 10**10))'",
    "jq -n '[range(10)] | combinations(90)'",
    "cat /dev/zero | tr '\\0' a | fold -w1 | sort | uniq -c",
)


def test_bombs_and_deep_nesting_do_not_fill_or_end_the_process():
    """In a process with 3 GB of address space, most of which are stacks that nothing fills."""
    deep = [
        "jq -n \"$(printf '[%.0s' $(seq 1 50000))\"",
        "x=$(printf '( %.0s' $(seq 1 50000)); expr $x; echo \"$x\" | bc; find $x",
        "$(" * 300,
        'x="eval \\$x"; eval $x',
        "f(){ g|g& };g(){ f|f& };f",
    ]
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n"
        "from aiops_gym.shell import make_shell\n"
        f"for script in {[*MEMORY_BOMBS, *deep]!r}:\n"
        "    make_shell({}).run(script)\n"
        "assert make_shell({}).run('echo alive') == ('alive\\n', '', 0)\n"
        "from aiops_gym.cli.measure import peak\n"
        "sys.exit(peak() > 700_000_000)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
