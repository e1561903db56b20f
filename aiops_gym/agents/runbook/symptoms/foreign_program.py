"""A deployment runs the program of another one."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.agents.runbook import custom
from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import APPLICATION, CERTAIN, MISCONFIGURATION, Finding, patch, undo


def find(facts: Facts) -> Iterator[Finding]:
    """Run the program of its own name, as the others do."""
    spell = custom.find_spelling(facts)
    if spell is None:
        return
    owners = {spell(name): name for name in facts.deployments}
    for name, deployment in facts.deployments.items():
        program = custom.find_program(deployment)
        if owners.get(program, name) != name:
            op = custom.make_command_patch(facts, name)
            mend = (patch(facts, "deployment", name, dict(op)),) if op else ()
            yield Finding(name, CERTAIN, APPLICATION, MISCONFIGURATION, (*undo(facts, name), *mend))
