"""An agent that calls whatever there is, with arguments that fit: what luck is worth, and how robust the world is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from aiops_gym.agents.base import Agent, Env
from aiops_gym.catalog.model import App
from aiops_gym.openrca import clock
from aiops_gym.sim.kernel import draws
from aiops_gym.tasks.analysis import KINDS, LAYERS
from aiops_gym.types import Call

ROOT_CAUSE = "root_cause"

PATIENCE = 12
"""One in so many actions is a submission."""

LAST = ("submit", "report", "no_incident")
"""What ends an episode."""

COMMANDS = (
    "kubectl get pods -n {namespace} -o wide",
    "kubectl get events -n {namespace} --sort-by=.lastTimestamp | tail -20",
    "kubectl describe deploy {component} -n {namespace}",
    "kubectl logs deploy/{component} -n {namespace} --tail=30",
    "kubectl get deploy {component} -n {namespace} -o yaml",
    "kubectl get svc,endpoints -n {namespace}",
    "kubectl top pods -n {namespace}",
    "kubectl rollout restart deployment/{component} -n {namespace}",
    "kubectl scale deployment {component} -n {namespace} --replicas=2",
    "kubectl delete pod -n {namespace} -l {selector}={component}",
)

_CSV = re.compile(r"\S+\.csv")


class Random:
    """Draws a tool, and each of its arguments by name; in each episode of each problem others.

    Args:
        env: that is played.
        seed: other ones of the same episode.
    """

    name = "random"

    def __init__(self, env: Env, seed: int) -> None:
        self.env = env
        self.seed = seed
        self.files: list[str] = []

    def reset(self, prompt: str) -> None:
        """Begin with the numbers of this episode: a sample plays each problem with the same seed."""
        problem, episode_seed = self.env.get_wrapper_attr("episode")
        self.chance = np.random.default_rng(draws.bits(self.seed, "random agent", problem, episode_seed))
        self.files = []

    def act(self, observation: str) -> str:
        """A call that fits."""
        self.files = _CSV.findall(observation) or self.files
        tools = self.env.get_wrapper_attr("tools")
        if self.chance.random() < 1 / PATIENCE:
            name = self._one([each for each in LAST if each in tools])
        else:
            name = self._one([each for each in sorted(tools) if each not in LAST])
        values = self._recorded() if self.env.get_wrapper_attr("task") == ROOT_CAUSE else self._live()
        arguments = {each: self._one(values[each]) for each in tools[name].types if each in values}
        return str(Call(name, kwargs=arguments))

    def _live(self) -> Mapping[str, Sequence[Any]]:
        """What each argument may be in a live incident."""
        app: App = self.env.get_wrapper_attr("app")
        kind = {"system_level": self._one(LAYERS), "fault_type": self._one(KINDS)}
        places = app.components or tuple(service["name"] for service in (app.project or {}).get("services", ()))
        names = {"namespace": app.namespace, "selector": app.selector, "component": self._one(places)}
        minutes = range(1, 11)
        return {
            "namespace": [app.namespace],
            "service": places,
            "file_path": self.files or ["metrics_output/none.csv"],
            "duration": minutes,
            "timeout": minutes,
            "has_anomaly": ["Yes", "No"],
            "faulty_components": [[each] for each in places],
            "analysis": [kind],
            "components": [[names["component"]]],
            "kinds": [[kind]],
            "path": [[[each]] for each in app.components],
            "text": ["It is over."],
            "command": [command.format(**names) for command in COMMANDS],
        }

    def _recorded(self) -> Mapping[str, Sequence[Any]]:
        """What each argument may be in a recorded one; others are left out."""
        domain, (start, end) = self.env.get_wrapper_attr("domain"), self.env.get_wrapper_attr("window")
        begun = clock.parse(start) // 1000 + 60 * int(self.chance.integers(0, 30))
        return {
            "start_time": [start],
            "end_time": [end],
            "component": domain.components,
            "reason": domain.reasons,
            "timestamp": [begun],
        }

    def _one(self, values: Any) -> Any:
        return values[int(self.chance.integers(len(values)))]


def make(env: Env, seed: int = 0) -> Agent:
    """Draws with a seed of its own."""
    return Random(env, seed)
