"""A worker: it comes for work once a second, installs the app, and trains or tests the module of the app's own file.

What it runs is what lies in its files when it loads them: first when the app is imported, then after each message, so
that a change is felt one message later. State: `work` (message and token), `loaded` (text of the module), `place`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.tables import Instance
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.program import MIB
from aiops_gym.sim.machine.scripts.files import Files
from aiops_gym.sim.software.federated import network
from aiops_gym.sim.software.federated.caller import Caller
from aiops_gym.sim.software.federated.speech import say, write, write_traceback
from aiops_gym.sim.software.programs.federation_relay import Relay
from aiops_gym.types import Json

BUSY = {"cpu": 1.87, "memory": 812.0 * MIB, "threads": 34.0}
"""What PyTorch takes while it computes."""


def install(c: Container, files: Mapping[str, str], fab: str) -> str:
    """Put an app where its binary puts apps, unless it is there: the folder."""
    place = f"{c.params['apps']}{fab[:8]}"
    own = Files(c)
    if own.kind(place) == "directory":
        return place
    parts = place.strip("/").split("/")
    for number in range(1, len(parts) + 1):
        folder = "/" + "/".join(parts[:number])
        if not own.kind(folder):
            own.folder(folder)
    for name, text in files.items():
        own.write(f"{place}/{name}", text)
    say(c, "installed", place=place)
    return place


class Worker(Caller):
    """Params: `dials`, `apps` (folder and first part of the name of an app's), `module` (its file), `ms`, `words`."""

    term_ms = (60, 400)

    def start(self, c: Container) -> None:
        """Ask for work."""
        say(c, "start")
        c.remember(work=None, loaded=None, place="", peers=[])
        self.connect_soon(c, high=900)

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """It dials the relay, asks it for work, or is done with a part of it."""
        if name == "connect":
            found = self.attempt(c, Relay, *arguments)
            if found is not None:
                self._connected(c, str(arguments[2]), *found)
        elif name == "token" and c.state["work"] is None:
            self._ask(c)
        elif name == "loaded":
            self._run(c)
        elif name == "done":
            self._finish(c)

    def _connected(self, c: Container, then: str, relay: Relay, peer: Container) -> None:
        relay.attach(peer, c.key)
        if then == "push":
            self._push(c)
        else:
            self._ask(c)

    def _ask(self, c: Container) -> None:
        found = self.peer_of(c, Relay)
        taken = found[0].take(found[1]) if found is not None else None
        if taken is None:
            return
        token, task = taken
        say(c, "pull", token=token)
        c.remember(place=install(c, task["files"], task["fab"]))
        c.remember(work={**{k: v for k, v in task.items() if k != "files"}, "token": token, "reply": None})
        if c.state["loaded"] is None:
            c.remember(loaded=self._read(c))
        if not network.find_class(c.state["loaded"]):
            self._fail(c, "unloadable", [])
            return
        say(c, "loading")
        c.after(self._time(c, "load"), "loaded")

    def _read(self, c: Container) -> str:
        return Files(c).read(f"{c.state['place']}/{c.params['module']}") or ""

    def _time(self, c: Container, what: str) -> int:
        low, high = c.params["ms"][what]
        return int(c.between(low, high, what, c.now))

    def _run(self, c: Container) -> None:
        """The data is there: put the weights into the module, and let it compute."""
        work, layers = c.state["work"], network.read_layers(c.state["loaded"])
        say(c, "data")
        if wrong := network.find_mismatch(network.list_shapes(layers), work["shapes"]):
            text = f"RuntimeError: Error(s) in loading state_dict for {network.find_class(c.state['loaded'])}:"
            self._fail(c, work["kind"], [text, *(f"\t{line}" for line in wrong)])
            return
        say(c, f"begin_{work['kind']}")
        if clash := network.find_clash(layers):
            self._fail(c, f"{work['kind']}_forward", [f"RuntimeError: {clash}"])
        else:
            c.after(self._time(c, work["kind"]), "done")

    def _fail(self, c: Container, where: str, lines: Sequence[str]) -> None:
        """The app raised: its traceback, and an answer that says so."""
        say(c, "raised")
        c.log(*write_traceback(c, c.state["place"], c.params["frames"][where]))
        c.log(*(lines or write(c.params["words"], f"{where}_error")))
        self._conclude(c, {"ok": False})

    def _finish(self, c: Container) -> None:
        work = c.state["work"]
        say(c, f"end_{work['kind']}")
        base = float(c.params["loss"]) * float(c.params["decay"]) ** int(work["round"])
        loss = base * (0.96 + 0.08 * draws.draw(c.world.seed, "loss", f"{work['run']} {work['node']}", work["round"]))
        self._conclude(c, {"ok": True, "loss": loss})

    def _conclude(self, c: Container, reply: Mapping[str, Json]) -> None:
        """Hand the answer in; the files are read again now, for the next message."""
        c.remember(work={**c.state["work"], "reply": dict(reply)}, loaded=self._read(c) or None)
        say(c, "push", token=c.state["work"]["token"])
        self._push(c)

    def _push(self, c: Container) -> None:
        """A relay that was started anew waits for no answer, and says so: then the process ends."""
        found, work = self.peer_of(c, Relay), c.state["work"]
        if found is None:
            self.connect_soon(c, "push", high=60)
            return
        c.remember(work=None)
        if found[0].answer_of(found[1], work["token"], work["reply"]):
            c.after(1_000, "token")
        else:
            say(c, "refused")
            c.exit_in(int(c.between(50, 200, "leave")), 0)

    def hung_up(self, c: Container, peer: str) -> None:
        """The relay is gone: the next question for work fails; who works notices it later."""
        if c.state["work"] is None:
            self.connect_soon(c)

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """Two processors while it computes."""
        return dict(BUSY) if process["state"].get("work") else super().usage(process, 0.0, 0.0)

    def terminate(self, c: Container) -> None:
        """Its signal interrupts it."""
        say(c, "end")
        super().terminate(c)


program = Worker()
