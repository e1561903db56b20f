"""`kubectl cluster-info`"""

from __future__ import annotations

from aiops_gym.shell.kubectl import config
from aiops_gym.shell.kubectl.client import known
from aiops_gym.shell.kubectl.errors import Failure
from aiops_gym.shell.kubectl.verb import Invocation, Verb

LABEL = "kubernetes.io/cluster-service=true"
DEBUG = "\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'."


def run(call: Invocation) -> int | None:
    """Print where the control plane and the services of the cluster answer."""
    if call.args:
        raise Failure(f'unknown command "{" ".join(call.args)}"')
    server = config.server(call.context, call.flags)
    call.say(f"Kubernetes control plane is running at {server}")
    for service in call.client.list(known("services"), "kube-system", LABEL)["items"]:
        meta, ports = service["metadata"], service["spec"].get("ports") or [{}]
        name = f"{meta['name']}:{ports[0]['name']}" if ports[0].get("name") else meta["name"]
        label = (meta.get("labels") or {}).get("kubernetes.io/name") or meta["name"]
        call.say(f"{label} is running at {server}/api/v1/namespaces/{meta['namespace']}/services/{name}/proxy")
    call.say(DEBUG)
    return 0


verb = Verb("cluster-info", run, usage="cluster-info [flags]", short="Display cluster information")
