"""Masks of a feature flag that is on: whoever cannot ask for it has its default, which is off."""

from __future__ import annotations

from aiops_gym.catalog.flagging import AWAIT, MAP, RENEW, SERVER
from aiops_gym.testing.adversary.recipe import Recipe
from aiops_gym.testing.adversary.repairs.flags import FLAGS

NS = "-n {namespace}"
FAMILIES = tuple(sorted(FLAGS))
DENY = (
    '{"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "flags"}, "spec": '
    f'{{"podSelector": {{"matchLabels": {{"app.kubernetes.io/name": "{SERVER}"}}}}, "policyTypes": ["Ingress"]}}}}'
)
ASTRAY = '{"spec": {"selector": {"opentelemetry.io/name": "none"}}}'
EMPTY = '{"data": {"demo.flagd.json": "{\\"flags\\": {}}"}}'


def _mask(name: str, layer: str, script: str) -> Recipe:
    return Recipe(name=name, layer=layer, script=f"{script}\nsleep 60", families=FAMILIES)


RECIPES = (
    _mask("no server of flags", "endpoints", f"kubectl scale deployment/{SERVER} {NS} --replicas=0"),
    _mask("nobody lets the server of flags answer", "policies", f"echo '{DENY}' | kubectl apply {NS} -f -"),
    _mask(
        "the service of flags leads nowhere",
        "selectors",
        f"kubectl patch service {SERVER} {NS} --type=merge -p '{ASTRAY}'",
    ),
    _mask(
        "the server of flags has no flags",
        "data",
        f"kubectl patch configmap {MAP} {NS} --type=merge -p '{EMPTY}'\n{RENEW}\n{AWAIT}",
    ),
)
