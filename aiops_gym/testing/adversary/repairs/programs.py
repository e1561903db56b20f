"""Good repairs of what runs: images, commands, arguments, names of hosts."""

from __future__ import annotations

from aiops_gym.testing.adversary.recipe import NOT_HERE
from aiops_gym.testing.adversary.repairs.words import (
    CONTAINER,
    NS,
    PUT,
    ROLL_CLIENT,
    TEMPLATE,
    edit,
    edit_text,
    list_rows,
    merge,
    operate,
)

IMAGE_ROWS = {
    "set image": f"kubectl set image deployment/{{target}} {NS} {{container}}={{image}}",
    "set image of all": f"kubectl set image deployment/{{target}} {NS} '*={{image}}'",
    "sed": f"kubectl get deployment {{target}} {NS} -o yaml | sed 's#image: .*#image: {{image}}#' | {PUT}",
    "set image by file": f"kubectl get deployment {{target}} {NS} -o yaml > d.yaml\n"
    "kubectl set image --local -f d.yaml {container}={image} -o yaml > n.yaml\nkubectl replace -f n.yaml",
    "strategic": merge(
        '{"spec": {"template": {"spec": {"containers": [{"name": "{container}", "image": "{image}"}]}}}}',
        how="strategic",
    ),
    "always pulled": merge(
        '{"spec": {"template": {"spec": {"containers": [{"name": "{container}", "image": "{image}", '
        '"imagePullPolicy": "Always"}]}}}}',
        how="strategic",
    ),
    "pulled if it is not there": merge(
        '{"spec": {"template": {"spec": {"containers": [{"name": "{container}", "image": "{image}", '
        '"imagePullPolicy": "IfNotPresent"}]}}}}',
        how="strategic",
    ),
}
IMAGES = (
    *list_rows("missing_image_tag", ROLL_CLIENT, IMAGE_ROWS),
    *list_rows(
        "misconfig_app",
        "",
        {k: v.replace("{image}", "yinfangchen/hotelreservation:latest") for k, v in IMAGE_ROWS.items()},
    ),
    *list_rows(
        ("missing_image_tag", "misconfig_app"),
        ROLL_CLIENT,
        {
            "the digest that a pod of the same image shows": (
                "id=$(kubectl get pods -n {namespace} -o json | jq -r '[.items[].status.containerStatuses[]? "
                '| select((.image | sub("^docker.io/(library/)?"; "")) == ("{image}" | '
                'sub("^docker.io/(library/)?"; "") '
                '| if contains(":") then . else . + ":latest" end)) | .imageID | select(. != "")] | first // ""\')\n'
                f'[ -n "$id" ] || exit {NOT_HERE}\n'
                f"kubectl set image deployment/{{target}} {NS} {{container}}=$id"
            ),
            "with the registry": (
                f"case {{image}} in docker.io/*) ;; *.*/*) exit {NOT_HERE};; esac\n"
                "full=$(echo {image} | sed -E 's#^docker.io/##; s#^([^/]+)$#library/\\1#; s#^#docker.io/#')\n"
                f"kubectl set image deployment/{{target}} {NS} {{container}}=$full"
            ),
            "without the registry": (
                "short=$(echo {image} | sed -E 's#^docker.io/(library/)?##')\n"
                f"kubectl set image deployment/{{target}} {NS} {{container}}=$short"
            ),
        },
    ),
    *list_rows(
        "misconfig_app",
        "",
        {
            "undone": f"kubectl rollout undo deployment/{{target}} {NS}",
            "undone to the first": f"kubectl rollout undo deployment/{{target}} {NS} --to-revision=1",
            "undone after looks": f"kubectl rollout history deployment/{{target}} {NS}\nsleep 100\n"
            f"kubectl rollout undo deployment/{{target}} {NS} --to-revision=1\n"
            f"kubectl rollout status deployment/{{target}} {NS} --timeout=300s",
        },
    ),
)

GET = f"kubectl get deployment {{target}} {NS} -o json"
FIRST = "{executable}"
PROGRAM = (
    *list_rows(
        ("wrong_bin_usage", "wrong_command"),
        ROLL_CLIENT,
        {
            "its name": operate({"op": "replace", "path": f"{CONTAINER}/command", "value": [FIRST]}),
            "a shell that becomes it": operate(
                {"op": "replace", "path": f"{CONTAINER}/command", "value": ["sh", "-c", f"exec {FIRST}"]}
            ),
            "a shell by its path": operate(
                {"op": "replace", "path": f"{CONTAINER}/command", "value": ["/bin/sh", "-c", f"exec {FIRST}"]}
            ),
            "by env": operate({"op": "replace", "path": f"{CONTAINER}/command", "value": ["/usr/bin/env", FIRST]}),
            "by its path": edit('.spec.template.spec.containers[0].command = ["@PATH/{executable}"]').replace(
                "@PATH", "/go/bin"
            ),
            "a command and an argument": operate(
                {"op": "replace", "path": f"{CONTAINER}/command", "value": ["/usr/bin/env"]},
                {"op": "add", "path": f"{CONTAINER}/args", "value": [FIRST]},
            ),
            "merged": merge(
                '{"spec": {"template": {"spec": {"containers": [{"name": "{container}", "command": '
                '["{executable}"]}]}}}}',
                how="strategic",
            ),
        },
        "executable",
        "addressed",
    ),
    *list_rows(
        ("wrong_bin_usage", "wrong_command"),
        ROLL_CLIENT,
        {
            "its name there": operate({"op": "replace", "path": f"{CONTAINER}/command", "value": [FIRST]}),
            "a shell that becomes it there": operate(
                {"op": "replace", "path": f"{CONTAINER}/command", "value": ["sh", "-c", f"exec {FIRST}"]}
            ),
            "by env there": operate(
                {"op": "replace", "path": f"{CONTAINER}/command", "value": ["/usr/bin/env", FIRST]}
            ),
        },
        "executable",
        "!addressed",
    ),
    *list_rows(
        "wrong_command",
        ROLL_CLIENT,
        {
            "none": edit(".spec.template.spec.containers[0].command = {command}"),
            "removed or set": edit(
                "if {command} == null then del(.spec.template.spec.containers[0].command) "
                "else .spec.template.spec.containers[0].command = {command} end"
            ),
        },
    ),
)

HOSTS = (
    *list_rows(
        ("stale_host_entry", "slow_cache"),
        "",
        {
            "an empty list": operate({"op": "replace", "path": f"{TEMPLATE}/hostAliases", "value": []}),
            "null": merge('{"spec": {"template": {"spec": {"hostAliases": null}}}}'),
            "entries of something else": operate(
                {
                    "op": "replace",
                    "path": f"{TEMPLATE}/hostAliases",
                    "value": [{"ip": "10.43.118.27", "hostnames": ["legacy.example.com"]}],
                }
            ),
            "removed": edit("del(.spec.template.spec.hostAliases)"),
        },
    ),
    *list_rows(
        "wrong_dns_policy",
        "",
        {
            "none, with the cluster's name server": (
                "ip=$(kubectl get service kube-dns -n kube-system -o jsonpath='{.spec.clusterIP}')\n"
                f'{GET} | jq --arg ip $ip \'.spec.template.spec.dnsPolicy = "None" | .spec.template.spec.dnsConfig = '
                '{nameservers: [$ip], searches: ["{namespace}.svc.cluster.local", "svc.cluster.local", '
                '"cluster.local"], '
                f'options: [{{name: "ndots", value: "5"}}]}}\' | {PUT}'
            ),
            "none, with fewer searches": (
                "ip=$(kubectl get service kube-dns -n kube-system -o jsonpath='{.spec.clusterIP}')\n"
                f'{GET} | jq --arg ip $ip \'.spec.template.spec.dnsPolicy = "None" | .spec.template.spec.dnsConfig = '
                f'{{nameservers: [$ip], searches: ["{{namespace}}.svc.cluster.local"]}}\' | {PUT}'
            ),
            "with the host's network's": merge(
                '{"spec": {"template": {"spec": {"dnsPolicy": "ClusterFirstWithHostNet"}}}}'
            ),
            "null": merge('{"spec": {"template": {"spec": {"dnsPolicy": null}}}}'),
            "sed": f"kubectl get deployment {{target}} {NS} -o yaml | sed 's/dnsPolicy: Default/dnsPolicy: "
            f"ClusterFirst/' | {PUT}",
        },
    ),
)

ADDRESS = list_rows(
    "wrong_address",
    "",
    {
        "set env": f"kubectl set env deployment/{{target}} {NS} REGISTRY_ADDRESS={{address}}",
        "the full name": f"kubectl set env deployment/{{target}} {NS} "
        "REGISTRY_ADDRESS=consul.{namespace}.svc.cluster.local:8500",
        "the full name with a dot": f"kubectl set env deployment/{{target}} {NS} "
        "REGISTRY_ADDRESS=consul.{namespace}.svc.cluster.local.:8500",
        "the name with its namespace": f"kubectl set env deployment/{{target}} {NS} "
        f"REGISTRY_ADDRESS=consul.{{namespace}}:8500",
        "the Service's address": (
            f"ip=$(kubectl get service consul {NS} -o jsonpath='{{.spec.clusterIP}}')\n"
            f"kubectl set env deployment/{{target}} {NS} REGISTRY_ADDRESS=$ip:8500"
        ),
        "the argument written out": operate(
            {"op": "replace", "path": f"{CONTAINER}/args", "value": ["{flag}={address}"]}
        ),
        "the argument in two": operate(
            {"op": "replace", "path": f"{CONTAINER}/args", "value": ["{flag}", "{address}"]}
        ),
        "no argument and no variable": edit(
            "del(.spec.template.spec.containers[0].args) | .spec.template.spec.containers[0].env |= "
            'map(select(.name != "REGISTRY_ADDRESS"))'
        ),
    },
)


def _set_variable(sed: str, before: str = "") -> str:
    """The variable set to what it said, with another host in it; where it says but a port there is none."""
    return (
        f"{before}said=$(echo '{{said}}' | sed \"{sed}\")\n[ \"$said\" != '{{said}}' ] || exit {NOT_HERE}\n"
        f'kubectl set env deployment/{{target}} {NS} "{{variable}}=$said"'
    )


VARIABLE = list_rows(
    "wrong_variable",
    "",
    {
        "set env": f"kubectl set env deployment/{{target}} {NS} '{{variable}}={{said}}'",
        "sed": edit_text("deployment", "{target}", "'s|{missaid}|{said}|'"),
        "jq": edit('(.spec.template.spec.containers[0].env[] | select(.name == "{variable}")).value = "{said}"'),
        "merged": merge(
            '{"spec": {"template": {"spec": {"containers": [{"name": "{container}", "env": [{"name": "{variable}", '
            '"value": "{said}"}]}]}}}}',
            how="strategic",
        ),
        "the full name": _set_variable("s/{callee}:/{callee}.{namespace}.svc.cluster.local:/"),
        "the name with its namespace": _set_variable("s/{callee}:/{callee}.{namespace}:/"),
        "the Service's address": _set_variable(
            "s/{callee}:/$ip:/",
            f"ip=$(kubectl get service {{callee}} {NS} -o jsonpath='{{.spec.clusterIP}}')\n",
        ),
    },
)
CONNECTIONS = list_rows(
    "few_connections",
    "",
    {
        f"{most} of them": operate(
            {"op": "replace", "path": f"{CONTAINER}/args", "value": ["postgres", "-c", f"max_connections={most}"]}
        )
        for most in (25, 100, 200, 500)
    }
    | {
        "an option of its own": operate(
            {"op": "replace", "path": f"{CONTAINER}/args", "value": ["postgres", "--max_connections=100"]}
        ),
        "the server's options alone": operate(
            {"op": "replace", "path": f"{CONTAINER}/args", "value": ["-c", "max_connections=100"]}
        ),
        "sed": edit_text("deployment", "{target}", "'s/max_connections=4/max_connections={slots}/'"),
        "removed": edit("{jq_args}"),
    },
)

RECIPES = (*IMAGES, *PROGRAM, *HOSTS, *ADDRESS, *VARIABLE, *CONNECTIONS)
