"""`kubectl cluster-info`"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from aiops_gym.clients import kubeconfig
from aiops_gym.clients.flags import Flag
from aiops_gym.clients.view import hide_managed_fields
from aiops_gym.kubectl.client import find_resource
from aiops_gym.kubectl.errors import Failure, ServerError
from aiops_gym.kubectl.output.printers import FLAGS, JsonPrinter, NamePrinter, Printer, choose_printer
from aiops_gym.kubectl.output.structs import Struct
from aiops_gym.kubectl.targets import EVERYWHERE
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.types import Json

LABEL = "kubernetes.io/cluster-service=true"
DEBUG = "\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'."


def run(call: Invocation) -> int | None:
    """Print where the control plane and the services of the cluster answer."""
    server = kubeconfig.find_server(call.context, call.flags)
    call.say(f"Kubernetes control plane is running at {server}")
    for service in call.client.list(find_resource("services"), "kube-system", LABEL)["items"]:
        meta, ports = service["metadata"], service["spec"].get("ports") or [{}]
        name = f"{meta['name']}:{ports[0]['name']}" if ports[0].get("name") else meta["name"]
        label = (meta.get("labels") or {}).get("kubernetes.io/name") or meta["name"]
        call.say(f"{label} is running at {server}/api/v1/namespaces/{meta['namespace']}/services/{name}/proxy")
    call.say(DEBUG)
    return 0


def dump(call: Invocation) -> int | None:
    """Print the objects of two namespaces, and the logs of their pods: all that helps to see what is wrong."""
    flags, shown = call.flags, choose_printer(call) or JsonPrinter(managed=True)
    if isinstance(shown, NamePrinter):
        raise Failure("list types are not supported by name printing: *v1.NodeList")
    if flags.seconds("pod-running-timeout") <= 0:
        raise Failure("--pod-running-timeout must be higher than zero")
    folder = flags.text("output-directory")
    put = partial(_put, call, "" if folder == "-" else folder)
    put("nodes.json", _listed(call, shown, "nodes", ""))
    everywhere = [item["metadata"]["name"] for item in call.client.list(find_resource("namespaces"))["items"]]
    asked = flags.items("namespaces") or ("kube-system", call.namespace)
    for namespace in everywhere if flags.on("all-namespaces") else asked:
        for kind in KINDS:
            put(f"{namespace}/{FILES.get(kind, kind)}.json", _listed(call, shown, kind, namespace))
        for pod in call.client.list(find_resource("pods"), namespace)["items"]:
            put(f"{namespace}/{pod['metadata']['name']}/logs.txt", _logs(call, pod))
    if folder not in ("", "-"):
        call.say(f"Cluster info dumped to {folder}")
    return 0


FILES = {"replicationcontrollers": "replication-controllers"}


def _put(call: Invocation, folder: str, name: str, text: str) -> None:
    """Print a part of the dump, or write it into its file."""
    if folder:
        call.context.files.write(f"{folder.rstrip('/')}/{name}", text)
    else:
        call.write(text)


def _listed(call: Invocation, shown: Printer, kind: str, namespace: str) -> str:
    resource = find_resource(kind)
    found = call.client.list(resource, namespace)
    kept = dict if call.flags.on("show-managed-fields") else hide_managed_fields
    items = [{k: v for k, v in kept(item).items() if k not in ("kind", "apiVersion")} for item in found["items"]]
    head = {"kind": f"{resource.kind}List", "apiVersion": resource.api_version, "metadata": found["metadata"]}
    return shown.one(Struct({**head, "items": items}))


def _logs(call: Invocation, pod: Json) -> str:
    """The logs of a pod, each between two lines that say whose it is; an error is told where the log would be."""
    meta, spec, lines = pod["metadata"], pod["spec"], []
    for container in (*(spec.get("initContainers") or ()), *spec["containers"]):
        whose = f"logs for container {container['name']} of pod {meta['namespace']}/{meta['name']} ===="
        lines.append(f"==== START {whose}\n")
        try:
            lines.append(call.client.log(meta["namespace"], meta["name"], {"container": container["name"]}))
        except ServerError:  # the reason is not looked at
            why = "the server rejected our request for an unknown reason"
            lines.append(f"Request log error: {why} (get pods {meta['name']})\n")
        lines.append(f"==== END {whose}\n")
    return "".join(lines)


KINDS = ("events", "replicationcontrollers", "services", "daemonsets", "deployments", "replicasets", "pods")
verb = Verb(
    "cluster-info",
    run,
    verbs=(
        Verb(
            "dump",
            dump,
            flags=(
                EVERYWHERE,
                Flag("namespaces", "list", help="A comma separated list of namespaces to dump."),
                Flag("output-directory", help="Where to output the files; the standard output if empty or -."),
                *(flag if flag.name != "output" else replace(flag, default="json") for flag in FLAGS),
                Flag("pod-running-timeout", "duration", default=20.0, help="How long to wait until a pod is running."),
            ),
            usage="cluster-info dump [flags]",
            short="Dump relevant information for debugging and diagnosis",
        ),
    ),
    usage="cluster-info [flags]",
    short="Display cluster information",
)
