"""Masks on the way of a request: labels, selectors, endpoints, DNS and addresses."""

from aiops_gym.testing.adversary.recipe import Recipe

NS = "-n {namespace}"
POD = f"kubectl get pods {NS} -l {{selector}}={{target}} --no-headers -o custom-columns=N:.metadata.name | head -1"
POD_IP = (
    f"$(kubectl get pods {NS} -l {{selector}}={{target}} --field-selector=status.phase=Running "
    "-o jsonpath='{.items[0].status.podIP}')"
)
CALLEE_IP = (
    f"$(kubectl get pods {NS} -l {{selector}}={{callee}} --field-selector=status.phase=Running "
    "-o jsonpath='{.items[0].status.podIP}')"
)
CONSUL_IP = CALLEE_IP.replace("{callee}", "consul")
RENEW = f"kubectl rollout restart deployment/{{target}} {NS}; sleep 40"
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
kubectl patch service SERVICE {NS} --type=json -p '[{{"op": "add", "path": "/spec/selector", "value": {{"run": "stand-in"}}}}]'
sleep 10
{CLIENT}"""


def _fake(image: str, command: str, service: str = "{target}") -> str:
    """A server of another program behind a Service."""
    return FAKE.replace("IMAGE", image).replace("COMMAND", command).replace("SERVICE", service)


def _merge(kind: str, name: str, body: str) -> str:
    return f"kubectl patch {kind} {name} {NS} --type=merge -p '{body}'"


def _config(jq: str, name: str = "{target}", file: str = "{file}") -> str:
    return (
        f'kubectl get configmap {name} {NS} -o json | jq --arg ip "$ip" \'.data["{file}"] |= (fromjson | {jq} | tojson)\' '
        f"| kubectl replace -f -\n{RENEW}"
    )


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
        """-p "[{\\"op\\": \\"add\\", \\"path\\": \\"/spec/selector\\", \\"value\\": {\\"pod-template-hash\\": \\"$hash\\"}}]"\n"""
        + CLIENT,
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
        traits=("database", "served"),
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
    Recipe(
        name="the repair, and endpoints of another Service frozen",
        layer="endpoints",
        after=True,
        script=_merge("service", "{bystander}", '{"spec": {"selector": null}}') + "; sleep 10",
    ),
)

DNS = (
    Recipe(
        name="the pod's address in the running pod's hosts file",
        layer="DNS",
        script=f'ip={CALLEE_IP}; [ -n "$ip" ]\nkubectl exec {NS} deploy/{{target}} -- '
        "sh -c \"sed '/{callee}/d' /etc/hosts > /tmp/h; echo $ip {callee} >> /tmp/h; cat /tmp/h > /etc/hosts\"; sleep 30",
        families=("stale_host_entry",),
    ),
    Recipe(
        name="the cluster's name server in the running pod's resolv.conf",
        layer="DNS",
        script=f"kubectl exec {NS} deploy/{{target}} -- sh -c "
        "'printf \"search {namespace}.svc.cluster.local svc.cluster.local cluster.local\\nnameserver 10.96.0.10\\n"
        "options ndots:5\\n\" > /etc/resolv.conf'; sleep 30",
        families=("wrong_dns_policy",),
        errs=True,
    ),
    Recipe(
        name="today's addresses of the name servers' pods as name servers",
        layer="DNS",
        script="ips=$(kubectl get pods -n kube-system -l k8s-app=kube-dns -o json | jq -c '[.items[].status.podIP]')\n"
        f"kubectl patch deployment {{target}} {NS} --type=merge -p "
        '"{\\"spec\\": {\\"template\\": {\\"spec\\": {\\"dnsPolicy\\": \\"None\\", \\"dnsConfig\\": {\\"nameservers\\": $ips, '
        '\\"searches\\": [\\"{namespace}.svc.cluster.local\\", \\"svc.cluster.local\\"], '
        '\\"options\\": [{\\"name\\": \\"ndots\\", \\"value\\": \\"5\\"}]}}}}}"\nsleep 60',
        families=("wrong_dns_policy",),
    ),
    Recipe(
        name="host entries instead of the name server",
        layer="DNS",
        script=f'kubectl get services {NS} -o json | jq \'[.items[] | select(.spec.clusterIP != "None") '
        "| {ip: .spec.clusterIP, hostnames: [.metadata.name]}]' > hosts.json\n"
        f"kubectl get deployment {{target}} {NS} -o json | jq --slurpfile h hosts.json "
        "'.spec.template.spec.hostAliases = $h[0]' | kubectl replace -f -\nsleep 60",
        families=("wrong_dns_policy", "forgotten_dns"),
    ),
    Recipe(
        name="the repair, and the name servers gone",
        layer="DNS",
        after=True,
        script="kubectl scale deployment coredns -n kube-system --replicas=0; sleep 20",
    ),
    Recipe(
        name="the repair, and another component asks the node's name server",
        layer="DNS",
        after=True,
        script=f"kubectl patch deployment {{bystander}} {NS} --type=merge -p "
        '\'{"spec": {"template": {"spec": {"dnsPolicy": "Default"}}}}\'; sleep 40',
    ),
)

ADDRESSES = (
    Recipe(
        name="today's pod in the host entry",
        layer="addresses",
        script=f'ip={CALLEE_IP}; [ -n "$ip" ]\nkubectl get deployment {{target}} {NS} -o json | jq --arg ip $ip '
        "'.spec.template.spec.hostAliases[0].ip = $ip' | kubectl replace -f -\nsleep 40",
        families=("stale_host_entry",),
    ),
    Recipe(
        name="today's pod of the cache in the host entry",
        layer="addresses",
        script=f'ip={CALLEE_IP.replace("{callee}", "{cache}")}; [ -n "$ip" ]\n'
        f"kubectl get deployment {{target}} {NS} -o json | jq --arg ip $ip "
        "'.spec.template.spec.hostAliases[0].ip = $ip' | kubectl replace -f -\nsleep 40",
        families=("slow_cache",),
        traits=("cache",),
    ),
    Recipe(
        name="today's pod of the registry as address",
        layer="addresses",
        script=f'ip={CONSUL_IP}; [ -n "$ip" ]\n'
        f"kubectl set env deployment/{{target}} {NS} REGISTRY_ADDRESS=$ip:8500; sleep 60",
        families=("wrong_address",),
    ),
    Recipe(
        name="today's pod in the settings",
        layer="addresses",
        script=f'ip={CALLEE_IP}; [ -n "$ip" ]\n'
        + _config('.["{callee}"].addr = $ip | .["{callee}"].port = {callee_port}'),
        families=("wrong_upstream_port",),
    ),
    Recipe(
        name="today's pod in the settings of a pool",
        layer="addresses",
        script=f'ip={CALLEE_IP.replace("{callee}", "{pooled}")}; [ -n "$ip" ]\n'
        + _config('.["{pooled}"].addr = $ip | .["{pooled}"].connections = 512'),
        families=("empty_pool",),
    ),
    Recipe(
        name="today's pods in the settings of another environment",
        layer="addresses",
        script=f'ip={CONSUL_IP}; [ -n "$ip" ]\nkubectl get configmap {{target}}-settings {NS} -o yaml '
        f'| sed "s/consul[.]staging:/$ip:/; s/[.]staging//" | kubectl replace -f -\n{RENEW}',
        families=("foreign_settings",),
    ),
    Recipe(
        name="the wrong port opened at the other one's Service",
        layer="addresses",
        script='kubectl patch service {callee} -n {namespace} --type=json -p \'[{"op": "add", "path": '
        '"/spec/ports/-", "value": {"name": "further", "port": {wrong_callee_port}, "targetPort": {callee_port}}}]\''
        f"\n{RENEW}",
        families=("wrong_upstream_port",),
    ),
    Recipe(
        name="the caller pinned to today's pod by a host entry",
        layer="addresses",
        script=f'ip={POD_IP}; [ -n "$ip" ]\nkubectl patch deployment {{caller}} {NS} --type=merge -p '
        '"{\\"spec\\": {\\"template\\": {\\"spec\\": {\\"hostAliases\\": [{\\"ip\\": \\"$ip\\", '
        '\\"hostnames\\": [\\"{target}\\"]}]}}}}"\nsleep 60',
        families=(
            "mismatched_selector",
            "frozen_endpoints",
            "misconfig_k8s",
            "failing_readiness_probe",
            "stray_pod",
            "wrong_service_port",
        ),
        traits=("served",),
    ),
    Recipe(
        name="an external address for the address that is wrong",
        layer="addresses",
        script="cat > s.yaml <<'EOF'\napiVersion: v1\nkind: Service\n"
        "metadata: {name: old-address, namespace: {namespace}}\nspec:\n  selector: {{selector}: {callee}}\n"
        "  externalIPs: [10.43.118.27]\n  ports:\n  - {name: a, port: 27017}\n  - {name: b, port: 8500}\n"
        "  - {name: c, port: 9090}\n  - {name: d, port: 6379}\nEOF\nkubectl apply -f s.yaml; sleep 30",
        families=("stale_host_entry",),
    ),
)

RECIPES = (*LABELS, *SELECTORS, *ENDPOINTS, *DNS, *ADDRESSES)
