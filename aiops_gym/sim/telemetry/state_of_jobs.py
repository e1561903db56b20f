"""What kube-state-metrics tells of jobs, cron jobs and autoscalers."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.sim.kernel.objects import controller_of, get, name_of, namespace_of
from aiops_gym.sim.kernel.times import millis
from aiops_gym.sim.telemetry import journal
from aiops_gym.sim.telemetry.families import Family, Rows, Tell, tell
from aiops_gym.types import Json

Object = Mapping[str, Json]


def _named(label: str, obj: Object) -> dict[str, str]:
    return {"namespace": namespace_of(obj), label: name_of(obj)}


def _number(label: str, *path: str, otherwise: float | None = None) -> Tell:
    """A number, a time, or whether something is true; nothing where it is not there and there is no `otherwise`."""

    def rows(obj: Object) -> Rows:
        found = get(obj, *path, default=otherwise)
        if found is not None:
            yield _named(label, obj), millis(found) / 1000 if isinstance(found, str) else float(found)

    return rows


def _ended(type_: str) -> Tell:
    """Whether a job has ended so."""

    def rows(obj: Object) -> Rows:
        for each in get(obj, "status", "conditions", default=()):
            if each["type"] == type_:
                for status in ("true", "false", "unknown"):
                    said = float(each["status"].lower() == status)
                    yield {**_named("job_name", obj), "condition": status}, said

    return rows


def _failed(obj: Object) -> Rows:
    conditions = get(obj, "status", "conditions", default=())
    why = next((each.get("reason", "") for each in conditions if each["type"] == "Failed"), "")
    failed = float(get(obj, "status", "failed", default=0))
    if not failed:
        return [(_named("job_name", obj), 0.0)]
    reasons = ("BackoffLimitExceeded", "DeadlineExceeded", "Evicted")
    return [({**_named("job_name", obj), "reason": reason}, float(why == reason)) for reason in reasons]


def _owner(obj: Object) -> Rows:
    owner = controller_of(obj) or {}
    told = {"owner_kind": owner.get("kind", ""), "owner_name": owner.get("name", "")}
    yield {**_named("job_name", obj), **told, "owner_is_controller": str(bool(owner)).lower() if owner else ""}, 1.0


def _schedule(obj: Object) -> Rows:
    told = {"schedule": obj["spec"]["schedule"], "concurrency_policy": obj["spec"].get("concurrencyPolicy", "Allow")}
    yield {**_named("cronjob", obj), **told, "timezone": obj["spec"].get("timeZone", "local")}, 1.0


def _active(obj: Object) -> Rows:
    yield _named("cronjob", obj), float(len(get(obj, "status", "active", default=())))


def _created(label: str) -> Tell:
    return lambda obj: [(_named(label, obj), journal.born(obj) / 1000)]


JOB, CRON, SCALER = "jobs.batch", "cronjobs.batch", "horizontalpodautoscalers.autoscaling"
_LABEL = "horizontalpodautoscaler"

FAMILIES: tuple[Family, ...] = (
    tell("kube_job_complete", "Whether a job has done its work", JOB, _ended("Complete")),
    tell("kube_job_created", "Unix time at which it was made", JOB, _created("job_name")),
    tell("kube_job_failed", "Whether a job has given up", JOB, _ended("Failed")),
    tell("kube_job_owner", "Who owns a job", JOB, _owner),
    tell("kube_job_spec_completions", "Pods that have to succeed", JOB, _number("job_name", "spec", "completions")),
    tell("kube_job_spec_parallelism", "Pods at once", JOB, _number("job_name", "spec", "parallelism")),
    tell("kube_job_status_active", "Pods that run", JOB, _number("job_name", "status", "active", otherwise=0.0)),
    tell("kube_job_status_completion_time", "When it was done", JOB, _number("job_name", "status", "completionTime")),
    tell("kube_job_status_failed", "Whether pods failed, and why", JOB, _failed),
    tell("kube_job_status_start_time", "When it was begun", JOB, _number("job_name", "status", "startTime")),
    tell("kube_job_status_succeeded", "Pods that succeeded", JOB,
         _number("job_name", "status", "succeeded", otherwise=0.0)),
    tell("kube_cronjob_created", "Unix time at which it was made", CRON, _created("cronjob")),
    tell("kube_cronjob_info", "What a cron job is", CRON, _schedule),
    tell("kube_cronjob_spec_suspend", "Whether it rests", CRON, _number("cronjob", "spec", "suspend", otherwise=0.0)),
    tell("kube_cronjob_status_active", "Jobs that run", CRON, _active),
    tell("kube_cronjob_status_last_schedule_time", "When a job was made last", CRON,
         _number("cronjob", "status", "lastScheduleTime")),
    tell("kube_cronjob_status_last_successful_time", "When a job succeeded last", CRON,
         _number("cronjob", "status", "lastSuccessfulTime")),
    *(tell(f"kube_{_LABEL}_{name}", help_, SCALER, _number(_LABEL, *path, otherwise=otherwise))
      for name, help_, path, otherwise in (
          ("metadata_generation", "Generation of its specification", ("metadata", "generation"), None),
          ("spec_max_replicas", "Most replicas", ("spec", "maxReplicas"), None),
          ("spec_min_replicas", "Fewest replicas", ("spec", "minReplicas"), 1.0),
          ("status_current_replicas", "Replicas at present", ("status", "currentReplicas"), 0.0),
          ("status_desired_replicas", "Replicas that there should be", ("status", "desiredReplicas"), 0.0),
      )),
)  # fmt: skip
