"""A deployment mounts a ConfigMap under a name that does not exist: its pod waits for the volume for ever."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import DESCRIBE, POD, PODS, make_edit, make_patch
from aiops_gym.catalog.system import System

NAME = f"{POD}/volumes/{{configmap_index}}/configMap/name"
COPY = '.metadata = {"name": "{configmap}-v2", "namespace": "{namespace}"}'


def _provided(before: System, now: System, cause: Cause) -> str:
    """As `template`, and each file that the component was given is there: some are read at a first start alone."""
    name = cause.component
    lost = sorted(path for path, text in before.files(name).items() if text and not now.files(name).get(path))
    return template(before, now, cause) or (f"{name} has no {lost[0]} any more" if lost else "")


fault = Fault(
    id="missing_configmap",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Dependency Problem"),),
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "replace", "path": NAME, "value": "{configmap}-v2"},),
            recreate=True,
        ),
        Restart(components=("{service}",)),
    ),
    cause=Cause(check=_provided, service="{service}"),
    looks=(PODS, DESCRIBE, "kubectl get configmaps -n {namespace}"),
    fixes=(
        make_patch("deployment", {"op": "replace", "path": NAME, "value": "{configmap}"}),
        make_edit("deployment", '.spec.template.spec.volumes[{configmap_index}].configMap.name = "{configmap}"'),
        f"kubectl get configmap {{configmap}} -n {{namespace}} -o json | jq '{COPY}' | kubectl apply -f -",
    ),
    targets=("needed", "configmap"),
)
