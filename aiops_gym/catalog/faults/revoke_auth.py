"""A service's database user keeps its password and loses its role; the service fails at its next start.

Databases without users have no role to lose; see `unexpected_password` for them.
"""

from aiops_gym.catalog.checks import database_access
from aiops_gym.catalog.model import Cause, Exec, Fault, Restart

MONGO = ("mongo", "admin", "-u", "admin", "-p", "admin", "--quiet", "--eval")
ROLE = "[{role: 'readWrite', db: '{database}'}]"
SHELL = "kubectl exec -n {namespace} deploy/{target} -- mongo admin"
RESTART = "kubectl delete pod -n {namespace} -l {selector}={service}"

fault = Fault(
    id="revoke_auth",
    layer="Application",
    kind="Authentication Issue",
    changes=(
        Exec(component="{target}", command=(*MONGO, f"db.revokeRolesFromUser('admin', {ROLE})")),
        Restart(components=("{service}", "{cache}")),
    ),
    cause=Cause(check=database_access, service="{service}", detail="{database}"),
    looks=(
        "kubectl get pods -n {namespace}",
        "kubectl logs -n {namespace} deploy/{service} --tail=20",
        SHELL + ' -u admin -p admin --quiet --eval "db.getUsers()"',
    ),
    fixes=(
        f"{SHELL} -u admin -p admin --quiet --eval \"db.grantRolesToUser('admin', {ROLE})\"\n{RESTART}",
        f"{SHELL} -u root -p root --quiet --eval \"db.updateUser('admin', {{roles: ["
        "{role: 'userAdminAnyDatabase', db: 'admin'}, {role: 'readWrite', db: '{database}'}]})\"\n"
        "kubectl rollout restart deployment/{service} -n {namespace}",
    ),
    targets=("login",),
)
