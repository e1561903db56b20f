"""The agent's shell, judged by the bash and the tools of Debian 12: what scripts print, and how they end.

The scripts of `conformance/manual.txt` go through the chapters of bash's manual, those of `containers.txt` are what
reviews found, `text_tools` goes through the options of tools; a grammar draws others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from bash_grammar import BEFORE, PIPELINES, SCRIPTS
from hypothesis import HealthCheck, given, settings
from real_shell import has_debians_tools, run_real
from samples import some
from text_tools import TOOLS, list_scripts

from aiops_gym.shell.plain import Timer
from aiops_gym.shell.sandbox import Sandbox

FOLDER = Path(__file__).parent / "conformance"
MANUAL = [
    line.replace("⏎", "\n")
    for name in ("manual.txt", "containers.txt")
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()
]
JOBS: Mapping[str, list[object]] = json.loads((FOLDER / "jobs.json").read_text(encoding="utf-8"))
"""Scripts with jobs beside each other, and what bash 5.2.15 printed: a busy machine would be late for their pauses."""

RACE = "echo a b | tee >(cat >/tmp/x) >/dev/null; cat /tmp/x"
"""What comes of it in bash is who is faster."""

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
    assert in_ours(script) == run_real("bash", script)


@pytest.mark.parametrize("script", [script for script in JOBS if script != RACE])
def test_jobs_go_on_beside_each_other(script):
    assert [*in_ours(script)] == JOBS[script]


@pytest.mark.parametrize("tool", some(TOOLS, 12))
def test_a_tool_prints_what_this_machines_prints(tool):
    differing = {(tool, option) for option, script in list_scripts(tool) if in_ours(script) != run_real("bash", script)}
    assert differing == {known for known in KNOWN_TOOLS if known[0] == tool}


@pytest.mark.full
@settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(SCRIPTS)
def test_a_drawn_script_does_what_it_does_in_bash(script):
    assert in_ours(f"{BEFORE}{script}") == run_real("bash", f"{BEFORE}{script}")


@pytest.mark.full
@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(PIPELINES)
def test_a_drawn_pipeline_does_what_it_does_in_bash(script):
    script = f"printf 'l1 a\\nl2 b\\n' > f; x=abc; {script}"
    assert in_ours(script) == run_real("bash", script)


def test_what_is_listed_is_played():
    assert {(tool, option) for tool, options in TOOLS.items() for option in options} >= KNOWN_TOOLS.keys()


def test_the_readme_says_how_many_are_equal():
    options = sum(map(len, TOOLS.values()))
    figure = f"| {len(MANUAL) + options - len(KNOWN_TOOLS)} / {len(MANUAL) + options} |"
    assert figure in (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
