"""The ways to change an object by saying what is different; all of them leave their arguments as they are."""

from aiops_gym.sim.kube_api.patch.apply import apply_three_way, server_side
from aiops_gym.sim.kube_api.patch.errors import PatchError, go
from aiops_gym.sim.kube_api.patch.jsonpatch import json_patch
from aiops_gym.sim.kube_api.patch.merge import json_merge, merge_difference
from aiops_gym.sim.kube_api.patch.strategic import strategic_merge

__all__ = [
    "PatchError",
    "apply_three_way",
    "go",
    "json_merge",
    "json_patch",
    "merge_difference",
    "server_side",
    "strategic_merge",
]
