"""Every verb takes the flags that the real kubectl's reference lists, and no others: both refuse the same mistakes."""

from __future__ import annotations

import pytest
from reference import Command, commands

from aiops_gym.kubectl.verb import Verb
from aiops_gym.kubectl.verbs import load_verbs

SHARED = {flag.name for flag in commands()[0].flags} | {"help"}

RECORDING = (
    *("annotate", "apply", "autoscale", "create", "edit", "expose", "label", "patch", "run", "scale"),
    *("set image", "set resources", "set selector", "set serviceaccount"),
)
"""Commands that take `--record`, which is deprecated and in no help."""

LESS = {
    "create token": "a token is bound to no object here, and printed as it is",
}
"""Commands that take fewer, and why."""


def find(path: str) -> Verb | None:
    verb, children = None, load_verbs()
    for word in path.split():
        verb = children.get(word)
        if verb is None:
            return None
        children = verb.children
    return verb


WORKING = [command for command in commands() if (verb := find(command.path)) is not None and verb.run is not None]


def test_most_commands_are_looked_at():
    assert len(WORKING) > 60


@pytest.mark.parametrize("command", WORKING, ids=[command.path for command in WORKING])
def test_flags_are_those_of_the_real_one(command: Command):
    verb = find(command.path)
    assert verb is not None
    ours = {flag.name for flag in verb.flags} - SHARED
    real = {flag.name for flag in command.flags} - SHARED
    hidden = {"record"} if command.path in RECORDING else set()
    assert ours - real == hidden
    assert bool(real - ours) == (command.path in LESS)


@pytest.mark.parametrize("command", WORKING, ids=[command.path for command in WORKING])
def test_letters_are_those_of_the_real_one(command: Command):
    verb = find(command.path)
    assert verb is not None
    real = {flag.name: flag.short for flag in command.flags}
    assert {f.name: f.short for f in verb.flags if f.name in real} == {
        f.name: real[f.name] for f in verb.flags if f.name in real
    }
