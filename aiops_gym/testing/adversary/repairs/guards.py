"""Good repairs of what forbids, and of what a fault created: policies, quotas, taints, stray pods."""

from __future__ import annotations

from aiops_gym.testing.adversary.recipe import NOT_HERE
from aiops_gym.testing.adversary.repairs.words import (
    CLIENT,
    NS,
    PUT,
    RENEW,
    edit_object,
    edit_text,
    list_rows,
    make_anew,
    operate,
)

POLICY = "{target}-{policy}"
POLICIES = (
    *list_rows(
        "blocking_network_policy",
        CLIENT,
        {
            "deleted": f"kubectl delete networkpolicy {POLICY} {NS}",
            "deleted by its file": f"kubectl get networkpolicy {POLICY} {NS} -o yaml > p.yaml; kubectl delete -f "
            f"p.yaml",
            "deleted late": f"sleep 300\nkubectl delete networkpolicy {POLICY} {NS}\nsleep 200",
            "no word of ingress": edit_object(
                "networkpolicy", POLICY, '.spec.policyTypes = ["Egress"] | .spec.egress = [{}] | del(.spec.ingress)'
            ),
            "all pods of the namespace": operate(
                {"op": "replace", "path": "/spec/ingress", "value": [{"from": [{"podSelector": {}}]}]},
                kind="networkpolicy",
                name=POLICY,
            ),
            "everybody": operate(
                {"op": "replace", "path": "/spec/ingress", "value": [{}]}, kind="networkpolicy", name=POLICY
            ),
            "all components by name": (
                f"kubectl get deployments {NS} -o json | jq -c '[.items[].metadata.name]' > names.json\n"
                f"kubectl get networkpolicy {POLICY} {NS} -o json | jq --slurpfile n names.json '.spec.ingress = "
                '[{from: [{podSelector: {matchExpressions: [{key: "{selector}", operator: "In", values: $n[0]}]}}]}]\' '
                f"| {PUT}"
            ),
            "all components, and their ports": (
                f"kubectl get networkpolicy {POLICY} {NS} -o json | jq '.spec.ingress = [{{from: [{{podSelector: "
                f"{{}}}}], "
                f'ports: [{{port: {{target_port}}, protocol: "TCP"}}]}}]\' | {PUT}'
            ),
            "the whole namespace by its name": operate(
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
            "put in its place": edit_object("networkpolicy", POLICY, ".spec.ingress[0].from[0].podSelector = {}"),
            "applied by the server": (
                "kubectl apply --server-side --force-conflicts -f - <<'EOF'\napiVersion: networking.k8s.io/v1\n"
                f"kind: NetworkPolicy\nmetadata: {{name: {POLICY}, namespace: {{namespace}}}}\nspec:\n"
                "  podSelector: {matchExpressions: [{key: {selector}, operator: In, values: [{target}]}]}\n"
                "  policyTypes: [Ingress]\n  ingress: [{from: [{podSelector: {}}]}]\nEOF"
            ),
            "recreated": make_anew("networkpolicy", POLICY, ".spec.ingress = [{from: [{podSelector: {}}]}]"),
            "deleted after a wrong attempt": f"kubectl label pods --all {NS} seen=yes\nsleep 60\n"
            f"kubectl label pods --all {NS} seen-\nkubectl delete networkpolicy {POLICY} {NS}\nsleep 150",
        },
    ),
    *list_rows(
        "blocking_network_policy",
        CLIENT,
        {
            "the one caller": operate(
                {
                    "op": "replace",
                    "path": "/spec/ingress",
                    "value": [{"from": [{"podSelector": {"matchLabels": {"{selector}": "{service}"}}}]}],
                },
                kind="networkpolicy",
                name=POLICY,
            ),
            "the one caller, on the one port": operate(
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
    *list_rows(
        "forgotten_dns",
        "sleep 30",
        {
            "deleted": f"kubectl delete networkpolicy {POLICY} {NS}",
            "deleted by its file": f"kubectl get networkpolicy {POLICY} {NS} -o yaml > p.yaml; kubectl delete -f "
            f"p.yaml",
            "port 53 to anybody": operate(
                {
                    "op": "add",
                    "path": "/spec/egress/-",
                    "value": {"ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]},
                },
                kind="networkpolicy",
                name=POLICY,
            ),
            "port 53 to the name servers": operate(
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
                name=POLICY,
            ),
            "the namespace of the name servers": edit_object(
                "networkpolicy",
                POLICY,
                '.spec.egress[0].to += [{namespaceSelector: {matchLabels: {"kubernetes.io/metadata.name": '
                '"kube-system"}}}]',
            ),
            "all namespaces": edit_object("networkpolicy", POLICY, ".spec.egress[0].to += [{namespaceSelector: {}}]"),
            "everything": operate(
                {"op": "replace", "path": "/spec/egress", "value": [{}]}, kind="networkpolicy", name=POLICY
            ),
            "no word of egress": edit_object(
                "networkpolicy", POLICY, '.spec.policyTypes = ["Ingress"] | .spec.ingress = [{}] | del(.spec.egress)'
            ),
            "another policy beside it": "kubectl apply -f - <<'EOF'\napiVersion: networking.k8s.io/v1\n"
            "kind: NetworkPolicy\nmetadata: {name: {target}-names, namespace: {namespace}}\nspec:\n"
            "  podSelector: {matchLabels: {{selector}: {target}}}\n  policyTypes: [Egress]\n"
            "  egress: [{ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]}]\nEOF",
            "deleted, and pods": f"kubectl delete networkpolicy {POLICY} {NS}\nkubectl delete pod {NS} -l "
            f"{{selector}}={{target}}",
            "deleted, and rolled out": f"kubectl delete networkpolicy {POLICY} {NS}\n{RENEW}",
            "recreated": make_anew("networkpolicy", POLICY, ".spec.egress = [{}]"),
            "deleted late": f"sleep 300\nkubectl delete networkpolicy {POLICY} {NS}\nsleep 200",
        },
    ),
)

QUOTAS = list_rows(
    "exhausted_quota",
    f"sleep 60\n{CLIENT}",
    {
        "deleted": f"kubectl delete resourcequota {{quota}} {NS}",
        "deleted by another name of its kind": f"kubectl delete quota/{{quota}} {NS}",
        "deleted by its file": f"kubectl get quota {{quota}} {NS} -o yaml > q.yaml\nkubectl delete -f q.yaml",
        "of 60": f'kubectl patch resourcequota {{quota}} {NS} -p \'{{"spec": {{"hard": {{"pods": "60"}}}}}}\'',
        "of 60 merged": f'kubectl patch quota {{quota}} {NS} --type=merge -p \'{{"spec": {{"hard": {{"pods": '
        f'"60"}}}}}}\'',
        "of 60 by operation": operate(
            {"op": "replace", "path": "/spec/hard/pods", "value": "60"}, kind="resourcequota", name="{quota}"
        ),
        "without pods": edit_object("resourcequota", "{quota}", "del(.spec.hard.pods)"),
        "of a little more than is needed": f"n=$(kubectl get deploy {NS} -o json | jq '[.items[].spec.replicas] "
        f"| add + 10')\n"
        f'kubectl patch quota {{quota}} {NS} --type=merge -p "{{\\"spec\\": {{\\"hard\\": {{\\"pods\\": '
        f'\\"$n\\"}}}}}}"',
        "of 60 with sed": edit_text("resourcequota", "{quota}", '\'s/pods: "10"/pods: "60"/\''),
        "of 60 applied": "kubectl apply -f - <<'EOF'\napiVersion: v1\nkind: ResourceQuota\n"
        'metadata: {name: {quota}, namespace: {namespace}}\nspec: {hard: {pods: "60"}}\nEOF',
        "of 60 applied by the server": "kubectl apply --server-side --force-conflicts -f - <<'EOF'\napiVersion: v1\n"
        'kind: ResourceQuota\nmetadata: {name: {quota}, namespace: {namespace}}\nspec: {hard: {pods: "60"}}\nEOF',
        "recreated": make_anew("resourcequota", "{quota}", '.spec.hard.pods = "60"'),
        "deleted, and rolled out": f"kubectl delete quota {{quota}} {NS}\nsleep 20\n{RENEW}",
        "deleted late": f"sleep 300\nkubectl delete quota {{quota}} {NS}\nsleep 300",
    },
)

STRAY = list_rows(
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
        "scaled away by patch": f'kubectl patch deployment toolbox {NS} --type=merge -p \'{{"spec": '
        f'{{"replicas": 0}}}}\'',
        "unmarked": edit_object("deployment", "toolbox", 'del(.spec.template.metadata.labels["{selector_key}"])'),
        "marked otherwise": edit_object(
            "deployment", "toolbox", '.spec.template.metadata.labels["{selector_key}"] = "toolbox"'
        ),
        "marked otherwise by patch": f"kubectl patch deployment toolbox {NS} --type=merge -p "
        '\'{"spec": {"template": {"metadata": {"labels": {"{selector_key}": "toolbox"}}}}}\'',
        "recreated without the mark": make_anew(
            "deployment", "toolbox", 'del(.spec.template.metadata.labels["{selector_key}"])'
        ),
        "told apart by a label of its own": f"kubectl patch deployment {{target}} {NS} --type=merge -p "
        '\'{"spec": {"template": {"metadata": {"labels": {"part": "{target}"}}}}}\'\n'
        f"kubectl rollout status deployment/{{target}} {NS} --timeout=200s\n"
        f'kubectl patch service {{target}} {NS} --type=merge -p \'{{"spec": {{"selector": {{"part": '
        '"{target}"}}}\'\nsleep 20',
        "told apart by the labels that its pods have": f"l=$(kubectl get deployment {{target}} {NS} -o json "
        "| jq -c '.spec.template.metadata.labels')\n"
        f'kubectl get deployment toolbox {NS} -o json | jq -e --argjson l "$l" '
        f"'.spec.template.metadata.labels | contains($l) | not' || exit {NOT_HERE}\n"
        f"kubectl get service {{target}} {NS} -o json | jq --argjson l \"$l\" '.spec.selector = $l' "
        "| kubectl replace -f -\nsleep 20",
        "deleted after looks": f"kubectl get pods {NS} -l {{selector_key}}={{selector_value}} -o wide\nsleep 120\n"
        f"kubectl delete pod {NS} -l run=toolbox\nsleep 30\nkubectl delete deployment toolbox {NS}",
    },
)

TAINT = list_rows(
    "untolerated_taint",
    CLIENT,
    {
        "by its key": "kubectl taint nodes {node} maintenance-",
        "by its key and effect": "kubectl taint nodes {node} maintenance:NoSchedule-",
        "by all of it": "kubectl taint nodes {node} maintenance=planned:NoSchedule-",
        "on all nodes": "kubectl taint nodes --all maintenance- || true",
        "by operation": 'kubectl patch node {node} --type=json -p \'[{"op": "remove", "path": "/spec/taints"}]\'',
        "null": 'kubectl patch node {node} --type=merge -p \'{"spec": {"taints": null}}\'',
        "that one": "kubectl get node {node} -o json | jq '.spec.taints |= map(select(.key != \"maintenance\"))' "
        "| kubectl replace -f -",
        "less of an effect": "kubectl taint nodes {node} maintenance-\n"
        "kubectl taint nodes {node} maintenance=planned:PreferNoSchedule",
        "with sed": "kubectl get node {node} -o yaml | sed '/taints:/,/value: planned/d' | kubectl replace -f -",
        "uncordoned first": "kubectl uncordon {node}\nsleep 60\nkubectl taint nodes {node} maintenance-",
        "applied by the server": "kubectl get node {node} -o json | jq '{apiVersion, kind, metadata: {name: "
        ".metadata.name}, "
        "spec: {taints: []}}' > n.json\nkubectl apply --server-side --force-conflicts -f n.json",
        "late": "sleep 300\nkubectl taint nodes {node} maintenance-\nsleep 300",
    },
)

RECIPES = (*POLICIES, *QUOTAS, *STRAY, *TAINT)
