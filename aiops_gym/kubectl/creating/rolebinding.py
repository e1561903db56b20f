"""`kubectl create rolebinding`."""

from __future__ import annotations

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.creating.role import RBAC
from aiops_gym.kubectl.creation import FLAGS, make, name_of, new_object
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.types import Json

GROUP = "rbac.authorization.k8s.io"


def make_subjects(call: Invocation) -> dict[str, Json]:
    """Users, groups and service accounts of the flags."""
    found: list[Json] = [{"apiGroup": GROUP, "kind": "User", "name": name} for name in call.flags.items("user")]
    found += [{"apiGroup": GROUP, "kind": "Group", "name": name} for name in call.flags.items("group")]
    for text in call.flags.items("serviceaccount"):
        namespace, colon, name = text.partition(":")
        if not colon or not namespace or not name:
            raise Failure("serviceaccount must be <namespace>:<name>")
        found.append({"kind": "ServiceAccount", "name": name, "namespace": namespace})
    return {"subjects": found} if found else {}


def run(call: Invocation) -> int | None:
    """Create a role binding."""
    name, role, cluster_role = name_of(call), call.flags.text("role"), call.flags.text("clusterrole")
    if bool(role) == bool(cluster_role):
        raise Failure("exactly one of clusterrole or role must be specified")
    reference = {"apiGroup": GROUP, "kind": "Role" if role else "ClusterRole", "name": role or cluster_role}
    make(call, new_object(RBAC, "RoleBinding", name, roleRef=reference, **make_subjects(call)), "rolebinding")
    return None


WHO = (
    Flag("user", "array", help="Usernames to bind to the role."),
    Flag("group", "array", help="Groups to bind to the role."),
    Flag("serviceaccount", "array", help="Service accounts to bind to the role, as <namespace>:<name>"),
)
verb = Verb(
    "rolebinding",
    run,
    flags=(
        Flag("role", help="Role this RoleBinding should reference"),
        Flag("clusterrole", help="ClusterRole this RoleBinding should reference"),
        *WHO,
        *FLAGS,
    ),
    usage="create rolebinding NAME --clusterrole=NAME|--role=NAME [--user=username] [--group=groupname]",
    short="Create a role binding for a particular role or cluster role",
)
