"""Where a script without a question takes its objects from: a norm, what is stored in the cluster, a twin."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.catalog.model import App
from aiops_gym.sim.kernel import draws

MEND_VOLUMES = (
    "for v in $(kubectl get pv --no-headers | awk '$5 == \"Released\" {print $1}'); do\n"
    'kubectl patch pv $v --type=json -p \'[{"op": "remove", "path": "/spec/claimRef"}]\'\ndone'
)

ROLES = "[{role: 'userAdminAnyDatabase', db: 'admin'}, {role: 'readWrite', db: '$n-db'}]"

MEND_DATABASES = (
    "sleep 30\nfor n in $(kubectl get deploy -n {namespace} -o name | grep mongodb | sed 's/.*mongodb-//'); do\n"
    "kubectl exec -n {namespace} deploy/mongodb-$n -- mongo admin -u root -p root --quiet --eval "
    f"\"if (db.getUser('admin')) db.updateUser('admin', {{roles: {ROLES}}}); "
    f"else db.createUser({{user: 'admin', pwd: 'admin', roles: {ROLES}}})\" 2>/dev/null\ndone"
)
"""Users and roles as the two databases with users have them; the others refuse the login."""

STRIPPED = (
    ".nodeSelector",
    ".affinity",
    ".hostAliases",
    ".dnsPolicy",
    ".dnsConfig",
    ".serviceAccountName",
    ".serviceAccount",
    ".nodeName",
    ".containers[0].livenessProbe",
    ".containers[0].readinessProbe",
    ".containers[0].startupProbe",
    ".containers[0].envFrom",
    ".containers[0].lifecycle",
    ".containers[0].resources",
)
"""What no template needs."""

REBUILT = """.spec.template.spec.volumes = [.spec.template.spec.volumes[]?
    | if .configMap then .configMap.name |= sub("-v2$"; "") else . end
    | if .persistentVolumeClaim then .persistentVolumeClaim.claimName |= sub("-ssd$"; "") else . end
    | select((.configMap.name // "") | endswith("-settings") | not)]
| .spec.template.spec.containers[0] |= (
    .image |= (sub("^yinfangchen/geo:.*"; "yinfangchen/hotelreservation:latest")
      | sub("^yinfangchen/hotelreservation:.*"; "yinfangchen/hotelreservation:latest")
      | sub("mongo:release.*"; "mongo:4.4.6") | sub("memcached:release.*"; $memcached)
      | sub("redis:release.*"; "redis:6.2.4") | sub("microservices:release.*"; "microservices:latest")
      | sub("thrift:release.*"; "thrift:xenial") | sub("frontend:release.*"; "frontend:xenial")
      | sub("consul:release.*"; "consul:latest") | sub("all-in-one:release.*"; "all-in-one:1.57"))
    | if (.command[0] // "") | startswith("start-") then del(.command) else . end
    | if .image | test("yinfangchen") then .command = [$name] else . end
    | if .image | test("social-network-microservices")
      then .command = [$name | split("-") | map((.[:1] | ascii_upcase) + .[1:]) | join("")] else . end
    | if ((.args // [""])[0]) | test("consuladdr") then del(.args) else . end
    | if $name | test("mongodb-(profile|recommendation|reservation|user)$") then del(.args) else . end
    | .env = [.env[]? | select(.name != "REGISTRY_ADDRESS")]
    | .volumeMounts = [.volumeMounts[]? | select(.name != "settings")])"""
"""What a template needs, rebuilt from its name."""

SERVICES = """kubectl get deploy,svc -n {namespace} -o json | jq '
(.items | map(select(.kind == "Deployment") | {key: .metadata.name, value: .spec}) | from_entries) as $d
| .items |= map(select(.kind == "Service") | $d[.metadata.name] as $own | if $own == null then . else
  .spec.selector = $own.selector.matchLabels
  | .spec.ports |= map(if .targetPort == 9999 then .targetPort = .port else . end
    | if .port == 18080 then .port = .targetPort else . end) end)' | kubectl replace -f -"""
"""Selectors from the labels of deployments, ports from those of containers."""

SETTINGS = """kubectl get configmaps -n {namespace} -o yaml | sed -e 's/[.]staging//g' \
-e 's/"port": 9091/"port": 9090/g' \
-e 's/"port": 27018/"port": 27017/g' -e 's/"port": 6380/"port": 6379/g' -e 's/"port": 11212/"port": 11211/g' \
-e 's/port 6380/port 6379/g' -e 's/"connections": 0,/"connections": 512,/g' -e '/requirepass/d' \
-e '/authorization: enabled/d' -e '/^ *security:$/d' -e 's/mode: requireTLS/mode: disabled/' \
-e '/^ *port: 27018$/d' | kubectl replace -f -"""
"""Settings as they usually are."""

CREATED = """for d in $(kubectl get deploy -n {namespace} --no-headers -o custom-columns=N:.metadata.name); do
kubectl create serviceaccount $d-runner -n {namespace}
kubectl create secret generic $d-credentials -n {namespace} --from-literal=username=$d
kubectl create service clusterip $d-config -n {namespace} --tcp=8080:8080
done
for m in $(kubectl get configmaps -n {namespace} --no-headers -o custom-columns=N:.metadata.name | grep -v root-ca); do
kubectl get configmap $m -n {namespace} -o json \
| jq '.metadata = {name: (.metadata.name + "-v2"), namespace: .metadata.namespace}' | kubectl apply -f -
done"""
"""Whatever a template may name and nobody has made."""


def normalise(app: App, number: int) -> str:
    """All objects brought to what any of their kind needs, and no more."""
    whole = number < 10
    fields = [f for f in STRIPPED if whole or draws.draw(number, "adversary", f"strip {f}") < 0.8]
    spec = "(" + ", ".join(f".spec.template.spec{field}" for field in fields) + ")"
    limits = LIMITS[0] if whole else LIMITS[draws.pick(len(LIMITS), number, "adversary", "limits")]
    strip = f"{RESOURCES} as $r | del{spec} | {limits}"
    kind = "(.metadata.name) as $name | .spec.replicas = ([.spec.replicas, 1] | max) | del(.spec.paused) | "
    kind += f"{strip} | {INIT} | {REBUILT}"
    memcached = "memcached" if not app.releases else "memcached:1.6.7"
    parts = [
        f"cat > norm.jq <<'EOF'\n.items |= map({kind})\nEOF",
        f"kubectl get deploy -n {{namespace}} -o json | jq --arg memcached {memcached} -f norm.jq | kubectl "
        f"replace -f -",
        "kubectl delete deploy toolbox -n {namespace} --ignore-not-found",
        SERVICES,
        SETTINGS if whole or draws.draw(number, "adversary", "settings") < 0.8 else "",
        CREATED if not whole and draws.draw(number, "adversary", "created") < 0.3 else "",
    ]
    return "\n".join(filter(None, parts)) + "\n"


AMPLE = '{"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"cpu": "2", "memory": "4Gi"}}'
RESOURCES = ".spec.template.spec.containers[0].resources"
LIMITS = (
    f"{RESOURCES} = {AMPLE}",
    f"{RESOURCES} = {{}}",
    f'if ($r.limits.memory // "" | endswith("Gi")) then {RESOURCES} = $r else . end',
    f'{RESOURCES} = (if $r.requests.memory == "512Gi" or $r.limits.cpu == "10m" or ($r.limits.memory // "Gi" '
    f'| endswith("Mi")) then {AMPLE} else $r end)',
)
"""What becomes of limits: ample ones for all, none, none but where somebody meant it, those of families widened."""

INIT = (
    ".spec.template.spec.initContainers = "
    '[.spec.template.spec.initContainers[]? | select(.name | startswith("wait-") | not)]'
)


def apply_stored(app: App, number: int) -> str:
    """What the cluster itself keeps of better days: the release, revisions of rollouts, annotations of `apply`."""
    return _choose(STORED, app, number, "stored")


def _choose(ways: Sequence[str], app: App, number: int, key: str) -> str:
    """One of several ways, the first for scripts that do all; those of a release only where the app is one."""
    fitting = [way for way in ways if app.releases or "{release}" not in way]
    way = fitting[0] if number < 10 else fitting[draws.pick(len(fitting), number, "adversary", key)]
    for release in app.releases[:1]:
        way = way.replace("{release}", release.name).replace("{folder}", release.folder)
    return way + "\n"


KEPT = (
    "kubectl get deploy -n {namespace} -o json > before.json\n",
    """kubectl get deploy -n {namespace} -o json > after.json
jq -s '
(.[1].items | map({key: .metadata.name, value: .spec}) | from_entries) as $b
| .[0] | .items |= map($b[.metadata.name] as $o
| if $o == null then . else .spec.replicas = ([.spec.replicas, $o.replicas] | max)
  | if ($o.template.spec.containers[0].resources.limits.memory // "" | endswith("Gi"))
    then .spec.template.spec.containers[0].resources = $o.template.spec.containers[0].resources
    else . end end)' after.json before.json | kubectl replace -f -
""",
)
"""What noise decides by hand, read before and put back after a release is applied."""

STORED = (
    KEPT[0] + "helm rollback {release} 1 -n {namespace}\n"
    "helm get manifest {release} -n {namespace} | kubectl replace -n {namespace} -f -\n"
    + KEPT[1]
    + "kubectl delete deploy toolbox -n {namespace} --ignore-not-found",
    KEPT[0]
    + "helm get manifest {release} -n {namespace} > all.yaml; helm uninstall {release} -n {namespace}; sleep 20\n"
    "kubectl apply -n {namespace} -f all.yaml\n" + KEPT[1],
    "for d in $(kubectl get deploy -n {namespace} -o name); do\n"
    "first=$(kubectl rollout history $d -n {namespace} | awk '$1 ~ /^[0-9]+$/ {print $1; exit}')\n"
    "kubectl rollout undo $d -n {namespace} --to-revision=$first\ndone",
    "kubectl get deploy,svc,cm -n {namespace} -o yaml > all.yaml; kubectl replace --force -f all.yaml",
    "for o in $(kubectl get deploy,svc,cm -n {namespace} -o name); do\n"
    "kubectl apply view-last-applied $o -n {namespace} -o yaml > last.yaml 2>/dev/null && kubectl apply -f "
    "last.yaml\ndone\n"
    "for d in $(kubectl get deploy -n {namespace} -o name); do kubectl rollout undo $d -n {namespace}; done",
)


def merge_stored(app: App, number: int) -> str:
    """The fields that a release declares, or what was there some changes ago; what people added may stay as it is."""
    return _choose(MERGED, app, number, "merged stored")


MERGED = (
    "helm rollback {release} 1 -n {namespace}",
    "helm upgrade {release} ./{folder} -n {namespace} --reuse-values",
    "helm get manifest {release} -n {namespace} | kubectl apply -n {namespace} -f -",
    "for d in $(kubectl get deploy -n {namespace} -o name); do kubectl rollout undo $d -n {namespace}; done",
    "for d in $(kubectl get deploy -n {namespace} -o name); do\n"
    "before=$(kubectl rollout history $d -n {namespace} | awk '$1 ~ /^[0-9]+$/ {print $1}' | tail -3 | head -1)\n"
    "kubectl rollout undo $d -n {namespace} --to-revision=$before\ndone",
)
"""Gentle ways back: three-way merges, and revisions."""


def copy_twins(app: App, number: int) -> str:
    """Each template from another deployment of the same image and as many volumes, with the names exchanged."""
    step = 1 if number < 10 else 1 + draws.pick(3, number, "adversary", "twin")
    return TWINS.replace("@STEP", str(step)) + SERVICES + "\n"


TWINS = """cat > twins.jq <<'EOF'
def short: sub("^mongodb-"; "") | sub("^memcached-"; "") | sub("-(mongodb|redis|memcached|service)$"; "");
def camel: split("-") | map((.[:1] | ascii_upcase) + .[1:]) | join("");
def like: [(.spec.template.spec.containers[0].image | sub(":.*"; "")), (.spec.template.spec.volumes // [] | length)];
.items as $all | .items |= map(. as $me | [$all[] | select(like == ($me | like))] as $same
| ($same | map(.metadata.name) | index($me.metadata.name)) as $at
| $same[($at + @STEP) % ($same | length)] as $twin
| ($twin.metadata.name | short) as $theirs | ($me.metadata.name | short) as $mine
| .spec.replicas = ([.spec.replicas, 1] | max)
| .spec.template = ($twin.spec.template | walk(if type == "string"
  then gsub($theirs; $mine) | gsub($theirs | camel; $mine | camel) else . end))
| .spec.template.spec.containers[0].image = $twin.spec.template.spec.containers[0].image
| .spec.template.spec.containers[0].resources = $me.spec.template.spec.containers[0].resources
| .spec.template.metadata.labels = $me.spec.template.metadata.labels
| .spec.template.spec.containers[0].ports = $me.spec.template.spec.containers[0].ports)
EOF
kubectl get deploy -n {namespace} -o json | jq -f twins.jq | kubectl replace -f -
kubectl delete deploy toolbox -n {namespace} --ignore-not-found
"""
