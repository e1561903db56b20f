"""Good repairs that only make sense on some families: their own commands, and other ways to the same effect."""

from __future__ import annotations

import json
from collections.abc import Mapping

from aiops_gym.testing.adversary.recipe import NOT_HERE, Recipe
from aiops_gym.testing.adversary.repairs import objects

NS = "-n {namespace}"
TEMPLATE = "/spec/template/spec"
CONTAINER = f"{TEMPLATE}/containers/0"
CLIENT = f'[ -z "{{service}}" ] || kubectl delete pod {NS} -l {{selector}}={{service}}\nsleep 20'
ROLL_CLIENT = f'[ -z "{{service}}" ] || kubectl rollout restart deployment/{{service}} {NS}'
RENEW = f"kubectl rollout restart deployment/{{target}} {NS}\nsleep 30"
GET = f"kubectl get deployment {{target}} {NS} -o json"
PUT = "kubectl replace -f -"


def _edit(jq: str) -> str:
    return f"{GET} | jq '{jq}' | {PUT}"


def _ops(*ops: Mapping[str, object], kind: str = "deployment", name: str = "{target}") -> str:
    return f"kubectl patch {kind} {name} {NS} --type=json -p '{json.dumps(ops)}'"


def _merge(body: str, kind: str = "deployment", name: str = "{target}", how: str = "merge") -> str:
    return f"kubectl patch {kind} {name} {NS} --type={how} -p '{body}'"


def _rows(families: tuple[str, ...] | str, end: str, rows: Mapping[str, str], *traits: str) -> tuple[Recipe, ...]:
    """Recipes of one family or several alike, all with the same end."""
    named = (families,) if isinstance(families, str) else families
    return tuple(
        Recipe(name=f"{named[0]}: {name}", layer="", script=f"{script}\n{end}", families=named, traits=traits)
        for name, script in rows.items()
    )


PLACE = _rows(
    "assign_to_non_existent_node",
    ROLL_CLIENT,
    {
        "a label made for the selector": (
            "kubectl label node {node} disk=fast\n"
            + _ops({"op": "replace", "path": f"{TEMPLATE}/nodeSelector", "value": {"disk": "fast"}})
        ),
        "the name of a node": _merge(
            '{"spec": {"template": {"spec": {"nodeSelector": {"kubernetes.io/hostname": "{node}"}}}}}'
        ),
        "the system of a node": _ops(
            {"op": "replace", "path": f"{TEMPLATE}/nodeSelector", "value": {"kubernetes.io/os": "linux"}}
        ),
        "null": _merge('{"spec": {"template": {"spec": {"nodeSelector": null}}}}'),
        "sed": f"kubectl get deployment {{target}} {NS} -o yaml | sed '/nodeSelector:/,/extra-node/d' | {PUT}",
        "empty": _ops({"op": "replace", "path": f"{TEMPLATE}/nodeSelector", "value": {}}),
    },
)

IMAGE_ROWS = {
    "set image": f"kubectl set image deployment/{{target}} {NS} {{container}}={{image}}",
    "set image of all": f"kubectl set image deployment/{{target}} {NS} '*={{image}}'",
    "sed": f"kubectl get deployment {{target}} {NS} -o yaml | sed 's#image: .*#image: {{image}}#' | {PUT}",
    "set image by file": f"kubectl get deployment {{target}} {NS} -o yaml > d.yaml\n"
    "kubectl set image --local -f d.yaml {container}={image} -o yaml > n.yaml\nkubectl replace -f n.yaml",
    "strategic": _merge(
        '{"spec": {"template": {"spec": {"containers": [{"name": "{container}", "image": "{image}"}]}}}}',
        how="strategic",
    ),
    "always pulled": _merge(
        '{"spec": {"template": {"spec": {"containers": [{"name": "{container}", "image": "{image}", '
        '"imagePullPolicy": "Always"}]}}}}',
        how="strategic",
    ),
    "pulled if it is not there": _merge(
        '{"spec": {"template": {"spec": {"containers": [{"name": "{container}", "image": "{image}", '
        '"imagePullPolicy": "IfNotPresent"}]}}}}',
        how="strategic",
    ),
}
IMAGES = (
    *_rows("missing_image_tag", ROLL_CLIENT, IMAGE_ROWS),
    *_rows(
        "misconfig_app",
        "",
        {k: v.replace("{image}", "yinfangchen/hotelreservation:latest") for k, v in IMAGE_ROWS.items()},
    ),
    *_rows(
        ("missing_image_tag", "misconfig_app"),
        ROLL_CLIENT,
        {
            "the digest that a pod of the same image shows": (
                "id=$(kubectl get pods -n {namespace} -o json | jq -r '[.items[].status.containerStatuses[]? "
                '| select((.image | sub("^docker.io/(library/)?"; "")) == ("{image}" | sub("^docker.io/(library/)?"; "") '
                '| if contains(":") then . else . + ":latest" end)) | .imageID | select(. != "")] | first // ""\')\n'
                f'[ -n "$id" ] || exit {NOT_HERE}\n'
                f"kubectl set image deployment/{{target}} {NS} {{container}}=$id"
            ),
            "with the registry": (
                "full=$(echo {image} | sed -E 's#^docker.io/##; s#^([^/]+)$#library/\\1#; s#^#docker.io/#')\n"
                f"kubectl set image deployment/{{target}} {NS} {{container}}=$full"
            ),
            "without the registry": (
                "short=$(echo {image} | sed -E 's#^docker.io/(library/)?##')\n"
                f"kubectl set image deployment/{{target}} {NS} {{container}}=$short"
            ),
        },
    ),
    *_rows(
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

FIRST = "{executable}"
PROGRAM = (
    *_rows(
        ("wrong_bin_usage", "wrong_command"),
        ROLL_CLIENT,
        {
            "its name": _ops({"op": "replace", "path": f"{CONTAINER}/command", "value": [FIRST]}),
            "a shell that becomes it": _ops(
                {"op": "replace", "path": f"{CONTAINER}/command", "value": ["sh", "-c", f"exec {FIRST}"]}
            ),
            "a shell by its path": _ops(
                {"op": "replace", "path": f"{CONTAINER}/command", "value": ["/bin/sh", "-c", f"exec {FIRST}"]}
            ),
            "by env": _ops({"op": "replace", "path": f"{CONTAINER}/command", "value": ["/usr/bin/env", FIRST]}),
            "by its path": _edit('.spec.template.spec.containers[0].command = ["@PATH/{executable}"]').replace(
                "@PATH", "/go/bin"
            ),
            "a command and an argument": _ops(
                {"op": "replace", "path": f"{CONTAINER}/command", "value": ["/usr/bin/env"]},
                {"op": "add", "path": f"{CONTAINER}/args", "value": [FIRST]},
            ),
            "merged": _merge(
                '{"spec": {"template": {"spec": {"containers": [{"name": "{container}", "command": ["{executable}"]}]}}}}',
                how="strategic",
            ),
        },
        "executable",
        "addressed",
    ),
    *_rows(
        ("wrong_bin_usage", "wrong_command"),
        ROLL_CLIENT,
        {
            "its name there": _ops({"op": "replace", "path": f"{CONTAINER}/command", "value": [FIRST]}),
            "a shell that becomes it there": _ops(
                {"op": "replace", "path": f"{CONTAINER}/command", "value": ["sh", "-c", f"exec {FIRST}"]}
            ),
            "by env there": _ops({"op": "replace", "path": f"{CONTAINER}/command", "value": ["/usr/bin/env", FIRST]}),
        },
        "executable",
        "!addressed",
    ),
    *_rows(
        "wrong_command",
        ROLL_CLIENT,
        {
            "none": _edit(".spec.template.spec.containers[0].command = {command}"),
            "removed or set": _edit(
                "if {command} == null then del(.spec.template.spec.containers[0].command) "
                "else .spec.template.spec.containers[0].command = {command} end"
            ),
        },
    ),
)

HOSTS = (
    *_rows(
        ("stale_host_entry", "slow_cache"),
        "",
        {
            "an empty list": _ops({"op": "replace", "path": f"{TEMPLATE}/hostAliases", "value": []}),
            "null": _merge('{"spec": {"template": {"spec": {"hostAliases": null}}}}'),
            "entries of something else": _ops(
                {
                    "op": "replace",
                    "path": f"{TEMPLATE}/hostAliases",
                    "value": [{"ip": "10.43.118.27", "hostnames": ["legacy.example.com"]}],
                }
            ),
            "removed": _edit("del(.spec.template.spec.hostAliases)"),
        },
    ),
    *_rows(
        "wrong_dns_policy",
        "",
        {
            "none, with the cluster's name server": (
                "ip=$(kubectl get service kube-dns -n kube-system -o jsonpath='{.spec.clusterIP}')\n"
                f'{GET} | jq --arg ip $ip \'.spec.template.spec.dnsPolicy = "None" | .spec.template.spec.dnsConfig = '
                '{nameservers: [$ip], searches: ["{namespace}.svc.cluster.local", "svc.cluster.local", "cluster.local"], '
                f'options: [{{name: "ndots", value: "5"}}]}}\' | {PUT}'
            ),
            "none, with fewer searches": (
                "ip=$(kubectl get service kube-dns -n kube-system -o jsonpath='{.spec.clusterIP}')\n"
                f'{GET} | jq --arg ip $ip \'.spec.template.spec.dnsPolicy = "None" | .spec.template.spec.dnsConfig = '
                f'{{nameservers: [$ip], searches: ["{{namespace}}.svc.cluster.local"]}}\' | {PUT}'
            ),
            "with the host's network's": _merge(
                '{"spec": {"template": {"spec": {"dnsPolicy": "ClusterFirstWithHostNet"}}}}'
            ),
            "null": _merge('{"spec": {"template": {"spec": {"dnsPolicy": null}}}}'),
            "sed": f"kubectl get deployment {{target}} {NS} -o yaml | sed 's/dnsPolicy: Default/dnsPolicy: ClusterFirst/' | {PUT}",
        },
    ),
)

ADDRESS = _rows(
    "wrong_address",
    "",
    {
        "set env": f"kubectl set env deployment/{{target}} {NS} REGISTRY_ADDRESS={{address}}",
        "the full name": f"kubectl set env deployment/{{target}} {NS} "
        "REGISTRY_ADDRESS=consul.{namespace}.svc.cluster.local:8500",
        "the full name with a dot": f"kubectl set env deployment/{{target}} {NS} "
        "REGISTRY_ADDRESS=consul.{namespace}.svc.cluster.local.:8500",
        "the name with its namespace": f"kubectl set env deployment/{{target}} {NS} REGISTRY_ADDRESS=consul.{{namespace}}:8500",
        "the Service's address": (
            f"ip=$(kubectl get service consul {NS} -o jsonpath='{{.spec.clusterIP}}')\n"
            f"kubectl set env deployment/{{target}} {NS} REGISTRY_ADDRESS=$ip:8500"
        ),
        "the argument written out": _ops({"op": "replace", "path": f"{CONTAINER}/args", "value": ["{flag}={address}"]}),
        "the argument in two": _ops({"op": "replace", "path": f"{CONTAINER}/args", "value": ["{flag}", "{address}"]}),
        "no argument and no variable": _edit(
            "del(.spec.template.spec.containers[0].args) | .spec.template.spec.containers[0].env |= "
            'map(select(.name != "REGISTRY_ADDRESS"))'
        ),
    },
)

RESOURCES = (
    *_rows(
        "oversized_request",
        ROLL_CLIENT,
        {
            f"a request of {amount}": f"kubectl set resources deployment/{{target}} {NS} --requests=memory={amount}"
            for amount in ("64Mi", "128M", "512Mi", "0")
        }
        | {
            "none": _ops({"op": "replace", "path": f"{CONTAINER}/resources", "value": {}}),
            "null": _merge(
                '{"spec": {"template": {"spec": {"containers": [{"name": "{container}", "resources": {"requests": null}}]}}}}',
                how="strategic",
            ),
            "512Mi as was meant": f"kubectl get deployment {{target}} {NS} -o yaml | sed 's/512Gi/512Mi/' | {PUT}",
        },
    ),
    *_rows(
        "small_cpu_limit",
        "",
        {
            "a limit of 0": f"kubectl set resources deployment/{{target}} {NS} --limits=cpu=0 --requests=cpu=0",
            "a limit of 2": f"kubectl set resources deployment/{{target}} {NS} --limits=cpu=2",
            "no limit": _ops({"op": "remove", "path": f"{CONTAINER}/resources/limits"}),
            "a limit of 1000m": _ops({"op": "replace", "path": f"{CONTAINER}/resources/limits/cpu", "value": "1000m"}),
            "a share by request": _ops(
                {"op": "replace", "path": f"{CONTAINER}/resources", "value": {"requests": {"cpu": "250m"}}}
            ),
        },
    ),
    *_rows(
        "small_memory_limit",
        "",
        {
            "a limit of 0": f"kubectl set resources deployment/{{target}} {NS} --limits=memory=0 --requests=memory=0",
            "a limit of 1Gi": f"kubectl set resources deployment/{{target}} {NS} --limits=memory=1Gi --requests=memory=64Mi",
            "no limit": _ops({"op": "remove", "path": f"{CONTAINER}/resources/limits"}),
            "ample": f"kubectl set resources deployment/{{target}} {NS} --limits=memory={{ample}}",
            "a request alone": _ops(
                {"op": "replace", "path": f"{CONTAINER}/resources", "value": {"requests": {"memory": "{ample}"}}}
            ),
        },
    ),
)

PROBES = (
    *_rows(
        "failing_readiness_probe",
        CLIENT,
        {
            "the right port": _ops(
                {"op": "replace", "path": f"{CONTAINER}/readinessProbe/tcpSocket/port", "value": "#"}
            ).replace('"#"', "{target_port}"),
            "a name for the port": _edit(
                '.spec.template.spec.containers[0] |= (.ports[0].name = "main" | .ports[0].containerPort = {target_port} '
                '| .readinessProbe.tcpSocket.port = "main")'
            ),
            "null": _merge(
                '{"spec": {"template": {"spec": {"containers": [{"name": "{container}", "readinessProbe": null}]}}}}',
                how="strategic",
            ),
        },
    ),
    *_rows(
        "failing_liveness_probe",
        "",
        {
            "the right port": _ops(
                {"op": "replace", "path": f"{CONTAINER}/livenessProbe/tcpSocket/port", "value": "#"}
            ).replace('"#"', "{target_port}"),
            "the right port, with more patience": _edit(
                ".spec.template.spec.containers[0].livenessProbe |= (.tcpSocket.port = {target_port} "
                "| .failureThreshold = 6 | .periodSeconds = 10)"
            ),
            "null": _merge(
                '{"spec": {"template": {"spec": {"containers": [{"name": "{container}", "livenessProbe": null}]}}}}',
                how="strategic",
            ),
        },
    ),
)

SCALE = _rows(
    "scale_pods_to_zero",
    ROLL_CLIENT,
    {
        "scaled": f"kubectl scale deployment {{target}} {NS} --replicas=1",
        "scaled from nothing": f"kubectl scale deployment/{{target}} {NS} --current-replicas=0 --replicas=1",
        "scaled by label": f"kubectl get deployment {NS} -l {{selector}}={{target}} -o name | grep . || exit {NOT_HERE}\n"
        f"kubectl scale deployment {NS} -l {{selector}}={{target}} --replicas=1",
        "one more": f"kubectl scale deployment {{target}} {NS} --replicas=2",
        "one more, and one fewer": f"kubectl scale deployment {{target}} {NS} --replicas=2\nsleep 60\n"
        f"kubectl scale deployment {{target}} {NS} --replicas=1",
        "through the door for scaling": f"kubectl patch deployment {{target}} {NS} --subresource=scale --type=merge "
        '-p \'{"spec": {"replicas": 1}}\'',
        "no number": _merge('{"spec": {"replicas": null}}'),
        "all that are at nothing": (
            f"for d in $(kubectl get deploy {NS} -o json | jq -r '.items[] | select(.spec.replicas == 0) | .metadata.name'); do\n"
            f"kubectl scale deployment $d {NS} --replicas=1\ndone"
        ),
    },
)

SECRET = f"kubectl create secret generic {{target}}-credentials {NS} --from-literal=username={{target}}"
DEPENDENCIES = (
    *_rows(
        "missing_secret",
        ROLL_CLIENT,
        {
            "created": SECRET,
            "created empty": f"kubectl create secret generic {{target}}-credentials {NS}",
            "applied": "kubectl apply -f - <<'EOF'\napiVersion: v1\nkind: Secret\n"
            "metadata: {name: {target}-credentials, namespace: {namespace}}\nstringData: {USERNAME: app}\nEOF",
            "created, and pods deleted": f"{SECRET}\nkubectl delete pod {NS} -l {{selector}}={{target}}",
            "created late": f"sleep 240\n{SECRET}\nsleep 120",
            "may be missing": _ops({"op": "add", "path": f"{CONTAINER}/envFrom/0/secretRef/optional", "value": True}),
            "no source": _ops({"op": "replace", "path": f"{CONTAINER}/envFrom", "value": []}),
        },
    ),
    *_rows(
        "missing_configmap",
        ROLL_CLIENT,
        {
            "copied": f"kubectl get configmap {{configmap}} {NS} -o yaml | sed 's/name: {{configmap}}$/name: {{configmap}}-v2/; "
            "/resourceVersion:/d; /uid:/d; /creationTimestamp:/d' | kubectl create -f -",
            "copied, and pods deleted": f"kubectl get configmap {{configmap}} {NS} -o json | jq 'del(.metadata.uid, "
            '.metadata.resourceVersion, .metadata.creationTimestamp, .metadata.annotations, .metadata.labels) | .metadata.name += "-v2"\' '
            f"| kubectl create -f -\nkubectl delete pod {NS} -l {{selector}}={{target}}",
            "copied from files": f"kubectl get configmap {{configmap}} {NS} -o json > m.json; mkdir -p files\n"
            "for k in $(jq -r '.data | keys[]' m.json); do jq -j --arg k $k '.data[$k]' m.json > files/$k; done\n"
            f"kubectl create configmap {{configmap}}-v2 {NS} --from-file=files",
            "the old name": f"kubectl get deployment {{target}} {NS} -o yaml | sed 's/name: {{configmap}}-v2/name: {{configmap}}/' | {PUT}",
        },
    ),
    *_rows(
        "endless_init_container",
        ROLL_CLIENT,
        {
            "a Service": f"kubectl create service clusterip {{target}}-config {NS} --tcp=8080:8080",
            "a Service to the target": "kubectl apply -f - <<'EOF'\napiVersion: v1\nkind: Service\n"
            "metadata: {name: {target}-config, namespace: {namespace}}\nspec:\n"
            "  selector: {{selector}: {target}}\n  ports: [{port: 8080}]\nEOF",
            "a name for another one": f"kubectl create service externalname {{target}}-config {NS} "
            "--external-name=kubernetes.default.svc.cluster.local",
            "an empty list": _ops({"op": "replace", "path": f"{TEMPLATE}/initContainers", "value": []}),
            "null": _merge('{"spec": {"template": {"spec": {"initContainers": null}}}}'),
            "one that waits for what is there": _edit(
                '.spec.template.spec.initContainers[0].command = ["sh", "-c", "until nslookup kubernetes.default; do sleep 2; done"]'
            ),
        },
    ),
    *_rows(
        "stuck_rollout",
        ROLL_CLIENT,
        {
            "undone": f"kubectl rollout undo deployment/{{target}} {NS}",
            "undone to the first": f"kubectl rollout undo deployment/{{target}} {NS} "
            f"--to-revision=$(kubectl rollout history deployment/{{target}} {NS} | awk '$1 ~ /^[0-9]+$/ {{print $1}}' | sort -n | tail -2 | head -1)",
            "an account": f"kubectl create serviceaccount {{target}}-runner {NS}\n{RENEW}",
            "an account applied": "kubectl apply -f - <<'EOF'\napiVersion: v1\nkind: ServiceAccount\n"
            "metadata: {name: {target}-runner, namespace: {namespace}}\nEOF\nsleep 240",
            "set serviceaccount": f"kubectl set serviceaccount deployment/{{target}} default {NS}",
            "null": _merge('{"spec": {"template": {"spec": {"serviceAccountName": null, "serviceAccount": null}}}}'),
        },
    ),
    *_rows(
        "unbound_claim",
        ROLL_CLIENT,
        {
            "the old name": f"kubectl get deployment {{target}} {NS} -o yaml | sed 's/claimName: {{claim}}-ssd/claimName: {{claim}}/' | {PUT}",
            "the old name, and the new claim gone": f"kubectl get deployment {{target}} {NS} -o yaml "
            f"| sed 's/claimName: {{claim}}-ssd/claimName: {{claim}}/' | {PUT}\nsleep 30\n"
            f"kubectl delete pvc {{claim}}-ssd {NS} --wait=false",
        },
    ),
    *_rows(
        "foreign_settings",
        "",
        {
            "the map mended": f"kubectl get configmap {{target}}-settings {NS} -o yaml | sed 's/[.]staging//' | kubectl replace -f -\n{RENEW}",
            "full names": f"kubectl get configmap {{target}}-settings {NS} -o yaml "
            f"| sed 's/[.]staging:/.{{namespace}}.svc.cluster.local:/' | kubectl replace -f -\n{RENEW}",
            "reformatted": f'kubectl get configmap {{target}}-settings {NS} -o json | jq \'.data["config.json"] |= '
            f'(sub("[.]staging"; "") | fromjson | tojson)\' | kubectl replace -f -\n{RENEW}',
            "no file, and no map": _edit(
                "del(.spec.template.spec.volumes, .spec.template.spec.containers[0].volumeMounts)"
            )
            + f"\nsleep 30\nkubectl delete configmap {{target}}-settings {NS}",
            "the mount alone": _ops({"op": "remove", "path": f"{CONTAINER}/volumeMounts"}),
        },
    ),
)

RECIPES = (*PLACE, *IMAGES, *PROGRAM, *HOSTS, *ADDRESS, *RESOURCES, *PROBES, *SCALE, *DEPENDENCIES, *objects.RECIPES)
