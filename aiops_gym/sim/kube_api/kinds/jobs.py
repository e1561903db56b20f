"""Jobs and CronJobs: what runs to an end."""

from __future__ import annotations

from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kernel.times import millis
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import standing
from aiops_gym.sim.kube_api.age import human_duration
from aiops_gym.sim.kube_api.kind import Draft, Kind, make_age_cell, make_since_cell, parse_columns
from aiops_gym.sim.kube_api.kinds.workloads import make_container_cells
from aiops_gym.sim.kube_api.pods import defaults, rules
from aiops_gym.sim.kube_api.selectors import format_object
from aiops_gym.types import Json

UNLIMITED = 2**31 - 1
"""Back-off limit where each index has one of its own (pkg/apis/batch/v1/defaults.go)."""


def _job(draft: Draft) -> None:
    spec = draft.setdefault("spec", {})
    defaults.set_template_defaults(spec)
    if "completions" not in spec and "parallelism" not in spec:
        spec["completions"] = 1
    for name, value in (
        ("parallelism", 1),
        ("backoffLimit", UNLIMITED if "backoffLimitPerIndex" in spec else 6),
        ("completionMode", "NonIndexed"),
        ("suspend", False),
        ("manualSelector", False),
        ("podReplacementPolicy", "Failed" if "podFailurePolicy" in spec else "TerminatingOrFailed"),
    ):
        spec.setdefault(name, value)


def _admit_job(world: World, draft: Draft, old: Obj | None) -> None:
    """A job counts its own pods only: by labels that hold its uid."""
    spec, meta = draft["spec"], draft["metadata"]
    if old is not None or spec.get("manualSelector"):
        return
    labels = dict(spec["template"]["metadata"].get("labels") or {})
    for name, value in (("controller-uid", meta["uid"]), ("job-name", meta["name"])):
        labels.setdefault(name, value)
        labels[f"batch.kubernetes.io/{name}"] = value
    spec["template"]["metadata"]["labels"] = labels
    spec["selector"] = {"matchLabels": {"batch.kubernetes.io/controller-uid": meta["uid"]}}
    if not meta.get("labels"):
        meta["labels"] = dict(labels)


def _cron_job(draft: Draft) -> None:
    spec = draft.setdefault("spec", {})
    for name, value in (
        ("concurrencyPolicy", "Allow"),
        ("suspend", False),
        ("successfulJobsHistoryLimit", 3),
        ("failedJobsHistoryLimit", 1),
    ):
        spec.setdefault(name, value)
    template = spec.setdefault("jobTemplate", {})
    template["metadata"] = {"creationTimestamp": None, **(template.get("metadata") or {})}
    defaults.set_template_defaults(template.setdefault("spec", {}))


def _state(obj: Obj) -> str:
    true = [c["type"] for c in get(obj, "status", "conditions", default=[]) if c["status"] == "True"]
    if "Complete" in true or "Failed" in true:
        return "Complete" if "Complete" in true else "Failed"
    if "deletionTimestamp" in obj["metadata"]:
        return "Terminating"
    return next((t for t in ("Suspended", "FailureTarget") if t in true), "Running")


def _duration(status: Json) -> Json:
    start, end = status.get("startTime"), status.get("completionTime")
    if not start:
        return ""
    return human_duration((millis(end) - millis(start)) / 1000) if end else make_since_cell(start)


def _job_cells(obj: Obj) -> list[Json]:
    spec, status = obj["spec"], obj.get("status", {})
    done = status.get("succeeded", 0)
    if "completions" in spec:
        progress = f"{done}/{spec['completions']}"
    else:
        many = spec.get("parallelism", 0)
        progress = f"{done}/1 of {many}" if many > 1 else f"{done}/1"
    selector = format_object(spec.get("selector"))
    return [
        obj["metadata"]["name"],
        _state(obj),
        progress,
        _duration(status),
        make_age_cell(obj),
        *make_container_cells(obj),
        selector,
    ]


def _cron_job_cells(obj: Obj) -> list[Json]:
    spec, status = obj["spec"], obj.get("status", {})
    last = make_since_cell(status["lastScheduleTime"]) if status.get("lastScheduleTime") else "<none>"
    suspended = "<unset>" if "suspend" not in spec else str(spec["suspend"])
    inside = make_container_cells(obj, "spec", "jobTemplate", "spec", "template", "spec")
    selector = get(spec, "jobTemplate", "spec", "selector")
    return [
        obj["metadata"]["name"],
        spec.get("schedule", ""),
        spec.get("timeZone") or "<none>",
        suspended,
        len(status.get("active") or ()),
        last,
        make_age_cell(obj),
        *inside,
        format_object(selector),
    ]


KINDS = (
    Kind(
        resource="jobs.batch",
        columns=parse_columns("Name/Status/Completions/Duration/Age/Containers*/Images*/Selector*"),
        cells=_job_cells,
        default=_job,
        admit=_admit_job,
        validate=rules.validate_job,
        validate_update=rules.validate_job_update,
        validate_status=standing.job,
        status={},
        generation=True,
        fields={"status.successful": lambda obj: str(get(obj, "status", "succeeded", default=0))},
    ),
    Kind(
        resource="cronjobs.batch",
        columns=parse_columns("Name/Schedule/Timezone/Suspend/Active#/Last Schedule/Age/Containers*/Images*/Selector*"),
        cells=_cron_job_cells,
        default=_cron_job,
        validate=rules.validate_cron_job,
        status={},
        generation=True,
    ),
)
