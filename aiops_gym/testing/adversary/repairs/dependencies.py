"""Good repairs of what a program waits for: Secrets, ConfigMaps, accounts, claims, other Services."""

from __future__ import annotations

from aiops_gym.testing.adversary.repairs.words import (
    CONTAINER,
    NS,
    PUT,
    RENEW,
    ROLL_CLIENT,
    TEMPLATE,
    edit,
    list_rows,
    merge,
    operate,
)

SECRET = f"kubectl create secret generic {{target}}-{{secret_name}} {NS} --from-literal=username={{target}}"
DEPENDENCIES = (
    *list_rows(
        "missing_secret",
        ROLL_CLIENT,
        {
            "created": SECRET,
            "created empty": f"kubectl create secret generic {{target}}-{{secret_name}} {NS}",
            "applied": "kubectl apply -f - <<'EOF'\napiVersion: v1\nkind: Secret\n"
            "metadata: {name: {target}-{secret_name}, namespace: {namespace}}\nstringData: {USERNAME: app}\nEOF",
            "created, and pods deleted": f"{SECRET}\nkubectl delete pod {NS} -l {{selector}}={{target}}",
            "created late": f"sleep 240\n{SECRET}\nsleep 120",
            "may be missing": operate(
                {"op": "add", "path": f"{CONTAINER}/envFrom/0/secretRef/optional", "value": True}
            ),
            "no source": operate({"op": "replace", "path": f"{CONTAINER}/envFrom", "value": []}),
        },
    ),
    *list_rows(
        "missing_configmap",
        ROLL_CLIENT,
        {
            "copied": f"kubectl get configmap {{configmap}} {NS} -o yaml | sed 's/name: {{configmap}}$/name: "
            f"{{configmap}}-v2/; "
            "/resourceVersion:/d; /uid:/d; /creationTimestamp:/d' | kubectl create -f -",
            "copied, and pods deleted": f"kubectl get configmap {{configmap}} {NS} -o json | jq 'del(.metadata.uid, "
            ".metadata.resourceVersion, .metadata.creationTimestamp, .metadata.annotations, .metadata.labels) | "
            '.metadata.name += "-v2"\' '
            f"| kubectl create -f -\nkubectl delete pod {NS} -l {{selector}}={{target}}",
            "copied from files": f"kubectl get configmap {{configmap}} {NS} -o json > m.json; mkdir -p files\n"
            "for k in $(jq -r '.data | keys[]' m.json); do jq -j --arg k $k '.data[$k]' m.json > files/$k; done\n"
            f"kubectl create configmap {{configmap}}-v2 {NS} --from-file=files",
            "the old name": f"kubectl get deployment {{target}} {NS} -o yaml | sed 's/name: "
            f"{{configmap}}-v2/name: {{configmap}}/' | {PUT}",
            "the old name in a projection": edit(
                ".spec.template.spec.volumes[{configmap_index}] |= {name, projected: {sources: [{configMap: "
                '(.configMap | del(.defaultMode) | .name = "{configmap}")}]}}'
            ),
        },
    ),
    *list_rows(
        "endless_init_container",
        ROLL_CLIENT,
        {
            "a Service": f"kubectl create service clusterip {{target}}-config {NS} --tcp=8080:8080",
            "a Service to the target": "kubectl apply -f - <<'EOF'\napiVersion: v1\nkind: Service\n"
            "metadata: {name: {target}-config, namespace: {namespace}}\nspec:\n"
            "  selector: {{selector}: {target}}\n  ports: [{port: 8080}]\nEOF",
            "a name for another one": f"kubectl create service externalname {{target}}-config {NS} "
            "--external-name=kubernetes.default.svc.cluster.local",
            "an empty list": operate({"op": "replace", "path": f"{TEMPLATE}/initContainers", "value": []}),
            "null": merge('{"spec": {"template": {"spec": {"initContainers": null}}}}'),
            "one that waits for what is there": edit(
                '.spec.template.spec.initContainers[0].command = ["sh", "-c", "until nslookup '
                'kubernetes.default; do sleep 2; done"]'
            ),
        },
    ),
    *list_rows(
        "stuck_rollout",
        ROLL_CLIENT,
        {
            "undone": f"kubectl rollout undo deployment/{{target}} {NS}",
            "undone to the first": f"kubectl rollout undo deployment/{{target}} {NS} "
            f"--to-revision=$(kubectl rollout history deployment/{{target}} {NS} | awk '$1 ~ /^[0-9]+$/ {{print "
            f"$1}}' | sort -n | tail -2 | head -1)",
            "an account": f"kubectl create serviceaccount {{target}}-{{account_name}} {NS}\n{RENEW}",
            "an account applied": "kubectl apply -f - <<'EOF'\napiVersion: v1\nkind: ServiceAccount\n"
            "metadata: {name: {target}-{account_name}, namespace: {namespace}}\nEOF\nsleep 240",
            "set serviceaccount": f"kubectl set serviceaccount deployment/{{target}} default {NS}",
            "null": merge('{"spec": {"template": {"spec": {"serviceAccountName": null, "serviceAccount": null}}}}'),
        },
    ),
    *list_rows(
        "unbound_claim",
        ROLL_CLIENT,
        {
            "the old name": f"kubectl get deployment {{target}} {NS} -o yaml | sed 's/claimName: "
            f"{{claim}}-ssd/claimName: {{claim}}/' | {PUT}",
            "the old name, and the new claim gone": f"kubectl get deployment {{target}} {NS} -o yaml "
            f"| sed 's/claimName: {{claim}}-ssd/claimName: {{claim}}/' | {PUT}\nsleep 30\n"
            f"kubectl delete pvc {{claim}}-ssd {NS} --wait=false",
        },
    ),
    *list_rows(
        "foreign_settings",
        "",
        {
            "the map mended": f"kubectl get configmap {{target}}-{{map_name}} {NS} -o yaml | sed 's/[.]staging//' | "
            f"kubectl replace -f -\n{RENEW}",
            "full names": f"kubectl get configmap {{target}}-{{map_name}} {NS} -o yaml "
            f"| sed 's/[.]staging:/.{{namespace}}.svc.cluster.local:/' | kubectl replace -f -\n{RENEW}",
            "reformatted": f'kubectl get configmap {{target}}-{{map_name}} {NS} -o json | jq \'.data["config.json"] |= '
            f'(sub("[.]staging"; "") | fromjson | tojson)\' | kubectl replace -f -\n{RENEW}',
            "no file, and no map": edit(
                "del(.spec.template.spec.volumes, .spec.template.spec.containers[0].volumeMounts)"
            )
            + f"\nsleep 30\nkubectl delete configmap {{target}}-{{map_name}} {NS}",
            "the mount alone": operate({"op": "remove", "path": f"{CONTAINER}/volumeMounts"}),
        },
    ),
)

RECIPES = DEPENDENCIES
