"""Masks in who is found under which name: DNS and addresses."""

from aiops_gym.testing.adversary.recipe import NOT_HERE, Recipe

NS = "-n {namespace}"
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


def _merge(kind: str, name: str, body: str) -> str:
    return f"kubectl patch {kind} {name} {NS} --type=merge -p '{body}'"


def _config(jq: str, name: str = "{target}", file: str = "{file}") -> str:
    return (
        f'kubectl get configmap {name} {NS} -o json | jq --arg ip "$ip" \'.data["{file}"] |= (fromjson | {jq} | '
        f"tojson)' "
        f"| kubectl replace -f -\n{RENEW}"
    )


DNS = (
    Recipe(
        name="the pod's address in the running pod's hosts file",
        layer="DNS",
        script=f'ip={CALLEE_IP}; [ -n "$ip" ]\nkubectl exec {NS} deploy/{{target}} -- '
        "sh -c \"sed '/{callee}/d' /etc/hosts > /tmp/h; echo $ip {callee} >> /tmp/h; cat /tmp/h > /etc/hosts\"; "
        "sleep 30",
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
        '"{\\"spec\\": {\\"template\\": {\\"spec\\": {\\"dnsPolicy\\": \\"None\\", \\"dnsConfig\\": '
        '{\\"nameservers\\": $ips, '
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
        name="today's pod in a variable",
        layer="addresses",
        script=f'ip={CALLEE_IP}; [ -n "$ip" ]\nsaid=$(echo \'{{said}}\' | sed "s/{{callee}}:/$ip:/")\n'
        f"[ \"$said\" != '{{said}}' ] || exit {NOT_HERE}\n"
        f'kubectl set env deployment/{{target}} {NS} "{{variable}}=$said"; sleep 60',
        families=("wrong_variable",),
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
        script=f'ip={CALLEE_IP}; [ -n "$ip" ]\nkubectl get configmap {{target}}-{{map_name}} {NS} -o yaml '
        f'| sed "s/{{callee}}[.]staging:/$ip:/; s/[.]staging//" | kubectl replace -f -\n{RENEW}',
        families=("foreign_settings",),
    ),
    Recipe(
        name="the wrong port opened at the other one's Service",
        layer="addresses",
        script='kubectl patch service {callee} -n {namespace} --type=json -p \'[{"op": "add", "path": '
        '"/spec/ports/-", "value": {"name": "further", "port": {wrong_callee_port}, "targetPort": {callee_port}}}]\''
        f"\n{RENEW}",
        families=("wrong_upstream_port", "wrong_variable"),
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

RECIPES = (*DNS, *ADDRESSES)
