"""The user with which a service logs in to its database is gone; the service panics at its next start.

Databases without users have none to drop; see `unexpected_password` for them.
"""

from aiops_gym.catalog.checks import database_access
from aiops_gym.catalog.model import Cause, Exec, Fault, Restart

SHELL = "kubectl exec -n {namespace} deploy/{target} -- mongo admin -u root -p root --quiet --eval"
ROLES = "[{role: 'userAdminAnyDatabase', db: 'admin'}, {role: 'readWrite', db: '{database}'}]"
FIRST_ROLES = "[{role: 'readWrite', db: '{database}'}]"

fault = Fault(
    id="storage_user_unregistered",
    layer="Application",
    kind="Network/Storage Issue",
    also_accept=(("Application", "Authentication Issue"),),
    changes=(
        Exec(
            component="{target}",
            command=("mongo", "admin", "-u", "root", "-p", "root", "--quiet", "--eval", "db.dropUser('admin')"),
        ),
        Restart(components=("{service}",)),
    ),
    cause=Cause(check=database_access, service="{service}", detail="{database}"),
    looks=(
        "kubectl get pods -n {namespace}",
        "kubectl logs -n {namespace} deploy/{service} --tail=20",
        f'{SHELL} "db.getUsers()"',
    ),
    fixes=(
        f"{SHELL} \"db.createUser({{user: 'admin', pwd: 'admin', roles: {ROLES}}})\"\n"
        "kubectl delete pod -n {namespace} -l {selector}={service}",
        f"{SHELL} \"db.createUser({{user: 'admin', pwd: 'admin', roles: {FIRST_ROLES}}})\"\n"
        f"{SHELL} \"db.grantRolesToUser('admin', ['userAdminAnyDatabase'])\"\n"
        "kubectl rollout restart deployment/{service} -n {namespace}",
    ),
    targets=("login",),
)
