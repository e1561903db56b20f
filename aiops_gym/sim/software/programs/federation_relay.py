"""A relay: it registers with the hub as a node, asks for messages, and hands each to the worker that comes for it.

State: `node` (its id), `task` (the message that it holds, with the app's files), `token` and `given` (whether a worker
has it), `runs` (that it knows), `worker` (key of the process that asks for work), `answer` (not delivered yet).
"""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.machine.container import Container, is_running
from aiops_gym.sim.software.environment import read_option
from aiops_gym.sim.software.federated.caller import Caller
from aiops_gym.sim.software.federated.speech import read_port, say
from aiops_gym.sim.software.programs.federation_hub import Hub
from aiops_gym.types import Json

ASKS = 1_000
"""Milliseconds between two questions of a worker for work."""


class Relay(Caller):
    """Params: `dials` and `serves` (options that hold addresses), `words`."""

    term_ms = (300, 900)

    def start(self, c: Container) -> None:
        """Serve workers, and register."""
        address = read_option(c.argv, str(c.params["serves"]))
        say(c, "start", address=address)
        c.listen(read_port(address))
        c.remember(node="", task=None, token="", given=False, runs=[], worker="", answer=None, peers=[])
        self.connect_soon(c)

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """It dials the hub, or asks for messages."""
        if name == "pull":
            self._pull(c)
        elif name == "connect":
            found = self.attempt(c, Hub, *arguments)
            if found is not None:
                self._connected(c, *found)

    def _connected(self, c: Container, hub: Hub, peer: Container) -> None:
        """It registers once; a hub that was started anew does not know it, and never hears of it again."""
        if not c.state["node"]:
            c.remember(node=hub.join(peer, c.key))
        if c.state["answer"] is not None:
            self._send(c)

    def _pull(self, c: Container) -> None:
        found = self.peer_of(c, Hub)
        if found is None or c.state["task"] is not None:
            return
        hub, peer = found
        taken = hub.take(peer, c.state["node"], c.state["runs"])
        if taken is None:
            return
        task, files = taken
        say(c, "received", run=task["run"], round=task["round"], kind=task["kind"], id=task["id"])
        token = str(draws.bits(c.world.seed, "token", c.key, c.now))
        runs = [*dict.fromkeys([*c.state["runs"], task["run"]])][-20:]
        c.remember(task={**task, "files": files}, token=token, given=False, runs=runs)
        if is_running(c.world, c.state["worker"]):
            Container(c.world, c.state["worker"]).after(int(c.between(20, ASKS, "asked", c.now)), "token")

    def attach(self, c: Container, worker: str) -> None:
        """A worker asks for work from now on."""
        c.remember(worker=worker)

    def take(self, c: Container) -> tuple[str, Mapping[str, Json]] | None:
        """The token and the message, once."""
        if c.state["task"] is None or c.state["given"]:
            return None
        c.remember(given=True)
        return c.state["token"], c.state["task"]

    def answer_of(self, c: Container, token: str, reply: Mapping[str, Json]) -> bool:
        """A worker hands in what came of it; False where nothing was asked of it."""
        if c.state["task"] is None or c.state["token"] != token:
            return False
        task = c.state["task"]
        c.remember(task=None, given=False, answer={"id": task["id"], "run": task["run"], "reply": dict(reply)})
        if self.peer_of(c, Hub) is not None:
            self._send(c)
        return True

    def _send(self, c: Container) -> None:
        found, answer = self.peer_of(c, Hub), c.state["answer"]
        if found is None:
            return
        c.remember(answer=None)
        accepted = found[0].reply(found[1], c.state["node"], answer["id"], answer["reply"])
        say(c, "sent" if accepted else "aborted", run=answer["run"])

    def hung_up(self, c: Container, peer: str) -> None:
        """The hub is gone: it is dialled as soon as something would be asked of it."""
        self.connect_soon(c, high=3_000)

    def terminate(self, c: Container) -> None:
        """It says goodbye to the hub, if it can."""
        found = self.peer_of(c, Hub)
        if found is not None and c.state["node"]:
            found[0].leave(found[1], c.state["node"])
        say(c, "end")
        super().terminate(c)


program = Relay()
