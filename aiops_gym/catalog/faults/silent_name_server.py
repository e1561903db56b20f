"""The name server is told to say that there is no such name as that of one Service: who asks for it finds nobody."""

from aiops_gym.catalog.checks import reached
from aiops_gym.catalog.model import Cause, Fault, Script
from aiops_gym.catalog.scripts import PODS

BLOCK = "    template ANY ANY {target}.{namespace}.svc.cluster.local {\\n       rcode NXDOMAIN\\n    }\\n"
ADD = f'.data.Corefile |= sub("    cache"; "{BLOCK}    cache")'
MAP = "configmap coredns -n kube-system"

fault = Fault(
    id="silent_name_server",
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
        "kubectl logs -n kube-system -l k8s-app=kube-dns --tail=5",
        f"kubectl get {MAP} -o yaml",
    ),
    fixes=(
        f"kubectl get {MAP} -o yaml | sed '/template ANY ANY/,/}}/d' | kubectl replace -f -\nsleep 60",
        f"""kubectl get {MAP} -o json | jq '.data.Corefile |= sub(" *template [^}}]*}}\\n"; "")' """
        "| kubectl replace -f -\nsleep 60",
    ),
    targets=("asked", "served"),
    tasks=("detection", "analysis", "mitigation"),
    features=("quiet",),
)
