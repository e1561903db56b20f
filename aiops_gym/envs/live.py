"""One incident in a cluster, posed as one task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aiops_gym import backends
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import App
from aiops_gym.envs.choice import Choice
from aiops_gym.envs.episode import EpisodeEnv, one_of
from aiops_gym.envs.parts import PromptParts
from aiops_gym.envs.prompt import make_parts, make_prompt
from aiops_gym.envs.seam import Harmed, Incident, Watched
from aiops_gym.envs.state import State
from aiops_gym.errors import ArgumentError
from aiops_gym.tasks.base import EVALUATIONS, NO_ANSWER, Case, find, find_truth
from aiops_gym.tasks.form import Form
from aiops_gym.tools import Tool, toolbox
from aiops_gym.tools.parser import EXAMPLE
from aiops_gym.tools.registry import SETS
from aiops_gym.types import Call, Verdict

FIX_SECONDS = 300
"""Timeout of a script of the reference solution."""

LOOKS = ("kubectl get pods -n {namespace}", "kubectl get events -n {namespace} --sort-by=.lastTimestamp | tail -20")
DOCKER_LOOKS = ("docker ps -a", "docker events --since 15m --until 0s")
"""What a person would look at in an episode in which nothing is wrong, in the cluster and in Docker."""


WAIT = "kubectl wait --for=condition=Available deployments --all -n {namespace} --timeout=280s"
"""The original looks once, as soon as it is asked to: who has repaired a system waits first until it is up again."""


class LiveEnv(EpisodeEnv[Incident]):
    """An application runs in a cluster, and something may be wrong with it.

    ## Action Space
    Text with exactly one fenced block that holds exactly one API call, such as `exec_shell("kubectl get pods -A")`.
    A text that is none is answered with the reason; it never raises.

    ## Observation Space
    Text: the whole prompt after `reset`, then what the call printed.

    ## Rewards
    0 until `submit`, then the score of the answer, from 0 to 1.

    ## Starting State
    The fault has been there for about a minute, and users are at work.

    ## Episode End
    Terminated by a valid submission, truncated by Gymnasium's TimeLimit alone. With `evaluation="aiopslab"` it is
    graded then too.

    ## Arguments
    `task` says which question is posed, `problem` is an id, a list of ids or None for all of the task, `split` is None,
    "train" or "test", `app` is None or the application that problems are drawn of, `tier` is None, "basic", "standard"
    or "hard": None draws all but the hard ones, and a tier without a split draws of both. `backend` is "simulated", or
    "kubernetes" (experimental) for the real cluster of the kubeconfig's `context`, with further settings of it in
    `cluster`: see docs/howto/real-cluster.md. `reset` raises `BackendError` for what that cluster cannot do, and such
    an environment is neither saved nor forked; close it, which restores the cluster. `noise` lets harmless things
    happen in a simulated world. `observation_limit` is the number of characters of a tool's
    output that are shown. `log_dedup` is the block size of AIOpsLab's log de-duplication in `get_logs`, 0 is off.
    `action_format` is "tolerant" or "strict", which refuses text around the block. `evaluation` is "strict" or
    "aiopslab". `allow_collateral` is how many healthy objects a repair may change in meaning before it counts for
    nothing. `tools` is "basic", the tools of AIOpsLab, or "all", with alerts, changes, and queries to Prometheus and
    Jaeger. `budget` is None or the tokens of a model's context that a whole episode fits into, as 8192.

    ## Version History
    v0: first version.
    """

    example = EXAMPLE

    def __init__(
        self,
        task: str = "detection",
        problem: str | Sequence[str] | None = None,
        split: str | None = None,
        backend: str = "simulated",
        context: str | None = None,
        noise: bool = True,
        observation_limit: int = 16_000,
        log_dedup: int = 5,
        action_format: str = "tolerant",
        evaluation: str = "strict",
        render_mode: str | None = None,
        app: str | None = None,
        allow_collateral: int = 0,
        tools: str = "basic",
        budget: int | None = None,
        tier: str | None = None,
        cluster: Mapping[str, Any] | None = None,
    ) -> None:
        one_of("tools", tools, SETS)
        one_of("evaluation", evaluation, EVALUATIONS)
        if not isinstance(allow_collateral, int) or allow_collateral < 0:
            raise ArgumentError(f"allow_collateral is a count of objects, 0 or more, not {allow_collateral!r}")
        world: dict[str, Any] = {"backend": backend, "context": context, "noise": bool(noise)}
        world |= {"cluster": dict(cluster)} if cluster else {}
        super().__init__(world, observation_limit, log_dedup, action_format, render_mode, budget)
        self.task = find(task).name
        self.choice = Choice(self.task, problem, split, app, tier)
        if evaluation == "aiopslab" and self.choice.several:
            raise ArgumentError("AIOpsLab poses no incident of tier 'hard': evaluation is 'strict'")
        self.evaluation, self.allow_collateral, self.offered = evaluation, allow_collateral, tools

    @property
    def app(self) -> App:
        """What the agent was told of."""
        return self._running()[1].app

    @property
    def clock(self) -> str:  # type: ignore[override]  # each task has its own
        """Name of the time in the results, `TTD`."""
        return find(self.task).clock

    @property
    def tools(self) -> Mapping[str, Tool]:
        """What may be called, `submit` included."""
        return toolbox(self.task, self.offered)

    def reference_actions(self) -> list[str]:
        """Action texts that solve the current episode, for tests and demonstrations."""
        state, backend = self._running()
        task, case = find(self.task), self._case(state, backend)
        looks = case.fault.looks if case.fault else DOCKER_LOOKS if backend.app.project is not None else LOOKS
        calls = [Call("exec_shell", (command.replace("{namespace}", backend.app.namespace),)) for command in looks]
        if task.repairs and case.fault:
            calls.append(Call("exec_shell", (case.fault.fixes[0], FIX_SECONDS)))
            if self.evaluation == "aiopslab":
                calls.append(Call("exec_shell", (WAIT.replace("{namespace}", backend.app.namespace), FIX_SECONDS)))
        calls.append(Call("submit", task.solution(case.truth)))
        return [str(call) for call in calls]

    def explanation(self) -> dict[str, str]:
        """For whoever has finished the episode: the `fault`, the right `answer` and a `repair`, "" for none."""
        task, case = find(self.task), self._case(*self._running())
        answer = "" if task.repairs else Call("submit", task.solution(case.truth)).line
        if case.fault is None:
            return {"fault": "Nothing was wrong.", "answer": answer, "repair": ""}
        said = zip((truth.target for truth in case.truth.each), (part.id for part in case.fault.each), strict=True)
        what = "; ".join(f"{target and target + ': '}{registry.describe_fault(fault)}" for target, fault in said)
        fixes = case.fault.fixes or ("",)
        return {"fault": what, "answer": answer, "repair": fixes[0]}

    def form(self) -> Form:
        """What a person is asked for who submits an answer to the current episode."""
        return find(self.task).form(self.app)

    def calls(self) -> list[list[str]]:
        """Who calls whom in the application, "" for users, before anything went wrong; empty where it is not known."""
        backend = self._running()[1]
        return backend.calls() if isinstance(backend, Watched) else []

    def health(self) -> dict[str, Any]:
        """How each component does now, for the trainer only; empty where that is not known. Changes nothing.

        `components` by name: `ok` (share of requests to it that succeed, None: none are made), `slow` (their mean time
        as a multiple of the usual), `ready` and `wanted` (pods). `users`: `ok` and `slow` of all their requests.
        `operations`: the share that succeeds. `calls`: the share that succeeds, in the order of `calls()`.
        """
        backend = self._running()[1]
        return backend.health() if isinstance(backend, Watched) else {}

    def signals(self) -> dict[str, Any]:
        """What telemetry says of the episode until now, and of ten minutes before it; empty where that is not known.

        `start`, `end` and `step` are seconds since the episode began; `operations` and `components` hold by name the
        series `rate`, `errors`, `p50`, `p99`, `cpu` and `saturation` as far as they are measured, each as a text of
        numbers; `alerts` say when each was pending, fired and ended. It takes about 0.2 s and changes nothing.
        """
        backend = self._running()[1]
        return backend.signals() if isinstance(backend, Watched) else {}

    def harm(self) -> dict[str, float]:
        """What was done to users and to the system until now, for the trainer only; empty where that is not known.

        `error_minutes` of failing requests and `error_minutes_idle`, had nobody done anything; `collateral`, healthy
        objects that were changed and guards that were opened; `irreversible`, what was destroyed. Changes nothing.
        """
        backend = self._running()[1]
        return backend.harm() if isinstance(backend, Harmed) else {}

    def _known(self, problem: str) -> str:
        return self.choice.find(problem).id

    def _draw(self, seed: int) -> str:
        return self.choice.draw(seed).id

    def _open(self, problem: str, seed: int) -> Incident:
        kind, noise, context = self.world["backend"], self.world["noise"], self.world["context"]
        return backends.open_backend(
            kind,
            self.choice.find(problem),
            seed,
            noise=noise,
            context=context,
            cluster=self.world.get("cluster"),
        )

    def _restored(self, data: bytes) -> Incident:
        return backends.Simulated.restored(data)

    def _prompt(self, problem: str, backend: Incident) -> str:
        return make_prompt(self._parts(problem, backend))

    def _parts(self, problem: str, backend: Incident) -> PromptParts:
        return make_parts(find(self.task), self.choice.find(problem), backend.app, self.offered)

    def _accept(self, answer: Any) -> Any:
        return find(self.task).accept(answer, self.evaluation)

    def _judge(self, answer: Any, state: State, backend: Incident) -> Verdict:
        return find(self.task).judge(answer, self._case(state, backend))

    def _judge_unsubmitted(self, state: State, backend: Incident) -> Verdict | None:
        case = self._case(state, backend)
        return find(self.task).judge(NO_ANSWER, case) if self.evaluation == "aiopslab" else None

    def _case(self, state: State, backend: Incident) -> Case:
        problem, fault = self.choice.find(state.problem), backend.fault
        truth = find_truth(problem, fault, backend.app)
        return Case(problem, fault, truth, backend, self.evaluation, self.allow_collateral)
