"""Jobs: pods that run to their end, as many as must succeed (`pkg/controller/job` of Kubernetes 1.32).

A pod carries a finalizer until its end is in the Job's counts, so none is lost when it is deleted. A Job that failed or
succeeded says so first in an interim condition, and has its last one when none of its pods runs any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aiops_gym.sim import events
from aiops_gym.sim.controllers import jobpods, making
from aiops_gym.sim.controllers import pods as pods_of
from aiops_gym.sim.controllers.writes import condition, put_status, without_condition, without_finalizer
from aiops_gym.sim.objects import Obj, controller_of, get, key_of, namespace_of, uid_of
from aiops_gym.sim.times import SECOND, millis
from aiops_gym.sim.world import Handler, World

RESOURCE = "jobs.batch"
COMPONENT = "job-controller"
REACHED = ("SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods")
LIMIT = ("FailureTarget", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
LATE = ("FailureTarget", "DeadlineExceeded", "Job was active longer than specified deadline")
FINAL = {"SuccessCriteriaMet": "Complete", "FailureTarget": "Failed"}

Finding = tuple[str, str, str]
"""(condition type, reason, message)"""


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
            if old is None or new is None or old["spec"] != new["spec"] or pods_of.terminating(new):
                yield key_of(obj)
        elif (reference := controller_of(obj)) is not None and reference["kind"] == "Job":
            yield f"{namespace_of(obj)}/{reference['name']}"

    def reconcile(self, world: World, key: str) -> None:
        """Count what has ended, then finish the Job or start what is missing."""
        job = world.store.by_key(RESOURCE, key)
        if job is None or over(job) or pods_of.terminating(job):
            jobpods.release(world, job, key)
        else:
            _Sync(world, job).run()


def over(job: Obj) -> str:
    """The last condition of a Job that has ended, `Complete` or `Failed`; "" of one that has not."""
    conditions = get(job, "status", "conditions", default=[])
    return next((t for t in ("Complete", "Failed") if (c := condition(conditions, t)) and c["status"] == "True"), "")


class _Sync:
    """One look at one Job that has not ended."""

    def __init__(self, world: World, job: Obj) -> None:
        self.world, self.job = world, job
        self.status: dict[str, Any] = dict(get(job, "status", default={}))
        self.conditions: list[Mapping[str, Any]] = list(self.status.get("conditions", ()))
        self.pods = jobpods.mine(world, job)
        self.active = [pod for pod in self.pods if pods_of.active(pod)]
        self.done = jobpods.numbers(self.status.get("completedIndexes", ""))
        self.suspended = bool(job["spec"].get("suspend"))

    def run(self) -> None:
        """Count, judge, act, publish."""
        self._begin()
        news, doomed = self._count()
        found = self._judged(doomed)
        if found is not None:
            self._remove(self.active)
            self.active = []
        else:
            self._manage()
            found = REACHED if self._enough() else None
            if found is not None:
                self._remove(self.active)
                self.active = []
            else:
                self._note_suspension()
        terminating = [pod for pod in self.world.store.owned("pods", uid_of(self.job)) if _on_the_way_out(pod)]
        if found is not None:
            self._conclude(found, bool(terminating))
        self._publish(len(terminating))
        for pod in news:
            present = self.world.store.by_key("pods", key_of(pod))
            if present is not None and uid_of(present) == uid_of(pod):
                without_finalizer(self.world, "pods", present, jobpods.TRACKING)

    def _begin(self) -> None:
        if self.suspended or "startTime" in self.status:
            return
        self.status["startTime"] = self.world.timestamp
        deadline = get(self.job, "spec", "activeDeadlineSeconds")
        if deadline is not None:
            self._later(int(deadline) * SECOND)

    def _later(self, delay: int) -> None:
        self.world.schedule(delay, "job.retry", key_of(self.job), uid_of(self.job))

    def _count(self) -> tuple[list[Obj], str]:
        """Add pods that ended since the last time to the counts: these pods, and why they end the whole Job."""
        ended, doomed = [], ""
        table, uid = self.world.table("failures"), uid_of(self.job)
        row, last = table.get(uid, [0, 0])
        fresh = [pod for pod in self.pods if not jobpods.counted(pod)]
        for pod in sorted(fresh, key=lambda pod: jobpods.ended_at(self.world, pod)):
            if jobpods.succeeded(pod):
                row = 0
                index = jobpods.index_of(pod)
                if not jobpods.indexed(self.job):
                    self.status["succeeded"] = self.status.get("succeeded", 0) + 1
                elif index >= 0:
                    self.done = [*self.done, index]
            elif jobpods.failed(self.job, pod):
                action, message = jobpods.policy(self.job, pod)
                doomed = doomed or (message if action == "FailJob" else "")
                if action != "Ignore":
                    self.status["failed"] = self.status.get("failed", 0) + 1
                row, last = row + 1, max(last, jobpods.ended_at(self.world, pod))
            else:
                continue
            ended.append(pod)
        if jobpods.indexed(self.job) and self.done:
            self.status |= {"completedIndexes": jobpods.ranges(self.done), "succeeded": len(set(self.done))}
        if ended:
            table[uid] = [row, last]
        return ended, doomed

    def _judged(self, doomed: str) -> Finding | None:
        """The interim condition that the Job has, or deserves."""
        for type_ in FINAL:
            there = condition(self.conditions, type_)
            if there is not None:
                return type_, str(there["reason"]), str(there["message"])
        spec = self.job["spec"]
        limit, again = int(spec.get("backoffLimit", 6)), 0
        if get(spec, "template", "spec", "restartPolicy") == "OnFailure":
            again = jobpods.restarts(self.active)
        if doomed:
            return "FailureTarget", "PodFailurePolicy", doomed
        if self.status.get("failed", 0) > limit or (again > 0 and again >= limit):
            return LIMIT
        deadline, started = spec.get("activeDeadlineSeconds"), self.status.get("startTime")
        if deadline is None or not started or self.suspended:
            return None
        return LATE if self.world.now >= millis(started) + int(deadline) * SECOND else None

    def _enough(self) -> bool:
        wanted, done = get(self.job, "spec", "completions"), self.status.get("succeeded", 0)
        return done >= wanted if wanted is not None else done > 0 and not self.active

    def _manage(self) -> None:
        """Have as many pods running as there should be now."""
        if self.suspended:
            self._remove(self.active)
            self.active = []
            return
        parallel, wanted = int(get(self.job, "spec", "parallelism", default=1)), get(self.job, "spec", "completions")
        done = self.status.get("succeeded", 0)
        if wanted is not None:
            aim = max(0, min(parallel, int(wanted) - done))
        else:
            aim = min(parallel, len(self.active)) if done else parallel
        surplus = len(self.active) - aim
        if surplus > 0:
            self._remove(sorted(self.active, key=_cheapest)[:surplus])
            self.active = [p for p in self.active if p not in sorted(self.active, key=_cheapest)[:surplus]]
        elif surplus < 0:
            self._add(-surplus)

    def _add(self, many: int) -> None:
        """Make pods, once the back-off of the last failure is over."""
        row, last = self.world.table("failures").get(uid_of(self.job), [0, 0])
        due = last + jobpods.back_off(row)
        if due > self.world.now:
            self._later(due - self.world.now)
            return
        if get(self.job, "spec", "podReplacementPolicy") == "Failed":
            many -= sum(1 for pod in self.pods if _on_the_way_out(pod))
        indexes = [-1] * max(0, many)
        if jobpods.indexed(self.job):
            indexes = jobpods.next_indexes(self.job, self.done, self.active, max(0, many))
        for index in indexes:
            made = making.make(self.world, self.job, jobpods.build(self.job, index), COMPONENT)
            if isinstance(made, str):
                making.retry(self.world, self.job, "job")
                break
            self.active = [*self.active, made]

    def _remove(self, pods: Sequence[Obj]) -> None:
        for pod in pods:
            making.remove(self.world, self.job, pod, COMPONENT)

    def _note_suspension(self) -> None:
        there = condition(self.conditions, "Suspended")
        if self.suspended == (there is not None and there["status"] == "True"):
            return
        facts = ("True", "JobSuspended", "Job suspended") if self.suspended else ("False", "JobResumed", "Job resumed")
        self._set("Suspended", facts[1], facts[2], facts[0])
        reason = "Suspended" if self.suspended else "Resumed"
        events.record(self.world, self.job, "Normal", reason, facts[2], COMPONENT)
        if self.suspended:
            self.status.pop("startTime", None)

    def _set(self, type_: str, reason: str, message: str, status: str = "True") -> None:
        found = {
            "lastProbeTime": self.world.timestamp,
            "lastTransitionTime": self.world.timestamp,
            "message": message,
            "reason": reason,
            "status": status,
            "type": type_,
        }
        self.conditions = [*without_condition(self.conditions, type_), found]

    def _conclude(self, found: Finding, running: bool) -> None:
        """Write the interim condition, and the last one when no pod runs any more."""
        type_, reason, message = found
        if condition(self.conditions, type_) is None:
            self._set(type_, reason, message)
        if running:
            return
        self._set(FINAL[type_], reason, message)
        self.world.table("failures").pop(uid_of(self.job), None)
        if type_ == "SuccessCriteriaMet":
            self.status["completionTime"] = self.world.timestamp
            events.record(self.world, self.job, "Normal", "Completed", "Job completed", COMPONENT)
        else:
            events.record(self.world, self.job, "Warning", reason, message, COMPONENT)

    def _publish(self, terminating: int) -> None:
        status = {k: v for k, v in self.status.items() if k not in ("active", "conditions")}
        if self.active:
            status["active"] = len(self.active)
        status["ready"] = sum(1 for pod in self.active if pods_of.is_ready(pod))
        status |= {"terminating": terminating, "uncountedTerminatedPods": {}}
        if self.conditions:
            status["conditions"] = self.conditions
        put_status(self.world, RESOURCE, self.job, status)


def _on_the_way_out(pod: Obj) -> bool:
    return pods_of.terminating(pod) and not pods_of.finished(pod)


def _cheapest(pod: Obj) -> tuple[bool, bool, str]:
    """Pods that have done least go first."""
    return pods_of.is_ready(pod), pods_of.phase(pod) == "Running", str(pod["metadata"]["creationTimestamp"])


def retry(world: World, key: str, uid: str) -> None:
    """Look again at a Job whose time has come."""
    job = world.store.by_key(RESOURCE, key)
    if job is not None and uid_of(job) == uid:
        world.enqueue("job", key, 0)


controller = JobController()
HANDLERS: dict[str, Handler] = {"job.retry": retry}
