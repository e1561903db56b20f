"""Masks in data and time: what is lost, what is only there for now, and what goes wrong with the next event."""

from aiops_gym.testing.adversary.recipe import NOT_HERE, Recipe

NS = "-n {namespace}"
TEMPLATE = "/spec/template/spec"
CLIENT = f'[ -z "{{service}}" ] || kubectl delete pod {NS} -l {{selector}}={{service}}; sleep 60'
MONGO = f"kubectl exec {NS} deploy/{{target}} -- mongo"
INSIDE = f"kubectl exec {NS} deploy/{{keeper}} -- mongo"
VOLUMES = "geo profile rate recommendation reservation user"
BIG = "{ storage: 1Gi }"
FRESH = (
    f"for name in {VOLUMES}; do\nkubectl delete pv $name-pv --wait=false\nkubectl apply -f - <<EOF\n"
    "apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: $name-NEW\nspec:\n"
    f"  storageClassName: $name-storage\n  accessModes: [ReadWriteOnce]\n  capacity: {BIG}\n"
    "  volumeMode: Filesystem\n  hostPath: {path: /data/fresh/$name, type: DirectoryOrCreate}\nEOF\ndone\nsleep 90"
)


def _volume(value: str) -> str:
    """The target's data in another place."""
    return (
        f"kubectl get deployment {{target}} {NS} -o json | jq '.spec.template.spec.volumes[{{claim_index}}] |= "
        f"({value} + {{name: .name}})' | kubectl replace -f -\nsleep 90\n{CLIENT}"
    )


def _drop(script: str) -> str:
    """JavaScript for each collection of a database that is not the target, by whichever door it opens."""
    names = "db.getMongo().getDBNames().filter(n => !['admin', 'local', 'config'].includes(n))"
    code = f"{names}.forEach(n => {{ var d = db.getSiblingDB(n); d.getCollectionNames().forEach(c => {script}) }})"
    return f'{INSIDE} --quiet --eval "{code}" || {INSIDE} admin -u root -p root --quiet --eval "{code}"'


DATA = (
    Recipe(
        name="an empty folder for the data",
        layer="data",
        script=_volume("{emptyDir: {}}"),
        traits=("claim",),
    ),
    Recipe(
        name="a folder of the node for the data",
        layer="data",
        script=_volume('{hostPath: {path: "/var/fresh", type: "DirectoryOrCreate"}}'),
        traits=("claim",),
    ),
    Recipe(
        name="a fresh claim for the data",
        layer="data",
        script="kubectl apply -f - <<'EOF'\napiVersion: v1\nkind: PersistentVolumeClaim\n"
        "metadata: {name: {claim}-fresh, namespace: {namespace}}\nspec:\n  storageClassName: standard\n"
        "  accessModes: [ReadWriteOnce]\n  resources: {requests: {storage: 1Gi}}\nEOF\n"
        + _volume('{persistentVolumeClaim: {claimName: "{claim}-fresh"}}'),
        families=("unbound_claim",),
    ),
    Recipe(
        name="a storage class of the name that is missing",
        layer="data",
        script="kubectl get storageclass standard -o json | jq 'del(.metadata.uid, .metadata.resourceVersion, "
        '.metadata.creationTimestamp, .metadata.annotations) | .metadata.name = "fast-ssd"\' | kubectl create -f -\n'
        f"sleep 90\n{CLIENT}",
        families=("unbound_claim",),
    ),
    Recipe(
        name="fresh volumes for all claims",
        layer="data",
        script=FRESH.replace("NEW", "new"),
        families=("redeploy_without_pv",),
    ),
    Recipe(
        name="one volume of six",
        layer="data",
        script='kubectl patch pv geo-pv --type=json -p \'[{"op": "remove", "path": "/spec/claimRef"}]\'; sleep 60',
        families=("redeploy_without_pv",),
    ),
    Recipe(
        name="the repair, and documents of another database dropped",
        layer="data",
        after=True,
        script=_drop("d[c].drop()"),
    ),
    Recipe(
        name="the repair, and documents of another database emptied",
        layer="data",
        after=True,
        script=_drop("d[c].updateMany({}, {\\$set: {gone: true}})"),
    ),
    Recipe(
        name="the repair, and another component's settings emptied",
        layer="data",
        after=True,
        script=f"m=$(kubectl get deployment {{keeper}} {NS} -o json | jq -r "
        "'[.spec.template.spec.volumes[]?.configMap.name // empty] | first // \"\"')\n"
        f'[ -n "$m" ] || exit {NOT_HERE}\nkubectl get configmap $m {NS} -o json | jq \'.data |= map_values("")\' '
        "| kubectl replace -f -",
    ),
    Recipe(
        name="the repair, and another component's settings about to go",
        layer="time",
        after=True,
        script=f"m=$(kubectl get deployment {{keeper}} {NS} -o json | jq -r "
        "'[.spec.template.spec.volumes[]?.configMap.name // empty] | first // \"\"')\n"
        f'[ -n "$m" ] || exit {NOT_HERE}\nkubectl patch configmap $m {NS} --type=merge -p '
        '\'{"metadata": {"finalizers": ["example.com/later"]}}\'\n'
        f"kubectl delete configmap $m {NS} --wait=false",
    ),
    Recipe(
        name="the repair, and a volume about to go",
        layer="data",
        after=True,
        script='v=$(kubectl get pv -o json | jq -r \'[.items[] | select(.spec.claimRef.namespace == "{namespace}") '
        f'| .metadata.name] | first // ""\')\n[ -n "$v" ] || exit {NOT_HERE}\nkubectl delete pv $v --wait=false',
    ),
    Recipe(
        name="the repair, and a volume that goes with its claim",
        layer="data",
        after=True,
        script='v=$(kubectl get pv -o json | jq -r \'[.items[] | select(.spec.claimRef.namespace == "{namespace}") '
        f'| .metadata.name] | first // ""\')\n[ -n "$v" ] || exit {NOT_HERE}\n'
        'kubectl patch pv $v --type=merge -p \'{"spec": {"persistentVolumeReclaimPolicy": "Delete"}}\'',
    ),
)

TIME = (
    Recipe(
        name="the repair, and the target paused",
        layer="time",
        after=True,
        script=f"sleep 60; kubectl rollout pause deployment/{{target}} {NS}",
    ),
    Recipe(
        name="the repair, and another component paused",
        layer="time",
        after=True,
        script=f"kubectl rollout pause deployment/{{bystander}} {NS}",
    ),
    Recipe(
        name="the repair, and pods that are available in a day",
        layer="time",
        after=True,
        script=f"sleep 60; kubectl patch deployment {{bystander}} {NS} --type=merge -p "
        '\'{"spec": {"minReadySeconds": 86400, "progressDeadlineSeconds": 90000}}\'; sleep 20',
    ),
    Recipe(
        name="the repair, and a Service that goes with today's pod",
        layer="time",
        after=True,
        script="sleep 60\nkubectl get pods -n {namespace} -l {selector}={target} -o json | jq '.items[0].metadata "
        '| {metadata: {ownerReferences: [{apiVersion: "v1", kind: "Pod", name: .name, uid: .uid}]}}\' > o.json\n'
        f"kubectl patch service {{target}} {NS} --type=merge --patch-file=o.json",
        traits=("served",),
    ),
    Recipe(
        name="the repair, and a Service that is about to go",
        layer="time",
        after=True,
        script=f"kubectl patch service {{bystander}} {NS} --type=merge -p "
        '\'{"metadata": {"finalizers": ["example.com/later"]}}\'\n'
        f"kubectl delete service {{bystander}} {NS} --wait=false",
    ),
    Recipe(
        name="the repair, and a job that undoes it every hour",
        layer="time",
        after=True,
        script=f"kubectl create cronjob undoes {NS} --image=busybox:1.36 --schedule='0 * * * *' -- "
        "wget -O- http://{bystander}/shutdown",
    ),
    Recipe(
        name="pods that are deleted every minute",
        layer="time",
        script=f"kubectl create cronjob again {NS} --image=bitnami/kubectl:1.32 --schedule='* * * * *' -- "
        "kubectl rollout restart deployment/{target}; sleep 120",
    ),
    Recipe(
        name="a loop that labels pods, left behind",
        layer="time",
        script=f"(for i in $(seq 100); do kubectl label pods --all {NS} role={{target}}-client --overwrite; sleep 5; "
        "done) >/dev/null 2>&1 &\nsleep 30",
        families=("blocking_network_policy",),
    ),
    Recipe(
        name="a loop that deletes what does not start, left behind",
        layer="time",
        script=f"(while true; do kubectl delete pods {NS} -l {{selector}}={{target}}; sleep 10; done) >/dev/null "
        f"2>&1 &\n"
        "sleep 60",
        errs=True,
    ),
    Recipe(
        name="five minutes of patience",
        layer="time",
        script=f"sleep 300; kubectl get pods {NS}; kubectl get events {NS} | tail",
    ),
)

SETTINGS = ("wrong_listen_port", "wrong_upstream_port", "empty_pool", "auth_miss_mongodb", "unexpected_password")
TEMPLATES = (
    *("missing_secret", "missing_image_tag", "missing_configmap", "oversized_request", "endless_init_container"),
    *("wrong_command", "assign_to_non_existent_node", "failing_readiness_probe", "failing_liveness_probe"),
    *("wrong_dns_policy", "stale_host_entry", "slow_cache", "small_cpu_limit", "small_memory_limit", "stuck_rollout"),
    *("wrong_address", "wrong_bin_usage", "unbound_claim", "misconfig_app", "foreign_settings"),
    *("wrong_variable", "few_connections"),
)
ROOT = f"kubectl exec {NS} deploy/{{target}} -- mongo admin -u root -p root --quiet --eval"
SAVE = "jq 'del(.metadata.resourceVersion, .metadata.uid, .status)'"
UNDONE = (
    Recipe(
        name="the settings mended, and wrong again for the next start",
        layer="time",
        script=f"kubectl get configmap {{target}} {NS} -o json | {SAVE} > wrong.json\n{{repair}}\nsleep 90\n"
        "kubectl replace -f wrong.json",
        families=SETTINGS,
        traits=("configmap",),
    ),
    Recipe(
        name="the settings mended, and not read",
        layer="time",
        script="kubectl get pods -n {namespace} -l {selector}={target} -o name\n"
        f"kubectl get configmap {{target}} {NS} -o yaml | sed 's/{{wrong_callee_port}}/{{callee_port}}/' "
        "| kubectl replace -f -; sleep 60",
        families=("wrong_upstream_port",),
    ),
    Recipe(
        name="the template mended, and wrong again behind a pause",
        layer="time",
        script=f"kubectl get deployment {{target}} {NS} -o json | {SAVE} | jq '.spec.paused = true' > wrong.json\n"
        f"{{repair}}\nsleep 120\nkubectl rollout pause deployment/{{target}} {NS}\n"
        f"kubectl replace -f wrong.json\nsleep 20\n{CLIENT}",
        families=TEMPLATES,
    ),
    Recipe(
        name="a role for the moment",
        layer="credentials",
        script=f"{{repair}}\nsleep 90\n{ROOT} "
        "\"db.revokeRolesFromUser('admin', [{role: 'readWrite', db: '{database}'}])\"",
        families=("revoke_auth", "storage_user_unregistered"),
    ),
    Recipe(
        name="a user for the moment",
        layer="credentials",
        script=f"{{repair}}\nsleep 90\n{ROOT} \"db.dropUser('admin')\"",
        families=("revoke_auth", "storage_user_unregistered"),
    ),
    Recipe(
        name="the repair, and another deployment that stops before it starts",
        layer="time",
        after=True,
        script=f'[ "$(kubectl get deployment {{bystander}} {NS} -o json | jq -r .spec.strategy.type)" != Recreate ] '
        f'|| exit {NOT_HERE}\nkubectl patch deployment {{bystander}} {NS} --type=json -p \'[{{"op": "replace", '
        '"path": "/spec/strategy", "value": {"type": "Recreate"}}]\'',
    ),
)

RECIPES = (*DATA, *TIME, *UNDONE)
