"""An init container waits for a Service that does not exist: the program behind it never starts."""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import DESCRIBE, POD, PODS, make_edit, make_patch

WAIT = {
    "name": "wait-for-config",
    "image": "busybox:1.36",
    "command": ["sh", "-c", "until nslookup {target}-config; do echo waiting for {target}-config; sleep 2; done"],
}

fault = Fault(
    id="endless_init_container",
    layer="Virtualization",
    kind="Misconfiguration",
    also_accept=(("Virtualization", "Dependency Problem"),),
    changes=(
        Patch(
            resource="deployments.apps",
            name="{target}",
            ops=({"op": "add", "path": f"{POD}/initContainers/-", "value": WAIT},),
            recreate=True,
        ),
        Restart(components=("{service}",)),
    ),
    wait=90.0,
    cause=Cause(check=template, service="{service}"),
    looks=(PODS, DESCRIBE, "kubectl logs -n {namespace} deploy/{target} -c wait-for-config --tail=10"),
    fixes=(
        make_patch("deployment", "#{undo_initContainers}"),
        make_edit("deployment", "{jq_initContainers}"),
        "kubectl create service clusterip {target}-config -n {namespace} --tcp=8080:8080",
    ),
    targets=("needed", "!prepared"),
    held_out=True,
)
