"""`bash` in a container, judged by the bash of Debian 12: the scripts of its manual, and drawn ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import container_worlds
import pytest
from bash_grammar import BEFORE, SCRIPTS
from container_worlds import world_with
from hypothesis import HealthCheck, assume, given, settings
from real_shell import has_debians_tools, run_real
from samples import some

from aiops_gym.sim.machine.scripts.inside import execute

FOLDER = Path(__file__).parent / "conformance"
MANUAL = [
    line.replace("⏎", "\n")
    for name in ("manual.txt", "containers.txt")
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()
]
JOBS: Mapping[str, list[object]] = json.loads((FOLDER / "jobs.json").read_text(encoding="utf-8"))
"""Scripts with jobs beside each other, and what bash 5.2.15 printed: a busy machine would be late for their pauses."""

TOOLS = ("bash", "bc", "jq", "column", "tree", "xxd", "file", "strings", "less", "hexdump", "python3", "rg", "nproc")

NO_BYTES = "texts of containers hold no bytes that are no text"
KNOWN: Mapping[str, str] = {
    "[[ -f /etc/passwd ]] && [[ ! -x /etc/passwd ]] && echo plain": "this image has no such file",
    r"printf '\377\001' | od -An -tx1; printf '\377' > b; wc -c < b; od -An -tx1 b; cat b | od -An -tx1": NO_BYTES,
    r"printf '\001\377\376' | base64; printf 'AQI=' | base64 -d | od -An -tx1; echo a | gzip -c | gunzip -c": NO_BYTES,
}
"""Scripts that end otherwise than in bash, and why."""

debian = pytest.mark.skipif(not has_debians_tools(), reason="the tools here are not those of Debian 12")


@pytest.fixture(scope="module")
def world():
    image = container_worlds.IMAGES["app:1"]
    container_worlds.IMAGES["tools:1"] = replace(image, tools=TOOLS)
    return world_with("tools:1")


def in_container(world, script: str) -> tuple[str, int]:
    ran = execute(world.fork(), "shop/web-1", "app", ["bash", "-c", f"mkdir /tmp/empty; cd /tmp/empty; {script}"])
    return ran.stdout, ran.code


@debian
@pytest.mark.parametrize("script", some(MANUAL, 20))
def test_a_script_of_the_manual_does_what_it_does_in_bash(world, script):
    assert (in_container(world, script) == run_real("bash", script)) is (script not in KNOWN)


@pytest.mark.parametrize("script", JOBS)
def test_jobs_go_on_beside_each_other(world, script):
    assert [*in_container(world, script)] == JOBS[script]


@debian
@pytest.mark.full
@settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(script=SCRIPTS)
def test_a_drawn_script_does_what_it_does_in_bash(world, script):
    assume(script.count("for ((") < 2)  # a loop in a loop over the same variable has no end
    assert in_container(world, f"{BEFORE}{script}") == run_real("bash", f"{BEFORE}{script}")


def test_what_is_listed_is_played():
    assert KNOWN.keys() <= set(MANUAL)


FUNCTIONS = (
    'f() { if [[ $1 == a* && -n ${x:-$y} ]]; then echo "$@" | cat > f 2>&1; elif ! g; then return 3; else :; fi; }',
    "f() { for i in 1 {2..4}; do case $i in a|b*) echo $((i + 1)) ;; *) break 2 ;; esac; done; }",
    "f() { local -a x=(1 'b c' [5]=d); while read -r a; do x+=($a); done < <(echo $(ls)); (( i++ )); }",
    "f() { until ((i > 3)); do for ((i = 0; i < 3; i++)); do echo ${x[@]:1:2} ${#x} ${!y}; done; done & wait; }",
)


@debian
@pytest.mark.parametrize("script", FUNCTIONS)
def test_a_function_that_is_shown_is_the_same_function(world, script):
    shown = in_container(world, f"{script}; declare -f f")[0]
    assert shown == in_container(world, f"{shown}declare -f f")[0]
    assert run_real("bash", f"{shown}declare -f f") == (shown, 0)


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        ("echo a\nif then", "a\n"),
        ("echo $((1/0)); echo lost\necho kept", "kept\n"),
        ("set -u; (echo $x; echo lost); echo $?", "1\n"),
        ("f() { echo ${x?}; }; f; echo lost", ""),
        ("declare -A m=([x]=1 [y]=2 [zeta]=3); echo ${!m[@]}", "y x zeta\n"),
        ("while read x; do echo $x; cat; done <<< $'a\\nb\\nc'", "a\nb\nc\n"),
        ("time true", ""),
    ],
)
def test_an_error_ends_the_line_and_not_the_script(world, script, printed):
    assert in_container(world, script)[0] == printed


@pytest.mark.parametrize(
    "script",
    [
        "x=aaaaaaaaaa; while true; do x+=$x; done",
        "a=(); while :; do a+=(1 2 3); done",
        "echo {1..999999999}",
        "f() { f | f; }; f",
        "[[ aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab =~ ^(a|a)*$ ]]",
        "shopt -s extglob; x=aaaaaaaaaaaaaaaaaaaaaaaaaaaab; echo ${x##+(+(a))c}",
        "eval " * 500 + "true",
        "echo " + "$(" * 400 + ")" * 400,
        "echo " + "${x:-" * 400 + "}" * 400,
        "((x=" + "(" * 400 + "1" + ")" * 400 + "))",
        "x=x; echo $((x))",
        "declare -n a=b b=a; echo $a",
    ],
)
def test_a_hostile_script_ends(world, script):
    assert isinstance(in_container(world, script)[1], int)
