"""Jobs: pods that run to their end, as many as must succeed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aiops_gym.sim import events
from aiops_gym.sim.controllers import making
from aiops_gym.sim.controllers import pods as pods_of
from aiops_gym.sim.controllers.writes import condition, put_status
from aiops_gym.sim.objects import Obj, controller_of, get, key_of, namespace_of, uid_of
from aiops_gym.sim.times import SECOND, millis
from aiops_gym.sim.world import Handler, World

RESOURCE = "jobs.batch"
COMPONENT = "job-controller"
FIRST_RETRY = 10 * SECOND
LONGEST_RETRY = 600 * SECOND
REASONS = {
    "BackoffLimitExceeded": "Job has reached the specified backoff limit",
    "DeadlineExceeded": "Job was active longer than specified deadline",
}


class JobController:
    """Starts pods until enough have succeeded or too many have failed."""

    name = "job"
    watches = (RESOURCE, "pods")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """The Job, or the Job of a pod."""
        obj = new if new is not None else old
        if obj is None:
            return
        if resource == RESOURCE:
            if new is not None and (old is None or old["spec"] != new["spec"]):
                yield key_of(obj)
        elif (reference := controller_of(obj)) is not None and reference["kind"] == "Job":
            yield f"{namespace_of(obj)}/{reference['name']}"

    def reconcile(self, world: World, key: str) -> None:
        """Count, then finish the Job or start what is missing."""
        job = world.store.by_key(RESOURCE, key)
        if job is None or pods_of.terminating(job) or _over(job) or job["spec"].get("suspend"):
            return
        pods = pods_of.claimed(world, job)
        succeeded = sum(1 for pod in pods if pods_of.phase(pod) == "Succeeded")
        failed = [pod for pod in pods if pods_of.phase(pod) == "Failed"]
        running = [pod for pod in pods if pods_of.active(pod)]
        wanted = get(job, "spec", "completions")
        enough = succeeded >= wanted if wanted is not None else succeeded > 0 and not running
        started = get(job, "status", "startTime", default=world.timestamp)
        why = _failure(world, job, len(failed), millis(started))
        if enough:
            events.record(world, job, "Normal", "Completed", "Job completed", COMPONENT)
        elif why:
            for pod in running:
                making.remove(world, job, pod, COMPONENT)
            running = []
            events.record(world, job, "Warning", why, REASONS[why], COMPONENT)
        else:
            running = _fill(world, job, succeeded, failed, running)
        _publish(world, job, started, succeeded, len(failed), running, "Complete" if enough else why)


def _over(job: Obj) -> bool:
    conditions = get(job, "status", "conditions", default=[])
    return any(condition(conditions, type_) is not None for type_ in ("Complete", "Failed"))


def _failure(world: World, job: Obj, failed: int, started: int) -> str:
    deadline = get(job, "spec", "activeDeadlineSeconds")
    if deadline is not None and world.now >= started + int(deadline) * SECOND:
        return "DeadlineExceeded"
    return "BackoffLimitExceeded" if failed > int(get(job, "spec", "backoffLimit", default=6)) else ""


def _fill(world: World, job: Obj, succeeded: int, failed: list[Obj], running: list[Obj]) -> list[Obj]:
    """Start missing pods; after failures only when their back-off is over (10 s doubling to 10 min)."""
    wanted, parallel = get(job, "spec", "completions"), int(get(job, "spec", "parallelism", default=1))
    missing = (parallel if wanted is None else min(parallel, int(wanted) - succeeded)) - len(running)
    if missing <= 0 or (wanted is None and succeeded):
        return running
    if failed:
        ended = max(millis(_finished_at(pod)) for pod in failed)
        due = ended + min(FIRST_RETRY * 2 ** (len(failed) - 1), LONGEST_RETRY)
        if due > world.now:
            world.schedule(due - world.now, "job.retry", key_of(job), uid_of(job))
            return running
    for _ in range(missing):
        labels = {"controller-uid": uid_of(job), "job-name": job["metadata"]["name"]}
        labels |= {f"batch.kubernetes.io/{k}": v for k, v in labels.items()}
        made = making.make(world, job, making.pod_from(job, job["spec"]["template"], labels), COMPONENT)
        if isinstance(made, str):
            making.retry(world, job, "job")
            break
        running = [*running, made]
    deadline = get(job, "spec", "activeDeadlineSeconds")
    if deadline is not None and "startTime" not in job.get("status", {}):
        world.schedule(int(deadline) * SECOND, "job.retry", key_of(job), uid_of(job))
    return running


def _finished_at(pod: Obj) -> str:
    statuses = get(pod, "status", "containerStatuses", default=())
    times = [get(status, "state", "terminated", "finishedAt") for status in statuses]
    return str(max((time for time in times if time), default=pod["metadata"]["creationTimestamp"]))


def _publish(world: World, job: Obj, started: str, succeeded: int, failed: int, running: list[Obj], end: str) -> None:
    status: dict[str, Any] = {"active": len(running), "failed": failed, "succeeded": succeeded}
    status["ready"] = sum(1 for pod in running if pods_of.is_ready(pod))
    status = {k: v for k, v in status.items() if v or k == "ready"}
    status |= {"startTime": started, "terminating": 0, "uncountedTerminatedPods": {}}
    if end:
        good = end == "Complete"
        facts = ("CompletionsReached", "Reached expected number of succeeded pods") if good else (end, REASONS[end])
        types = ("SuccessCriteriaMet", "Complete") if good else ("FailureTarget", "Failed")
        status["conditions"] = [
            {
                "lastProbeTime": world.timestamp,
                "lastTransitionTime": world.timestamp,
                "message": facts[1],
                "reason": facts[0],
                "status": "True",
                "type": type_,
            }
            for type_ in types
        ]
        if good:
            status["completionTime"] = world.timestamp
    put_status(world, RESOURCE, job, status)


def retry(world: World, key: str, uid: str) -> None:
    """Look again at a Job whose time has come."""
    job = world.store.by_key(RESOURCE, key)
    if job is not None and uid_of(job) == uid:
        world.enqueue("job", key, 0)


controller = JobController()
HANDLERS: dict[str, Handler] = {"job.retry": retry}
