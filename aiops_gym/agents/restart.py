"""An agent that restarts everything and hopes: what the oldest remedy of all is worth."""

from __future__ import annotations

import re

from aiops_gym.agents.base import Agent, Env, Fixed
from aiops_gym.errors import CatalogError
from aiops_gym.types import Call

ANSWERS = {
    "detection": ("Yes",),
    "localization": ([],),
    "analysis": ({"system_level": "Virtualization", "fault_type": "Misconfiguration"},),
    "mitigation": (),
}
INCIDENT = "incident"

"""What it submits, whatever it was that it restarted: most alarms are real, and most of these a wrong setting."""

_NAMESPACE = re.compile(r"^Namespace: (\S+)$", re.MULTILINE)


class Restart(Fixed):
    """Rolls every deployment of the application, and submits the same answer each time."""

    def __init__(self, task: str) -> None:
        super().__init__([], "restart")
        self.task = task

    def reset(self, prompt: str) -> None:
        """Learn the namespace.

        Raises:
            CatalogError: the prompt names none, as that of a recorded incident.
        """
        super().reset(prompt)
        found = _NAMESPACE.search(prompt)
        if found is None or self.task not in (*ANSWERS, INCIDENT):
            raise CatalogError("the agent 'restart' plays live incidents only, such as Mitigation-v0")
        command = f"kubectl rollout restart deployment -n {found[1]}"
        restart = Call("exec_shell", (command,))
        calls = [restart, Call("submit", ANSWERS.get(self.task, ()))]
        if self.task == INCIDENT:
            calls = [Call("acknowledge"), restart, Call("resolve"), Call("report", ("Everything was restarted.",))]
        self.actions = [str(call) for call in calls]


def make(env: Env, seed: int = 0) -> Agent:
    """Restarts; there is no chance in it."""
    return Restart(env.get_wrapper_attr("task"))
