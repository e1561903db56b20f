"""A scenario played in a simulated cluster, and seen as a recorder sees it: states of pods, events, deployments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from aiops_gym.sim.kernel.objects import Obj, get, namespace_of
from aiops_gym.sim.kernel.times import millis
from aiops_gym.testing.calibration import actions
from aiops_gym.testing.calibration.cluster import START, make_cluster
from aiops_gym.types import Json

State = dict[str, Json]


class Seen(NamedTuple):
    """What was seen of a scenario; times in seconds since the first object was created.

    Attributes:
        pods: (time, pod name, state) at each change.
        events: (time, event uid, event) at each write.
        deployments: (time, name, summary) at each change.
        problems: actions that make no sense, in words.
    """

    pods: list[tuple[float, str, State]]
    events: list[tuple[float, str, State]]
    deployments: list[tuple[float, str, State]]
    problems: list[str]


def play(
    manifest: Mapping[str, Json], namespace: str, nodes: list[str], seconds: float, seed: int, start: int = START
) -> Seen:
    """Run a manifest for so many seconds in a fresh cluster, from a time (ms) by the clock on."""
    world = make_cluster(manifest, namespace, nodes, seed, start)
    zero, seen = world.now, Seen([], [], [], [])
    tell, last = world.store.observer, dict[str, State]()

    def observe(resource: str, old: Obj | None, new: Obj | None) -> None:
        if new is not None and namespace_of(new) == namespace:
            _note(seen, last, (world.now - zero) / 1000, resource, new)
        tell(resource, old, new)

    world.store.observer = observe
    creations = [{"at": 0, "verb": "create", "object": body} for body in manifest.get("objects") or ()]
    for action in sorted([*creations, *plan_steps(manifest)], key=lambda a: float(a["at"])):
        world.run_until(zero + round(float(action["at"]) * 1000))
        try:
            actions.do(world, namespace, action)
        except (KeyError, TypeError, ValueError) as error:
            seen.problems.append(f"{action.get('verb')} at {action['at']} s: {error}")
    world.run_until(zero + round(seconds * 1000))
    return seen


def plan_steps(manifest: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """The actions, and the ends of those that last for some time (`for`, `duration`, or `until`)."""
    found: list[Mapping[str, Json]] = []
    for action in manifest.get("actions") or ():
        begin = float(action.get("at") or 0)
        found.append({**action, "at": begin})
        lasts = action.get("for") or action.get("duration")
        end = action.get("until") or (lasts and begin + float(lasts))
        if end and "kubelet" in f"{action.get('verb')} {action.get('kind')}".lower():
            found.append({**action, "at": float(end), "verb": "start-kubelet"})
    return found


def _note(seen: Seen, last: dict[str, State], time: float, resource: str, obj: Obj) -> None:
    name = str(obj["metadata"]["name"])
    if resource == "events":
        seen.events.append((time, str(obj["metadata"]["uid"]), event_state(obj)))
    elif resource in ("pods", "deployments.apps"):
        state = pod_state(obj) if resource == "pods" else deployment_state(obj)
        if state != last.get(f"{resource}/{name}"):
            last[f"{resource}/{name}"] = state
            (seen.pods if resource == "pods" else seen.deployments).append((time, name, state))


def pod_state(pod: Mapping[str, Json]) -> State:
    """A pod as a recording writes it."""
    status, meta = pod.get("status", {}), pod["metadata"]
    conditions = {c["type"]: [c["status"], c.get("reason"), c.get("message")] for c in status.get("conditions") or ()}
    return {
        "phase": status.get("phase"),
        "reason": status.get("reason"),
        "message": status.get("message"),
        "deleting": "deletionTimestamp" in meta,
        "grace": meta.get("deletionGracePeriodSeconds"),
        "init": [_container(c) for c in status.get("initContainerStatuses") or ()],
        "ctr": [_container(c) for c in status.get("containerStatuses") or ()],
        "cond": conditions,
        "ip": bool(status.get("podIP")),
        "node": get(pod, "spec", "nodeName") or None,
    }


def _container(status: Mapping[str, Json]) -> list[Json]:
    last = status.get("lastState") or {}
    state, before = word(status["state"]), word(last) if last else None
    return [status["name"], status["ready"], status.get("started"), status["restartCount"], state, before]


def word(state: Mapping[str, Json]) -> str:
    """A container's state in a word: `R`, `W:reason|message` or `T:reason:exit code`.

    >>> word({"waiting": {"reason": "ErrImagePull", "message": "not found"}})
    'W:ErrImagePull|not found'
    """
    if "running" in state:
        return "R"
    if "terminated" in state:
        return f"T:{state['terminated'].get('reason')}:{state['terminated']['exitCode']}"
    waiting = state.get("waiting") or {}
    message = f"|{waiting['message']}" if waiting.get("message") else ""
    return f"W:{waiting.get('reason')}{message}"


def deployment_state(deployment: Mapping[str, Json]) -> State:
    """A Deployment as a recording writes it."""
    status = deployment.get("status", {})
    conditions = [[c["type"], c["status"], c.get("reason"), c.get("message")] for c in status.get("conditions") or ()]
    fields = {"replicas": "replicas", "ready": "readyReplicas", "updated": "updatedReplicas"}
    fields |= {"available": "availableReplicas", "unavailable": "unavailableReplicas"}
    return {"cond": conditions, "status": {short: status.get(field) or None for short, field in fields.items()}}


def event_state(event: Mapping[str, Json]) -> State:
    """An Event as a recording writes it, but for its times, which are seconds on the world's clock."""
    about, source = event["involvedObject"], event.get("source") or {}
    first, last = event.get("firstTimestamp") or event.get("eventTime"), event.get("lastTimestamp")
    return {
        "type": event["type"],
        "reason": event["reason"],
        "message": event["message"],
        "obj": f"{about['kind']}/{about['name']}",
        "field": about.get("fieldPath"),
        "source": source.get("component"),
        "host": source.get("host"),
        "reporting": event.get("reportingComponent"),
        "action": event.get("action"),
        "count": event.get("count"),
        "first": millis(first) / 1000 if first else None,
        "last": millis(last) / 1000 if last else None,
        "series": get(event, "series", "count"),
    }
