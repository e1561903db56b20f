from __future__ import annotations

import pytest

from aiops_gym.clients.context import Context
from aiops_gym.shell.sandbox import Sandbox
from aiops_gym.types import Output

BEGAN = 1_772_442_000.0


class Clockwork:
    """A cluster that has a clock and nothing else."""

    def __init__(self) -> None:
        self.time = BEGAN

    def handle(self, request):
        raise AssertionError("nobody asks for objects here")

    def now(self) -> float:
        return self.time

    def wait(self, seconds: float) -> bool:
        self.time += seconds
        return True


def kubectl(context: Context, argv: list[str]) -> Output:
    """Prints its arguments; `--watch` waits for ever, `--input` prints its input."""
    text = " ".join(argv) + "\n"
    if "--watch" in argv:
        context.cluster.wait(1e9)
    return Output(text + (context.stdin if "--input" in argv else ""), "", 3 if "--fail" in argv else 0)


@pytest.fixture
def new_shell():
    def make(seed: int = 7, network=None) -> Sandbox:
        return Sandbox(Clockwork(), seed, {"kubectl": kubectl}, network)

    return make


@pytest.fixture
def shell(new_shell) -> Sandbox:
    return new_shell()
