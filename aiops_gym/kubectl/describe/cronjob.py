"""Cron jobs."""

from __future__ import annotations

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.containers import write_template
from aiops_gym.kubectl.describe.meta import Object, format_time
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View
from aiops_gym.sim.kernel.objects import get

RESOURCES = ("cronjobs.batch",)
PURE = True


def describe(page: Page, cron: Object, view: View) -> None:
    """Write all about a cron job."""
    spec, status = cron["spec"], cron.get("status") or {}
    job = get(spec, "jobTemplate", "spec", default={})
    meta.title(page, cron)
    meta.write_metadata(page, cron)
    page.line(f"Schedule:\t{spec.get('schedule', '')}")
    page.line(f"Concurrency Policy:\t{spec.get('concurrencyPolicy', '')}")
    page.line(f"Suspend:\t{spec.get('suspend', '<unset>')}")
    page.line(f"Successful Job History Limit:\t{spec.get('successfulJobsHistoryLimit', '<unset>')}")
    page.line(f"Failed Job History Limit:\t{spec.get('failedJobsHistoryLimit', '<unset>')}")
    deadline = spec.get("startingDeadlineSeconds")
    page.line(f"Starting Deadline Seconds:\t{'<unset>' if deadline is None else f'{deadline}s'}")
    page.line(f"Selector:\t{meta.format_selector(job['selector']) if job.get('selector') else '<unset>'}")
    page.line(f"Parallelism:\t{job.get('parallelism', '<unset>')}")
    page.line(f"Completions:\t{job.get('completions', '<unset>')}")
    if job.get("activeDeadlineSeconds") is not None:
        page.line(f"Active Deadline Seconds:\t{job['activeDeadlineSeconds']}s")
    write_template(page, job.get("template") or {})
    last = status.get("lastScheduleTime")
    page.line(f"Last Schedule Time:\t{format_time(last) if last else '<unset>'}")
    page.line(f"Active Jobs:\t{', '.join(j.get('name', '') for j in status.get('active') or ()) or '<none>'}")
