"""The name server gives one Service's name for another's: who asks for it comes to somebody who cannot answer."""

from aiops_gym.catalog.checks import reached
from aiops_gym.catalog.model import Cause, Fault, Script
from aiops_gym.catalog.scripts import PODS

LINE = "    rewrite name {target}.{namespace}.svc.cluster.local pod-defaults.platform.svc.cluster.local\\n"
ADD = f'.data.Corefile |= sub("    ready"; "{LINE}    ready")'
MAP = "configmap coredns -n kube-system"

fault = Fault(
    id="redirected_name",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Network/Storage Issue"),),
    changes=(
        Script(
            script=f"kubectl get {MAP} -o json | jq '{ADD}' | kubectl replace -f -",
            writes=(("configmaps", "kube-system/coredns"),),
        ),
    ),
    wait=150.0,
    cause=Cause(check=reached),
    looks=(
        PODS,
        "kubectl get endpoints {target} -n {namespace}",
        "kubectl logs -n {namespace} --tail=5 --prefix --all-containers -l {selector}",
        f"kubectl get {MAP} -o yaml",
    ),
    fixes=(
        f"kubectl get {MAP} -o yaml | sed '/rewrite name {{target}}/d' | kubectl replace -f -\nsleep 60",
        f"""kubectl get {MAP} -o json | jq '.data.Corefile |= sub(" *rewrite name {{target}}[^\\n]*\\n"; "")' """
        "| kubectl replace -f -\nsleep 60",
    ),
    targets=("asked", "served"),
    tasks=("detection", "analysis", "mitigation"),
    features=("quiet",),
)
