"""The agent's shell, judged by the bash and the tools of Debian 12: what scripts print, and how they end.

The scripts of `conformance/manual.txt` go through the chapters of bash's manual, `text_tools` through the options of
tools; a grammar draws others.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from bash_grammar import BEFORE, SCRIPTS
from hypothesis import HealthCheck, given, settings
from real_shell import has_debians_tools, run_real
from samples import some
from text_tools import TOOLS, list_scripts

from aiops_gym.shell.plain import Timer
from aiops_gym.shell.sandbox import Sandbox

FOLDER = Path(__file__).parent / "conformance"
MANUAL = [line.replace("⏎", "\n") for line in (FOLDER / "manual.txt").read_text(encoding="utf-8").splitlines()]

BESIDE = "what runs beside has ended when the next command begins"
KNOWN: Mapping[str, str] = {
    "echo ${nope?msg} 2>/dev/null; echo not reached": "ends with 1, and bash with 127",
    "sleep 5 & kill $!; wait $! 2>/dev/null; echo $?": BESIDE,
    "{ sleep 0.2; echo second; } & echo first; wait": BESIDE,
    "echo 'echo from stdin $1' | bash -s x; bash -n -c 'if'; echo $?": "a shell reads no script from its input",
    "caller; echo $?; f() { caller 0 | cut -d' ' -f2; }; f": "a pipe's end has a caller, too",
    "[[ -f /etc/passwd ]] && [[ ! -x /etc/passwd ]] && echo plain": "files of the host may all be executed",
}
"""Scripts that end otherwise than in bash, and why."""

KNOWN_TOOLS: Mapping[tuple[str, str], str] = {
    ("sed", '"/a/r /dev/null"'): "a last line without an end stays without one",
    ("sed", '"s/a/x/w /dev/stdout"'): "a last line without an end gets one where it is written twice",
    ("xxd", "-p"): "all of it in one line",
    ("csplit", "-s - 2; ls"): "there is no csplit",
    ("numfmt", "--to=iec --invalid=ignore --field=2 2>/dev/null"): "what is no number is refused all the same",
    ("fmt", "-w 20"): "lines of another length are chosen",
}
"""Options with which a tool prints something else of one text or another, and why."""

pytestmark = pytest.mark.skipif(not has_debians_tools(), reason="the tools here are not those of Debian 12")


def in_ours(script: str) -> tuple[str, int]:
    """The same in the agent's shell."""
    ran = Sandbox(Timer(), 1).run(f"mkdir /tmp/empty; cd /tmp/empty; {script}")
    return ran.stdout, ran.code


@pytest.mark.parametrize("script", some(MANUAL, 20))
def test_a_script_of_the_manual_does_what_it_does_in_bash(script):
    assert (in_ours(script) == run_real("bash", script)) is (script not in KNOWN)


@pytest.mark.parametrize("tool", some(TOOLS, 12))
def test_a_tool_prints_what_this_machines_prints(tool):
    differing = {(tool, option) for option, script in list_scripts(tool) if in_ours(script) != run_real("bash", script)}
    assert differing == {known for known in KNOWN_TOOLS if known[0] == tool}


@pytest.mark.full
@settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(SCRIPTS)
def test_a_drawn_script_does_what_it_does_in_bash(script):
    assert in_ours(f"{BEFORE}{script}") == run_real("bash", f"{BEFORE}{script}")


def test_what_is_listed_is_played():
    assert KNOWN.keys() <= set(MANUAL)
    assert {(tool, option) for tool, options in TOOLS.items() for option in options} >= KNOWN_TOOLS.keys()


def test_the_readme_says_how_many_are_equal():
    options = sum(map(len, TOOLS.values()))
    figure = f"| {len(MANUAL) - len(KNOWN) + options - len(KNOWN_TOOLS)} / {len(MANUAL) + options} |"
    assert figure in (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
