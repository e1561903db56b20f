"""An agent that calls whatever there is, with arguments that fit: what luck is worth, and how robust the world is."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from aiops_gym.agents.base import Agent, Env
from aiops_gym.catalog.model import App
from aiops_gym.tasks.analysis import KINDS, LAYERS
from aiops_gym.tools import toolbox
from aiops_gym.types import Call

PATIENCE = 12
"""One in so many actions is a submission."""

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
    """Draws a tool, and each of its arguments by name."""

    name = "random"

    def __init__(self, env: Env, seed: int) -> None:
        self.env = env
        self.seed = seed
        self.files: list[str] = []
        self.reset("")

    def reset(self, prompt: str) -> None:
        """Begin with the same numbers again."""
        self.chance = np.random.default_rng(self.seed)
        self.files = []

    def act(self, observation: str) -> str:
        """A call that fits."""
        app: App = self.env.get_wrapper_attr("app")
        self.files = _CSV.findall(observation) or self.files
        tools = toolbox(self.env.get_wrapper_attr("task"))
        if self.chance.random() < 1 / PATIENCE:
            name = "submit"
        else:
            name = self._one([each for each in sorted(tools) if each != "submit"])
        arguments = [self._argument(parameter, app) for parameter in tools[name].types]
        return str(Call(name, tuple(arguments)))

    def _argument(self, name: str, app: App) -> Any:
        if name == "namespace":
            return app.namespace
        if name == "service":
            return self._one(app.components)
        if name == "file_path":
            return self._one(self.files or ["metrics_output/none.csv"])
        if name in ("duration", "timeout"):
            return int(self.chance.integers(1, 11))
        if name == "has_anomaly":
            return self._one(["Yes", "No"])
        if name == "faulty_components":
            return [self._one(app.components)]
        if name == "analysis":
            return {"system_level": self._one(LAYERS), "fault_type": self._one(KINDS)}
        names = {"namespace": app.namespace, "selector": app.selector, "component": self._one(app.components)}
        return self._one(COMMANDS).format(**names)

    def _one(self, values: Any) -> Any:
        return values[int(self.chance.integers(len(values)))]


def make(env: Env, seed: int = 0) -> Agent:
    """Draws with a seed of its own."""
    return Random(env, seed)
