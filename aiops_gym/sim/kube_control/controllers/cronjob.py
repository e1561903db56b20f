"""CronJobs: a Job at each time of a schedule (`cronjob_controllerv2.go` of Kubernetes 1.32)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.objects import Obj, controller_of, get, key_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import MINUTE, SECOND, iso, millis
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_api import cron
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.controllers import job as jobs
from aiops_gym.sim.kube_control.writes import make_owner_reference, put_status

RESOURCE = "cronjobs.batch"
COMPONENT = "cronjob-controller"
SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp"
SLACK = 100
"""Milliseconds after the scheduled time at which the controller looks."""
MANY = 100


class CronJobController:
    """Starts Jobs on time and forgets old ones."""

    name = "cronjob"
    watches = (RESOURCE, jobs.RESOURCE)

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """The CronJob, or that of a Job which came, ended or went."""
        obj = new if new is not None else old
        if obj is None:
            return
        if resource == RESOURCE:
            if new is not None and (old is None or old["spec"] != new["spec"]):
                yield key_of(obj)
            return
        reference = controller_of(obj)
        told = old is None or new is None or jobs.find_end(old) != jobs.find_end(new)
        if told and reference is not None and reference["kind"] == "CronJob":
            yield f"{namespace_of(obj)}/{reference['name']}"

    def reconcile(self, world: World, key: str) -> None:
        """Note what has ended, start a Job if it is time, and tidy up."""
        cron_job = world.store.by_key(RESOURCE, key)
        if cron_job is None or pods_of.is_terminating(cron_job):
            return
        mine = [job for job in world.store.owned(jobs.RESOURCE, uid_of(cron_job)) if not pods_of.is_terminating(job)]
        cron_job = _settle(world, cron_job, mine)
        zone = _zone(cron_job)
        if zone is not None and not cron_job["spec"].get("suspend"):
            schedule = cron.parse(cron_job["spec"]["schedule"])
            last = _due(world, cron_job, schedule, zone)
            if last is not None:
                cron_job = _start(world, cron_job, last, zone)
            _plan(world, cron_job, schedule, zone)
        _tidy(world, cron_job, mine)


def _zone(cron_job: Obj) -> tzinfo | None:
    name = get(cron_job, "spec", "timeZone")
    if not name:
        return UTC
    try:
        return ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError):
        return None


def _when(ms: int, zone: tzinfo) -> datetime:
    return datetime.fromtimestamp(ms / 1000, zone)


def _ms(time: datetime) -> int:
    return round(time.timestamp() * 1000)


def _tidy(world: World, cron_job: Obj, mine: list[Obj]) -> None:
    """Delete ended Jobs beyond the limits of the history, the oldest first."""
    for state, field in (("Complete", "successfulJobsHistoryLimit"), ("Failed", "failedJobsHistoryLimit")):
        limit = get(cron_job, "spec", field)
        ended = sorted((job for job in mine if jobs.find_end(job) == state), key=_started)
        for job in ended[: len(ended) - int(limit)] if limit is not None and len(ended) > int(limit) else ():
            _delete(world, cron_job, job)


def _started(job: Obj) -> tuple[str, str]:
    return str(get(job, "status", "startTime", default="")), name_of(job)


def _delete(world: World, cron_job: Obj, job: Obj) -> None:
    kube_api.delete(world, jobs.RESOURCE, namespace_of(job), name_of(job))
    events.record(world, cron_job, "Normal", "SuccessfulDelete", f"Deleted job {name_of(job)}", COMPONENT)


def _settle(world: World, cron_job: Obj, mine: list[Obj]) -> Obj:
    """Take ended and vanished Jobs off the list of active ones."""
    there = {uid_of(job): job for job in mine}
    status: dict[str, Any] = dict(get(cron_job, "status", default={}))
    active = []
    for reference in status.get("active") or ():
        job = there.get(reference.get("uid", ""))
        if job is None:
            text = f"Active job went missing: {reference.get('name', '')}"
            events.record(world, cron_job, "Normal", "MissingJob", text, COMPONENT)
        elif state := jobs.find_end(job):
            text = f"Saw completed job: {name_of(job)}, condition: {state}"
            events.record(world, cron_job, "Normal", "SawCompletedJob", text, COMPONENT)
        else:
            active.append(reference)
    times = [get(job, "status", "completionTime", default="") for job in mine if jobs.find_end(job) == "Complete"]
    newest = max([status.get("lastSuccessfulTime", ""), *times])
    if newest:
        status["lastSuccessfulTime"] = newest
    status.pop("active", None)
    return put_status(world, RESOURCE, cron_job, {**status, "active": active} if active else status)


def _earliest(cron_job: Obj) -> int:
    """The time (ms) from which on the schedule counts."""
    return millis(get(cron_job, "status", "lastScheduleTime") or cron_job["metadata"]["creationTimestamp"])


def _due(world: World, cron_job: Obj, schedule: cron.Schedule, zone: tzinfo) -> int | None:
    """The newest time (ms) that the schedule has reached and no Job was started for, unless it is too late for it.

    How many it has missed is an estimate, from the first two (`mostRecentScheduleTime` in `cronjob/utils.go`): none is
    counted one by one, however long ago the last one was.
    """
    deadline = get(cron_job, "spec", "startingDeadlineSeconds")
    since = max(_earliest(cron_job), 0)
    if deadline is not None:
        since = max(since, world.now - int(deadline) * SECOND)
    first = schedule.after(_when(since, zone)) if since <= world.now else None
    if first is None or _ms(first) > world.now:
        return None
    second = schedule.after(first)
    if second is None or _ms(second) > world.now:
        return _ms(first)
    if (world.now - _ms(first)) // (_ms(second) - _ms(first)) + 1 > MANY:
        text = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
        events.record(world, cron_job, "Warning", "TooManyMissedTimes", text, COMPONENT)
    newest = schedule.latest(first, _when(world.now, zone))
    return None if newest is None else _ms(newest)


def _start(world: World, cron_job: Obj, time: int, zone: tzinfo) -> Obj:
    """Start the Job of one time, as far as running ones allow it."""
    active = _room(world, cron_job, time)
    if active is None:
        return cron_job
    try:
        job = kube_api.create(world, jobs.RESOURCE, _job(cron_job, time, zone))
    except kube_api.ApiError as error:
        if error.reason != "AlreadyExists":
            events.record(world, cron_job, "Warning", "FailedCreate", f"Error creating job: {error.message}", COMPONENT)
        return cron_job
    events.record(world, cron_job, "Normal", "SuccessfulCreate", f"Created job {name_of(job)}", COMPONENT)
    reference = {"apiVersion": "batch/v1", "kind": "Job", "name": name_of(job), "namespace": namespace_of(job)}
    reference |= {"resourceVersion": job["metadata"]["resourceVersion"], "uid": uid_of(job)}
    status = {**get(cron_job, "status", default={}), "active": [*active, reference], "lastScheduleTime": iso(time)}
    return put_status(world, RESOURCE, world.store.by_key(RESOURCE, key_of(cron_job)) or cron_job, status)


def _room(world: World, cron_job: Obj, time: int) -> list[Any] | None:
    """The Jobs that go on beside the one of this time; None if it must not be started (any more)."""
    deadline = get(cron_job, "spec", "startingDeadlineSeconds")
    if deadline is not None and time + int(deadline) * SECOND < world.now:
        shown = _when(time, UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")
        text = f"Missed scheduled time to start a job: {shown}"
        events.record(world, cron_job, "Warning", "MissSchedule", text, COMPONENT)
        return None
    active = list(get(cron_job, "status", "active", default=[]))
    policy = get(cron_job, "spec", "concurrencyPolicy", default="Allow")
    if policy == "Forbid" and active:
        text = "Not starting job because prior execution is running and concurrency policy is Forbid"
        events.record(world, cron_job, "Normal", "JobAlreadyActive", text, COMPONENT)
        return None
    if policy != "Replace":
        return active
    for reference in active:
        job = world.store.get(jobs.RESOURCE, namespace_of(cron_job), reference.get("name", ""))
        if job is not None:
            _delete(world, cron_job, job)
    return []


def _job(cron_job: Obj, time: int, zone: tzinfo) -> dict[str, Any]:
    template: Mapping[str, Any] = cron_job["spec"]["jobTemplate"]
    meta = template.get("metadata") or {}
    stamp = _when(time, zone).isoformat().replace("+00:00", "Z")
    found: dict[str, Any] = {
        "name": f"{name_of(cron_job)}-{time // MINUTE}",
        "namespace": namespace_of(cron_job),
        "annotations": {**(meta.get("annotations") or {}), SCHEDULED: stamp},
        "ownerReferences": [make_owner_reference(cron_job)],
    }
    if meta.get("labels"):
        found["labels"] = dict(meta["labels"])
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": found, "spec": dict(template["spec"])}


def _plan(world: World, cron_job: Obj, schedule: cron.Schedule, zone: tzinfo) -> None:
    """Come back at the next time; one entry for each."""
    time = schedule.after(_when(world.now, zone))
    table, uid = world.table("schedules"), uid_of(cron_job)
    if time is not None and table.get(uid) != _ms(time):
        table[uid] = _ms(time)
        world.schedule(_ms(time) + SLACK - world.now, "cronjob.due", key_of(cron_job), uid, _ms(time))


def due(world: World, key: str, uid: str, time: int) -> None:
    """A planned time has come, if the schedule is still the same."""
    cron_job = world.store.by_key(RESOURCE, key)
    if cron_job is None or uid_of(cron_job) != uid:
        world.table("schedules").pop(uid, None)
    elif world.table("schedules").get(uid) == time:
        world.table("schedules").pop(uid)
        world.enqueue("cronjob", key, 0)


controller = CronJobController()
HANDLERS: dict[str, Handler] = {"cronjob.due": due}
