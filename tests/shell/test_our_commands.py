"""A command of ours does in a subshell what it does by itself: what it prints, how it ends, what it leaves."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.shell.sandbox import Sandbox
from aiops_gym.types import Output, Printed
from tests.shell.conftest import Clockwork


def _kubectl(context, argv):
    """A command that can do all that a command may."""
    verb, *rest = argv[1:] or ["nothing"]
    if verb == "both":
        return Printed.of([(2, "a\n"), (1, "b\n"), (2, "c\n")], 4)
    if verb == "wait":
        context.cluster.wait(float(rest[0]))
    elif verb == "write":
        context.files.write(rest[0], "written\n")
    elif verb == "read":
        there = context.files.exists(rest[0])
        return Output(context.files.read(rest[0]) if there else "", "" if there else "no file\n", 0 if there else 1)
    elif verb == "spawn":
        output, late = context.spawn(rest, seconds=40.0)
        return Output(f"{output.stdout}{late}\n", output.stderr, output.code)
    elif verb == "flood":
        return Output("x" * int(rest[0]), "", 0)
    elif verb == "about":
        return Output(f"{context.cwd} {sorted(context.env.items())} {context.stdin!r} {context.draw()}\n", "", 300)
    return Output("" if "--quiet" in argv else f"{argv}\n", "", 0)


SCRIPTS = (
    "kubectl",
    "kubectl both",
    "kubectl about",
    "kubectl flood 5000000",
    "kubectl flood 11000000",
    "kubectl get 'a  b' \"c\" d=e",
    "kubectl wait 29.5",
    "kubectl wait 29.7",
    "kubectl wait 29.7 --quiet",
    "kubectl wait 1000",
    "kubectl wait 1000 --quiet",
    "kubectl write /tmp/a",
    "kubectl write a; kubectl read a",
    "kubectl read a",
    "kubectl read /tmp/a",
    "kubectl read /etc/hostname",
    "kubectl spawn ls /tmp /root",
    "kubectl spawn sleep 100",
    "kubectl spawn kubectl both",
    "kubectl both | jq -R .",
    "kubectl both | jq -R '.,(1|error)' | jq -r '. + \"x\"'",
    "kubectl about | jq -Rr '.|length'",
    "kubectl wait 29.5 | jq -R .",
    "kubectl wait 29.7 | jq -R .",
    "kubectl wait 1000 | jq -R .",
    "kubectl wait 29 | jq -nr 'now'",
    "kubectl write a | jq -R . a",
    "kubectl flood 5000000 | jq -R length",
    "kubectl spawn ls / | jq -Rs .",
    "helm | jq . | jq .",
    "helm",
    "sleep 2",
    "sleep 30",
    "sleep x",
    "rm -f a",
)


@given(st.lists(st.sampled_from(SCRIPTS), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_a_command_by_itself_does_what_it_does_inside_a_script(scripts):
    shells = [Sandbox(Clockwork(), 7, {"kubectl": _kubectl}) for _ in range(2)]
    for script in scripts:
        runs = [shell.run(text) for shell, text in zip(shells, (script, f"( {script} )"), strict=True)]
        assert runs[0] == runs[1], script
        assert shells[0].cluster.now() == shells[1].cluster.now()
        assert shells[0].snapshot() == shells[1].snapshot()


def test_an_error_of_a_command_comes_out_and_the_next_script_runs():
    def broken(context, argv):
        raise ZeroDivisionError

    shell = Sandbox(Clockwork(), 7, {"kubectl": broken})
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            shell.run("kubectl get pods")
        assert shell.run("echo still here").stdout == "still here\n"


def test_a_command_that_took_too_long_leaves_the_next_script_alone():
    shell = Sandbox(Clockwork(), 7, {"kubectl": _kubectl})
    assert shell.run("kubectl wait 1000").limit == "time"
    assert shell.run("echo a; kubectl both").output == "a\na\nb\nc\n"
