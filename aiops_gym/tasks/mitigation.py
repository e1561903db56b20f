"""Is the incident over? Judged on the system that the agent left, not on what it said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from aiops_gym.backends.base import Assessment, Backend
from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import App
from aiops_gym.tasks.base import Case, IncidentTask, Truth, make_results, refuse
from aiops_gym.tasks.form import Field, Form
from aiops_gym.types import Request, Verdict

BESIDE = ("collateral", "left")
"""Lists in the results of what was changed beside the point, where there is any."""

BAD_WAITING = {"CrashLoopBackOff", "Error", "ImagePullBackOff", "ErrImagePull"}


class Mitigation(IncidentTask):
    """One point for a system that works again and stays so; nothing for part of the way."""

    name = "mitigation"
    clock = "TTM"
    repairs = True
    role = "repair a running application in which something is wrong."
    ask = (
        "Find what is wrong with the application and repair it, with any of the APIs.\n"
        "Submit without an argument when the application works again: the system itself is judged, so all parts of the "
        "application must be there, ready and stable, and its operations must succeed as they did before the incident."
    )
    answers = (("submit()", "the application works again"),)

    def accept(self, answer: Any, evaluation: str = "strict") -> Any:
        """Nothing is expected; AIOpsLab ignores what it gets."""
        if answer is None or evaluation == "aiopslab":
            return None
        raise refuse("submit() without an argument is expected", answer)

    def judge(self, answer: Any, case: Case) -> Verdict:
        """Measure the system: see `backends.base.Assessment` for what must hold."""
        if case.evaluation == "aiopslab":
            success = _as_aiopslab(replace(case, backend=case.backend.calm()))
            shown = make_results(success, "healthy pods", answer)
            return Verdict(float(success), success, shown, {"repaired": float(success)})
        found = case.backend.assess()
        success = found.works and len(found.collateral) <= case.allow_collateral
        why = (*found.reasons, *(() if success else found.collateral))
        beside = {name: list(lines) for name in BESIDE if (lines := getattr(found, name))}
        shown = make_results(success, "a healthy system", None, reasons="; ".join(why), **beside)
        return Verdict(float(success), success, shown, _components(found))

    def solution(self, truth: Truth) -> tuple[Any, ...]:
        """Nothing: the repair is in the system."""
        return ()

    def form(self, app: App) -> Form:
        """Whether the system is to be judged now."""
        asked = Field("sure", "Is the repair done, and shall the system be judged as it is? (yes or no)", ("Yes", "No"))
        return Form((asked,), lambda said: () if said["sure"] == "Yes" else None)


def _components(found: Assessment) -> Mapping[str, float]:
    """The parts of the verdict, for wrappers to price."""
    parts = {name: float(getattr(found, name)) for name in ("cause_gone", "complete", "steady", "served")}
    return {
        **parts,
        "damage": float(len(found.damage)),
        "collateral": float(len(found.collateral)),
        "left": float(len(found.left)),
        "error_minutes": found.error_minutes,
    }


def _as_aiopslab(case: Case) -> bool:
    """Upstream's verdict: a look at the pods, which much that is broken passes. Upstream has no noise."""
    cause = case.fault.cause if case.fault else None
    further = UPSTREAM.get(cause.upstream) if cause else None
    if further is not None:
        return further(case) and _pods_look_well(case.backend.pods())
    if cause is None or cause.check is not template:
        return _pods_look_well(case.backend.pods())
    if _command_matters(case):
        return _pods_look_well(case.backend.pods(), BAD_WAITING) and _runs_its_own(case)
    return _ready_within(case.backend, 60)


def _pods_look_well(pods: Sequence[Mapping[str, Any]], bad_waiting: set[str] | None = None) -> bool:
    """One snapshot of container states; pods without statuses are skipped, an empty list is well."""
    for pod in pods:
        for status in pod.get("status", {}).get("containerStatuses", ()):
            state = status.get("state", {})
            waiting, terminated = state.get("waiting"), state.get("terminated")
            if terminated and terminated.get("reason") != "Completed":
                return False
            if waiting and (bad_waiting is None or waiting.get("reason") in bad_waiting):
                return False
            if not waiting and not terminated and not status.get("ready"):
                return False
    return True


def _forwards(case: Case) -> bool:
    """Whether the first port of the target's Service leads to the number that it should."""
    service = _target(case, "services")
    ports: Sequence[Any] = service["spec"]["ports"] if service else ()
    return bool(ports) and str(ports[0].get("targetPort")) == case.backend.app.parameters[case.truth.target]["port"]


def _one_replica(case: Case) -> bool:
    """Whether the target has exactly one replica, and it is available."""
    deployment = _target(case, "deployments.apps")
    wanted = deployment["spec"].get("replicas") if deployment else None
    return bool(deployment) and wanted == 1 == deployment.get("status", {}).get("availableReplicas", 0)


def _listed(case: Case) -> bool:
    """Whether there is a pod with the target's name, in whatever state."""
    return any(case.truth.target in pod["metadata"]["name"] for pod in case.backend.pods())


def _target(case: Case, resource: str) -> Any:
    """The target's object of a kind; None where there is none."""
    request = Request("get", resource, case.backend.app.namespace, case.truth.target)
    answer = case.backend.cluster.handle(request)
    return answer.body if answer.code < 400 else None


UPSTREAM: Mapping[str, Callable[[Case], bool]] = {"port": _forwards, "replicas": _one_replica, "listed": _listed}
"""What AIOpsLab looks at besides the pods, by the word that a fault's cause says."""


def _command_matters(case: Case) -> bool:
    """Whether the fault changed a command: upstream then looks at the command, and else only waits for readiness."""
    changes = case.fault.changes if case.fault else ()
    return any("command" in op["path"] for change in changes for op in getattr(change, "ops", ()))


def _runs_its_own(case: Case) -> bool:
    """Whether every running pod of the target was started with its own name as command."""
    target = case.truth.target
    mine = [p for p in case.backend.pods() if p["metadata"]["labels"].get(case.backend.app.selector) == target]
    return all(target in (c.get("command") or ()) for pod in mine for c in pod["spec"]["containers"])


def _ready_within(backend: Backend, seconds: int) -> bool:
    """Whether at any poll all pods were ready: a crash loop that is up for some seconds passes."""
    for _ in range(seconds // 5 + 1):
        pods: Sequence[Mapping[str, Any]] = backend.pods()
        if pods and all(_ready(pod.get("status", {})) for pod in pods):
            return True
        backend.spend(5)
    return False


def _ready(status: Mapping[str, Any]) -> bool:
    statuses = status.get("containerStatuses")
    return status.get("phase") == "Succeeded" or bool(statuses and all(s.get("ready") for s in statuses))


task = Mitigation()
