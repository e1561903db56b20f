"""Jobs."""

from __future__ import annotations

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.containers import write_template
from aiops_gym.kubectl.describe.meta import Object, format_time
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View
from aiops_gym.sim.kernel.times import millis
from aiops_gym.sim.kube_api.age import human_duration

RESOURCES = ("jobs.batch",)
PURE = True
SPEC = (
    ("Parallelism", "parallelism"),
    ("Completions", "completions"),
    ("Completion Mode", "completionMode"),
    ("Suspend", "suspend"),
    ("Backoff Limit", "backoffLimit"),
    ("TTL Seconds After Finished", "ttlSecondsAfterFinished"),
)


def describe(page: Page, job: Object, view: View) -> None:
    """Write all about a job."""
    spec, status = job["spec"], job.get("status") or {}
    meta.title(page, job)
    page.line(f"Selector:\t{meta.format_selector(spec.get('selector'))}")
    meta.write_metadata(page, job)
    meta.write_controller(page, job)
    for heading, field in SPEC:
        value = spec.get(field, "<unset>" if field == "completions" else None)
        if value is not None:
            page.line(f"{heading}:\t{str(value).lower() if isinstance(value, bool) else value}")
    started, ended = status.get("startTime"), status.get("completionTime")
    if started:
        page.line(f"Start Time:\t{format_time(started)}")
    if ended:
        page.line(f"Completed At:\t{format_time(ended)}")
    if started and ended:
        page.line(f"Duration:\t{human_duration((millis(ended) - millis(started)) / 1000)}")
    if spec.get("activeDeadlineSeconds") is not None:
        page.line(f"Active Deadline Seconds:\t{spec['activeDeadlineSeconds']}s")
    ready = f" ({status['ready']} Ready)" if status.get("ready") is not None else ""
    counts = f"{status.get('active', 0)} Active{ready} / {status.get('succeeded', 0)} Succeeded"
    page.line(f"Pods Statuses:\t{counts} / {status.get('failed', 0)} Failed")
    if spec.get("completionMode") == "Indexed":
        page.line(f"Completed Indexes:\t{status.get('completedIndexes') or '<none>'}")
    write_template(page, spec.get("template") or {})
