"""The Kubernetes API server: `handle` for clients, `create` and `delete` for controllers.

Callers get the stored objects themselves: they read them and never change them.
"""

from aiops_gym.sim.kube_api.remove import delete
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource, find, find_by_kind
from aiops_gym.sim.kube_api.server import VERSION, handle
from aiops_gym.sim.kube_api.status import ApiError
from aiops_gym.sim.kube_api.subresources import assign
from aiops_gym.sim.kube_api.write import create

__all__ = [
    "RESOURCES",
    "VERSION",
    "ApiError",
    "Resource",
    "assign",
    "create",
    "delete",
    "find",
    "find_by_kind",
    "handle",
]
