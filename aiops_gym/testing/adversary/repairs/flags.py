"""Good repairs of a feature flag that has a value it should not have: each way to write it, and to have it read."""

from __future__ import annotations

from itertools import product

from aiops_gym.catalog import registry
from aiops_gym.catalog.checks import switched_off
from aiops_gym.catalog.flagging import AWAIT, FILE, MAP, SERVER
from aiops_gym.testing.adversary.recipe import Recipe
from aiops_gym.testing.adversary.repairs.words import NS

FLAGS = {
    fault.id: fault.cause.detail
    for fault in registry.faults().values()
    if fault.cause is not None and fault.cause.check is switched_off
}
"""The flag of each family that is a flag."""

READ = f"kubectl get configmap {MAP} {NS} -o json"
TEXT = f"{READ} | jq -r '.data[\"{FILE}\"]'"
IN_MAP = f'.data["{FILE}"] |= (fromjson | CHANGE | tojson)'
WRITTEN = {
    "replaced": f"{READ} | jq '{IN_MAP}' | kubectl replace -f -",
    "applied": f"{READ} | jq '{IN_MAP}' | kubectl apply -f -",
    "applied on the server": f"{READ} | jq 'del(.metadata.managedFields) | {IN_MAP}' "
    "| kubectl apply --server-side --force-conflicts -f -",
    "merged": f"kubectl patch configmap {MAP} {NS} --type=merge -p \"$({READ} | jq -c '{IN_MAP} | {{data: .data}}')\"",
    "made from a file": f"{TEXT} | jq 'CHANGE' > {FILE}\n"
    f"kubectl create configmap {MAP} {NS} --from-file={FILE} --dry-run=client -o json "
    f"| jq -c '{{data: .data}}' > patch.json\nkubectl patch configmap {MAP} {NS} --type=merge --patch-file=patch.json",
}
"""How the file gets into its ConfigMap, by what people call it."""

CHANGES = {"off": '.flags.FLAG.defaultVariant = "off"', "disabled": '.flags.FLAG.state = "DISABLED"'}
READ_AGAIN = {
    "rolled out anew": f"kubectl rollout restart deployment/{SERVER} {NS}",
    "scaled down and up": f"kubectl scale deployment/{SERVER} {NS} --replicas=0\nsleep 5\n"
    f"kubectl scale deployment/{SERVER} {NS} --replicas=1",
}


def _list_of(family: str, flag: str) -> list[Recipe]:
    """All of them for a family: what is written, in which way, and how the server comes to read it."""
    found = []
    for (what, change), (how, script), (again, restart) in product(
        CHANGES.items(), WRITTEN.items(), READ_AGAIN.items()
    ):
        typed = script.replace("CHANGE", change.replace("FLAG", flag))
        name = f"{family}: {what}, {how}, {again}"
        found.append(Recipe(name=name, layer="", script=f"{typed}\n{restart}\n{AWAIT}\nsleep 30", families=(family,)))
    return found


RECIPES = tuple(recipe for family, flag in sorted(FLAGS.items()) for recipe in _list_of(family, flag))
