"""A controller keeps a Service on a port on which no pod listens: whoever mends it sees it undone in minutes."""

import yaml

from aiops_gym.catalog.checks import reached
from aiops_gym.catalog.model import Cause, Fault, Patch
from aiops_gym.catalog.scripts import CONTAINER, PODS, RESYNC, make_edit, make_patch
from aiops_gym.catalog.system import System

MAP, KEY = "config-sync", "/data/{target}.yaml"
PORTS = '{"ports": [{"port": {service_port}, "targetPort": 10080}]}'
TOLD = '{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "{target}"}, "spec": ' + PORTS + "}"
RIGHT = '.data["{target}.yaml"] |= (fromjson | .spec.ports[0].targetPort = {target_port} | tojson)'
OFTEN = [{"name": "INTERVAL", "value": "90"}]
PORT = {"op": "replace", "path": "/spec/ports/0/targetPort", "value": "#{target_port}"}
MEND = f"\n{RESYNC}\n" + make_patch("service", PORT)


def kept(before: System, now: System, cause: Cause) -> str:
    """The Service leads to its pods, and nobody is told to have it otherwise."""
    told = (now.object("configmaps", MAP) or {}).get("data") or {}
    docs = [yaml.safe_load(text) or {} for text in told.values()] if now.object("deployments.apps", MAP) else []
    for doc in docs:
        if doc.get("kind") == "Service" and doc["metadata"].get("name") == cause.component:
            service = now.object("services", cause.component) or {"spec": {}}
            ports = [each.get("targetPort") for each in service["spec"].get("ports") or ()]
            if any(each.get("targetPort") not in ports for each in doc["spec"].get("ports") or ()):
                return f"{MAP} changes the Service {cause.component} again"
    return reached(before, now, cause)


fault = Fault(
    id="reverted_service",
    layer="Virtualization",
    kind="Misconfiguration",
    changes=(
        Patch(resource="configmaps", name=MAP, component="{target}", ops=({"op": "add", "path": KEY, "value": TOLD},)),
        Patch(
            resource="deployments.apps",
            name=MAP,
            component="{target}",
            ops=({"op": "add", "path": f"{CONTAINER}/env", "value": OFTEN},),
        ),
    ),
    wait=120.0,
    cause=Cause(check=kept),
    looks=(PODS, "kubectl get endpoints,services -n {namespace}", f"kubectl logs -n {{namespace}} deploy/{MAP}"),
    fixes=(
        make_patch("configmap", {"op": "remove", "path": KEY}, name=MAP) + MEND,
        make_edit("configmap", RIGHT, name=MAP) + MEND,
    ),
    mends=(("services", "{target}"),),
    targets=("asked", "served"),
    features=("recurring",),
)
