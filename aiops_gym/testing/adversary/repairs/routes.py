"""Good repairs of Services, and of settings that say where something lies."""

from __future__ import annotations

from aiops_gym.testing.adversary.recipe import NOT_HERE
from aiops_gym.testing.adversary.repairs.words import (
    CLIENT,
    NS,
    PUT,
    RENEW,
    ROLL_CLIENT,
    edit_object,
    edit_text,
    list_rows,
    make_anew,
    operate,
)

SERVICES = (
    *list_rows(
        ("mismatched_selector", "frozen_endpoints"),
        CLIENT,
        {
            "set selector": f"kubectl set selector service {{target}} {{selector_key}}={{selector_value}} {NS}",
            "from the deployment": f"s=$(kubectl get deployment {{target}} {NS} -o json | jq -c "
            f".spec.selector.matchLabels)\n"
            f"kubectl get service {{target}} {NS} -o json | jq --argjson s \"$s\" '.spec.selector = $s' | {PUT}",
            "with more labels of the template": f"s=$(kubectl get deployment {{target}} {NS} -o json | jq -c "
            f'.spec.template.metadata.labels)\nkubectl get service {{target}} {NS} -o json | jq --argjson s "$s" '
            f"'.spec.selector = $s' | {PUT}",
            "recreated": make_anew(
                "service",
                "{target}",
                '.spec.selector = {"{selector_key}": "{selector_value}"} | del(.spec.clusterIP, .spec.clusterIPs)',
            ),
            "recreated with its address": make_anew(
                "service", "{target}", '.spec.selector = {"{selector_key}": "{selector_value}"}'
            ),
        },
    ),
    *list_rows(
        "misconfig_k8s",
        CLIENT,
        {
            "sed": edit_text("service", "{target}", "'s/targetPort: 9999/targetPort: {port}/'"),
            "a name for the port": f"kubectl get deployment {{target}} {NS} -o json | jq "
            '\'.spec.template.spec.containers[0].ports = [{name: "main", containerPort: {port}, protocol: "TCP"}]\' '
            f"| {PUT}\nsleep 40\n" + edit_object("service", "{target}", '.spec.ports[0].targetPort = "main"'),
            "recreated": make_anew(
                "service", "{target}", ".spec.ports[0].targetPort = {port} | del(.spec.clusterIP, .spec.clusterIPs)"
            ),
            "strategic": f"kubectl patch service {{target}} {NS} "
            '-p \'{"spec": {"ports": [{"port": {service_port}, "targetPort": {port}}]}}\'',
        },
    ),
    *list_rows(
        "wrong_service_port",
        CLIENT,
        {
            "sed": edit_text("service", "{target}", "'s/port: 18080/port: {service_port}/'"),
            "one port for the other": f"name=$(kubectl get service {{target}} {NS} -o "
            f"jsonpath='{{.spec.ports[0].name}}')\n"
            f"kubectl patch service {{target}} {NS} -p "
            '"{\\"spec\\": {\\"ports\\": [{\\"port\\": 18080, \\"$(echo \'$\')patch\\": \\"delete\\"}, '
            '{\\"port\\": {service_port}, \\"targetPort\\": {target_port}, \\"name\\": \\"$name\\"}]}}"',
            "both ports": edit_object(
                "service",
                "{target}",
                ".spec.ports[0] as $p | .spec.ports[0].port = {service_port} | .spec.ports += [$p + {name: "
                '"old", port: 18080}] '
                '| .spec.ports[0].name = ($p.name // "main")',
            ),
            "recreated": make_anew(
                "service", "{target}", ".spec.ports[0].port = {service_port} | del(.spec.clusterIP, .spec.clusterIPs)"
            ),
        },
    ),
)


def _text(jq: str, name: str = "{target}") -> str:
    """The text of the target's settings changed."""
    return edit_object("configmap", name, f'.data["{{file}}"] |= {jq}')


SETTINGS = (
    *list_rows(
        "wrong_listen_port",
        f"{RENEW}\n{CLIENT}",
        {
            "the number": _text('gsub("{wrong_port}"; "{listen_port}")'),
            "the number with sed": edit_text("configmap", "{target}", "'s/{wrong_port}/{listen_port}/'"),
        },
    ),
    *list_rows(
        "wrong_listen_port",
        CLIENT,
        {
            "the Service follows": operate(
                {"op": "replace", "path": "/spec/ports/0/targetPort", "value": "#"}, kind="service"
            ).replace('"#"', "{wrong_port}"),
            "the Service follows with sed": edit_text(
                "service", "{target}", "'s/targetPort: .*/targetPort: {wrong_port}/'"
            ),
        },
    ),
    *list_rows(
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
                '(fromjson | .["{callee}"] |= (.port = {callee_port} | .addr += '
                '".{namespace}.svc.cluster.local") | tojson)'
            ),
            "the Service's address besides": f"ip=$(kubectl get service {{callee}} {NS} -o "
            f"jsonpath='{{.spec.clusterIP}}')\n"
            f'kubectl get configmap {{target}} {NS} -o json | jq --arg ip $ip \'.data["{{file}}"] |= '
            f'(fromjson | .["{{callee}}"] |= (.port = {{callee_port}} | .addr = $ip) | tojson)\' | {PUT}',
        },
    ),
    *list_rows(
        "empty_pool",
        RENEW,
        {
            f"a pool of {count}": _text(f'(fromjson | .["{{pooled}}"].connections = {count} | tojson)')
            for count in (8, 64, 512, 1024)
        }
        | {
            "sed": edit_text("configmap", "{target}", '\'s/"connections": 0,/"connections": 512,/\''),
            "what others have": _text(
                '(fromjson | .["{pooled}"].connections = ([.[] | objects | .connections // 0] | max) | tojson)'
            ),
        },
    ),
    *list_rows(
        "unexpected_password",
        f"{RENEW}\n{ROLL_CLIENT}",
        {
            "a line commented": edit_text(
                "configmap", "{guarded_map}", "-E 's/^( *)(requirepass|authorization|security)/\\1# \\2/'"
            ),
            "a line gone": edit_text("configmap", "{guarded_map}", "'/{guard}/d;/^ *security:$/d'"),
        },
        "guarded_map",
    ),
    *list_rows(
        "unexpected_password",
        f"{RENEW}\n{ROLL_CLIENT}",
        {"said to be off": _text('sub("{guard}"; "{unguarded}")', "{guarded_map}")},
        "guarded_map",
        "dialled",
    ),
    *list_rows(
        "unexpected_password",
        f"{RENEW}\n{ROLL_CLIENT}",
        {
            "an empty password": f"kubectl get configmap {{guarded_map}} {NS} -o yaml | grep requirepass || exit "
            f"{NOT_HERE}\n" + edit_text("configmap", "{guarded_map}", "'s/requirepass .*/requirepass \"\"/'")
        },
        "guarded_map",
    ),
    *list_rows(
        "unexpected_password",
        f"sleep 30\n{ROLL_CLIENT}",
        {
            "no arguments": operate(
                {"op": "remove", "path": "/spec/template/spec/containers/0/args"},
                kind="deployment",
                name="{guarded_run}",
            ),
            "empty arguments": operate(
                {"op": "replace", "path": "/spec/template/spec/containers/0/args", "value": []},
                kind="deployment",
                name="{guarded_run}",
            ),
            "the opposite said": operate(
                {"op": "replace", "path": "/spec/template/spec/containers/0/args", "value": ["--noauth"]},
                kind="deployment",
                name="{guarded_run}",
            ),
            "the program said": operate(
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

RECIPES = (*SERVICES, *SETTINGS)
