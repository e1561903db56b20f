"""The indexes of an indexed Job: which are done, which have failed for good, and which comes next.

With `backoffLimitPerIndex` each index has failures and a back-off of its own. Its last failed pod keeps its finalizer
until its successor is there, which takes over the count in an annotation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from aiops_gym.sim.kernel.objects import Obj, get, uid_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import pods as pods_of
from aiops_gym.sim.kube_control.jobs import failure_policy
from aiops_gym.sim.kube_control.jobs import pods as jobpods

FAILURES = "batch.kubernetes.io/job-index-failure-count"
IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count"
TOO_MANY = "Job has exceeded the specified maximal number of failed indexes"


class Indexes(NamedTuple):
    """How the indexes of one Job stand.

    Attributes:
        done: that have succeeded.
        failed: that will not be tried again.
        before: index -> the failed pod that waits for its successor.
        kept: uids of those pods.
    """

    done: list[int]
    failed: list[int]
    before: Mapping[int, Obj]
    kept: frozenset[str]

    def verdict(self, job: Obj) -> tuple[str, str, str] | None:
        """The interim condition that the Job deserves for its indexes."""
        if not jobpods.is_indexed(job):
            return None
        wanted, most = int(get(job, "spec", "completions", default=0)), get(job, "spec", "maxFailedIndexes")
        if most is not None and len(self.failed) > int(most):
            return "FailureTarget", "MaxFailedIndexesExceeded", TOO_MANY
        if self.failed and len(self.failed) + len(self.done) >= wanted:
            return "FailureTarget", "FailedIndexes", "Job has failed indexes"
        for number, rule in enumerate(get(job, "spec", "successPolicy", "rules", default=())):
            if self._meets(rule):
                return "SuccessCriteriaMet", "SuccessPolicy", f"Matched rules at index {number}"
        return None

    def _meets(self, rule: Mapping[str, Any]) -> bool:
        count, listed = rule.get("succeededCount"), rule.get("succeededIndexes")
        if listed is None:
            return count is not None and len(self.done) >= int(count)
        wanted = jobpods.parse_ranges(str(listed))
        there = sum(any(number in span for span in wanted) for number in self.done)
        return there >= (sum(map(len, wanted)) if count is None else int(count))

    def next(self, world: World, job: Obj, pods: Iterable[Obj], many: int) -> tuple[list[int], int]:
        """The lowest indexes that are neither done nor under way, or else how long (ms) to wait for one."""
        if jobpods.replaces_failed_only(job):
            taken = {jobpods.index_of(pod) for pod in pods if not pods_of.is_terminal(pod)}
        else:
            taken = {jobpods.index_of(pod) for pod in pods if pods_of.is_active(pod)}
        taken |= {*self.done, *self.failed}
        free = (i for i in range(int(get(job, "spec", "completions", default=0))) if i not in taken)
        found = [i for i, _ in zip(free, range(many), strict=False)]
        waits = {i: _due(self.before.get(i)) - world.now for i in found}
        ready = [i for i in found if waits[i] <= 0]
        return ready, min(waits.values(), default=0) if not ready else 0

    def written(self, job: Obj) -> dict[str, Any]:
        """The fields of the Job's status."""
        if not jobpods.is_indexed(job):
            return {}
        found = {"completedIndexes": jobpods.format_ranges(self.done)} if self.done else {}
        return found | ({"failedIndexes": jobpods.format_ranges(self.failed)} if has_index_limit(job) else {})


def has_index_limit(job: Obj) -> bool:
    """Whether each index has its own limit of failures."""
    return get(job, "spec", "backoffLimitPerIndex") is not None


def survey_indexes(job: Obj, pods: Sequence[Obj]) -> Indexes:
    """How the indexes stand, with the pods that are not counted yet."""
    if not jobpods.is_indexed(job):
        return Indexes([], [], {}, frozenset())
    size = int(get(job, "spec", "completions", default=0))
    fresh = [pod for pod in pods if not jobpods.is_counted(pod) and 0 <= jobpods.index_of(pod) < size]
    known = jobpods.parse_numbers(get(job, "status", "completedIndexes", default=""), size)
    done = sorted({*known, *(jobpods.index_of(p) for p in fresh if jobpods.has_succeeded(p))})
    if not has_index_limit(job):
        return Indexes(done, [], {}, frozenset())
    lost = [pod for pod in fresh if jobpods.has_failed(job, pod)]
    known = jobpods.parse_numbers(get(job, "status", "failedIndexes", default=""), size)
    failed = sorted({*known, *(jobpods.index_of(pod) for pod in lost if _final(job, pod))} - {*done})
    taken = {*done, *failed, *(jobpods.index_of(pod) for pod in pods if pods_of.is_active(pod))}
    before: dict[int, Obj] = {}
    for pod in sorted(lost, key=lambda pod: (sum(failures(pod)), jobpods.find_end(pod))):
        if jobpods.index_of(pod) not in taken:
            before[jobpods.index_of(pod)] = pod
    return Indexes(done, failed, before, frozenset(uid_of(pod) for pod in before.values()))


def failures(pod: Obj) -> tuple[int, int]:
    """How often the pod's index had failed before it: (counted, ignored)."""
    notes = get(pod, "metadata", "annotations", default={})
    return int(notes.get(FAILURES, 0)), int(notes.get(IGNORED, 0))


def carry_failures(job: Obj, before: Obj | None) -> dict[str, str]:
    """How often an index has failed, as the annotations of its next pod say it."""
    if not has_index_limit(job):
        return {}
    counted, ignored = (0, 0) if before is None else failures(before)
    if before is not None and failure_policy.counts(job, before):
        counted += 1
    elif before is not None:
        ignored += 1
    return {FAILURES: str(counted), **({IGNORED: str(ignored)} if ignored else {})}


def _final(job: Obj, pod: Obj) -> bool:
    """Whether the failure of a pod is the last one of its index."""
    action, _ = failure_policy.judge(job, pod)
    if action == "FailIndex":
        return True
    return action != "Ignore" and failures(pod)[0] >= int(job["spec"]["backoffLimitPerIndex"])


def _due(before: Obj | None) -> int:
    """When (ms) the successor of a failed pod may be made."""
    return 0 if before is None else jobpods.find_end(before) + jobpods.compute_back_off(sum(failures(before)) + 1)


def find_needless(job: Obj, active: Sequence[Obj]) -> list[Obj]:
    """Pods whose index is beyond the Job's completions, or that another pod has too."""
    if not jobpods.is_indexed(job):
        return []
    size, seen, found = int(get(job, "spec", "completions", default=0)), set[int](), []
    for pod in active:
        index = jobpods.index_of(pod)
        if index >= size or index in seen:
            found.append(pod)
        seen.add(index)
    return found
