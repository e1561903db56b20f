"""Rules of thumb that somebody types without looking at a symptom, and how often one of them repairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import Create
from aiops_gym.testing.adversary.play import play_script

GUARDS = ("NetworkPolicy", "ResourceQuota")

YOUNGEST = "$(kubectl get deploy -n {namespace} --sort-by=.metadata.creationTimestamp -o name | tail -1)"

SCRIPTS: Mapping[str, str] = {
    "delete policies and quotas younger than four minutes": (
        "now=$(date -u +%s)\n"
        "kubectl get networkpolicies,resourcequotas -n {namespace} -o json | jq -r --argjson now $now '.items[] "
        '| select($now - (.metadata.creationTimestamp | fromdate) < 240) | "\\(.kind)/\\(.metadata.name)"\' > young\n'
        "while read each; do kubectl delete $each -n {namespace}; done < young; sleep 90"
    ),
    "restart the youngest deployment": f"kubectl rollout restart {YOUNGEST} -n {{namespace}}; sleep 60",
    "undo the youngest deployment": f"kubectl rollout undo {YOUNGEST} -n {{namespace}}; sleep 60",
    "delete the youngest pod": (
        "kubectl delete $(kubectl get pods -n {namespace} --sort-by=.metadata.creationTimestamp -o name | tail -1) "
        "-n {namespace}; sleep 60"
    ),
}


def play_scripts(split: str, seeds: Iterable[int], tier: str | None = None) -> dict[str, list[float]]:
    """By what was typed, and on what: 1 for each mitigation that it repaired, 0 for each other one."""
    found: dict[str, list[float]] = {}
    for seed in seeds:
        problem = registry.draw("mitigation", seed, split, tier=tier)
        begun = Simulated(problem, seed)
        made = begun.fault.changes if begun.fault else ()
        guarded = any(isinstance(each, Create) and each.manifest["kind"] in GUARDS for each in made)
        for name, script in SCRIPTS.items():
            verdict = play_script(problem, seed, name, script.replace("{namespace}", begun.app.namespace), begun)
            found.setdefault(name, []).append(float(verdict.accepted))
            if guarded and "policies" in name:
                found.setdefault(f"{name}, where one is the cause", []).append(float(verdict.accepted))
    return dict(sorted(found.items()))
