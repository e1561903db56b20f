"""The agent's course: read everything once, conclude, answer; or repair, look again, and so on."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.agents.base import Planned
from aiops_gym.agents.oncall import pages, signals
from aiops_gym.agents.oncall.books import conclude
from aiops_gym.agents.oncall.findings import LIKELY, Finding
from aiops_gym.agents.oncall.objects import Cluster, parse
from aiops_gym.agents.runbook.answers import answer, handle
from aiops_gym.agents.runbook.question import Question, read
from aiops_gym.errors import CatalogError
from aiops_gym.types import Call

SETTLE = 45
"""Seconds before the first look: what goes away by itself is gone then."""

PATIENCE = 75
"""Seconds that a repair gets to show."""

ROUNDS = 3
"""Repairs that are tried at most."""

TIMEOUT = 300
"""Of a command."""

LAST_PAGE = 8
"""Pages of notes that are read at most."""


class Oncall(Planned):
    """Reads alerts and golden signals, objects, logs and settings, tries the network, and goes by the books."""

    name = "oncall"

    def reset(self, prompt: str) -> None:
        """Learn the question.

        Raises:
            CatalogError: it is none about a live incident, or the tools that the agent needs are not offered.
        """
        question = read(prompt)
        if question is None:
            raise CatalogError("the agent 'oncall' plays live incidents only, such as Mitigation-v0")
        if "\nquery_metrics(" not in prompt:
            raise CatalogError("""the agent 'oncall' asks Prometheus: make the environment with tools="all\"""")
        self.plan = self._play(question)

    def _play(self, question: Question) -> Iterator[str]:
        """Actions, one at a time; what the last one printed is in `observed` when the next is asked for."""
        cluster = Cluster(question.namespace)
        yield str(Call("get_alerts", ()))
        cluster.signals["alerts"] = self.observed
        yield from self._read_objects(cluster, SETTLE)
        yield from self._measure(cluster)
        yield from self._try(cluster)
        found = conclude(cluster)
        causes = [(each.component, each.layer, each.kind) for each in found if each.strength >= LIKELY]
        if question.task == "mitigation":
            yield from self._repair(cluster, found)
        if question.task == "incident":
            yield from handle(question, causes, self._repair(cluster, found))
        while True:
            yield str(Call("submit", answer(question, causes)))

    def _read_objects(self, cluster: Cluster, wait: int) -> Iterator[str]:
        """All objects, a page at a time."""
        yield shell(f"sleep {wait}; {pages.write_notes(cluster.namespace)}")
        cluster.now, cluster.objects = self.observed.split("\n")[0], []
        for _ in range(LAST_PAGE):
            yield shell(pages.read_page(len(cluster.objects) + 1))
            page = parse(self.observed)
            cluster.objects = [*cluster.objects, *page]
            if len(self.observed) < pages.PAGE:
                break

    def _measure(self, cluster: Cluster) -> Iterator[str]:
        """Golden signals, saturation, logs and settings."""
        asked = {"errors": signals.ERRORS, "latency": signals.LATENCY, "throttled": signals.THROTTLED}
        for name, query in asked.items():
            yield str(Call("query_metrics", (signals.fill(query, namespace=cluster.namespace),)))
            cluster.signals[name] = self.observed
        for name, command in (("logs", signals.LOGS), ("settings", signals.SETTINGS)):
            yield shell(signals.fill(command, namespace=cluster.namespace))
            cluster.signals[name] = self.observed

    def _try(self, cluster: Cluster) -> Iterator[str]:
        """Knock and ping from a pod of our own, which goes again."""
        yield shell(signals.open_probe(cluster.namespace))
        if "condition met" in self.observed:
            yield shell(signals.knock(cluster))
            cluster.signals["knocks"] = self.observed
            yield shell(signals.ping(cluster))
            cluster.signals["pings"] = self.observed
        yield shell(signals.close_probe(cluster.namespace))

    def _repair(self, cluster: Cluster, found: list[Finding]) -> Iterator[str]:
        """Try the best repair that was not tried yet, look again, and so on until nothing is found."""
        tried: set[str] = set()
        for _ in range(ROUNDS):
            repair = next((each for each in proposed(found) if each not in tried), "")
            if not repair:
                return
            tried.add(repair)
            yield shell(repair)
            yield shell(f"sleep {PATIENCE}; kubectl get pods -n {cluster.namespace}")
            sick = not all_ready(self.observed)
            yield str(Call("query_metrics", (signals.fill(signals.ERRORS, namespace=cluster.namespace),)))
            cluster.signals = {**cluster.signals, "errors": self.observed, "latency": "", "alerts": ""}
            if not sick and not signals.is_hurt(cluster):
                return


def proposed(found: list[Finding]) -> list[str]:
    """Repairs of what is sure or likely, the best first; of a guess only where nothing better is known."""
    telling = [each for each in found if each.strength >= LIKELY]
    return [each for at, finding in enumerate(telling) if at == 0 or finding.depth > 0 for each in finding.repairs]


def all_ready(listed: str) -> bool:
    """Whether each pod of a list is ready, or done.

    >>> all_ready("NAME READY STATUS\\na 1/1 Running"), all_ready("NAME READY STATUS\\na 0/1 Pending")
    (True, False)
    """
    rows = [line.split() for line in listed.splitlines()[1:]]
    done = ("Completed", "Error", "Terminating")
    return all(row[1].split("/")[0] == row[1].split("/")[-1] for row in rows if len(row) > 2 and row[2] not in done)


def shell(command: str) -> str:
    """A command as an action."""
    return str(Call("exec_shell", (command, TIMEOUT)))
