"""What a container runs in the end, without running it."""

from __future__ import annotations

import pytest

from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.scripts import trial
from tests.sim.machine.test_wrapped_programs import CHILDREN, REPLACED

SPELLINGS = [
    ([], ["memcached", "-m", "64"]),
    (["memcached"], ["-m", "64"]),
    (["memcached", "-m"], ["$(SIZE)"]),
    (["/bin/sh", "-c"], ["while ! test -e /tmp/go; do sleep 1; touch /tmp/go; done; exec memcached -m 64"]),
    *[(command, []) for command in (*REPLACED, *CHILDREN)],
]


def _final(tiny, command, args=(), image="memcached"):
    env = [{"name": "SIZE", "value": "64"}]
    container = {"name": "main", "image": image, "command": list(command), "args": list(args), "env": env}
    return trial.find_final(tiny.world, trial.make_pod("shop", {"spec": {"containers": [container]}}), container)


def _contents(tiny):
    return {name: dict(table) for name, table in tiny.world.tables.items() if table}


@pytest.mark.parametrize(("command", "args"), SPELLINGS)
def test_every_spelling_ends_in_the_same_program(tiny, command, args):
    before = _contents(tiny)
    found = _final(tiny, command, args)
    assert (found.argv, found.binary.program) == (["memcached", "-m", "64"], "memcached")
    assert found.first == (command not in CHILDREN)
    assert _contents(tiny) == before


def test_what_starts_no_program_is_itself_what_runs(tiny):
    assert _final(tiny, ["sleep", "9"]).argv == ["sleep", "9"]
    assert _final(tiny, ["sh", "-c", "while true; do :; done"]).binary.program == runtime.SHELL
    assert _final(tiny, ["sh", "-c", "if"]).binary.program == runtime.SHELL
    assert isinstance(_final(tiny, ["nobody"]), runtime.StartError)


def test_the_environment_that_it_gets(tiny):
    assert _final(tiny, ["sh", "-c", "export A=$SIZE; unset SIZE; exec memcached"]).env["A"] == "64"
    assert "SIZE" not in _final(tiny, ["env", "-u", "SIZE", "memcached"]).env
