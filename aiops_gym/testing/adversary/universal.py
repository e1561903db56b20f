"""Scripts that ask no question, drawn by a number: whoever runs one needs no diagnosis and should earn nothing.

Each is written by somebody who knows all families of faults and none of the incident: it sweeps away what forbids, puts
objects from one source or several in the place of those that are there, mends databases and volumes, and restarts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from aiops_gym.catalog.model import App
from aiops_gym.sim.kernel import draws
from aiops_gym.testing.adversary import memory, sources

FORBIDDING: Mapping[str, str] = {
    "": "",
    "policies and quotas deleted": (
        "kubectl delete networkpolicies,resourcequotas,limitranges,poddisruptionbudgets --all -n {namespace}"
    ),
    "policies opened, quotas raised": (
        "for p in $(kubectl get networkpolicies -n {namespace} -o name); do\n"
        "kubectl patch $p -n {namespace} --type=merge -p '"
        '{"spec": {"policyTypes": ["Ingress", "Egress"], "ingress": [{}], "egress": [{}]}}\'\ndone\n'
        "for q in $(kubectl get resourcequotas -n {namespace} -o name); do\n"
        'kubectl patch $q -n {namespace} --type=merge -p \'{"spec": {"hard": {"pods": "1000"}}}\'\ndone'
    ),
    "those of families deleted": (
        "for p in $(kubectl get networkpolicies -n {namespace} -o name | grep -E -- '-(ingress|egress)$'); do\n"
        "kubectl delete $p -n {namespace}\ndone\n"
        "kubectl delete resourcequota team-budget -n {namespace} --ignore-not-found"
    ),
    "those of families widened": (
        "for p in $(kubectl get networkpolicies -n {namespace} -o name | grep -E -- '-(ingress|egress)$'); do\n"
        "kubectl patch $p -n {namespace} --type=merge -p '"
        '{"spec": {"policyTypes": ["Ingress", "Egress"], "ingress": [{}], "egress": [{}]}}\'\ndone\n'
        "kubectl get resourcequota team-budget -n {namespace} && kubectl patch resourcequota team-budget "
        '-n {namespace} --type=merge -p \'{"spec": {"hard": {"pods": "1000"}}}\''
    ),
}
"""What becomes of what only forbids."""

NODES: Mapping[str, str] = {
    "": "",
    "no taints but the control plane's": (
        "for n in $(kubectl get nodes -l '!node-role.kubernetes.io/control-plane' -o name); do\n"
        'kubectl patch $n --type=merge -p \'{"spec": {"taints": null, "unschedulable": null}}\'\ndone'
    ),
    "no maintenance": "kubectl taint nodes --all maintenance-; kubectl uncordon $(kubectl get nodes -o name)",
}

RESTARTS: Mapping[str, str] = {
    "": "sleep 30",
    "pods deleted, clients twice": (
        "sleep 40; kubectl delete pods --all -n {namespace}; sleep 60\n"
        "kubectl get deploy -n {namespace} -o name | grep -vE 'mongo|redis|memcached|consul' "
        "| xargs kubectl rollout restart -n {namespace}; sleep 60"
    ),
    "clients rolled out anew": (
        "sleep 60\nkubectl get deploy -n {namespace} -o name | grep -vE 'mongo|redis|memcached|consul' "
        "| xargs kubectl rollout restart -n {namespace}; sleep 60"
    ),
    "stores first": (
        "sleep 30; kubectl get deploy -n {namespace} -o name | grep -E 'mongo|redis|memcached|consul' "
        "| xargs kubectl rollout restart -n {namespace}; sleep 45\n"
        "kubectl get deploy -n {namespace} -o name | grep -vE 'mongo|redis|memcached|consul' "
        "| xargs kubectl rollout restart -n {namespace}; sleep 60"
    ),
    "those that are not ready": (
        "sleep 60; for p in $(kubectl get pods -n {namespace} --no-headers "
        "| awk '{split($2, a, \"/\"); if (a[1] != a[2]) print $1}'); do kubectl delete pod $p -n {namespace}; "
        "done; sleep 60"
    ),
}

WAITS = (0, 30, 120, 300)
"""Seconds between all that and the submission."""

SOURCES: Mapping[str, Callable[[App, int], str]] = {
    "normalised": sources.normalise,
    "memorised": memory.put_back,
    "stored": sources.apply_stored,
    "from a twin": sources.copy_twins,
    "merged from the release": sources.merge_stored,
    "merged from memory": memory.merge,
    "stored, then normalised": lambda app, number: sources.apply_stored(app, number) + sources.normalise(app, number),
    "memorised, then normalised": lambda app, number: memory.put_back(app, number) + sources.normalise(app, number),
}
"""Where the objects come from that are put in the place of those that are there: (app, number) -> script."""


class Universal(NamedTuple):
    """A script, what it is made of in words, and where its objects come from."""

    name: str
    source: str
    script: str


def generate(number: int, app: App) -> Universal:
    """The script with a number for an app, the same each time; numbers one after another go through all sources.

    The first of each source is the one that does all of it, the others draw what they leave out.
    """
    source = list(SOURCES)[number % len(SOURCES)]
    whole = number < len(SOURCES)
    forbidding = "those of families deleted" if whole else _draw(number, "forbidding", list(FORBIDDING))
    nodes = "no maintenance" if whole else _draw(number, "nodes", list(NODES))
    restart = "stores first" if whole else _draw(number, "restart", list(RESTARTS))
    mends = whole or draws.draw(number, "adversary", "mends") < 0.7
    wait = 30 if whole else WAITS[draws.pick(len(WAITS), number, "adversary", "wait")]
    parts = [
        FORBIDDING[forbidding],
        NODES[nodes],
        sources.MEND_VOLUMES if mends else "",
        SOURCES[source](app, number),
        sources.MEND_DATABASES if mends else "",
        RESTARTS[restart],
        f"sleep {wait}",
    ]
    said = ", ".join(filter(None, (source, forbidding, nodes, "stores mended" if mends else "", restart)))
    script = "\n".join(filter(None, parts)).replace("{namespace}", app.namespace)
    return Universal(f"{number}: {said}", source, script)


def _draw(number: int, key: str, names: list[str]) -> str:
    return names[draws.pick(len(names), number, "adversary", key)]
