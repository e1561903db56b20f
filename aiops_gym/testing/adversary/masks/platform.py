"""Masks of hard incidents: what a platform does to an app is put out of the way, or only what came of it is mended."""

from __future__ import annotations

import json
from collections.abc import Mapping

from aiops_gym.catalog.platform import DEFAULTS, IMAGES_RULE, KUBECTL_IMAGE, SPACE
from aiops_gym.testing.adversary.recipe import Recipe
from aiops_gym.testing.adversary.repairs.words import NS, RENEW, ROLL_CLIENT

AGAIN = f"{RENEW}\n{ROLL_CLIENT}\nsleep 40"
UP = f"kubectl scale deployment/{{target}} {NS} --replicas={{replicas}}"


def _rows(layer: str, families: tuple[str, ...], end: str, rows: Mapping[str, str]) -> tuple[Recipe, ...]:
    """Masks of families that are alike, all with the same end; a command that finds nothing to do is no mistake."""
    return tuple(
        Recipe(name=name, layer=layer, script=f"{script}\n{end}", families=families, errs=True)
        for name, script in rows.items()
    )


SERVERS = ("exhausted_injector", "bloated_policy", "expired_policy", "unanswered_webhook", "narrow_registry")
INJECTORS = (
    *("tight_injector", "misled_injector", "hardened_injector"),
    *("misplacing_injector", "gated_injector", "foreign_user"),
)
HOOKS = (f"mutatingwebhookconfiguration {DEFAULTS}", f"validatingwebhookconfiguration {IMAGES_RULE}")
ELSEWHERE = {"matchLabels": {"kubernetes.io/metadata.name": "elsewhere"}}
SPARED = {"matchExpressions": [{"key": "reviewed", "operator": "DoesNotExist"}]}
REVIEWED = json.dumps({"spec": {"template": {"metadata": {"labels": {"reviewed": "yes"}}}}})


def _set(field: str, value: object) -> str:
    """A field of both webhooks."""
    ops = json.dumps([{"op": "add", "path": f"/webhooks/0/{field}", "value": value}])
    return "\n".join(f"kubectl patch {hook} --type=json -p '{ops}'" for hook in HOOKS)


GUARDS = _rows(
    "RBAC",
    (*SERVERS, *INJECTORS),
    AGAIN,
    {
        "webhooks deleted": "\n".join(f"kubectl delete {hook}" for hook in HOOKS),
        "webhooks that are not needed": _set("failurePolicy", "Ignore"),
        "webhooks for other namespaces": _set("namespaceSelector", ELSEWHERE),
        "webhooks that spare some pods": (
            f"{_set('objectSelector', SPARED)}\nkubectl patch deployment {{target}} {NS} -p '{REVIEWED}'"
        ),
        "webhooks that ask when pods change": _set("rules/0/operations", ["UPDATE"]),
        "servers of webhooks stopped": (
            f"{_set('failurePolicy', 'Ignore')}\nkubectl scale deployment --all -n {SPACE} --replicas=0"
        ),
    },
)

SCHEDULED = ("night_shift", "eager_cleanup", "thrifty_job")
JOBS = ("business-hours", "stale-pods")
BACK = json.dumps(
    {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "back-again", "namespace": "{namespace}"},
        "spec": {
            "schedule": "* * * * *",
            "jobTemplate": {
                "spec": {
                    "template": {
                        "spec": {
                            "restartPolicy": "Never",
                            "serviceAccountName": "business-hours",
                            "containers": [
                                {
                                    "name": "back",
                                    "image": KUBECTL_IMAGE,
                                    "command": ["kubectl", "scale", "deployment/{target}", "--replicas={replicas}"],
                                }
                            ],
                        }
                    }
                }
            },
        },
    }
)
SCHEDULES = _rows(
    "time",
    SCHEDULED,
    f"{UP}\nsleep 30",
    {
        "scaled up until next time": "true",
        "runs of jobs deleted": f"kubectl delete jobs --all {NS}",
        "jobs that may no longer": "\n".join(f"kubectl delete rolebinding {job} {NS}" for job in JOBS),
        "jobs that recur deleted": f"kubectl delete cronjobs --all {NS}",
        "a job against a job": f"kubectl apply -f - <<'EOF'\n{BACK}\nEOF",
    },
)
BATCH = _rows(
    "resources",
    ("greedy_batch",),
    "sleep 30",
    {
        "the batch job deleted": f"kubectl delete cronjob usage-report {NS}",
        "its runs deleted": f"kubectl delete jobs --all {NS}",
        "the target that ranks higher": f"kubectl patch deployment {{target}} {NS} --type=merge -p "
        '\'{"spec": {"template": {"spec": {"priorityClassName": "system-cluster-critical"}}}}\'',
        "a rank of less": "kubectl delete priorityclass urgent",
    },
)

MENDED = (
    f"kubectl delete networkpolicies --all {NS}\n"
    f"kubectl get service {{target}} {NS} -o json | jq '.spec.ports[0].targetPort = {{target_port}}' "
    "| kubectl replace -f -"
)
SYNCS = _rows(
    "policies",
    ("stubborn_policy", "reverted_service"),
    MENDED,
    {
        "mended until it is applied again": "true",
        "a controller that is stopped": f"kubectl scale deployment config-sync {NS} --replicas=0\nsleep 10",
        "a controller that is deleted": f"kubectl delete deployment config-sync {NS}\nsleep 10",
        "a controller that may no longer": f"kubectl delete rolebinding config-sync {NS}",
        "a controller that hurries less": f"kubectl set env deployment/config-sync {NS} INTERVAL=90000\nsleep 40",
    },
)

WRITTEN = (
    f"ip=$(kubectl get service {{target}} {NS} -o jsonpath='{{.spec.clusterIP}}')\n"
    f"for d in $(kubectl get deployments {NS} -o name); do kubectl patch $d {NS} --type=merge -p "
    '"{\\"spec\\": {\\"template\\": {\\"spec\\": {\\"hostAliases\\": [{\\"ip\\": \\"$ip\\", \\"hostnames\\": '
    '[\\"{target}\\"]}]}}}}"; done'
)
NAMES = _rows(
    "DNS",
    ("silent_name_server", "redirected_name", "absent_name_server"),
    "sleep 60",
    {
        "the name in everybody's file": WRITTEN,
        "the name servers begun anew": "kubectl rollout restart deployment/coredns -n kube-system",
        "a Service of the same name elsewhere": "kubectl create service clusterip {target} --tcp=80:80 -n default",
        "callers begun anew": f"kubectl rollout restart deployment {NS}",
        "another resolver for all": f"for d in $(kubectl get deployments {NS} -o name); do kubectl patch $d {NS} "
        '--type=merge -p \'{"spec": {"template": {"spec": {"dnsPolicy": "Default"}}}}\'; done',
    },
)

RELEASES = _rows(
    "images",
    ("leaking_release", "renamed_release", "skewed_canary", "filling_sidecar", "meagre_defaults"),
    "sleep 40",
    {
        "begun anew as it is": f"kubectl rollout restart deployment/{{target}} {NS}",
        "more pods of what is there": f"kubectl scale deployment/{{target}} {NS} --replicas=4",
        "much more memory": f"kubectl set resources deployment/{{target}} {NS} --limits=memory=8Gi",
        "pods deleted once": f"kubectl delete pods {NS} -l {{selector}}={{target}}",
    },
)
STATES = _rows(
    "time",
    ("retry_storm", "load_spike", "thundering_restart", "cache_stampede", "waiting_circle"),
    "sleep 60",
    {
        "begun anew in its state": f"kubectl rollout restart deployment/{{target}} {NS}",
        "stopped and begun in its state": f"kubectl scale deployment/{{target}} {NS} --replicas=0\nsleep 20\n{UP}",
        "pods deleted in its state": f"kubectl delete pods {NS} -l {{selector}}={{target}}",
    },
)

BUDGETS = _rows(
    "quotas",
    ("strict_namespace", "unmet_quota", "narrow_ratio"),
    AGAIN,
    {
        "refused pods begun anew": "true",
        "a pod by hand": f"kubectl run {{target}} {NS} --image={{image}} --labels={{selector}}={{target}}",
        "its template bare": f"kubectl set resources deployment/{{target}} {NS} --limits=cpu=1,memory=64Mi "
        "--requests=cpu=1,memory=64Mi",
    },
)

COPY = (
    f"kubectl get deployment {{target}} {NS} -o json | jq 'del(.metadata.uid, .metadata.resourceVersion, "
    ".metadata.creationTimestamp, .metadata.deletionTimestamp, .metadata.finalizers, .status) "
    '| .metadata.name = "{target}-2"\' | kubectl create -f -'
)
HELD = _rows(
    "labels",
    ("held_deletion",),
    "sleep 40",
    {
        "a copy of another name": COPY,
        "deleted by force": f"kubectl delete deployment {{target}} {NS} --force --grace-period=0 --wait=false",
        "let go and not made again": f"kubectl patch deployment {{target}} {NS} --type=merge "
        '-p \'{"metadata": {"finalizers": null}}\'',
    },
)
MONGO = f"kubectl exec {NS} deploy/{{target}} -- mongo {{database}} --quiet --eval"
INDEXES = _rows(
    "data",
    ("conflicting_index",),
    f"{ROLL_CLIENT}\nsleep 40",
    {
        "the collection dropped": f'{MONGO} "db.{{collection}}.drop()"',
        "the database dropped": f'{MONGO} "db.dropDatabase()"',
        "the client begun anew": "true",
        "the server begun anew": f"kubectl rollout restart deployment/{{target}} {NS}\nsleep 30",
    },
)

RECIPES = (
    *GUARDS,
    *SCHEDULES,
    *BATCH,
    *SYNCS,
    *NAMES,
    *RELEASES,
    *STATES,
    *BUDGETS,
    *HELD,
    *INDEXES,
)
