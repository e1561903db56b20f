"""A pod's phase and conditions, worked out from what its containers show (`getPhase`, `generate...Condition`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control.writes import find_condition, kept_since
from aiops_gym.types import Json

Status = dict[str, Json]
Fact = tuple[bool, str, str]
ENDED = {"Succeeded": "PodCompleted", "Failed": "PodFailed"}
OURS = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
"""Conditions that a kubelet owns, in its order."""


def compute_phase(
    policy: str, sidecars: Collection[str], inits: Sequence[Status], mains: Sequence[Status], over: bool
) -> str:
    """The phase that containers' states come to; `over` once none of them will start again."""
    pending, failed = _preparation([s for s in inits if s["name"] not in sidecars])
    if failed and policy == "Never":
        return "Failed"
    beside = [s for s in inits if s["name"] in sidecars]
    waiting = [s for s in (*beside, *mains) if _fresh(s)]
    starting = [s for s in beside if "running" in s["state"] and not s["started"]]
    if pending or waiting or (starting and not _begun(mains)):
        return "Pending"
    if any("running" in s["state"] for s in (*beside, *mains)):
        return "Running"
    if over or policy != "Always":
        if all(get(s, "state", "terminated", "exitCode") == 0 for s in mains):
            return "Succeeded"
        if over or policy == "Never":
            return "Failed"
    return "Running"


def _preparation(inits: Sequence[Status]) -> tuple[int, int]:
    """(init containers that have not ended, those that failed)."""
    ends = [
        s["state"].get("terminated") or ("waiting" in s["state"] and s["lastState"].get("terminated")) for s in inits
    ]
    return sum(not end for end in ends), sum(bool(end and end["exitCode"]) for end in ends)


def _fresh(status: Status) -> bool:
    return "waiting" in status["state"] and not status["lastState"]


def _begun(mains: Sequence[Status]) -> bool:
    """Whether one of the containers proper has started, so that preparation is behind them."""
    return any("waiting" not in s["state"] for s in mains)


def compute_conditions(
    world: World,
    pod: Obj,
    phase_: str,
    sidecars: Collection[str],
    inits: Sequence[Status],
    mains: Sequence[Status],
    sandboxed: bool,
) -> list[Status]:
    """All conditions of a pod in that phase; those of others stay."""
    before = get(pod, "status", "conditions", default=[])
    contained = _ready(phase_, [s for s in inits if s["name"] in sidecars], mains)
    prepared, ready = _prepared(phase_, sidecars, inits, mains), contained
    if contained[0] and (gates := pod["spec"].get("readinessGates")):
        ready = _gated([str(gate["conditionType"]) for gate in gates], before)
    facts = dict(zip(OURS, ((sandboxed, "", ""), prepared, ready, contained, (True, "", "")), strict=True))
    ours = [_condition(world, before, type_, *fact) for type_, fact in facts.items()]
    return ours + [dict(c) for c in before if c["type"] not in OURS]


def _prepared(phase_: str, sidecars: Collection[str], inits: Sequence[Status], mains: Sequence[Status]) -> Fact:
    if phase_ == "Succeeded":
        return True, ENDED[phase_], ""
    incomplete = [s["name"] for s in inits if not s["started" if s["name"] in sidecars else "ready"]]
    if incomplete and not _begun(mains):
        return False, "ContainersNotInitialized", f"containers with incomplete status: [{' '.join(incomplete)}]"
    return True, "", ""


def _ready(phase_: str, beside: Sequence[Status], mains: Sequence[Status]) -> Fact:
    if phase_ in ENDED:
        return False, ENDED[phase_], ""
    unready = [s["name"] for s in (*beside, *mains) if not s["ready"]]
    if unready:
        return False, "ContainersNotReady", f"containers with unready status: [{' '.join(unready)}]"
    return True, "", ""


def _gated(gates: Sequence[str], before: Sequence[Mapping[str, Json]]) -> Fact:
    """Whether conditions that others must set hold too."""
    closed = []
    for gate in gates:
        found = find_condition(before, gate)
        if found is None:
            closed.append(f'corresponding condition of pod readiness gate "{gate}" does not exist.')
        elif found["status"] != "True":
            closed.append(f'the status of pod readiness gate "{gate}" is not "True", but {found["status"]}')
    return not closed, "ReadinessGatesNotReady" if closed else "", ", ".join(closed)


def _condition(
    world: World, before: Sequence[Mapping[str, Json]], type_: str, true: bool, reason: str, message: str
) -> Status:
    old, text = find_condition(before, type_), "True" if true else "False"
    since = kept_since(world, old, text)
    found: Status = {"lastProbeTime": None, "lastTransitionTime": since}
    if message:
        found["message"] = message
    if reason:
        found["reason"] = reason
    return found | {"status": text, "type": type_}
