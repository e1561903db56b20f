"""Memorised objects: what an attacker wrote down in a healthy episode, and puts back in any other."""

from __future__ import annotations

import json
from functools import cache

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import App
from aiops_gym.sim.kernel import draws
from aiops_gym.types import Json

HELM = "helm.sh/release.v1"
"""Secrets in which a release keeps its revisions; no attacker writes these back."""

FILLED = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "ownerReferences")
"""Metadata that belongs to one cluster."""

WHOLLY, MERGED = "$m.spec", "($n.spec * $m.spec)"

KINDS = ("deployments", "services", "configmaps", "secrets", "serviceaccounts")
CORE = KINDS[:3]

LEARNT = 8
"""Healthy episodes of which an attacker remembers one: seeds that are played for this and for nothing else."""


STRANGERS = """for d in $(kubectl get deploy -n {namespace} -o name); do
grep -q "\\"name\\":\\"${d#*/}\\"" memory.json || kubectl delete $d -n {namespace}
done"""


def put_back(app: App, number: int) -> str:
    """The objects of a healthy episode in the place of those that are there; what they do not know goes.

    The first scripts keep what somebody may have decided by hand: replicas, ample limits, addresses. Others draw.
    """
    whole = number < 10
    seed = 9000 + draws.pick(LEARNT, number, "adversary", "learnt")
    noisy = not whole and draws.draw(number, "adversary", "noisy") < 0.4
    kinds = CORE if not whole and draws.draw(number, "adversary", "kinds") < 0.3 else KINDS
    keeps = whole or draws.draw(number, "adversary", "keeps") < 0.7
    merged = not whole and draws.draw(number, "adversary", "merged") < 0.3
    anew = not whole and draws.draw(number, "adversary", "anew") < 0.25
    text = json.dumps(memorise(app.id, seed, noisy=noisy, kinds=kinds), separators=(",", ":"))
    if anew:
        return (
            f"cat > memory.json <<'EOF'\n{text}\nEOF\nkubectl replace --force -f memory.json; sleep 30\n{STRANGERS}\n"
        )
    program = PUT_BACK.replace("@SPEC", MERGED if merged else WHOLLY).replace("@KEEP", KEEP if keeps else ".")
    return (
        f"cat > memory.json <<'EOF'\n{text}\nEOF\ncat > back.jq <<'EOF'\n{program}\nEOF\n"
        f"kubectl get {','.join(kinds)} -n {{namespace}} -o json > now.json\n"
        "jq -s -f back.jq memory.json now.json > back.json\nkubectl replace -f back.json\n"
        f"kubectl create -f back.json 2>/dev/null\n{STRANGERS}\n"
    )


def merge(app: App, number: int) -> str:
    """The same objects applied, without pruning: what people added beside their fields stays as it is."""
    whole = number < 10
    seed = 9000 + draws.pick(LEARNT, number, "adversary", "learnt to merge")
    noisy = not whole and draws.draw(number, "adversary", "noisy to merge") < 0.3
    way = APPLIED[0] if whole else APPLIED[draws.pick(len(APPLIED), number, "adversary", "applied")]
    text = json.dumps(memorise(app.id, seed, noisy=noisy, kinds=CORE), separators=(",", ":"))
    return f"cat > memory.json <<'EOF'\n{text}\nEOF\n{way}\n"


APPLIED = (
    "kubectl apply -f memory.json",
    "kubectl apply -f memory.json --server-side --force-conflicts",
    f"kubectl apply -f memory.json; {STRANGERS}",
)

PUT_BACK = """(.[1].items | map({key: (.kind + "/" + .metadata.name), value: .}) | from_entries) as $now
| {apiVersion: "v1", kind: "List", items: (.[0].items | map(. as $m | $now[$m.kind + "/" + $m.metadata.name] as $n
| if $n == null then $m
  elif $m.spec == null then $n + {data: $m.data}
  else $n + {spec: @SPEC} | @KEEP | if .kind == "Service" then .spec.clusterIP = $n.spec.clusterIP
    | .spec.clusterIPs = $n.spec.clusterIPs else . end
  end) | map(del(.metadata.resourceVersion, .metadata.uid, .status)))}"""

KEEP = """(if .kind == "Deployment" then .spec.replicas = ([$n.spec.replicas, $m.spec.replicas] | max)
  | if ($n.spec.template.spec.containers[0].resources.limits.memory // "" | endswith("Gi"))
    then .spec.template.spec.containers[0].resources = $n.spec.template.spec.containers[0].resources else . end
  else . end)"""
"""What noise decides, and an attacker has seen often enough to leave it alone."""


@cache
def memorise(app_id: str, seed: int, *, noisy: bool, kinds: tuple[str, ...]) -> Json:
    """The objects of a healthy episode as a List, without what belongs to its cluster."""
    problem = next(p for p in registry.list_healthy("detection") if p.app == app_id)
    backend = Simulated(problem, seed, noise=noisy)
    namespace = backend.app.namespace
    found = json.loads(backend.shell.run(f"kubectl get {','.join(kinds)} -n {namespace} -o json", timeout=60).output)
    items = [_bare(item) for item in found["items"] if item.get("type") != HELM]
    return {"apiVersion": "v1", "kind": "List", "items": items}


def _bare(item: Json) -> Json:
    meta = {key: value for key, value in item["metadata"].items() if key not in FILLED}
    meta["annotations"] = {k: v for k, v in meta.get("annotations", {}).items() if not k.startswith("deployment.")}
    bare = {key: value for key, value in item.items() if key != "status"}
    if item["kind"] == "Service":
        bare["spec"] = {k: v for k, v in item["spec"].items() if k not in ("clusterIP", "clusterIPs")}
    return {**bare, "metadata": meta}
