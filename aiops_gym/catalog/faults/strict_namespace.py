"""The namespace asks for restricted pods, and the application's are not: those that run stay, new ones are refused."""

from aiops_gym.catalog.checks import admitted
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import AGAIN, EVENTS, PODS

LABEL = "pod-security.kubernetes.io/enforce"

fault = Fault(
    id="strict_namespace",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Patch(
            resource="namespaces",
            name="{namespace}",
            ops=(
                {"op": "add", "path": f"/metadata/labels/{LABEL.replace('/', '~1')}", "value": "restricted"},
                {"op": "add", "path": f"/metadata/labels/{LABEL.replace('/', '~1')}-version", "value": "v1.32"},
            ),
        ),
        Restart(components=("{target}", "{service}")),
    ),
    cause=Cause(check=admitted, service="{service}"),
    looks=(PODS, EVENTS, "kubectl get namespace {namespace} --show-labels"),
    fixes=(
        f"kubectl label namespace {{namespace}} {LABEL}- {LABEL}-version-" + AGAIN,
        f"kubectl label namespace {{namespace}} {LABEL}=privileged --overwrite" + AGAIN,
        f"kubectl label namespace {{namespace}} {LABEL}=baseline --overwrite" + AGAIN,
    ),
    targets=("needed",),
    tasks=("detection", "analysis", "mitigation"),
    features=("blocked",),
)
