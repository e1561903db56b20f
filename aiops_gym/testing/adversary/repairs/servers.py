"""Good repairs of hard incidents for which no object has to be written: a program begun anew, a deletion undone."""

from __future__ import annotations

from aiops_gym.catalog.platform import DEFAULTS, IMAGES_RULE, SPACE
from aiops_gym.testing.adversary.repairs.words import NS, RENEW, ROLL_CLIENT, list_rows

OF_PLATFORM = f"-n {SPACE}"
SERVERS = {"exhausted_injector": DEFAULTS, "bloated_policy": IMAGES_RULE, "expired_policy": IMAGES_RULE}
BEGUN = {
    "rolled out": f"kubectl rollout restart deployment/NAME {OF_PLATFORM}",
    "rolled out with its like": f"kubectl rollout restart deployment {OF_PLATFORM}",
    "pod deleted by label": f"kubectl delete pod {OF_PLATFORM} -l app.kubernetes.io/name=NAME",
    "pod deleted by name": f"kubectl delete {OF_PLATFORM} "
    f"$(kubectl get pods {OF_PLATFORM} -o name | grep NAME | head -1) --force --grace-period=0",
    "all pods deleted": f"kubectl delete pods --all {OF_PLATFORM}",
    "set of pods deleted": f"kubectl delete replicaset {OF_PLATFORM} -l app.kubernetes.io/name=NAME",
    "stopped and started": f"kubectl scale deployment/NAME {OF_PLATFORM} --replicas=0\nsleep 10\n"
    f"kubectl scale deployment/NAME {OF_PLATFORM} --replicas=1",
    "noted in its template": f"kubectl patch deployment/NAME {OF_PLATFORM} -p "
    '\'{"spec": {"template": {"metadata": {"annotations": {"restarted": "by-hand"}}}}}\'',
    "put in its place by force": f"kubectl get deployment/NAME {OF_PLATFORM} -o yaml > d.yaml\n"
    "kubectl replace --force -f d.yaml\nsleep 10",
    "late, after looks": f"kubectl logs {OF_PLATFORM} deploy/NAME --tail=3\nsleep 240\n"
    f"kubectl rollout restart deployment/NAME {OF_PLATFORM}",
}
RECIPES = tuple(
    recipe
    for family, name in SERVERS.items()
    for recipe in list_rows(
        family,
        f"kubectl rollout status deployment/{name} {OF_PLATFORM} --timeout=120s\n{RENEW}\n{ROLL_CLIENT}\nsleep 30",
        {word: script.replace("NAME", name) for word, script in BEGUN.items()},
    )
)

MONGO = f"kubectl exec {NS} deploy/{{target}} -- mongo {{database}} --quiet --eval"
RECIPES += list_rows(
    "conflicting_index",
    f"{ROLL_CLIENT}\nsleep 40",
    {
        "by its name": f"{MONGO} \"db.{{collection}}.dropIndex('{{indexed}}_1')\"",
        "by its key": f'{MONGO} "db.{{collection}}.dropIndex({{{{indexed}}: -1}})"',
        "all of them": f'{MONGO} "db.{{collection}}.dropIndexes()"',
        "as a command": f"{MONGO} \"db.runCommand({{dropIndexes: '{{collection}}', index: '{{indexed}}_1'}})\"",
        "all, as a command": f"{MONGO} \"db.runCommand({{dropIndexes: '{{collection}}', index: '*'}})\"",
        "and the right one made": f"{MONGO} \"db.{{collection}}.dropIndex('{{indexed}}_1'); "
        "db.{collection}.createIndex({{indexed}: 1}, {name: '{indexed}_1', background: true})\"",
    },
)

FRESH = "{apiVersion, kind, spec, metadata: (.metadata | {name, namespace, labels, annotations})}"
KEEP = f"kubectl get deployment {{target}} {NS} -o json | jq '{FRESH}' > kept.json"
NOBODY = '{"metadata": {"finalizers": null}}'
RECIPES += list_rows(
    "held_deletion",
    f"kubectl rollout status deployment/{{target}} {NS} --timeout=120s\n{ROLL_CLIENT}\nsleep 30",
    {
        "let go by a merge patch": f"{KEEP}\nkubectl patch deployment {{target}} {NS} --type=merge -p '{NOBODY}'\n"
        "sleep 5\nkubectl create -f kept.json",
        "let go by a strategic patch": f"{KEEP}\nkubectl patch deployment {{target}} {NS} -p '{NOBODY}'\n"
        "sleep 5\nkubectl create -f kept.json",
        "let go by a list of none": f"{KEEP}\nkubectl patch deployment {{target}} {NS} --type=merge "
        '-p \'{"metadata": {"finalizers": []}}\'\nsleep 20\nkubectl apply -f kept.json',
        "let go with an editor": f"{KEEP}\nkubectl get deployment {{target}} {NS} -o json | jq "
        "'.metadata.finalizers = []' | kubectl replace -f -\nsleep 5\nkubectl create -f kept.json",
        "let go and applied by the server": f"{KEEP}\nkubectl patch deployment {{target}} {NS} --type=merge "
        f"-p '{NOBODY}'\nsleep 5\nkubectl apply --server-side -f kept.json",
        "let go late and created with its note": f"{KEEP}\nsleep 240\nkubectl patch deployment {{target}} {NS} "
        f"--type=merge -p '{NOBODY}'\nsleep 5\nkubectl create --save-config -f kept.json",
        "let go while a deletion waits": f"{KEEP}\nkubectl delete deployment {{target}} {NS} --wait=false\n"
        f"kubectl patch deployment {{target}} {NS} --type=merge -p '{NOBODY}'\nsleep 15\nkubectl create -f kept.json",
    },
)

ENFORCED = "pod-security.kubernetes.io/enforce"
RECIPES += list_rows(
    "strict_namespace",
    f"{RENEW}\n{ROLL_CLIENT}\nsleep 30",
    {
        "labels taken off": f"kubectl label namespace {{namespace}} {ENFORCED}- {ENFORCED}-version-",
        "the level taken off": f"kubectl label namespace {{namespace}} {ENFORCED}-",
        "all is allowed": f"kubectl label namespace {{namespace}} {ENFORCED}=privileged --overwrite",
        "what is usual is allowed": f"kubectl label namespace {{namespace}} {ENFORCED}=baseline --overwrite",
    },
)
