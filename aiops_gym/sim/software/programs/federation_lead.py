"""The lead: it runs an app in rounds; in each it asks nodes to train and then to test, and waits for all answers.

State: `run` (what is running, None between runs): `id`, `round`, `step` (train or evaluate), `asked` (ids of messages,
none while it waits for nodes), `sampled`, `losses`, `began`, `shapes`, and the settings of the run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.scripts.files import Files
from aiops_gym.sim.software.federated import network
from aiops_gym.sim.software.federated.caller import Caller
from aiops_gym.sim.software.federated.speech import say
from aiops_gym.sim.software.programs.federation_hub import TICK, Hub
from aiops_gym.sim.software.programs.federation_worker import install
from aiops_gym.types import Json

SETTING = re.compile(r"^([\w-]{1,40})[ \t]*=[ \t]*(\d{1,4}(?:\.\d{1,6})?)[ \t]*$", re.ASCII | re.MULTILINE)
LEAST = 2
"""Nodes that must be there before a round begins, and that are asked at least."""


class Lead(Caller):
    """Params: `dials`, `apps`, `module`, `settings` (file of the app with the numbers of a run), `words`.

    It takes no notice of SIGTERM, as a first process without a handler of its own.
    """

    def start(self, c: Container) -> None:
        """Look for a run."""
        say(c, "start")
        c.remember(run=None, peers=[], due=0)
        self.connect_soon(c, low=300, high=1_500)

    def terminate(self, c: Container) -> None:
        """Nothing: it has no handler."""

    def event(self, c: Container, name: str, *arguments: Json) -> None:
        """It dials the hub, or looks whether something has come."""
        if name == "connect":
            found = self.attempt(c, Hub, *arguments)
            if found is not None:
                found[1].remember(lead=c.key)
                self._look(c)
        elif name == "look":
            self._look(c)

    def hung_up(self, c: Container, peer: str) -> None:
        """The hub is gone."""
        self.connect_soon(c, high=TICK)

    def _look(self, c: Container) -> None:
        found = self.peer_of(c, Hub)
        if found is None:
            return
        hub, peer = found
        run = c.state["run"]
        if run is not None and all(each["id"] != run["id"] for each in peer.state["runs"]):
            say(c, "stopped", run=run["id"])  # a hub that was started anew
            c.remember(run=None)
        elif run is None:
            self._begin(c, hub, peer)
        elif run["asked"]:
            self._collect(c, hub, peer)
        else:
            self._ask(c, hub, peer)

    def _begin(self, c: Container, hub: Hub, peer: Container) -> None:
        pending = hub.next_run(peer)
        if pending is None:
            return
        run, files = pending
        place = install(c, files, run["fab"])
        hub.set_status(peer, run["id"], "running")
        text = Files(c).read(f"{place}/{c.params['module']}") or ""
        numbers = dict(SETTING.findall(Files(c).read(f"{place}/{c.params['settings']}") or ""))
        if not network.find_class(text):
            say(c, "raised")
            self._end(c, hub, peer, run["id"])
            return
        shapes = [list(shape) for _, shape in network.list_shapes(network.read_layers(text))]
        rounds = max(1, int(float(numbers.get("num-server-rounds", "1"))))
        say(c, "begin", rounds=rounds, round=1)
        made: Json = {"id": run["id"], "round": 1, "rounds": rounds, "step": "train", "asked": [], "sampled": 0}
        made |= {"share": float(numbers.get("fraction-fit", "1")), "losses": [], "began": c.now, "shapes": shapes}
        c.remember(run=made)
        self._ask(c, hub, peer)

    def _ask(self, c: Container, hub: Hub, peer: Container) -> None:
        """Once there are nodes enough, ask some of them, or all."""
        nodes, run = sorted(peer.state["nodes"]), c.state["run"]
        if len(nodes) < LEAST:
            return
        share = run["share"] if run["step"] == "train" else 1.0
        count = max(LEAST, int(len(nodes) * share))
        order = sorted(nodes, key=lambda node: c.between(0.0, 1.0, f"sample {node}", c.now))[:count]
        say(c, f"configure_{run['step']}", count=count, nodes=len(nodes))
        task: Mapping[str, Json] = {"kind": run["step"], "round": run["round"], "shapes": run["shapes"]}
        asked = hub.push(peer, run["id"], [{**task, "node": node} for node in order])
        c.remember(run={**run, "asked": asked, "sampled": count})

    def _collect(self, c: Container, hub: Hub, peer: Container) -> None:
        run, tasks = c.state["run"], peer.state["tasks"]
        replies = [tasks[key]["reply"] for key in run["asked"] if key in tasks]
        if any(reply is None for reply in replies):
            return
        good = [reply for reply in replies if reply["ok"]]
        say(c, f"aggregate_{run['step']}", good=len(good), bad=run["sampled"] - len(good))
        if good and run["round"] == 1:
            say(c, f"warn_{run['step']}")
        if run["step"] == "train":
            c.remember(run={**run, "step": "evaluate", "asked": []})
            self._ask(c, hub, peer)
            return
        loss = sum(float(reply["loss"]) for reply in good) / len(good) if good else None
        losses = [*run["losses"], *([[run["round"], loss]] if loss is not None else [])]
        if run["round"] < run["rounds"]:
            say(c, "round", round=run["round"] + 1)
            c.remember(run={**run, "round": run["round"] + 1, "step": "train", "asked": [], "losses": losses})
            self._ask(c, hub, peer)
            return
        say(c, "summary", rounds=run["rounds"], seconds=f"{(c.now - run['began']) / 1000:.2f}")
        if losses:
            say(c, "history")
        for number, each in losses:
            say(c, "loss", round=number, loss=each)
        say(c, "over")
        self._end(c, hub, peer, run["id"])

    def _end(self, c: Container, hub: Hub, peer: Container, run: str) -> None:
        hub.set_status(peer, run, "finished")
        c.remember(run=None)
        c.after(TICK, "look")


program = Lead()
