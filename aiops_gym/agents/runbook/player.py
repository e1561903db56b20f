"""The agent's course: look at everything once, conclude, then answer, or repair and look again."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.agents.base import Planned
from aiops_gym.agents.runbook import looks
from aiops_gym.agents.runbook.answers import answer, handle
from aiops_gym.agents.runbook.facts import Facts, read
from aiops_gym.agents.runbook.findings import LIKELY, STRONG, Finding, conclude
from aiops_gym.agents.runbook.question import Question
from aiops_gym.agents.runbook.question import read as read_question
from aiops_gym.errors import CatalogError
from aiops_gym.types import Call

ROUNDS = 4
"""Repairs that are tried at most."""

PATIENCE = 90
"""Seconds that a repair gets to show."""

HICCUP = 45
"""Seconds before the first look: what goes away by itself is gone then."""

TIMEOUT = 240
"""Of a command that looks or repairs."""

MINUTES = 1
"""Of traces: what was before the incident would only hide it."""

FOLDER = "trace_output"
"""Where traces are exported to."""


class Runbook(Planned):
    """Looks at pods, Services, events, volumes, logs and traces, and follows a list of rules."""

    name = "runbook"

    def reset(self, prompt: str) -> None:
        """Learn the question.

        Raises:
            CatalogError: it is none about a live incident.
        """
        question = read_question(prompt)
        if question is None:
            raise CatalogError("the agent 'runbook' plays live incidents only, such as Mitigation-v0")
        self.plan = self._play(question)

    def _play(self, question: Question) -> Iterator[str]:
        """Actions, one at a time; what the last one printed is in `observed` when the next is asked for."""
        facts = Facts(question.namespace)
        yield from self._look(facts, (looks.DEPLOYMENTS, looks.PODS, looks.OBJECTS), HICCUP)
        yield str(Call("get_traces", (question.namespace, MINUTES)))
        yield from self._look(facts, (looks.TRACES.replace("{folder}", FOLDER), looks.LOGS))
        found = conclude(facts)
        causes = [(each.component, each.layer, each.kind) for each in found if each.strength >= LIKELY]
        if question.task == "mitigation":
            yield from self._repair(facts, found)
        if question.task == "incident":
            yield from handle(question, causes, self._repair(facts, found))
        while True:
            yield str(Call("submit", answer(question, causes)))

    def _look(self, facts: Facts, commands: tuple[str, ...], wait: int = 0) -> Iterator[str]:
        for at, command in enumerate(commands):
            before = f"sleep {wait}; " if wait and at == 0 else ""
            yield shell(before + command.replace("{namespace}", facts.namespace), TIMEOUT)
            read(facts, self.observed)

    def _repair(self, facts: Facts, found: list[Finding]) -> Iterator[str]:
        """Try the best repair that was not tried yet, look again, and so on until nothing is found."""
        tried: set[str] = set()
        for _ in range(ROUNDS):
            repair = next((each for finding in found for each in finding.repairs if each not in tried), "")
            if not repair:
                return
            tried.add(repair)
            yield shell(repair, TIMEOUT)
            yield from self._look(facts, (looks.DEPLOYMENTS, looks.PODS, looks.OBJECTS), PATIENCE)
            facts.logs, facts.spans = {}, []
            found = [finding for finding in conclude(facts) if finding.strength >= STRONG]


def shell(command: str, timeout: int) -> str:
    """A command as an action."""
    return str(Call("exec_shell", (command, timeout)))
