"""Two components wait for each other before they start: it showed when both had lost their pods, and lasts for ever."""

from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import DESCRIBE, POD, PODS, make_edit, make_patch
from aiops_gym.catalog.system import System
from aiops_gym.types import Json

INITS = f"{POD}/initContainers"
FREE = '.spec.template.spec.initContainers |= map(select(.name != "wait-for-peer"))'


def _wait(name: str, port: str) -> Json:
    script = f"until nc -z {name} {port}; do echo waiting for {name}; sleep 2; done"
    return {"name": "wait-for-peer", "image": "busybox:1.36", "command": ["sh", "-c", script]}


def _gate(name: str, peer: str, port: str) -> Patch:
    ops = ({"op": "add", "path": f"{INITS}/-", "value": _wait(peer, port)},)
    return Patch(resource="deployments.apps", name=name, ops=ops, recreate=True)


def started(before: System, now: System, cause: Cause) -> str:
    """One of the two starts without the other."""
    pair = (cause.component, cause.detail)
    for name in pair:
        pods = now.pods(name)
        waits = [each for pod in pods for each in pod["spec"].get("initContainers") or ()]
        if pods and not any(each["name"] == "wait-for-peer" for each in waits):
            return ""
    return f"{' and '.join(pair)} wait for each other"


fault = Fault(
    id="waiting_circle",
    layer="Virtualization",
    kind="Dependency Problem",
    also_accept=(("Virtualization", "Misconfiguration"), ("Application", "Dependency Problem")),
    changes=(
        _gate("{target}", "{asker}", "{asker_port}"),
        _gate("{asker}", "{target}", "{service_port}"),
        Restart(components=("{target}", "{asker}")),
    ),
    wait=90.0,
    cause=Cause(check=started, detail="{asker}"),
    looks=(PODS, DESCRIBE, "kubectl logs -n {namespace} deploy/{target} -c wait-for-peer --tail=5"),
    fixes=(
        make_patch("deployment", "#{undo_initContainers}"),
        make_edit("deployment", "{jq_initContainers}"),
        "\n".join(make_edit("deployment", FREE, name=name) for name in ("{asker}", "{target}")),
    ),
    targets=("asked", "targeted", "met", "!prepared", "!database"),
    tasks=("detection", "analysis", "mitigation"),
    features=("moving",),
)
