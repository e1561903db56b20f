"""Scripts in a container: `kubectl exec` and probes run them alike, and as the dash of this machine does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from bash_grammar import NAMES, TEXTS
from container_worlds import world_with
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from real_shell import run_real
from samples import some

from aiops_gym.backends.simulated import Simulated
from aiops_gym.catalog import registry
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.scripts.inside import execute, run

DASH = shutil.which("dash")
WORLD = world_with("app:1")
SCRIPTS = [
    line.replace("⏎", "\n")
    for line in (Path(__file__).parent / "conformance" / "inside.txt").read_text(encoding="utf-8").splitlines()
]
BASH = ["x=(a b c); echo ${#x[@]} ${x[1]}", "[[ abc =~ b ]] && echo yes", "echo {1..3}", "x=abc; echo ${x/b/B} ${x^^}"]


def in_exec(script: str, shell: str = "sh") -> tuple[str, str, int]:
    return tuple(execute(WORLD.fork(), "shop/web-1", "app", [shell, "-c", script]))


def in_probe(script: str, shell: str = "sh") -> tuple[str, str, int]:
    ran = run(Container(WORLD.fork(), "u1/app"), [shell, "-c", script])
    return ran.output, ran.errors, ran.code


@pytest.mark.parametrize("script", some(SCRIPTS, 8))
def test_exec_and_probe_agree(script):
    assert in_exec(script) == in_probe(script)


@pytest.mark.parametrize("script", BASH)
def test_both_give_bash_what_is_of_bash(script):
    stdout, stderr, code = in_exec(script, "bash")
    assert (stdout, stderr, code) == in_probe(script, "bash")
    assert stdout and not stderr and not code


@pytest.mark.skipif(DASH is None, reason="no dash here")
@pytest.mark.parametrize("script", some(SCRIPTS, 8))
def test_a_script_does_what_it_does_in_dash(script):
    stdout, _, code = in_exec(script)
    assert (stdout, code) == run_real("dash", script)


def _quoted(text: str) -> str:
    return "'" + text + "'"


EXPANSIONS = st.one_of(
    NAMES.map("${}".format),
    NAMES.map('"${}"'.format),
    st.builds("${{{}:-{}}}".format, NAMES, st.sampled_from(["d", "'q r'", "$y"])),
    st.builds('"${{{}%{}}}"'.format, NAMES, st.sampled_from(["b", "?", "*", ".*"])),
    st.builds("${{{}##{}}}".format, NAMES, st.sampled_from(["a", "?", "*:"])),
    NAMES.map("${{#{}}}".format),
    st.builds("$(({} + {}))".format, st.integers(0, 9), st.integers(1, 9)),
    st.sampled_from(["$?", "$#", '"$@"', "$*", '"$*"', "~", "$(echo in)", '"$(echo a b)"', "`echo old`"]),
)
WORDS = st.one_of(TEXTS.map(_quoted), EXPANSIONS, st.sampled_from(["a", "b", "7", "f", "a*", "\\$x", '"x"y']))
LINES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
TESTS = st.one_of(
    st.builds("[ {} = {} ]".format, EXPANSIONS.filter(lambda word: word.startswith('"')), TEXTS.map(_quoted)),
    st.sampled_from(["true", "false", "[ -f f ]", "test -n a", "! true"]),
)
SIMPLE = st.one_of(
    LINES.map("echo {}".format),
    LINES.map("printf '[%s]' {}".format),
    st.builds("{}={}".format, NAMES, WORDS.filter(lambda word: word not in ('"$@"', "$*", '"$*"'))),
    LINES.map("set -- {}".format),
    st.builds("echo {} > f".format, LINES),
    st.sampled_from(["cat f 2>/dev/null", "rm -f f", "false", "(exit 3)", "IFS=:", "shift 2>/dev/null || :", "g a b"]),
    TESTS,
)


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("if {}; then {}; else {}; fi".format, TESTS, inner, inner),
        st.builds("for {} in {}; do {}; done".format, NAMES, LINES, inner),
        st.builds("case {} in a*) {};; *) {};; esac".format, WORDS, inner, inner),
        st.builds("{{ {}; }} | cat".format, inner),
        st.builds("({}; {})".format, inner, inner),
        st.builds("{} && {}".format, inner, inner),
        st.builds("{} || {}".format, inner, inner),
        st.builds("g() {{ {}; }}".format, inner),
        st.builds("{}; {}".format, inner, inner),
        st.builds("printf 'a b\\nc\\n' | while read {} {}; do {}; done".format, NAMES, NAMES, inner),
    )


DRAWN = st.recursive(SIMPLE, _compound, max_leaves=6)


@pytest.mark.full
@pytest.mark.skipif(DASH is None, reason="no dash here")
@settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(DRAWN)
def test_a_drawn_script_does_what_it_does_in_dash(script):
    stdout, _, code = in_exec(script)
    assert (stdout, code) == run_real("dash", script)


def test_a_database_loses_what_is_taken_from_its_folder():
    world = Simulated(registry.find_problem("revoke_auth_mongodb-mitigation-1"), 2, noise=False)
    where = "kubectl exec -n test-hotel-reservation deploy/mongodb-geo --"
    for script in ("rm -rf /data/db/*; ls /data/db", "rm -rf /data/db/*.wt; ls /data/db | grep -c wt"):
        found = world.fork().shell.run(f"{where} sh -c '{script}'").stdout
        assert found in ("", "0\n"), script
