"""A file of another environment is mounted over the settings in a service's image: whom it needs lies elsewhere."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Create, Fault, Patch
from aiops_gym.catalog.scripts import CONTAINER, POD, PODS, make_edit, make_patch

NAME = "{target}-{map_name}"
MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME}, "data": {"config.json": "{foreign}"}}
VOLUME = {"name": "mounted-settings", "configMap": {"name": NAME}}
MOUNT = {"name": "mounted-settings", "mountPath": "{settings}", "subPath": "config.json"}

fault = Fault(
    id="foreign_settings",
    layer="Application",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Misconfiguration"), ("Application", "Dependency Problem")),
    changes=(
        Create(manifest=MAP),
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=(
                {"op": "add", "path": f"{POD}/volumes/-", "value": VOLUME},
                {"op": "add", "path": f"{CONTAINER}/volumeMounts/-", "value": MOUNT},
            ),
            recreate=True,
        ),
    ),
    wait=90.0,
    cause=Cause(check=template),
    looks=(
        PODS,
        "kubectl logs -n {namespace} deploy/{target} --tail=20",
        "kubectl get configmaps -n {namespace}",
        f"kubectl get configmap {NAME} -n {{namespace}} -o yaml",
    ),
    fixes=(
        make_patch("deployment", "#{undo_volumes}", "#{undo_volumeMounts}"),
        f"kubectl get configmap {NAME} -n {{namespace}} -o yaml | sed 's/[.]staging//' | kubectl replace -f -\n"
        "kubectl rollout restart deployment/{target} -n {namespace}",
        make_edit("deployment", "{jq_volumes} | {jq_volumeMounts}"),
    ),
    targets=("asked", "foreign"),
)
