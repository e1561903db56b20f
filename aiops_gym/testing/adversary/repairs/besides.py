"""Good repairs of people who do a little more than they must: as wide as the object, or only left lying about."""

from __future__ import annotations

import json

from aiops_gym.testing.adversary.recipe import NOT_HERE
from aiops_gym.testing.adversary.repairs.words import CONTAINER, NS, PUT, TEMPLATE, edit, list_rows, merge, operate

FAMILIES = (
    *("missing_secret", "missing_image_tag", "wrong_command", "wrong_bin_usage", "stuck_rollout", "stale_host_entry"),
    *("endless_init_container", "assign_to_non_existent_node", "wrong_dns_policy", "small_cpu_limit", "misconfig_app"),
)
"""Families in which the deployment of the target was rewritten."""

LEGACY = {"ip": "10.43.9.9", "hostnames": ["legacy.example.com"]}
LATER = {"key": "maintenance", "operator": "Exists", "effect": "NoSchedule"}
SCRATCH = (
    '.spec.template.spec.volumes += [{name: "scratch", emptyDir: {}}] '
    '| .spec.template.spec.containers[0].volumeMounts += [{name: "scratch", mountPath: "/tmp"}]'
)


def _after(script: str) -> str:
    return f"{{repair}}\nsleep 20\n{script}"


RECIPES = list_rows(
    FAMILIES,
    "sleep 40",
    {
        f"the repair, and {name}": _after(script)
        for name, script in {
            "a folder for what is fleeting": edit(SCRATCH),
            "more words in its log": f"kubectl set env deployment/{{target}} {NS} LOG_LEVEL=debug",
            "two more of it": f"n=$(kubectl get deployment {{target}} {NS} -o jsonpath='{{.spec.replicas}}')\n"
            f"kubectl scale deployment {{target}} {NS} --replicas=$((n + 2))",
            "a note of why": f"kubectl annotate deployment {{target}} {NS} kubernetes.io/change-cause=repaired by=me\n"
            f"kubectl label deployment {{target}} {NS} touched=yes",
            "stopped before it starts": merge('{"spec": {"strategy": {"type": "Recreate", "rollingUpdate": null}}}'),
            "an entry for a host of old": edit(f".spec.template.spec.hostAliases += [{json.dumps(LEGACY)}]"),
            "ready for maintenance": edit(f".spec.template.spec.tolerations += [{json.dumps(LATER)}]"),
            "a minute to end": operate(
                {"op": "add", "path": f"{TEMPLATE}/terminationGracePeriodSeconds", "value": 60},
            ),
            "always pulled": operate({"op": "add", "path": f"{CONTAINER}/imagePullPolicy", "value": "Always"}),
            "a pod to look around": f"kubectl run look {NS} --image=busybox:1.36 -- sleep 3600",
            "a pod taken aside": f"p=$(kubectl get pods {NS} -l {{selector}}={{bystander}} -o name | head -1)\n"
            f"k=$(kubectl get deployment {{bystander}} {NS} -o json "
            "| jq -r '.spec.selector.matchLabels | select(length == 1) | keys[0]')\n"
            f"kubectl get service {{bystander}} {NS} -o json "
            f"| jq -e --arg k \"$k\" '.spec.selector | has($k)' || exit {NOT_HERE}\n"  # its Service lets go of it, too
            f"kubectl label $p {NS} $k-",
            "a job that looked": f"kubectl create job look {NS} --image=busybox:1.36 -- nslookup {{bystander}}",
            "what there was, kept": f"kubectl get deployment {{target}} {NS} -o yaml > was.yaml\n"
            f"kubectl create configmap was {NS} --from-file=was.yaml",
            "written down and put back": f"kubectl get deployment {{target}} {NS} -o yaml > now.yaml\n"
            f"kubectl delete -f now.yaml\nsleep 5\nsed '/uid:/d;/resourceVersion:/d' now.yaml | {PUT} --force",
        }.items()
    },
)
