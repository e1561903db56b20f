"""An incident in a real cluster: the same problems, tools and questions as in a simulated one."""

from __future__ import annotations

import atexit
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from aiops_gym.backends import releases
from aiops_gym.backends.base import Assessment
from aiops_gym.backends.kubernetes import account, chaos, chart, deploy, inject, picture, stores, workload
from aiops_gym.backends.kubernetes.api import Api, connect
from aiops_gym.backends.kubernetes.clocks import Clock, ServedClock, WallClock, until
from aiops_gym.backends.kubernetes.cluster import RealCluster
from aiops_gym.backends.kubernetes.judge import Before, Judge, Judged
from aiops_gym.backends.kubernetes.settings import Settings
from aiops_gym.backends.kubernetes.telemetry import RealTelemetry
from aiops_gym.backends.shadows import list_live
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import INCIDENT, Fault, Problem
from aiops_gym.errors import BackendError, SnapshotError
from aiops_gym.shell.sandbox import Sandbox
from aiops_gym.types import Json, ShellRun

LOOKS = 6
"""Requests for each operation in a look that only asks whether something is wrong."""

SYMPTOM = 180.0
"""Seconds beyond a fault's own wait that its symptom may take to show."""

NO_WAY = "a real cluster cannot be {}: only the simulated backend can"


class Live:
    """A running incident; see `backends.base.Backend`.

    The cluster is cleaned of what an earlier one left, the application deployed and measured, and the fault injected
    and seen, before the agent may look. `close` takes all of it out again.

    Args:
        problem: what is wrong.
        seed: of the agent's shell; nothing of the cluster is drawn from it.
        settings: which cluster.
    """

    def __init__(self, problem: Problem, seed: int, settings: Settings) -> None:
        if problem.task == INCIDENT:
            raise BackendError("an incident from the page to the report needs the simulated backend")
        self.problem, self.seed, self.settings = problem, seed, settings
        self.app = registry.find_app(problem.app)
        if self.app.project is not None:
            raise BackendError(f"{self.app.title} runs in Docker beside a cluster: it needs the simulated backend")
        bare = registry.find_fault(problem)
        if bare is not None:
            inject.check_expressible(bare)
        self.clock = _find_clock(settings)
        self.api = Api(connect(settings.context, settings.kubeconfig), self.clock, settings.patience)
        self.telemetry = RealTelemetry(self.api, {"prometheus": settings.prometheus, "jaeger": settings.jaeger})
        self.fault: Fault | None = None
        self.judged: Judged | None = None
        try:
            self.app = chart.use_chart(self.api, self.app, settings)
            deploy.check_room(self.api, self.app, settings.allow_shared)
            if bare is not None:
                chart.check_release(self.app, bare)
                inject.check_equipment(self.api, bare)
        except BackendError:
            self._end_connections()
            raise
        self._begun = True
        atexit.register(self.close)
        try:
            self._set_up()
        except BaseException:
            self._try_to_close()
            raise

    def _set_up(self) -> None:
        """From any state of ours to an incident that can be seen."""
        self.cleaned = self.clean_up()
        self.others = self._list_others()
        deploy.deploy(self.api, self.app, self.settings.ready)
        self._deploy_users()
        self.agent = Api(account.introduce(self.api, self.app), self.clock, self.settings.patience)
        self.before = self._measure()
        self.fault = registry.find_fault(self.problem, list_live(self.before.world, self.app, self.problem))
        self.judge = Judge(self.api, self.app, self.telemetry, self.before, self.fault)
        self._check_judge()
        if self.fault is not None:
            inject.inject(self.api, self.app, self.fault)
            account.introduce(self.api, self.app)  # a fault may have taken the namespace along
            self.clock.wait(self.fault.wait)
            self._await_symptom()
        else:
            self.clock.wait(60.0)
        self._cluster = RealCluster(self.agent)
        files = releases.collect_chart_files(self.app) if self.app.releases else ()
        sandbox = Sandbox(self._cluster, self.seed, files=files, patience=self.settings.patience)
        self._shell = RealShell(sandbox, self._cluster)
        self.began = self.clock.now()

    def _deploy_users(self) -> None:
        if self.settings.workload == "job":
            job = workload.make_job(self.app, self.problem.rate)
            space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": job["metadata"]["namespace"]}}
            space["metadata"] = {**space["metadata"], "labels": {deploy.LABEL: deploy.OURS}}  # type: ignore[dict-item]
            self.api.apply(space)
            self.api.apply(job)

    def _measure(self) -> Before:
        """The healthy system; users must be served before anything is broken. Raises BackendError."""
        served = until(self.clock, lambda: not _failing(workload.measure(self.api, self.app, 10.0, 2)), 300.0)
        counts = workload.measure(self.api, self.app, 30.0)
        if not served or (bad := _failing(counts)):
            names = ", ".join(bad if served else _failing(counts)) or "requests"
            raise BackendError(f"{self.app.title} is ready and does not serve its users: {names} fail")
        return Before(picture.take(self.api, self.app), counts, stores.read(self.api, self.app))

    def _check_judge(self) -> None:
        """Whether the fault's end could be told: asked now, while all is well. Raises BackendError."""
        wrong = self.judge.find_wrong(self.before.world, bare=True) if self.problem.task == "mitigation" else []
        if wrong:
            raise BackendError(f"a repair could not be told on this cluster: while all is well, {wrong[0]}")

    def _await_symptom(self) -> None:
        """Look until the fault can be seen. Raises BackendError."""
        seen = until(self.clock, lambda: bool(self.find_symptom()), SYMPTOM, 10.0)
        if not seen:
            raise BackendError(f"{self.problem.id}: the fault shows no symptom {SYMPTOM:g} s after it was injected")

    def find_symptom(self) -> str:
        """Something that is not as it was, "" where nothing is."""
        world = picture.take(self.api, self.app, self.before.world, picture.OF_APP)
        for each in self.judge.look_at(world):
            return each.text
        counts = workload.measure(self.api, self.app, 6.0, LOOKS)
        worse = workload.list_worse(self.before.counts, counts)
        if worse:
            return worse[0]
        restarts = self.judge.count_restarts(self.before.world), self.judge.count_restarts(world)
        if restarts[1] > restarts[0]:
            return "containers restart"
        whole = picture.take(self.api, self.app, self.before.world)
        return next(iter(self.judge.find_wrong(whole, bare=True)), "")

    @property
    def cluster(self) -> RealCluster:
        """The Kubernetes API, as the agent's account sees it."""
        if self._cluster.broken:
            why, self._cluster.broken = self._cluster.broken, ""
            raise BackendError(why)
        return self._cluster

    @property
    def shell(self) -> RealShell:
        """Where the agent's commands run."""
        return self._shell

    def now(self) -> float:
        """Unix seconds."""
        return self.clock.now()

    def spend(self, seconds: float) -> None:
        """Let time pass, where the clock is one that only passes so: on the wall it does by itself."""
        if isinstance(self.clock, ServedClock):
            self.clock.wait(seconds)

    def assess(self) -> Assessment:
        """Measure what became of the system. What happens next happens to the cluster itself."""
        self.judged = self.judge.assess()
        return self.judged.assessment

    def pods(self) -> Sequence[Mapping[str, Any]]:
        """The app's pods as they are now."""
        return self.api.list("pods", self.app.namespace)

    def calm(self) -> Live:
        """The same system: nothing stirs it up but what was done to it."""
        return self

    def snapshot(self) -> bytes:
        """Raises SnapshotError."""
        _refuse("saved")

    def fork(self) -> NoReturn:
        """Raises SnapshotError."""
        _refuse("forked")

    def clean_up(self) -> list[str]:
        """Take out of the cluster what bears our label; what that was. Raises BackendError."""
        return [*chaos.end_all(self.api), *deploy.clean_up(self.api)]

    def close(self) -> None:
        """Restore the cluster: all that is ours goes, and the rest is checked. Raises BackendError."""
        if not self._begun:
            return
        self._begun = False
        atexit.unregister(self.close)
        try:
            self.clean_up()
            others = getattr(self, "others", None)
            if others is not None and (changed := self._find_changed(others)):
                raise BackendError(f"neighbours are not as they were: {', '.join(changed[:5])}")
        finally:
            self._end_connections()

    def _end_connections(self) -> None:
        for each in (self.api, getattr(self, "agent", None), self.telemetry, self.clock):
            if each is not None:
                each.close()

    def _try_to_close(self) -> None:
        """The same while another error is on its way, which is the one to be told."""
        try:
            self.close()
        except BackendError:
            self._begun = False

    def _list_others(self) -> dict[tuple[str, str], Json]:
        world = picture.take(self.api, self.app)
        return {(resource, key): said for resource, key, said in deploy.list_others(world, self.app)}

    def _find_changed(self, was: Mapping[tuple[str, str], Json]) -> list[str]:
        now = self._list_others()
        return [f"{resource} {key}" for (resource, key), said in was.items() if now.get((resource, key)) != said]


@dataclass(frozen=True)
class RealShell:
    """The agent's sandbox; where the cluster broke under it, that is told as such and is no mistake of the agent's."""

    sandbox: Sandbox
    cluster: RealCluster

    def run(self, script: str, timeout: float = 30.0) -> ShellRun:
        """Run a script. Raises BackendError where the cluster could not be asked."""
        found = self.sandbox.run(script, timeout)
        if self.cluster.broken:
            why, self.cluster.broken = self.cluster.broken, ""
            raise BackendError(why)
        return found

    def read_file(self, path: str) -> str:
        """Text of a file. Raises FileNotFoundError."""
        return self.sandbox.read_file(path)

    def write_file(self, path: str, text: str) -> None:
        """Write a file."""
        self.sandbox.write_file(path, text)

    def list_files(self, path: str) -> Sequence[str]:
        """Full paths of all files below a folder, sorted."""
        return self.sandbox.list_files(path)


def _find_clock(settings: Settings) -> Clock:
    return ServedClock(settings.clock, settings.clock_token) if settings.clock else WallClock()


def _failing(counts: workload.Counts) -> list[str]:
    return [name for name, count in counts.items() if count.share < 0.9]


def _refuse(how: str) -> NoReturn:
    raise SnapshotError(NO_WAY.format(how))
