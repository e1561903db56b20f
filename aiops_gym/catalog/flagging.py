"""Faults that are a feature flag turned on: one way to turn it, to see that it is off again, and to turn it off.

The flags lie in a ConfigMap, as a file that their server reads once: an init container copies it when the pod starts.
So whoever changes it starts the server anew, as AIOpsLab's injector does.
"""

from __future__ import annotations

from aiops_gym.catalog import names
from aiops_gym.catalog.checks import switched_off
from aiops_gym.catalog.model import Cause, Fault, Rollout, Script
from aiops_gym.catalog.scripts import PODS

SERVER, MAP, FILE = names.FLAGS_SERVER, "{flags_map}", "demo.flagd.json"
RENEW = f"kubectl rollout restart deployment/{SERVER} -n {{namespace}}"
AWAIT = f"kubectl rollout status deployment/{SERVER} -n {{namespace}} --timeout=120s"
DELETE = f"kubectl delete pods -n {{namespace}} -l {{selector}}={SERVER}"


def write(change: str) -> str:
    """The file changed with jq, and put back."""
    edit = f'.data["{FILE}"] |= (fromjson | {change} | tojson)'
    return f"kubectl get configmap {MAP} -n {{namespace}} -o json | jq '{edit}' | kubectl replace -f -"


def make_fault(
    name: str, flag: str, variant: str, *, wait: float = 90.0, look: str = "", held_out: bool = False
) -> Fault:
    """The fault that a flag has a value which it should not have.

    Args:
        name: of the fault.
        flag: its name in the file.
        variant: which value it gets; `off` is the usual one.
        wait: see `Fault.wait`.
        look: a command that shows a symptom, after the pods and before the flags.
        held_out: see `Fault.held_out`.
    """
    usual, off = f'.flags.{flag}.defaultVariant = "off"', f'.flags.{flag}.state = "DISABLED"'
    looks = (PODS, look or "kubectl logs -n {namespace} deploy/{target} --tail=20")
    values = "jq -c '.flags | map_values(.defaultVariant)'"
    read = f"kubectl get configmap {MAP} -n {{namespace}} -o jsonpath='{{.data.demo\\.flagd\\.json}}' | {values}"
    return Fault(
        id=name,
        layer="Application",
        kind="Misconfiguration",
        also_accept=(("Application", "Operation Error"),),
        changes=(
            Script(
                script=write(f'.flags.{flag}.defaultVariant = "{variant}"'),
                writes=(("configmaps", MAP),),
                component="{target}",
            ),
            Rollout(components=(SERVER,)),
        ),
        wait=wait,
        cause=Cause(check=switched_off, detail=flag),
        looks=(*looks, read),
        fixes=(
            f"{write(usual)}\n{RENEW}\n{AWAIT}",
            f"{write(usual)}\n{DELETE}\n{AWAIT}",
            f"{write(off)}\n{RENEW}\n{AWAIT}",
        ),
        targets=(f"flag_{flag}",),
        held_out=held_out,
    )
