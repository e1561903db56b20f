"""The ways to change an object by saying what is different; all of them leave their arguments as they are."""

from aiops_gym.sim.kube_api.patch.apply import apply_server_side, apply_three_way
from aiops_gym.sim.kube_api.patch.errors import PatchError, go
from aiops_gym.sim.kube_api.patch.jsonpatch import apply_json_patch
from aiops_gym.sim.kube_api.patch.merge import apply_merge_patch, create_merge_patch
from aiops_gym.sim.kube_api.patch.strategic import apply_strategic_merge

__all__ = [
    "PatchError",
    "apply_json_patch",
    "apply_merge_patch",
    "apply_server_side",
    "apply_strategic_merge",
    "apply_three_way",
    "create_merge_patch",
    "go",
]
