"""The actions of a saved episode as calls of tools, for models that are trained to make such."""

from __future__ import annotations

import json
from collections.abc import Mapping

from aiops_gym.agents.chat.history import Called
from aiops_gym.envs.naming import ENVS
from aiops_gym.errors import ToolError
from aiops_gym.runs.episode import Episode
from aiops_gym.tools import Tool, split_action, toolbox

TASKS = {env: task for task, env in ENVS.items()}


def find_tools(episode: Episode) -> Mapping[str, Tool]:
    """What could be called in an episode."""
    return toolbox(TASKS.get(episode.env, episode.task), episode.env_kwargs.get("tools", "basic"))


def read_called(action: str, tools: Mapping[str, Tool], id_: str) -> tuple[str, Called | None]:
    """The thought of an action and the tool that it calls.

    None where that cannot be said as a tool's call: text that is no call, or one that fits no signature.

    >>> read_called("Look.\\n```\\nget_logs('ns', service='geo')\\n```", toolbox("detection"), "call-0")
    ('Look.', Called(name='get_logs', arguments='{"namespace": "ns", "service": "geo"}', id='call-0'))
    """
    try:
        thought, call = split_action(action)
        given = tools[call.name].signature.bind(*call.args, **call.kwargs).arguments
        arguments = json.dumps(given, ensure_ascii=False)
    except (ToolError, KeyError, TypeError):
        return action, None
    # JSON has keys of text only: what it cannot say stays text.
    return (thought, Called(call.name, arguments, id_)) if json.loads(arguments) == given else (action, None)
