"""Masks in where and how much: resources, nodes and quotas."""

import json

from aiops_gym.testing.adversary.recipe import NOT_HERE, Recipe

NS = "-n {namespace}"
TEMPLATE = "/spec/template/spec"
CLIENT = f'[ -z "{{service}}" ] || kubectl delete pod {NS} -l {{selector}}={{service}}; sleep 60'
HUGE = {"capacity": {"memory": "1Ti"}, "allocatable": {"memory": "1Ti"}}
PLACELESS = ("assign_to_non_existent_node", "untolerated_taint", "oversized_request")
QUOTA = f"kubectl get resourcequotas {NS} -o name | grep -v {{quota}} | head -1 || true"


def _merge(kind: str, name: str, body: object, further: str = "") -> str:
    return f"kubectl patch {kind} {name} {NS} --type=merge{further} -p '{json.dumps(body)}'"


def _spec(body: object) -> object:
    return {"spec": {"template": {"spec": body}}}


def _limits(name: str, limits: str) -> str:
    return f"kubectl set resources deployment/{name} {NS} {limits}; sleep 60"


RESOURCES = (
    Recipe(
        name="a node said to be huge",
        layer="resources",
        script=f"kubectl patch node {{node}} --subresource=status -p '{json.dumps({'status': HUGE})}'; sleep "
        f"60\n{CLIENT}",
        families=("oversized_request",),
    ),
    Recipe(
        name="a request that only a whole node fills",
        layer="resources",
        script=_limits("{target}", "--requests=memory=60Gi"),
        families=("oversized_request",),
    ),
    Recipe(
        name="a little more memory, and too little",
        layer="resources",
        script=_limits("{target}", "--limits=memory=9Mi --requests=memory=1Mi"),
        families=("small_memory_limit",),
        traits=("executable",),
    ),
    Recipe(
        name="a little more of a processor, and too little",
        layer="resources",
        script=_limits("{target}", "--limits=cpu=20m --requests=cpu=10m"),
        families=("small_cpu_limit",),
    ),
    Recipe(
        name="many throttled pods in place of one",
        layer="resources",
        script=f"kubectl scale deployment {{target}} {NS} --replicas=8; sleep 60",
        families=("small_cpu_limit",),
    ),
    Recipe(
        name="many dying pods in place of one",
        layer="resources",
        script=f"kubectl scale deployment {{target}} {NS} --replicas=6; sleep 60",
        families=("small_memory_limit", "failing_liveness_probe"),
    ),
    Recipe(
        name="another component scaled up",
        layer="resources",
        script=f"kubectl scale deployment {{bystander}} {NS} --replicas=3; sleep 60",
    ),
    Recipe(
        name="the repair, and another component without its limits",
        layer="resources",
        after=True,
        script=f"kubectl get deployment {{bystander}} {NS} -o json | jq -e '.spec.template.spec.containers[0].resources"
        f".limits' || exit {NOT_HERE}\nkubectl patch deployment {{bystander}} {NS} --type=json -p "
        f'\'[{{"op": "remove", "path": "{TEMPLATE}/containers/0/resources"}}]\'; sleep 60',
    ),
    Recipe(
        name="the repair, and another component with tighter limits",
        layer="resources",
        after=True,
        script=_limits("{bystander}", "--limits=cpu=300m,memory=700Mi --requests=cpu=10m,memory=16Mi"),
    ),
    Recipe(
        name="the repair, and fewer pods of another component",
        layer="resources",
        after=True,
        script=f"n=$(kubectl get deploy {NS} -o json | jq -r '[.items[] | select(.spec.replicas > 1) "
        '| .metadata.name | select(. != "{target}")] | first // ""\')\n'
        f'[ -n "$n" ] || exit {NOT_HERE}\nkubectl scale deployment $n {NS} --replicas=1; sleep 20',
    ),
    Recipe(
        name="the repair, and none of another component",
        layer="resources",
        after=True,
        script=f"kubectl scale deployment {{bystander}} {NS} --replicas=0; sleep 20",
    ),
)

NODES = (
    Recipe(
        name="a node called as the one that is asked for",
        layer="nodes",
        script=f"kubectl label node {{node}} kubernetes.io/hostname=extra-node --overwrite; sleep 60\n{CLIENT}",
        families=("assign_to_non_existent_node",),
    ),
    Recipe(
        name="a node that is only written down",
        layer="nodes",
        script="kubectl get node {node} -o json | jq 'del(.metadata.uid, .metadata.resourceVersion, "
        '.metadata.creationTimestamp) | .metadata.name = "extra-node" | .metadata.labels["kubernetes.io/hostname"] = '
        f'"extra-node" | .spec = {{}}\' | kubectl create -f -\n'
        "kubectl get node {node} -o json | jq '{status: .status}' > s.json\n"
        "kubectl patch node extra-node --subresource=status --type=merge --patch-file=s.json\n"
        f"sleep 30\nfor p in $(kubectl get pods {NS} -l {{selector}}={{target}} -o name); do\n"
        f"kubectl patch $p {NS} --subresource=status --type=merge -p "
        """'{"status": {"phase": "Running", "podIP": "10.244.9.9"}}'\ndone\nsleep 30""",
        families=PLACELESS,
    ),
    Recipe(
        name="pods put on a node past the scheduler",
        layer="nodes",
        script=f"kubectl patch deployment {{target}} {NS} --type=merge -p "
        '\'{"spec": {"template": {"spec": {"nodeName": "{node}"}}}}\'; sleep 60\n' + CLIENT,
        families=PLACELESS,
    ),
    Recipe(
        name="the target alone tolerates the taint",
        layer="nodes",
        script=f"kubectl patch deployment {{target}} {NS} --type=merge -p "
        '\'{"spec": {"template": {"spec": {"tolerations": [{"key": "maintenance", "operator": "Exists"}]}}}}\''
        f"; sleep 60\n{CLIENT}",
        families=("untolerated_taint",),
    ),
    Recipe(
        name="the taint of the control plane gone",
        layer="nodes",
        script=f"kubectl taint nodes --all node-role.kubernetes.io/control-plane-; sleep 60\n{CLIENT}",
        families=PLACELESS,
        errs=True,
    ),
    Recipe(
        name="the repair, and the taint of the control plane gone",
        layer="nodes",
        after=True,
        script="kubectl taint nodes --all node-role.kubernetes.io/control-plane- || true",
    ),
    Recipe(name="the repair, and a cordoned node", layer="nodes", after=True, script="kubectl cordon {node}"),
    Recipe(
        name="a taint away for the moment",
        layer="nodes",
        script=f"kubectl taint nodes {{node}} maintenance-; sleep 90\n{CLIENT}\n"
        "kubectl taint nodes {node} maintenance=planned:NoSchedule",
        families=("untolerated_taint",),
    ),
    Recipe(
        name="the repair, and a taint for what comes next",
        layer="nodes",
        after=True,
        script="sleep 60; kubectl taint nodes {node} later=yes:NoSchedule",
    ),
    Recipe(
        name="the repair, and another component pinned to a node",
        layer="nodes",
        after=True,
        script=f"kubectl patch deployment {{bystander}} {NS} --type=merge -p "
        '\'{"spec": {"template": {"spec": {"nodeSelector": {"kubernetes.io/hostname": "{node}"}}}}}\' '
        f"| grep -v 'no change' || exit {NOT_HERE}; sleep 60",
    ),
    Recipe(
        name="the repair, and a node deleted",
        layer="nodes",
        after=True,
        script="n=$(kubectl get nodes -o name | grep control-plane | head -1); kubectl delete $n",
    ),
)

QUOTAS = (
    Recipe(
        name="a quota said to be unused",
        layer="quotas",
        script=f"kubectl patch resourcequota {{quota}} {NS} --subresource=status --type=merge -p "
        f'\'{{"status": {{"hard": {{"pods": "100"}}, "used": {{"pods": "0"}}}}}}\'; sleep 20',
        families=("exhausted_quota",),
    ),
    Recipe(
        name="a quota away for the moment",
        layer="quotas",
        script=f"kubectl get resourcequota {{quota}} {NS} -o json | jq '{{apiVersion, kind, metadata: "
        "{name: .metadata.name, namespace: .metadata.namespace}, spec}' > q.json\n"
        f"kubectl delete resourcequota {{quota}} {NS}; sleep 120\nkubectl create -f q.json",
        families=("exhausted_quota",),
    ),
    Recipe(
        name="a quota of exactly what there is",
        layer="quotas",
        script=f"kubectl delete resourcequota {{quota}} {NS}; sleep 120\n"
        f"n=$(kubectl get pods {NS} --no-headers | grep -c Running)\n"
        f"kubectl create quota {{quota}} {NS} --hard=pods=$n",
        families=("exhausted_quota",),
    ),
    Recipe(
        name="room made by what others lose",
        layer="quotas",
        script=f"for d in $(kubectl get deploy {NS} -o name | grep -v /{{target}} | tail -14); do\n"
        f"kubectl scale $d {NS} --replicas=0\ndone\nsleep 60",
        families=("exhausted_quota",),
    ),
    Recipe(
        name="the repair, and a quota of exactly what there is",
        layer="quotas",
        after=True,
        script=f"sleep 60; n=$(kubectl get pods {NS} --no-headers | grep -c Running)\n"
        f"kubectl create quota tight {NS} --hard=pods=$n",
    ),
    Recipe(
        name="the repair, and a quota that was there raised to 1000",
        layer="quotas",
        after=True,
        script=f'q=$({QUOTA}); [ -n "$q" ] || exit {NOT_HERE}\n'
        f'kubectl patch $q {NS} --type=merge -p \'{{"spec": {{"hard": {{"pods": "1000", "services": "1000"}}}}}}\'',
    ),
    Recipe(
        name="the repair, and a quota that was there deleted",
        layer="quotas",
        after=True,
        script=f'q=$({QUOTA}); [ -n "$q" ] || exit {NOT_HERE}\nkubectl delete $q {NS}',
    ),
    Recipe(
        name="the repair, and a quota that was there for nothing",
        layer="quotas",
        after=True,
        script=f'q=$({QUOTA}); [ -n "$q" ] || exit {NOT_HERE}\n'
        f'kubectl patch $q {NS} --type=json -p \'[{{"op": "replace", "path": "/spec/hard", "value": {{"secrets": '
        f'"500"}}}}]\'',
    ),
    Recipe(
        name="the repair, and a range that lets no pod in",
        layer="quotas",
        after=True,
        script="kubectl apply -f - <<'EOF'\napiVersion: v1\nkind: LimitRange\n"
        "metadata: {name: tiny, namespace: {namespace}}\nspec:\n  limits:\n  - type: Container\n"
        "    max: {memory: 1Mi}\n    default: {memory: 1Mi}\nEOF",
    ),
    Recipe(
        name="the repair, and a budget of all pods",
        layer="quotas",
        after=True,
        script=f"kubectl create pdb all {NS} --selector={{selector}}={{target}} --min-available=100%",
    ),
    Recipe(
        name="the repair, and a budget of all pods of another component",
        layer="quotas",
        after=True,
        script=f"kubectl create pdb all {NS} --selector={{selector}}={{bystander}} --min-available=100%",
    ),
)

RECIPES = (*RESOURCES, *NODES, *QUOTAS)
