"""Good repairs of what a fault created, and of Services, settings, nodes, volumes and databases."""

from __future__ import annotations

import json
from collections.abc import Mapping

from aiops_gym.testing.adversary.recipe import NOT_HERE, Recipe

NS = "-n {namespace}"
CLIENT = f'[ -z "{{service}}" ] || kubectl delete pod {NS} -l {{selector}}={{service}}\nsleep 20'
ROLL_CLIENT = f'[ -z "{{service}}" ] || kubectl rollout restart deployment/{{service}} {NS}'
RENEW = f"kubectl rollout restart deployment/{{target}} {NS}\nsleep 30"
PUT = "kubectl replace -f -"
BARE = "del(.metadata.uid, .metadata.resourceVersion, .metadata.creationTimestamp, .status)"


def _ops(*ops: Mapping[str, object], kind: str, name: str = "{target}") -> str:
    return f"kubectl patch {kind} {name} {NS} --type=json -p '{json.dumps(ops)}'"


def _edit(kind: str, name: str, jq: str) -> str:
    return f"kubectl get {kind} {name} {NS} -o json | jq '{jq}' | {PUT}"


def _sed(kind: str, name: str, sed: str) -> str:
    return f"kubectl get {kind} {name} {NS} -o yaml | sed {sed} | {PUT}"


def _recreate(kind: str, name: str, jq: str) -> str:
    """Deleted and created anew from what is there, changed."""
    return (
        f"kubectl get {kind} {name} {NS} -o json | jq '{BARE} | {jq}' > o.json\n"
        f"kubectl delete {kind} {name} {NS}\nkubectl create -f o.json"
    )


def _rows(families: tuple[str, ...] | str, end: str, rows: Mapping[str, str], *traits: str) -> tuple[Recipe, ...]:
    named = (families,) if isinstance(families, str) else families
    return tuple(
        Recipe(name=f"{named[0]}: {name}", layer="", script=f"{script}\n{end}", families=named, traits=traits)
        for name, script in rows.items()
    )


POLICY, EGRESS = "{target}-ingress", "{target}-egress"
POLICIES = (
    *_rows(
        "blocking_network_policy",
        CLIENT,
        {
            "deleted": f"kubectl delete networkpolicy {POLICY} {NS}",
            "deleted by its file": f"kubectl get networkpolicy {POLICY} {NS} -o yaml > p.yaml; kubectl delete -f p.yaml",
            "the one that was made last deleted": f"p=$(kubectl get networkpolicies {NS} --sort-by=.metadata.creationTimestamp "
            f"-o name | tail -1)\nkubectl delete $p {NS}",
            "all pods of the namespace": _ops(
                {"op": "replace", "path": "/spec/ingress", "value": [{"from": [{"podSelector": {}}]}]},
                kind="networkpolicy",
                name=POLICY,
            ),
            "everybody": _ops(
                {"op": "replace", "path": "/spec/ingress", "value": [{}]}, kind="networkpolicy", name=POLICY
            ),
            "all components by name": (
                f"kubectl get deployments {NS} -o json | jq -c '[.items[].metadata.name]' > names.json\n"
                f"kubectl get networkpolicy {POLICY} {NS} -o json | jq --slurpfile n names.json '.spec.ingress = "
                '[{from: [{podSelector: {matchExpressions: [{key: "{selector}", operator: "In", values: $n[0]}]}}]}]\' '
                f"| {PUT}"
            ),
            "all components, and their ports": (
                f"kubectl get networkpolicy {POLICY} {NS} -o json | jq '.spec.ingress = [{{from: [{{podSelector: {{}}}}], "
                f'ports: [{{port: {{target_port}}, protocol: "TCP"}}]}}]\' | {PUT}'
            ),
            "the whole namespace by its name": _ops(
                {
                    "op": "replace",
                    "path": "/spec/ingress",
                    "value": [
                        {
                            "from": [
                                {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "{namespace}"}}}
                            ]
                        }
                    ],
                },
                kind="networkpolicy",
                name=POLICY,
            ),
            "put in its place": _edit("networkpolicy", POLICY, ".spec.ingress[0].from[0].podSelector = {}"),
            "applied by the server": (
                "kubectl apply --server-side --force-conflicts -f - <<'EOF'\napiVersion: networking.k8s.io/v1\n"
                f"kind: NetworkPolicy\nmetadata: {{name: {POLICY}, namespace: {{namespace}}}}\nspec:\n"
                "  podSelector: {matchExpressions: [{key: {selector}, operator: In, values: [{target}]}]}\n"
                "  policyTypes: [Ingress]\n  ingress: [{from: [{podSelector: {}}]}]\nEOF"
            ),
            "recreated": _recreate("networkpolicy", POLICY, ".spec.ingress = [{from: [{podSelector: {}}]}]"),
            "deleted after a wrong attempt": f"kubectl label pods --all {NS} seen=yes\nsleep 60\n"
            f"kubectl label pods --all {NS} seen-\nkubectl delete networkpolicy {POLICY} {NS}\nsleep 150",
        },
    ),
    *_rows(
        "blocking_network_policy",
        CLIENT,
        {
            "the one caller": _ops(
                {
                    "op": "replace",
                    "path": "/spec/ingress",
                    "value": [{"from": [{"podSelector": {"matchLabels": {"{selector}": "{service}"}}}]}],
                },
                kind="networkpolicy",
                name=POLICY,
            ),
            "the one caller, on the one port": _ops(
                {
                    "op": "replace",
                    "path": "/spec/ingress",
                    "value": [
                        {
                            "from": [{"podSelector": {"matchLabels": {"{selector}": "{service}"}}}],
                            "ports": [{"port": "#", "protocol": "TCP"}],
                        }
                    ],
                },
                kind="networkpolicy",
                name=POLICY,
            ).replace('"#"', "{target_port}"),
        },
        "dialled",
        "!configmap",
    ),
    *_rows(
        "forgotten_dns",
        "sleep 30",
        {
            "deleted": f"kubectl delete networkpolicy {EGRESS} {NS}",
            "deleted by its file": f"kubectl get networkpolicy {EGRESS} {NS} -o yaml > p.yaml; kubectl delete -f p.yaml",
            "port 53 to anybody": _ops(
                {
                    "op": "add",
                    "path": "/spec/egress/-",
                    "value": {"ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]},
                },
                kind="networkpolicy",
                name=EGRESS,
            ),
            "port 53 to the name servers": _ops(
                {
                    "op": "add",
                    "path": "/spec/egress/-",
                    "value": {
                        "to": [
                            {
                                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
                                "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
                            }
                        ],
                        "ports": [{"port": 53, "protocol": "UDP"}],
                    },
                },
                kind="networkpolicy",
                name=EGRESS,
            ),
            "the namespace of the name servers": _edit(
                "networkpolicy",
                EGRESS,
                '.spec.egress[0].to += [{namespaceSelector: {matchLabels: {"kubernetes.io/metadata.name": "kube-system"}}}]',
            ),
            "all namespaces": _edit("networkpolicy", EGRESS, ".spec.egress[0].to += [{namespaceSelector: {}}]"),
            "everything": _ops(
                {"op": "replace", "path": "/spec/egress", "value": [{}]}, kind="networkpolicy", name=EGRESS
            ),
            "no word of egress": _edit(
                "networkpolicy", EGRESS, '.spec.policyTypes = ["Ingress"] | .spec.ingress = [{}] | del(.spec.egress)'
            ),
            "another policy beside it": "kubectl apply -f - <<'EOF'\napiVersion: networking.k8s.io/v1\n"
            "kind: NetworkPolicy\nmetadata: {name: {target}-names, namespace: {namespace}}\nspec:\n"
            "  podSelector: {matchLabels: {{selector}: {target}}}\n  policyTypes: [Egress]\n"
            "  egress: [{ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]}]\nEOF",
            "deleted, and pods": f"kubectl delete networkpolicy {EGRESS} {NS}\nkubectl delete pod {NS} -l {{selector}}={{target}}",
            "deleted, and rolled out": f"kubectl delete networkpolicy {EGRESS} {NS}\n{RENEW}",
            "recreated": _recreate("networkpolicy", EGRESS, ".spec.egress = [{}]"),
            "deleted late": f"sleep 300\nkubectl delete networkpolicy {EGRESS} {NS}\nsleep 200",
        },
    ),
)

QUOTAS = _rows(
    "exhausted_quota",
    f"sleep 60\n{CLIENT}",
    {
        "deleted": f"kubectl delete resourcequota team-budget {NS}",
        "deleted by another name of its kind": f"kubectl delete quota/team-budget {NS}",
        "deleted by its file": f"kubectl get quota team-budget {NS} -o yaml > q.yaml\nkubectl delete -f q.yaml",
        "of 60": f'kubectl patch resourcequota team-budget {NS} -p \'{{"spec": {{"hard": {{"pods": "60"}}}}}}\'',
        "of 60 merged": f'kubectl patch quota team-budget {NS} --type=merge -p \'{{"spec": {{"hard": {{"pods": "60"}}}}}}\'',
        "of 60 by operation": _ops(
            {"op": "replace", "path": "/spec/hard/pods", "value": "60"}, kind="resourcequota", name="team-budget"
        ),
        "without pods": _edit("resourcequota", "team-budget", "del(.spec.hard.pods)"),
        "of a little more than is needed": f"n=$(kubectl get deploy {NS} -o json | jq '[.items[].spec.replicas] | add + 10')\n"
        f'kubectl patch quota team-budget {NS} --type=merge -p "{{\\"spec\\": {{\\"hard\\": {{\\"pods\\": \\"$n\\"}}}}}}"',
        "of 60 with sed": _sed("resourcequota", "team-budget", '\'s/pods: "10"/pods: "60"/\''),
        "of 60 applied": "kubectl apply -f - <<'EOF'\napiVersion: v1\nkind: ResourceQuota\n"
        'metadata: {name: team-budget, namespace: {namespace}}\nspec: {hard: {pods: "60"}}\nEOF',
        "of 60 applied by the server": "kubectl apply --server-side --force-conflicts -f - <<'EOF'\napiVersion: v1\n"
        'kind: ResourceQuota\nmetadata: {name: team-budget, namespace: {namespace}}\nspec: {hard: {pods: "60"}}\nEOF',
        "recreated": _recreate("resourcequota", "team-budget", '.spec.hard.pods = "60"'),
        "deleted, and rolled out": f"kubectl delete quota team-budget {NS}\nsleep 20\n{RENEW}",
        "deleted late": f"sleep 300\nkubectl delete quota team-budget {NS}\nsleep 300",
    },
)

STRAY = _rows(
    "stray_pod",
    "sleep 30",
    {
        "deleted": f"kubectl delete deployment toolbox {NS}",
        "deleted by label of its pods": f"d=$(kubectl get deploy {NS} -o json | jq -r '.items[] "
        '| select(.spec.template.metadata.labels.run == "toolbox") | .metadata.name\')\n'
        f"kubectl delete deployment $d {NS}",
        "deleted by force": f"kubectl delete deployment toolbox {NS} --grace-period=0 --force",
        "deleted by its file": f"kubectl get deploy toolbox {NS} -o yaml > t.yaml; kubectl delete -f t.yaml",
        "deleted in the foreground": f"kubectl delete deployment toolbox {NS} --cascade=foreground",
        "scaled away": f"kubectl scale deployment toolbox {NS} --replicas=0",
        "scaled away by patch": f'kubectl patch deployment toolbox {NS} --type=merge -p \'{{"spec": {{"replicas": 0}}}}\'',
        "unmarked": _edit("deployment", "toolbox", 'del(.spec.template.metadata.labels["{selector_key}"])'),
        "marked otherwise": _edit(
            "deployment", "toolbox", '.spec.template.metadata.labels["{selector_key}"] = "toolbox"'
        ),
        "marked otherwise by patch": f"kubectl patch deployment toolbox {NS} --type=merge -p "
        '\'{"spec": {"template": {"metadata": {"labels": {"{selector_key}": "toolbox"}}}}}\'',
        "recreated without the mark": _recreate(
            "deployment", "toolbox", 'del(.spec.template.metadata.labels["{selector_key}"])'
        ),
        "deleted after looks": f"kubectl get pods {NS} -l {{selector_key}}={{selector_value}} -o wide\nsleep 120\n"
        f"kubectl delete pod {NS} -l run=toolbox\nsleep 30\nkubectl delete deployment toolbox {NS}",
    },
)

SERVICES = (
    *_rows(
        ("mismatched_selector", "frozen_endpoints"),
        CLIENT,
        {
            "set selector": f"kubectl set selector service {{target}} {{selector_key}}={{selector_value}} {NS}",
            "from the deployment": f"s=$(kubectl get deployment {{target}} {NS} -o json | jq -c .spec.selector.matchLabels)\n"
            f"kubectl get service {{target}} {NS} -o json | jq --argjson s \"$s\" '.spec.selector = $s' | {PUT}",
            "with more labels of the template": f"s=$(kubectl get deployment {{target}} {NS} -o json | jq -c "
            f'.spec.template.metadata.labels)\nkubectl get service {{target}} {NS} -o json | jq --argjson s "$s" '
            f"'.spec.selector = $s' | {PUT}",
            "recreated": _recreate(
                "service",
                "{target}",
                '.spec.selector = {"{selector_key}": "{selector_value}"} | del(.spec.clusterIP, .spec.clusterIPs)',
            ),
            "recreated with its address": _recreate(
                "service", "{target}", '.spec.selector = {"{selector_key}": "{selector_value}"}'
            ),
        },
    ),
    *_rows(
        "misconfig_k8s",
        CLIENT,
        {
            "sed": _sed("service", "{target}", "'s/targetPort: 9999/targetPort: {port}/'"),
            "a name for the port": f"kubectl get deployment {{target}} {NS} -o json | jq "
            '\'.spec.template.spec.containers[0].ports = [{name: "main", containerPort: {port}, protocol: "TCP"}]\' '
            f"| {PUT}\nsleep 40\n" + _edit("service", "{target}", '.spec.ports[0].targetPort = "main"'),
            "recreated": _recreate(
                "service", "{target}", ".spec.ports[0].targetPort = {port} | del(.spec.clusterIP, .spec.clusterIPs)"
            ),
            "strategic": f"kubectl patch service {{target}} {NS} "
            '-p \'{"spec": {"ports": [{"port": {service_port}, "targetPort": {port}}]}}\'',
        },
    ),
    *_rows(
        "wrong_service_port",
        CLIENT,
        {
            "sed": _sed("service", "{target}", "'s/port: 18080/port: {service_port}/'"),
            "both ports": _edit(
                "service",
                "{target}",
                '.spec.ports[0] as $p | .spec.ports[0].port = {service_port} | .spec.ports += [$p + {name: "old", port: 18080}] '
                '| .spec.ports[0].name = ($p.name // "main")',
            ),
            "recreated": _recreate(
                "service", "{target}", ".spec.ports[0].port = {service_port} | del(.spec.clusterIP, .spec.clusterIPs)"
            ),
        },
    ),
)


def _text(jq: str, name: str = "{target}") -> str:
    """The text of the target's settings changed."""
    return _edit("configmap", name, f'.data["{{file}}"] |= {jq}')


SETTINGS = (
    *_rows(
        "wrong_listen_port",
        f"{RENEW}\n{CLIENT}",
        {
            "the number": _text('gsub("{wrong_port}"; "{listen_port}")'),
            "the number with sed": _sed("configmap", "{target}", "'s/{wrong_port}/{listen_port}/'"),
        },
    ),
    *_rows(
        "wrong_listen_port",
        CLIENT,
        {
            "the Service follows": _ops(
                {"op": "replace", "path": "/spec/ports/0/targetPort", "value": "#"}, kind="service"
            ).replace('"#"', "{wrong_port}"),
            "the Service follows with sed": _sed("service", "{target}", "'s/targetPort: .*/targetPort: {wrong_port}/'"),
        },
    ),
    *_rows(
        "wrong_upstream_port",
        RENEW,
        {
            "a number in JSON": _text('(fromjson | .["{callee}"].port = {callee_port} | tojson)'),
            "a number in JSON of many lines": (
                f"kubectl get configmap {{target}} {NS} -o json > m.json\n"
                "jq -r '.data[\"{file}\"]' m.json | jq '.[\"{callee}\"].port = {callee_port}' > wide.json\n"
                f"jq --rawfile t wide.json '.data[\"{{file}}\"] = $t' m.json | {PUT}"
            ),
            "the full name besides": _text(
                '(fromjson | .["{callee}"] |= (.port = {callee_port} | .addr += ".{namespace}.svc.cluster.local") | tojson)'
            ),
            "the Service's address besides": f"ip=$(kubectl get service {{callee}} {NS} -o jsonpath='{{.spec.clusterIP}}')\n"
            f'kubectl get configmap {{target}} {NS} -o json | jq --arg ip $ip \'.data["{{file}}"] |= '
            f'(fromjson | .["{{callee}}"] |= (.port = {{callee_port}} | .addr = $ip) | tojson)\' | {PUT}',
        },
    ),
    *_rows(
        "empty_pool",
        RENEW,
        {
            f"a pool of {count}": _text(f'(fromjson | .["{{pooled}}"].connections = {count} | tojson)')
            for count in (8, 64, 512, 1024)
        }
        | {
            "sed": _sed("configmap", "{target}", '\'s/"connections": 0,/"connections": 512,/\''),
            "what others have": _text(
                '(fromjson | .["{pooled}"].connections = ([.[] | objects | .connections // 0] | max) | tojson)'
            ),
        },
    ),
    *_rows(
        "unexpected_password",
        f"{RENEW}\n{ROLL_CLIENT}",
        {
            "a line commented": _sed(
                "configmap", "{guarded_map}", "-E 's/^( *)(requirepass|authorization|security)/\\1# \\2/'"
            ),
            "a line gone": _sed("configmap", "{guarded_map}", "'/{guard}/d;/^ *security:$/d'"),
        },
        "guarded_map",
    ),
    *_rows(
        "unexpected_password",
        f"{RENEW}\n{ROLL_CLIENT}",
        {"said to be off": _text('sub("{guard}"; "{unguarded}")', "{guarded_map}")},
        "guarded_map",
        "dialled",
    ),
    *_rows(
        "unexpected_password",
        f"{RENEW}\n{ROLL_CLIENT}",
        {
            "an empty password": f"kubectl get configmap {{guarded_map}} {NS} -o yaml | grep requirepass || exit {NOT_HERE}\n"
            + _sed("configmap", "{guarded_map}", "'s/requirepass .*/requirepass \"\"/'")
        },
        "guarded_map",
    ),
    *_rows(
        "unexpected_password",
        f"sleep 30\n{ROLL_CLIENT}",
        {
            "no arguments": _ops(
                {"op": "remove", "path": "/spec/template/spec/containers/0/args"},
                kind="deployment",
                name="{guarded_run}",
            ),
            "empty arguments": _ops(
                {"op": "replace", "path": "/spec/template/spec/containers/0/args", "value": []},
                kind="deployment",
                name="{guarded_run}",
            ),
            "the opposite said": _ops(
                {"op": "replace", "path": "/spec/template/spec/containers/0/args", "value": ["--noauth"]},
                kind="deployment",
                name="{guarded_run}",
            ),
            "the program said": _ops(
                {"op": "replace", "path": "/spec/template/spec/containers/0/args", "value": ["mongod"]},
                kind="deployment",
                name="{guarded_run}",
            ),
            "null": f"kubectl patch deployment {{guarded_run}} {NS} --type=strategic -p "
            '\'{"spec": {"template": {"spec": {"containers": [{"name": "{container}", "args": null}]}}}}\'',
        },
        "guarded_run",
    ),
)

TAINT = _rows(
    "untolerated_taint",
    CLIENT,
    {
        "by its key": "kubectl taint nodes {node} maintenance-",
        "by its key and effect": "kubectl taint nodes {node} maintenance:NoSchedule-",
        "by all of it": "kubectl taint nodes {node} maintenance=planned:NoSchedule-",
        "on all nodes": "kubectl taint nodes --all maintenance- || true",
        "by operation": 'kubectl patch node {node} --type=json -p \'[{"op": "remove", "path": "/spec/taints"}]\'',
        "null": 'kubectl patch node {node} --type=merge -p \'{"spec": {"taints": null}}\'',
        "that one": "kubectl get node {node} -o json | jq '.spec.taints |= map(select(.key != \"maintenance\"))' | kubectl replace -f -",
        "less of an effect": "kubectl taint nodes {node} maintenance-\n"
        "kubectl taint nodes {node} maintenance=planned:PreferNoSchedule",
        "with sed": "kubectl get node {node} -o yaml | sed '/taints:/,/value: planned/d' | kubectl replace -f -",
        "uncordoned first": "kubectl uncordon {node}\nsleep 60\nkubectl taint nodes {node} maintenance-",
        "applied by the server": "kubectl get node {node} -o json | jq '{apiVersion, kind, metadata: {name: .metadata.name}, "
        "spec: {taints: []}}' > n.json\nkubectl apply --server-side --force-conflicts -f n.json",
        "late": "sleep 300\nkubectl taint nodes {node} maintenance-\nsleep 300",
    },
)

ROOT = f"kubectl exec {NS} deploy/{{target}} -- mongo admin -u root -p root --quiet --eval"
ADMIN = ROOT.replace("root", "admin")
OWN = "{role: 'readWrite', db: '{database}'}"
BOTH = "[{role: 'userAdminAnyDatabase', db: 'admin'}, " + OWN + "]"
PRIVILEGES = (
    "[{resource: {db: '{database}', collection: ''}, actions: ['find', 'insert', 'update', 'remove', 'createIndex', "
    "'createCollection', 'dropCollection', 'dropIndex', 'listCollections', 'listIndexes', 'collStats', 'dbStats', "
    "'collMod', 'killCursors', 'changeStream', 'convertToCapped', 'dbHash', 'planCacheRead', "
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
    "a role of its own": f"{ROOT} \"db.getSiblingDB('admin').createRole({{role: 'rw', privileges: {PRIVILEGES}, roles: []}}); "
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
REBOUND = _rows(
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
        "claims forgotten, and all rolled out": _each(
            'kubectl patch pv $name-pv --type=json -p \'[{"op": "remove", "path": "/spec/claimRef"}]\''
        )
        + f"\nsleep 60\nkubectl rollout restart deployment {NS}",
        "claims forgotten one after another": _each(
            'kubectl patch pv $name-pv --type=json -p \'[{"op": "remove", "path": "/spec/claimRef"}]\'\nsleep 40'
        ),
        "claims forgotten late": "sleep 300\n"
        + _each('kubectl patch pv $name-pv --type=merge -p \'{"spec": {"claimRef": null}}\'')
        + "\nsleep 200",
    },
)

RELEASE, CHART = "social-network", "/root/socialnetwork"
AGAIN = f"kubectl rollout restart deployment/{{target}} {NS}\nsleep 20\nkubectl rollout restart deployment/{{service}} {NS}\nsleep 20"
OFF = "--set {target}.tls.mode=disabled --set {target}.tls.certificateKeyFile= --set {target}.tls.CAFile="
TLS = _rows(
    "auth_miss_mongodb",
    AGAIN,
    {
        "rolled back": f"helm rollback {RELEASE} 1 {NS}",
        "rolled back to the one before": f"helm rollback {RELEASE} {NS}",
        "upgraded": f"helm upgrade {RELEASE} {CHART} {NS} --reuse-values {OFF}",
        "upgraded to its defaults": f"helm upgrade {RELEASE} {CHART} {NS} --reset-values",
        "upgraded from a file": f'printf \'{{target}}:\\n  tls:\\n    mode: disabled\\n    certificateKeyFile: ""\\n    CAFile: ""\\n\' '
        f"> values.yaml\nhelm upgrade {RELEASE} {CHART} {NS} -f values.yaml",
        "upgraded to allow both": f"helm upgrade {RELEASE} {CHART} {NS} --reuse-values --set {{target}}.tls.mode=allowTLS",
        "upgraded to prefer": f"helm upgrade {RELEASE} {CHART} {NS} --reuse-values --set {{target}}.tls.mode=preferTLS",
        "sed to off": _sed(
            "configmap", "{target}", "'s/mode: requireTLS/mode: disabled/;/certificateKeyFile/d;/CAFile/d'"
        ),
        "sed to both": _sed("configmap", "{target}", "'s/mode: requireTLS/mode: allowTLS/'"),
        "a line commented": _sed(
            "configmap",
            "{target}",
            "'s/mode: requireTLS/mode: disabled # requireTLS/;s/certificateKeyFile/# &/;s/CAFile/# &/'",
        ),
        "no word of it": _edit("configmap", "{target}", '.data["mongod.conf"] = "net:\\n  port: 27017\\n"'),
        "rolled back after looks": f"helm history {RELEASE} {NS}\nhelm get values {RELEASE} {NS}\nsleep 120\n"
        f"helm rollback {RELEASE} 1 {NS} --wait\nsleep 120",
    },
)

RECIPES = (*POLICIES, *QUOTAS, *STRAY, *SERVICES, *SETTINGS, *TAINT, *LOGIN, *REBOUND, *TLS)
