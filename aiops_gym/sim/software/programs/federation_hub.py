"""The hub: it keeps nodes, runs and messages, and is asked by all others; it asks nobody.

State: `nodes` (id -> key of the relay), `runs` (each `id`, `status`, `fab`), `fabs` (hash -> files), `tasks` (id ->
what is asked of a node, and the `reply`), `pulls` ([node, from, to] ms in which it asks for messages, 0: still),
`lead` (key of the process that runs the rounds).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel import draws, jsontext
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.machine.container import LOG_LINES, Container, is_running
from aiops_gym.sim.machine.program import HttpAnswer, Program, list_ticks
from aiops_gym.sim.software.federated.speech import say, write
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

TICK = 3_000
"""Milliseconds between two questions for messages."""

PATIENCE = 30_000
"""Milliseconds after which a node that sends no ping counts as gone."""

KEPT = 40
"""Finished runs whose messages are kept."""

OPEN = "/runs/open"
"""Path that says whether a run is pending or running."""


class Hub(Program):
    """Answers; params: `ports`, `words`."""

    term_ms = (1_000, 1_400)

    def start(self, c: Container) -> None:
        """Nothing is remembered from before."""
        say(c, "start")
        c.remember(nodes={}, runs=[], fabs={}, tasks={}, pulls=[], lead="", peers=[])
        c.after(int(c.between(700, 1_400, "open")), "open")

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """The ports open, or a node has been silent for too long."""
        if name == "open":
            say(c, "open")
            super().start(c)
        elif name == "expire" and arguments[0] in c.state["nodes"]:
            self._drop(c, str(arguments[0]))

    def terminate(self, c: Container) -> None:
        """It says so and ends."""
        say(c, "end")
        super().terminate(c)

    def hung_up(self, c: Container, peer: str) -> None:
        """A relay that did not say goodbye is missed after a while."""
        for node, relay in c.state["nodes"].items():
            if relay == peer:
                self._pause(c, node)
                c.after(int(c.between(0.3, 1.0, "ping", c.now) * PATIENCE), "expire", node)

    def join(self, c: Container, relay: str) -> str:
        """A relay registers, and gets the id of a node."""
        node = str(draws.bits(c.world.seed, "node", relay, c.now))
        say(c, "join", node=node)
        c.remember(nodes={**c.state["nodes"], node: relay}, peers=[*c.state["peers"], relay])
        self._ask_again(c, node)
        self._wake_lead(c)
        return node

    def leave(self, c: Container, node: str) -> None:
        """A relay says goodbye."""
        say(c, "leave", node=node)
        if node in c.state["nodes"]:
            self._drop(c, node)

    def _drop(self, c: Container, node: str) -> None:
        self._pause(c, node)
        lost = {i: {**t, "reply": {"ok": False}} for i, t in c.state["tasks"].items() if _waits(t, node)}
        nodes = {key: relay for key, relay in c.state["nodes"].items() if key != node}
        c.remember(nodes=nodes, tasks={**c.state["tasks"], **lost})
        self._wake_lead(c)

    def post(self, world: World, process: Process, path: str, body: str) -> HttpAnswer | None:
        """Somebody starts a run: `body` is a JSON object of the files of an app."""
        c = Container(world, f"{process['uid']}/{process['container']}")
        files: Mapping[str, str] = jsontext.load(body)
        fab = sha256(body.encode()).hexdigest()
        run = str(draws.bits(world.seed, "run", fab, world.now))
        say(c, "run", run=run)
        c.remember(
            fabs={**c.state["fabs"], fab: files},
            runs=[*c.state["runs"], {"id": run, "status": "pending", "fab": fab}][-KEPT:],
        )
        self._wake_lead(c)
        return HttpAnswer(200, run)

    def http(self, world: World, process: Process, path: str) -> tuple[int, str]:
        """It speaks gRPC; to those who belong to it, it says which runs are not finished."""
        left = [run["id"] for run in process["state"].get("runs", ()) if run["status"] != "finished"]
        return (200, " ".join(left)) if path == OPEN else (0, "")

    def next_run(self, c: Container) -> tuple[Json, Mapping[str, str]] | None:
        """The oldest pending run and the files of its app."""
        found = next((run for run in c.state["runs"] if run["status"] == "pending"), None)
        return (found, c.state["fabs"][found["fab"]]) if found is not None else None

    def set_status(self, c: Container, run: str, status: str) -> None:
        """A run is running, or finished: then its messages are forgotten."""
        runs = [{**each, "status": status} if each["id"] == run else each for each in c.state["runs"]]
        over = status == "finished"
        c.remember(runs=runs, tasks={i: t for i, t in c.state["tasks"].items() if not (over and t["run"] == run)})

    def push(self, c: Container, run: str, tasks: Sequence[Mapping[str, Json]]) -> list[str]:
        """The lead asks nodes for something; each looks for it when it asks next."""
        made: dict[str, Json] = {}
        fab = next(each["fab"] for each in c.state["runs"] if each["id"] == run)
        for number, task in enumerate(tasks):
            key = draws.uuid(c.world.seed, "message", f"{run} {task['node']}", c.now + number)
            made[key] = {**task, "id": key, "run": run, "fab": fab, "given": False, "reply": None}
            self._wake_relay(c, task["node"])
        c.remember(tasks={**c.state["tasks"], **made})
        return list(made)

    def _wake_relay(self, c: Container, node: str) -> None:
        """It asks each three seconds: the next time it gets an answer."""
        since = next((pull[1] for pull in reversed(c.state["pulls"]) if pull[0] == node and not pull[2]), None)
        relay = c.state["nodes"].get(node, "")
        if since is not None and is_running(c.world, relay):
            Container(c.world, relay).after(TICK - (c.now - since) % TICK + 4, "pull")

    def take(self, c: Container, node: str, known: Sequence[str]) -> tuple[Json, Mapping[str, str]] | None:
        """The next message for a node, with the app of its run; `known` are runs that it has asked about."""
        found = next((t for t in c.state["tasks"].values() if t["node"] == node and not t["given"]), None)
        if found is None:
            return None
        c.remember(tasks={**c.state["tasks"], found["id"]: {**found, "given": True}})
        self._pause(c, node)
        if found["run"] not in known:
            say(c, "ask_run", run=found["run"])
        say(c, "ask_fab", fab=found["fab"])
        return found, c.state["fabs"][found["fab"]]

    def reply(self, c: Container, node: str, task: str, reply: Mapping[str, Json]) -> bool:
        """A node answers; False where nobody waits for it any more."""
        found = c.state["tasks"].get(task)
        self._ask_again(c, node)
        if found is None:
            return False
        say(c, "reply", node=node)
        c.remember(tasks={**c.state["tasks"], task: {**found, "reply": dict(reply)}})
        self._wake_lead(c)
        return True

    def _ask_again(self, c: Container, node: str) -> None:
        if node in c.state["nodes"]:
            begin = _begin(c.process)
            c.remember(pulls=[*(p for p in c.state["pulls"] if not p[2] or p[2] > begin), [node, c.now, 0]])
            if any(t["node"] == node and not t["given"] for t in c.state["tasks"].values()):
                self._wake_relay(c, node)

    def _pause(self, c: Container, node: str) -> None:
        c.remember(pulls=[[n, a, b or (c.now + 1 if n == node else 0)] for n, a, b in c.state["pulls"]])

    def _wake_lead(self, c: Container) -> None:
        if is_running(c.world, c.state["lead"]):
            Container(c.world, c.state["lead"]).after(TICK // 2, "look")

    def follows(self, process: Process) -> Hashable:
        """When each node asked for messages, and since when that is kept."""
        return _begin(process), *map(tuple, process["state"].get("pulls", ()))

    def background(self, process: Process, start: int, end: int, seed: int) -> list[tuple[int, str]]:
        """Each question of a node for messages."""
        found = []
        for node, since, until in process["state"].get("pulls", ()):
            for _, time in list_ticks(since - TICK, max(start, _begin(process)), min(end, until or end), TICK):
                found += [(time, line) for line in write(process["params"]["words"], "pull", node=node)]
        return sorted(found)


def _begin(process: Process) -> int:
    """Since when its log is kept (ms): what it did not store itself goes with what it did."""
    return int(process["log"][0][0]) if len(process["log"]) >= LOG_LINES else 0


def _waits(task: Mapping[str, Json], node: str) -> bool:
    return bool(task["node"] == node and task["reply"] is None)


program = Hub()
