"""`jq`: a language of its own (`sim.jq`) over what a pipe brings or files hold; what it takes counts as work."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.sim.jq.command import run_jq
from aiops_gym.types import Output, Printed

MOST = 1_000_000
"""Operations of one call. A program that needs more ends as one that finds no memory."""


def run(context: Context, argv: list[str]) -> Output:
    """jq 1.6, as Debian has it."""
    left = min(MOST, context.spend(0))
    done = run_jq(argv, context.stdin, context.files.read, context.env, context.cluster.now(), left)
    context.spend(done.operations)
    return Printed.of(done.pieces, done.code)
