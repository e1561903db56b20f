"""Masks on the way of a request: labels, selectors and endpoints."""

from aiops_gym.testing.adversary.recipe import Recipe

NS = "-n {namespace}"
POD = f"kubectl get pods {NS} -l {{selector}}={{target}} --no-headers -o custom-columns=N:.metadata.name | head -1"
POD_IP = (
    f"$(kubectl get pods {NS} -l {{selector}}={{target}} --field-selector=status.phase=Running "
    "-o jsonpath='{.items[0].status.podIP}')"
)
CLIENT = f'[ -z "{{service}}" ] || kubectl delete pod {NS} -l {{selector}}={{service}}; sleep 40'
UNREACHED = (
    *("mismatched_selector", "frozen_endpoints", "misconfig_k8s", "wrong_service_port", "stray_pod"),
    *("failing_readiness_probe", "wrong_listen_port"),
)
"""Families in which a Service does not lead where it should."""

BY_HAND = f"""ip={POD_IP}; [ -n "$ip" ]
port=$(kubectl get deploy {{target}} {NS} -o jsonpath='{{.spec.template.spec.containers[0].ports[0].containerPort}}')
kubectl patch service {{target}} {NS} --type=merge -p '{{"spec": {{"selector": null}}}}'
sleep 5
kubectl get endpoints {{target}} {NS} -o json | jq --arg ip $ip --argjson port $port \
'.subsets = [{{addresses: [{{ip: $ip}}], ports: [{{name: (.subsets[0].ports[0].name // "p"), port: $port}}]}}]' > e.json
name=$(kubectl get service {{target}} {NS} -o jsonpath='{{.spec.ports[0].name}}')
jq --arg name "$name" '.subsets[0].ports[0] |= (if $name == "" then del(.name) else .name = $name end)' e.json \
| kubectl replace -f -
{CLIENT}"""

SLICE = f"""ip={POD_IP}; [ -n "$ip" ]
port=$(kubectl get service {{target}} {NS} -o jsonpath='{{.spec.ports[0].name}}')
number=$(kubectl get deploy {{target}} {NS} -o jsonpath='{{.spec.template.spec.containers[0].ports[0].containerPort}}')
kubectl patch service {{target}} {NS} --type=merge -p '{{"spec": {{"selector": null}}}}'
kubectl apply -f - <<EOF
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: {{target}}-by-hand
  namespace: {{namespace}}
  labels: {{kubernetes.io/service-name: {{target}}}}
addressType: IPv4
ports:
- name: "$port"
  port: $number
endpoints:
- addresses: [$ip]
  conditions: {{ready: true}}
EOF
sleep 5
{CLIENT}"""

FAKE = f"""kubectl apply -f - <<EOF
apiVersion: apps/v1
kind: Deployment
metadata: {{name: stand-in, namespace: {{namespace}}}}
spec:
  selector: {{matchLabels: {{run: stand-in}}}}
  template:
    metadata: {{labels: {{run: stand-in}}}}
    spec:
      containers:
      - name: server
        image: IMAGE
        command: COMMAND
EOF
sleep 60
kubectl patch service SERVICE {NS} --type=json \
-p '[{{"op": "add", "path": "/spec/selector", "value": {{"run": "stand-in"}}}}]'
sleep 10
{CLIENT}"""


def _fake(image: str, command: str, service: str = "{target}") -> str:
    """A server of another program behind a Service."""
    return FAKE.replace("IMAGE", image).replace("COMMAND", command).replace("SERVICE", service)


def _merge(kind: str, name: str, body: str) -> str:
    return f"kubectl patch {kind} {name} {NS} --type=merge -p '{body}'"


LABELS = (
    Recipe(
        name="the label that the Service asks for, put on the running pod",
        layer="labels",
        script=f"kubectl label pod {NS} -l {{selector_key}}={{selector_value}} {{selector_key}}={{selector_value}}-v2 "
        f"--overwrite; sleep 40\n{CLIENT}",
        families=("mismatched_selector",),
    ),
    Recipe(
        name="the label that a policy asks for, put on running pods",
        layer="labels",
        script=f"kubectl label pods --all {NS} role={{target}}-client; sleep 60",
        families=("blocking_network_policy",),
    ),
    Recipe(
        name="a stray pod unmarked, and not its template",
        layer="labels",
        script=f"kubectl label pods {NS} -l run=toolbox {{selector_key}}-; sleep 20",
        families=("stray_pod",),
    ),
    Recipe(
        name="a stray pod deleted, and not what makes it",
        layer="labels",
        script=f"kubectl delete pods {NS} -l run=toolbox; sleep 20",
        families=("stray_pod",),
    ),
    Recipe(
        name="running pods told apart from a stray one by a label of their own",
        layer="labels",
        script=f"for p in $(kubectl get pods {NS} -l '{{selector_key}}={{selector_value}},run!=toolbox' -o name); do\n"
        f"kubectl label $p {NS} real=yes\ndone\n"
        + _merge("service", "{target}", '{"spec": {"selector": {"real": "yes"}}}')
        + "; sleep 20",
        families=("stray_pod",),
    ),
    Recipe(
        name="the Service after the label of one running pod",
        layer="labels",
        script=f"p=$({POD}); kubectl label pod $p {NS} picked=yes\n"
        "kubectl patch service {target} -n {namespace} --type=json "
        """-p '[{"op": "add", "path": "/spec/selector", "value": {"picked": "yes"}}]'\n""" + CLIENT,
        families=("mismatched_selector", "frozen_endpoints", "stray_pod"),
    ),
    Recipe(
        name="the Service after the hash of today's pods",
        layer="labels",
        script=f"p=$({POD}); hash=$(kubectl get pod $p {NS} -o jsonpath='{{.metadata.labels.pod-template-hash}}')\n"
        "kubectl patch service {target} -n {namespace} --type=json "
        """-p "[{\\"op\\": \\"add\\", \\"path\\": \\"/spec/selector\\", """
        """\\"value\\": {\\"pod-template-hash\\": \\"$hash\\"}}]"\n""" + CLIENT,
        families=("mismatched_selector", "frozen_endpoints", "stray_pod"),
    ),
)

SELECTORS = (
    Recipe(
        name="the Service to another component's pods",
        layer="selectors",
        script="labels=$(kubectl get deploy {bystander} -n {namespace} -o json | jq -c .spec.selector.matchLabels)\n"
        "kubectl patch service {target} -n {namespace} --type=json "
        """-p "[{\\"op\\": \\"add\\", \\"path\\": \\"/spec/selector\\", \\"value\\": $labels}]"\n""" + CLIENT,
        families=UNREACHED,
        traits=("served",),
    ),
    Recipe(
        name="the repair, and another component's Service to the target's pods",
        layer="selectors",
        after=True,
        script="kubectl patch service {bystander} -n {namespace} --type=json "
        """-p '[{"op": "add", "path": "/spec/selector", "value": {"{selector}": "{target}"}}]'""",
    ),
    Recipe(
        name="the repair, and another component's Service without a selector",
        layer="selectors",
        after=True,
        script=_merge("service", "{bystander}", '{"spec": {"selector": null}}'),
    ),
    Recipe(
        name="a Service that takes all pods",
        layer="selectors",
        script=f"kubectl label pods --all {NS} all=yes\n"
        "kubectl patch service {target} -n {namespace} --type=json "
        """-p '[{"op": "add", "path": "/spec/selector", "value": {"all": "yes"}}]'\n""" + CLIENT,
        families=("mismatched_selector", "frozen_endpoints"),
    ),
    Recipe(
        name="a web server behind the Service",
        layer="selectors",
        script=_fake("nginx:1.27", '[nginx, "-g", "daemon off;"]'),
        families=UNREACHED,
        traits=("served",),
    ),
    Recipe(
        name="something that only listens behind the Service",
        layer="selectors",
        script=_fake("busybox:1.36", '[nc, "-lk", "-p", "{target_port}", "-e", "cat"]'),
        traits=("served",),
    ),
    Recipe(
        name="an empty database behind the Service",
        layer="selectors",
        script=_fake("mongo:4.4.6", "[mongod, --bind_ip_all]"),
        traits=("dialled", "served"),
    ),
    Recipe(
        name="a web server that answers users",
        layer="traffic source",
        script=_fake("nginx:1.27", '[nginx, "-g", "daemon off;"]', "{entry}"),
    ),
    Recipe(
        name="the repair, and a web server that answers users",
        layer="traffic source",
        after=True,
        script=_fake("nginx:1.27", '[nginx, "-g", "daemon off;"]', "{entry}"),
    ),
)

ENDPOINTS = (
    Recipe(
        name="endpoints by hand to today's pod",
        layer="endpoints",
        script=BY_HAND,
        families=("mismatched_selector", "frozen_endpoints", "misconfig_k8s", "failing_readiness_probe", "stray_pod"),
        traits=("served",),
    ),
    Recipe(
        name="an endpoint slice by hand to today's pod",
        layer="endpoints",
        script=SLICE,
        families=("mismatched_selector", "frozen_endpoints", "misconfig_k8s", "failing_readiness_probe", "stray_pod"),
        traits=("served",),
    ),
    Recipe(
        name="pods that are not ready published",
        layer="endpoints",
        script=_merge("service", "{target}", '{"spec": {"publishNotReadyAddresses": true}}') + f"; sleep 20\n{CLIENT}",
        families=("failing_readiness_probe",),
    ),
)

RECIPES = (*LABELS, *SELECTORS, *ENDPOINTS)
