"""`kubectl create clusterrolebinding`."""

from __future__ import annotations

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.creating.role import RBAC
from aiops_gym.kubectl.creating.rolebinding import GROUP, WHO, make_subjects
from aiops_gym.kubectl.creation import FLAGS, make, name_of, new_object
from aiops_gym.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Create a cluster role binding."""
    reference = {"apiGroup": GROUP, "kind": "ClusterRole", "name": call.flags.text("clusterrole")}
    obj = new_object(RBAC, "ClusterRoleBinding", name_of(call), roleRef=reference, **make_subjects(call))
    make(call, obj, "clusterrolebinding")
    return None


verb = Verb(
    "clusterrolebinding",
    run,
    flags=(Flag("clusterrole", help="ClusterRole this ClusterRoleBinding should reference"), *WHO, *FLAGS),
    required=("clusterrole",),
    usage="create clusterrolebinding NAME --clusterrole=NAME [--user=username] [--group=groupname]",
    short="Create a cluster role binding for a particular cluster role",
)
