"""What `aiops-gym serve` does: an incident behind two addresses, with news for whoever sits at the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from shlex import quote
from textwrap import TextWrapper
from typing import Any

from starlette.types import ASGIApp

from aiops_gym.serve import answers
from aiops_gym.serve.control import Control, Submission, draw_token
from aiops_gym.serve.incident import Incident, choose_problem
from aiops_gym.serve.keeper import Keeper
from aiops_gym.serve.server import Door
from aiops_gym.serve.transcript import Transcript
from aiops_gym.serve.visitors import LOOPBACK
from aiops_gym.serve.witness import Exchange, Witness

_WRAP = TextWrapper(100, break_long_words=False, break_on_hyphens=False)
"""For the text of the task; what is to be pasted stays on one line."""


class Session:
    """A running incident.

    Args:
        incident: that is worked on.
        seed: that drew it.
        kubeconfig: file to write.
        options: `host`, `port` and `speed` of the door.

    Attributes:
        door: to its cluster.
        control: URL for submitting and scoring.
        token: for the control URL.
        transcript: of all that was asked and submitted.
        news: lines for the terminal, as they come.
    """

    def __init__(self, incident: Incident, seed: int, kubeconfig: Path, **options: Any) -> None:
        self.incident, self.transcript = incident, Transcript(incident, seed)
        self.news: SimpleQueue[str] = SimpleQueue()
        self.token = draw_token()
        backend = incident.backend
        self.door = Door(backend.world, kubeconfig, namespace=backend.app.namespace, around=self._witnessed, **options)
        control = Control(self.door.keeper, self.door.clock, self.token, incident, self._heard)
        self.control = self.door.listen(control.app())
        self.door.keeper.tell = self.news.put

    @property
    def instructions(self) -> str:
        """The task, and lines that run as they stand in another terminal."""
        curl = f"curl -sS -H 'Authorization: Bearer {self.token}' {self.control}"
        submit = "".join(
            f"  {meaning}:\n    {curl}/submit -d {body}\n"
            for body, meaning in answers.list_examples(self.incident.task)
        )
        brief = "\n".join(_WRAP.fill(line) for line in self.incident.brief.splitlines())
        return (
            f"{brief}\n\n"
            f"Look, in another terminal:\n  export KUBECONFIG={quote(str(self.door.kubeconfig))}\n  kubectl get pods\n"
            f"\nAsk its Prometheus, its Alertmanager and its Jaeger, which dashboards and clients take as well:\n"
            f"  {self.door.url}/prometheus\n  {self.door.url}/alertmanager\n  {self.door.url}/jaeger\n"
            f"\nSubmit an answer; the first one counts:\n{submit}\n"
            f"State of the session:\n  {curl}/status\n\n"
            "Ctrl-C ends it."
        )

    def _witnessed(self, keeper: Keeper, app: ASGIApp) -> ASGIApp:
        async def seen(exchange: Exchange) -> None:
            turn = self.transcript.note(exchange.asked, exchange.answered, keeper.now, exchange.tool)
            if turn is not None:
                self.transcript.healthy(turn, await keeper.ask(lambda _: self.incident.backend.health()))

        return Witness(app, seen)

    def _heard(self, submission: Submission) -> None:
        verdict = submission.verdict
        told = self.incident.words if verdict else submission.refused
        turn = self.transcript.note(submission.text, told, submission.now, "submit", "" if verdict else "submission")
        if verdict is not None and turn is not None:
            self.transcript.judged(turn, verdict)
            told += f"\nThe problem was {self.incident.problem.id}, seed {self.transcript.episode.seed}."
        self.news.put(told)


@contextmanager
def serve_incident(
    problem: str | None,
    seed: int,
    kubeconfig: Path,
    *,
    task: str | None = None,
    split: str | None = None,
    app: str | None = None,
    tier: str | None = None,
    host: str = LOOPBACK,
    port: int = 0,
    speed: float = 1.0,
) -> Iterator[Session]:
    """Serve an incident for as long as the block lasts: a problem with an id, or a drawn one, see `choose_problem`.

    Raises CatalogError, BackendError.
    """
    incident = Incident(*choose_problem(seed, problem, task, split, app, tier))
    made = Session(incident, seed, kubeconfig, host=host, port=port, speed=speed)
    try:
        made.door.open()
        yield made
    finally:
        made.door.close()
