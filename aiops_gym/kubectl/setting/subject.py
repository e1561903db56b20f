"""`kubectl set subject`."""

from __future__ import annotations

from typing import Any

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.podspec import FLAGS, finish, patch_each, read_infos
from aiops_gym.kubectl.verb import Invocation, Verb

GROUP = "rbac.authorization.k8s.io"


def run(call: Invocation) -> int | None:
    """Add users, groups and service accounts to a binding."""
    infos = read_infos(call, call.args)
    wanted = _subjects(call, any(info.resource.kind == "ClusterRoleBinding" for info in infos))
    if not wanted:
        raise Failure("you must specify at least one value of user, group or serviceaccount")

    def change(info: Info) -> Any:
        if info.resource.kind not in ("RoleBinding", "ClusterRoleBinding"):
            raise Failure("setting subjects is only supported for RoleBinding/ClusterRoleBinding")
        present = list(info.obj.get("subjects") or ())
        new = [subject for subject in wanted if subject not in present]
        return {"subjects": present + new} if new else None

    failed = "failed to patch subjects to rolebinding"
    finish(patch_each(call, infos, change, done="subjects updated", failed=failed))
    return None


def _subjects(call: Invocation, cluster: bool) -> list[Any]:
    found: list[Any] = []
    for flag, kind in (("user", "User"), ("group", "Group")):
        found += [{"apiGroup": GROUP, "kind": kind, "name": name} for name in sorted({*call.flags.items(flag)})]
    accounts = call.flags.items("serviceaccount")
    if any(account.count(":") != 1 or account.endswith(":") for account in accounts):
        raise Failure("serviceaccount must be <namespace>:<name>")
    if cluster and any(account.startswith(":") for account in accounts):
        raise Failure("serviceaccount must be <namespace>:<name>, namespace must be specified")
    for account in sorted({*accounts}):
        namespace, _, name = account.partition(":")
        found.append({"kind": "ServiceAccount", "name": name, "namespace": namespace or call.namespace})
    return found


verb = Verb(
    "subject",
    run,
    flags=(
        Flag("user", "array", help="Usernames to bind to the role"),
        Flag("group", "array", help="Groups to bind to the role"),
        Flag("serviceaccount", "array", help="Service accounts to bind to the role"),
        *FLAGS,
    ),
    usage="set subject (-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] "
    "[--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
    short="Update the user, group, or service account in a role binding or cluster role binding",
)
