"""The row of a pod in `kubectl get pods` (printPod of the API server)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kube_api.kind import Since, make_age_cell, make_since_cell
from aiops_gym.types import Json

Status = Mapping[str, Any]


def make_cells(pod: Obj) -> list[Json]:
    """Name, ready, status, restarts, age; IP, node, nominated node and readiness gates for `-o wide`."""
    spec, status = pod.get("spec", {}), pod.get("status", {})
    reason = status.get("reason") or status.get("phase", "")
    if any(c.get("reason") == "SchedulingGated" for c in status.get("conditions", ())):
        reason = "SchedulingGated"
    sidecars = {c["name"] for c in spec.get("initContainers", ()) if c.get("restartPolicy") == "Always"}
    total = len(spec.get("containers", ())) + len(sidecars)
    stuck, ready, counted = _init(spec, status, sidecars)
    if not stuck or _condition(status, "Initialized"):
        counted = [s for s in status.get("initContainerStatuses", ()) if s["name"] in sidecars]
        counted += list(status.get("containerStatuses", ()))
        reason, running = _main(status, stuck or reason)
        ready += running
    else:
        reason = stuck
    return [
        pod["metadata"]["name"],
        f"{ready}/{total}",
        _ending(pod, status, reason),
        _restarts(counted),
        make_age_cell(pod),
        (status.get("podIPs") or [{}])[0].get("ip") or status.get("podIP") or "<none>",
        spec.get("nodeName") or "<none>",
        status.get("nominatedNodeName") or "<none>",
        _gates(spec, status),
    ]


def _condition(status: Status, kind: str) -> bool:
    return any(c["type"] == kind and c["status"] == "True" for c in status.get("conditions", ()))


def _init(spec: Status, status: Status, sidecars: set[str]) -> tuple[str, int, list[Status]]:
    """What holds up initialisation ("" if nothing), ready sidecars, and the containers whose restarts count."""
    ready, seen = 0, []
    for index, one in enumerate(status.get("initContainerStatuses", ())):
        seen.append(one)
        state = one.get("state", {})
        ended, waiting = state.get("terminated"), state.get("waiting") or {}
        if ended is not None and not ended.get("exitCode"):
            continue
        if one["name"] in sidecars and one.get("started"):
            ready += bool(one.get("ready"))
            continue
        if ended is not None:
            return f"Init:{_ended(ended)}", ready, seen
        if waiting.get("reason") and waiting["reason"] != "PodInitializing":
            return f"Init:{waiting['reason']}", ready, seen
        return f"Init:{index}/{len(spec.get('initContainers', ()))}", ready, seen
    return "", ready, seen


def _ended(state: Status) -> str:
    if state.get("reason"):
        return str(state["reason"])
    return f"Signal:{state['signal']}" if state.get("signal") else f"ExitCode:{state.get('exitCode', 0)}"


def _main(status: Status, reason: str) -> tuple[str, int]:
    """The reason of the first container that has one, and how many are ready."""
    ready = 0
    for one in reversed(status.get("containerStatuses", ())):
        state = one.get("state", {})
        if (state.get("waiting") or {}).get("reason"):
            reason = state["waiting"]["reason"]
        elif state.get("terminated") is not None:
            reason = _ended(state["terminated"])
        elif one.get("ready") and state.get("running") is not None:
            ready += 1
    if reason == "Completed" and ready:
        reason = "Running" if _condition(status, "Ready") else "NotReady"
    return reason, ready


def _ending(pod: Obj, status: Status, reason: str) -> str:
    if "deletionTimestamp" not in pod["metadata"]:
        return reason
    if status.get("reason") == "NodeLost":
        return "Unknown"
    return reason if status.get("phase") in ("Succeeded", "Failed") else "Terminating"


def _restarts(statuses: list[Status]) -> Json:
    """The number of restarts and, where one is remembered, how long ago the last was."""
    count = sum(s.get("restartCount", 0) for s in statuses)
    times = [
        t["finishedAt"] for s in statuses if (t := (s.get("lastState") or {}).get("terminated")) and t.get("finishedAt")
    ]
    last = make_since_cell(max(times)) if count and times else ""
    return Since(last.time, f"{count} (", " ago)") if isinstance(last, Since) else str(count)


def _gates(spec: Status, status: Status) -> str:
    gates = spec.get("readinessGates", ())
    if not gates:
        return "<none>"
    return f"{sum(_condition(status, g['conditionType']) for g in gates)}/{len(gates)}"
