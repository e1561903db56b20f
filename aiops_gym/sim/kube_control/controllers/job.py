"""Jobs: pods that run to their end, as many as must succeed (`pkg/controller/job` of Kubernetes 1.32).

A pod carries a finalizer until its end is in the Job's counts, so none is lost when it is deleted. A Job that failed or
succeeded says so first in an interim condition, and has its last one when none of its pods runs any more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aiops_gym import caches
from aiops_gym.sim.kernel.objects import Obj, controller_of, get, key_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import SECOND, millis
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.controllers import replicaset
from aiops_gym.sim.kube_control.jobs import failure_policy, indexes
from aiops_gym.sim.kube_control.jobs import pods as jobpods
from aiops_gym.sim.kube_control.workloads import pod_control
from aiops_gym.sim.kube_control.writes import find_condition, put_status, remove_finalizer, without_condition

_END = caches.slot(f"{__name__}.end", "finding out how a Job ended")

RESOURCE = "jobs.batch"
COMPONENT = "job-controller"
BATCH = SECOND
"""What happens to pods within this time (ms) is looked at together."""

PACE = pod_control.Pace(SECOND, 60 * SECOND)
REACHED = ("SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods")
LIMIT = ("FailureTarget", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
LATE = ("FailureTarget", "DeadlineExceeded", "Job was active longer than specified deadline")
FINAL = {"SuccessCriteriaMet": "Complete", "FailureTarget": "Failed"}

Finding = tuple[str, str, str]
"""(condition type, reason, message)"""


class JobController:
    """Starts pods until enough have succeeded or too many have failed.

    Table `jobbatches`: key of a Job -> when its pods are looked at (ms).
    """

    name = "job"
    watches = (RESOURCE, "pods")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """The Job at once; the Job of a pod a little later."""
        obj = new if new is not None else old
        if obj is None:
            return
        if resource == RESOURCE:
            if old is None or new is None or old["spec"] != new["spec"] or pods_of.is_terminating(new):
                yield key_of(obj)
        elif (reference := controller_of(obj)) is not None and reference["kind"] == "Job":
            key, batches = f"{namespace_of(obj)}/{reference['name']}", world.table("jobbatches")
            if key not in batches:
                batches[key] = world.now + BATCH
                world.schedule(BATCH, "job.batch", key)

    def reconcile(self, world: World, key: str) -> None:
        """Count what has ended, then finish the Job or start what is missing."""
        job = world.store.by_key(RESOURCE, key)
        if job is None or find_end(job) or pods_of.is_terminating(job):
            jobpods.release(world, job, key)
        else:
            _Sync(world, job).run()


def find_end(job: Obj) -> str:
    """The last condition of a Job that has ended, `Complete` or `Failed`; "" of one that has not."""
    found: str | None = job.memo.get(_END)
    if found is None:
        conditions = get(job, "status", "conditions", default=[])
        ends = (t for t in ("Complete", "Failed") if (c := find_condition(conditions, t)) and c["status"] == "True")
        found = job.memo[_END] = next(ends, "")
    return found


class _Sync:
    """One look at one Job that has not ended."""

    def __init__(self, world: World, job: Obj) -> None:
        self.world, self.job = world, job
        self.status: dict[str, Any] = dict(get(job, "status", default={}))
        self.conditions: list[Mapping[str, Any]] = list(self.status.get("conditions", ()))
        self.pods = jobpods.find_pods(world, job)
        self.active = [pod for pod in self.pods if pods_of.is_active(pod)]
        self.indexes = indexes.survey_indexes(job, self.pods)
        self.suspended = bool(job["spec"].get("suspend"))

    def run(self) -> None:
        """Count, judge, act, publish."""
        if not self.suspended:
            self.status.setdefault("startTime", self.world.timestamp)
        fresh = [pod for pod in self.pods if not jobpods.is_counted(pod)]
        ended = [pod for pod in fresh if jobpods.has_succeeded(pod) or jobpods.has_failed(self.job, pod)]
        released = [pod for pod in ended if uid_of(pod) not in self.indexes.kept]
        self._count(released)
        found = self._judged(len([pod for pod in ended if pod not in released]))
        if found is None:
            self._manage()
            found = REACHED if self._enough() else None
            if found is None:
                self._note_suspension()
        else:
            released = fresh
            self._remove(self.active)
            if found[0] == "FailureTarget":
                self._count([pod for pod in fresh if pod not in ended])
            self.active = []
        terminating = [pod for pod in self.world.store.owned("pods", uid_of(self.job)) if _on_the_way_out(pod)]
        if found is not None:
            self._conclude(found, bool(terminating))
        self._publish(len(terminating))
        for pod in released:
            self._release(pod)

    def _release(self, pod: Obj) -> None:
        present = self.world.store.by_key("pods", key_of(pod))
        if present is not None and uid_of(present) == uid_of(pod):
            remove_finalizer(self.world, "pods", present, jobpods.TRACKING)

    def _later(self, delay: int) -> None:
        self.world.schedule(delay, "job.retry", key_of(self.job), uid_of(self.job))

    def _count(self, ended: Sequence[Obj]) -> None:
        """Add pods that ended since the last time to the counts, and to the row of failures for the back-off."""
        table, uid = self.world.table("failures"), uid_of(self.job)
        row, last = table.get(uid, [0, 0])
        for pod in sorted(ended, key=jobpods.find_end):
            if jobpods.has_succeeded(pod):
                row = 0
                if not jobpods.is_indexed(self.job):
                    self.status["succeeded"] = self.status.get("succeeded", 0) + 1
                continue
            if failure_policy.counts(self.job, pod):
                self.status["failed"] = self.status.get("failed", 0) + 1
            row, last = row + 1, max(last, jobpods.find_end(pod))
        if jobpods.is_indexed(self.job):
            self.status["succeeded"] = len(self.indexes.done)
        if ended:
            table[uid] = [row, last]

    def _judged(self, waiting: int) -> Finding | None:
        """The interim condition that the Job has, or deserves; so many failed pods wait for their successors."""
        for type_ in FINAL:
            there = find_condition(self.conditions, type_)
            if there is not None:
                return type_, str(there.get("reason", "")), str(there.get("message", ""))
        spec = self.job["spec"]
        if doomed := failure_policy.find_verdict(self.job, self.pods):
            return "FailureTarget", "PodFailurePolicy", doomed
        limit, again = int(spec["backoffLimit"]), 0
        if get(spec, "template", "spec", "restartPolicy") == "OnFailure":
            again = jobpods.count_restarts(pod for pod in self.pods if not pods_of.is_terminal(pod))
        if self.status.get("failed", 0) + waiting > limit or (again > 0 and again >= limit):
            return LIMIT
        return self._late() or self.indexes.verdict(self.job)

    def _late(self) -> Finding | None:
        deadline, started = get(self.job, "spec", "activeDeadlineSeconds"), self.status.get("startTime")
        if deadline is None or not started or self.suspended:
            return None
        due = millis(started) + int(deadline) * SECOND
        if due <= self.world.now:
            return LATE
        self._later(due - self.world.now)
        return None

    def _enough(self) -> bool:
        wanted, done = get(self.job, "spec", "completions"), self.status.get("succeeded", 0)
        return not self.active and (done >= wanted if wanted is not None else done > 0)

    def _manage(self) -> None:
        """Have as many pods running as there should be now: first delete, and create only if nothing was deleted."""
        parallel, wanted = int(get(self.job, "spec", "parallelism", default=1)), get(self.job, "spec", "completions")
        done = self.status.get("succeeded", 0)
        if self.suspended:
            aim = 0
        elif wanted is not None:
            aim = max(0, min(parallel, int(wanted) - done))
        else:
            aim = len(self.active) if done else parallel
        surplus = self._surplus(len(self.active) - aim)
        if surplus:
            # Those that are not wanted any more have not failed.
            for pod in surplus:
                self._release(pod)
            self._remove(surplus)
            self.active = [pod for pod in self.active if pod not in surplus]
        elif aim > len(self.active):
            self._add(aim - len(self.active))
        if not self.suspended and len(self.active) >= aim:
            pod_control.note_success(self.world, self.job)

    def _surplus(self, many: int) -> list[Obj]:
        """At least so many active pods, the cheapest first; those of an index that nobody needs in any case."""
        doomed = indexes.find_needless(self.job, self.active)
        beside: Counter[str] = Counter()
        left = [pod for pod in self.active if pod not in doomed]
        left.sort(key=lambda pod: replicaset.rank_for_deletion(self.world, pod, beside))
        return [*doomed, *left[: max(0, many - len(doomed))]]

    def _add(self, many: int) -> None:
        """Make pods, once the back-off of the last failure is over."""
        if jobpods.replaces_failed_only(self.job):
            many -= sum(1 for pod in self.pods if _on_the_way_out(pod))
        many = min(many, pod_control.BURST)
        numbers, wait = [-1] * max(0, many), 0
        if not indexes.has_index_limit(self.job):
            row, last = self.world.table("failures").get(uid_of(self.job), [0, 0])
            wait = last + jobpods.compute_back_off(row) - self.world.now
        if jobpods.is_indexed(self.job) and wait <= 0:
            numbers, wait = self.indexes.next(self.world, self.job, self.pods, max(0, many))
        if wait > 0:
            self._later(wait)
            return
        notes = (indexes.carry_failures(self.job, self.indexes.before.get(number)) for number in numbers)
        bodies = [jobpods.build(self.job, *parts) for parts in zip(numbers, notes, strict=True)]
        made, refused = pod_control.make_all(self.world, self.job, bodies, COMPONENT)
        if refused:
            pod_control.retry(self.world, self.job, "job", PACE)
        self.active = [*self.active, *made]

    def _remove(self, pods: Sequence[Obj]) -> None:
        for pod in pods:
            pod_control.remove(self.world, self.job, pod, COMPONENT)

    def _note_suspension(self) -> None:
        there = find_condition(self.conditions, "Suspended")
        if self.suspended == (there is not None and there["status"] == "True"):
            return
        facts = ("True", "JobSuspended", "Job suspended") if self.suspended else ("False", "JobResumed", "Job resumed")
        self._set("Suspended", facts[1], facts[2], facts[0])
        reason = "Suspended" if self.suspended else "Resumed"
        events.record(self.world, self.job, "Normal", reason, facts[2], COMPONENT)
        if not self.suspended:
            self.status["startTime"] = self.world.timestamp
            self._late()

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
        if find_condition(self.conditions, type_) is None:
            self._set(type_, reason, message)
        if running:
            return
        self._set(FINAL[type_], reason, message)
        self.world.table("failures").pop(uid_of(self.job), None)
        pod_control.note_success(self.world, self.job)
        if type_ == "FailureTarget":
            events.record(self.world, self.job, "Warning", reason, message, COMPONENT)
            return
        self.status["completionTime"] = self.world.timestamp
        if self.status.get("succeeded", 0) > get(self.job, "spec", "completions", default=self.status["succeeded"]):
            text = "Too many succeeded pods running after completion count reached"
            events.record(self.world, self.job, "Warning", "TooManySucceededPods", text, COMPONENT)
        events.record(self.world, self.job, "Normal", "Completed", "Job completed", COMPONENT)

    def _publish(self, terminating: int) -> None:
        status = {k: v for k, v in self.status.items() if k not in ("active", "conditions")}
        if not status.get("succeeded"):
            status.pop("succeeded", None)
        status |= self.indexes.written(self.job)
        if self.active:
            status["active"] = len(self.active)
        status["ready"] = sum(1 for pod in self.active if pods_of.is_ready(pod))
        status |= {"terminating": terminating, "uncountedTerminatedPods": {}}
        if self.conditions:
            status["conditions"] = self.conditions
        put_status(self.world, RESOURCE, self.job, status)


def _on_the_way_out(pod: Obj) -> bool:
    return pods_of.is_terminating(pod) and not pods_of.is_terminal(pod)


def retry(world: World, key: str, uid: str) -> None:
    """Look again at a Job whose time has come."""
    pod_control.look_again(world, RESOURCE, "job", key, uid)


def batch(world: World, key: str) -> None:
    """Look at what came of a Job's pods."""
    world.table("jobbatches").pop(key, None)
    world.enqueue("job", key, 0)


controller = JobController()
HANDLERS: dict[str, Handler] = {"job.retry": retry, "job.batch": batch}
