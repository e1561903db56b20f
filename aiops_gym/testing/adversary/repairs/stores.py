"""Good repairs by hand in a database, of its volumes, and of the release that brought it."""

from __future__ import annotations

from aiops_gym.testing.adversary.recipe import Recipe
from aiops_gym.testing.adversary.repairs.words import BARE, NS, edit_object, edit_text, list_rows

ROOT = f"kubectl exec {NS} deploy/{{target}} -- mongo admin -u root -p root --quiet --eval"
ADMIN = ROOT.replace("root", "admin")
OWN = "{role: 'readWrite', db: '{database}'}"
BOTH = "[{role: 'userAdminAnyDatabase', db: 'admin'}, " + OWN + "]"
PRIVILEGES = (
    "[{resource: {db: '{database}', collection: ''}, actions: ['find', 'insert', 'update', 'remove', 'createIndex', "
    "'createCollection', 'dropCollection', 'dropIndex', 'listCollections', 'listIndexes', 'collStats', 'dbStats', "
    "'killCursors', 'changeStream', 'convertToCapped', 'dbHash', 'planCacheRead', "
    "'renameCollectionSameDB']}]"
)
LOGINS = {
    "client's pods deleted": f"kubectl delete pod {NS} -l {{selector}}={{service}}",
    "client rolled out": f"kubectl rollout restart deployment/{{service}} {NS}",
}
ROLES = {
    "granted": f"{ROOT} \"db.grantRolesToUser('admin', [{OWN}])\"",
    "granted by itself": f"{ADMIN} \"db.grantRolesToUser('admin', [{OWN}])\"",
    "granted by a command": f"{ROOT} \"db.runCommand({{grantRolesToUser: 'admin', roles: [{OWN}]}})\"",
    "granted as owner of its database": f"{ROOT} \"db.grantRolesToUser('admin', [{OWN}])\"\nsleep 10\n"
    f"{ROOT} \"printjson(db.getUser('admin'))\"",
    "updated": f"{ROOT} \"db.updateUser('admin', {{roles: {BOTH}}})\"",
    "updated by a command": f"{ROOT} \"db.runCommand({{updateUser: 'admin', roles: {BOTH}}})\"",
    "made anew": f"{ROOT} \"db.dropUser('admin'); db.createUser({{user: 'admin', pwd: 'admin', roles: {BOTH}}})\"",
    "a role of its own": f"{ROOT} \"db.getSiblingDB('admin').createRole({{role: 'rw', privileges: {PRIVILEGES}, "
    f"roles: []}}); "
    "db.grantRolesToUser('admin', ['rw'])\"",
    "a role that has the other": f"{ROOT} \"db.createRole({{role: 'rw', privileges: [], roles: [{OWN}]}}); "
    "db.grantRolesToUser('admin', [{role: 'rw', db: 'admin'}])\"",
    "from a shell inside": f'kubectl exec {NS} deploy/{{target}} -- sh -c "mongo admin -u root -p root --quiet --eval '
    f'\\"db.grantRolesToUser(\'admin\', [{OWN}])\\""',
    "late": f"sleep 300\n{ROOT} \"db.grantRolesToUser('admin', [{OWN}])\"\nsleep 100",
}
USERS = {
    "created": f"{ROOT} \"db.createUser({{user: 'admin', pwd: 'admin', roles: {BOTH}}})\"",
    "created by a command": f"{ROOT} \"db.runCommand({{createUser: 'admin', pwd: 'admin', roles: {BOTH}}})\"",
    "created, then granted": f"{ROOT} \"db.createUser({{user: 'admin', pwd: 'admin', roles: "
    "[{role: 'userAdminAnyDatabase', db: 'admin'}]})\"\nsleep 5\n"
    + f"{ROOT} \"db.grantRolesToUser('admin', [{OWN}])\"",
    "created for its database alone": f"{ROOT} \"db.createUser({{user: 'admin', pwd: 'admin', roles: [{OWN}]}})\"",
    "created with the order of roles exchanged": f"{ROOT} \"db.createUser({{user: 'admin', pwd: 'admin', roles: "
    f"[{OWN}, 'userAdminAnyDatabase']}})\"",
    "created from the database that is in use": f"{ROOT} \"db.getSiblingDB('admin').createUser({{user: 'admin', "
    f"pwd: 'admin', roles: {BOTH}}})\"",
    "created with a role of its own": f"{ROOT} \"db.createRole({{role: 'rw', privileges: {PRIVILEGES}, roles: []}}); "
    "db.createUser({user: 'admin', pwd: 'admin', roles: ['userAdminAnyDatabase', 'rw']})\"",
    "created after a wrong one": f"{ROOT} \"db.createUser({{user: 'admin', pwd: 'other', roles: {BOTH}}})\"\nsleep 60\n"
    f"{ROOT} \"db.changeUserPassword('admin', 'admin')\"",
    "created twice": f"{ROOT} \"db.createUser({{user: 'admin', pwd: 'admin', roles: []}}); db.dropUser('admin'); "
    f"db.createUser({{user: 'admin', pwd: 'admin', roles: {BOTH}}})\"",
    "created late": f"sleep 300\n{ROOT} \"db.createUser({{user: 'admin', pwd: 'admin', roles: {BOTH}}})\"\nsleep 100",
    "created from a shell inside": f'kubectl exec {NS} deploy/{{target}} -- sh -c "mongo admin -u root -p root --quiet '
    f"--eval \\\"db.createUser({{user: 'admin', pwd: 'admin', roles: {BOTH}}})\\\"\"",
}
LOGIN = tuple(
    Recipe(name=f"{family}: {name}, {end}", layer="", script=f"{script}\n{LOGINS[end]}\nsleep 20", families=(family,))
    for family, rows in (("revoke_auth", ROLES), ("storage_user_unregistered", USERS))
    for number, (name, script) in enumerate(rows.items())
    for end in ([*LOGINS] if number < 3 else [[*LOGINS][number % 2]])
)

VOLUMES = "geo profile rate recommendation reservation user"


def _each(command: str) -> str:
    return f"for name in {VOLUMES}; do\n{command}\ndone"


ANEW = (
    "apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: $name-pv\nspec:\n  storageClassName: $name-storage\n"
    "  accessModes: [ReadWriteOnce]\n  capacity: {storage: 1Gi}\n  volumeMode: Filesystem\n"
    "  hostPath: {path: /data/volumes/$name-pv, type: DirectoryOrCreate}"
)
REBOUND = list_rows(
    "redeploy_without_pv",
    "sleep 60",
    {
        "claims forgotten": _each(
            'kubectl patch pv $name-pv --type=json -p \'[{"op": "remove", "path": "/spec/claimRef"}]\''
        ),
        "claims forgotten by merging": _each(
            'kubectl patch pv $name-pv --type=merge -p \'{"spec": {"claimRef": null}}\''
        ),
        "claims' marks forgotten": _each(
            'kubectl patch pv $name-pv --type=json -p \'[{"op": "remove", "path": "/spec/claimRef/uid"}, '
            '{"op": "remove", "path": "/spec/claimRef/resourceVersion"}]\''
        ),
        "claims forgotten with jq": _each(
            "kubectl get pv $name-pv -o json | jq 'del(.spec.claimRef)' | kubectl replace -f -"
        ),
        "those that are released": "for v in $(kubectl get pv --no-headers | awk '$5 == \"Released\" {print $1}'); do\n"
        'kubectl patch pv $v -p \'{"spec": {"claimRef": null}}\'\ndone',
        "claims named": _each(
            'kubectl get pv $name-pv -o json | jq --arg n $name \'.spec.claimRef = {apiVersion: "v1", kind: '
            '"PersistentVolumeClaim", name: ($n + "-pvc"), namespace: "{namespace}"}\' | kubectl replace -f -'
        ),
        "volumes made anew": _each(
            f"kubectl delete pv $name-pv --wait=false\nsleep 2\nkubectl apply -f - <<EOF\n{ANEW}\nEOF"
        ),
        "volumes made anew from what they were": _each(
            f"kubectl get pv $name-pv -o json | jq '{BARE} | del(.spec.claimRef, .metadata.finalizers)' > v.json\n"
            "kubectl delete pv $name-pv\nkubectl create -f v.json"
        ),
        "claims made anew as well": _each(
            'kubectl patch pv $name-pv --type=json -p \'[{"op": "remove", "path": "/spec/claimRef"}]\''
        )
        + f"\nsleep 90\nkubectl delete pods {NS} --all",
        "claims forgotten, and those who need them rolled out": _each(
            'kubectl patch pv $name-pv --type=json -p \'[{"op": "remove", "path": "/spec/claimRef"}]\''
        )
        + "\nsleep 60\n"
        + _each(f"kubectl rollout restart deployment/$name {NS}"),
        "claims forgotten one after another": _each(
            'kubectl patch pv $name-pv --type=json -p \'[{"op": "remove", "path": "/spec/claimRef"}]\'\nsleep 40'
        ),
        "claims forgotten late": "sleep 300\n"
        + _each('kubectl patch pv $name-pv --type=merge -p \'{"spec": {"claimRef": null}}\'')
        + "\nsleep 200",
    },
)

RELEASE, CHART = "social-network", "/root/socialnetwork"
AGAIN = (
    f"kubectl rollout restart deployment/{{target}} {NS}\nsleep 20\n"
    f"kubectl rollout restart deployment/{{service}} {NS}\nsleep 20"
)
OFF = "--set {target}.tls.mode=disabled --set {target}.tls.certificateKeyFile= --set {target}.tls.CAFile="
TLS = list_rows(
    "auth_miss_mongodb",
    AGAIN,
    {
        "rolled back": f"helm rollback {RELEASE} 1 {NS}",
        "rolled back to the one before": f"helm rollback {RELEASE} {NS}",
        "upgraded": f"helm upgrade {RELEASE} {CHART} {NS} --reuse-values {OFF}",
        "upgraded to its defaults": f"helm upgrade {RELEASE} {CHART} {NS} --reset-values",
        "upgraded from a file": f"printf '{{target}}:\\n  tls:\\n    mode: disabled\\n    certificateKeyFile: "
        f'""\\n    CAFile: ""\\n\' '
        f"> values.yaml\nhelm upgrade {RELEASE} {CHART} {NS} -f values.yaml",
        "upgraded to allow both": f"helm upgrade {RELEASE} {CHART} {NS} --reuse-values --set "
        f"{{target}}.tls.mode=allowTLS",
        "upgraded to prefer": f"helm upgrade {RELEASE} {CHART} {NS} --reuse-values --set {{target}}.tls.mode=preferTLS",
        "sed to off": edit_text(
            "configmap", "{target}", "'s/mode: requireTLS/mode: disabled/;/certificateKeyFile/d;/CAFile/d'"
        ),
        "sed to both": edit_text("configmap", "{target}", "'s/mode: requireTLS/mode: allowTLS/'"),
        "a line commented": edit_text(
            "configmap",
            "{target}",
            "'s/mode: requireTLS/mode: disabled # requireTLS/;s/certificateKeyFile/# &/;s/CAFile/# &/'",
        ),
        "no word of it": edit_object("configmap", "{target}", '.data["mongod.conf"] = "net:\\n  port: 27017\\n"'),
        "rolled back after looks": f"helm history {RELEASE} {NS}\nhelm get values {RELEASE} {NS}\nsleep 120\n"
        f"helm rollback {RELEASE} 1 {NS} --wait\nsleep 120",
    },
)

RECIPES = (*LOGIN, *REBOUND, *TLS)
