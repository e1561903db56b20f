"""What lies below an object: its log, a command inside it, its scale, its binding, a token."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj, get, key_of, labels_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.times import iso, millis
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import kubelet_client, patching, table, write
from aiops_gym.sim.kube_api.answer import Answer
from aiops_gym.sim.kube_api.decode import copy_json
from aiops_gym.sim.kube_api.eviction import evict
from aiops_gym.sim.kube_api.proxying import proxy
from aiops_gym.sim.kube_api.read import find_object
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource
from aiops_gym.sim.kube_api.selectors import format_object
from aiops_gym.sim.kube_api.status import (
    ApiError,
    bad_request,
    conflict,
    invalid,
    invalid_value,
    method_not_allowed,
    no_such_path,
    quote,
)
from aiops_gym.sim.machine.scripts import inside
from aiops_gym.types import Json, Output, Request, Response


def handle(world: World, resource: Resource, request: Request) -> Response:
    """Answer a request for something below an object. Raises ApiError."""
    if request.subresource not in resource.subresources:
        raise no_such_path()
    if request.subresource == "proxy" and resource.name != "nodes":
        return proxy(world, resource, request)
    answer = HANDLERS.get((request.subresource, request.verb))
    if answer is None:
        raise method_not_allowed()
    found_ = answer(world, resource, request)
    if request.table and request.verb == "get" and request.subresource in ("scale", "status"):
        name = "scales.autoscaling" if request.subresource == "scale" else resource.name
        version = found_.body["metadata"].get("resourceVersion", "")
        return Response(200, table.make_table(name, [Obj(found_.body)], world.now, version))
    return found_


def log(world: World, resource: Resource, request: Request) -> Response:
    """A container's log as text."""
    pod = find_object(world, resource, request.namespace, request.name)
    query = request.query
    container = find_container(pod, query.get("container", ""))
    if not get(pod, "spec", "nodeName"):
        return Response(200, "")
    kubelet_client.reach(world, pod, f"containerLogs/{key_of(pod)}/{container}")
    previous = query.get("previous", "") in ("true", "1")
    status = next((s for s in list_statuses(pod) if s["name"] == container), None)
    process = f"{uid_of(pod)}/{container}"
    text = kubelet_client.read_log(
        world,
        process,
        previous=_which(pod, container, status, previous),
        since_ms=_since(world, query),
        tail=_number(query, "tailLines"),
        limit_bytes=_number(query, "limitBytes"),
        timestamps=query.get("timestamps", "") in ("true", "1"),
    )
    return Response(200, text)


def ask_node(world: World, resource: Resource, request: Request) -> Response:
    """What a node's kubelet answers at `query["path"]`."""
    node, path = find_object(world, resource, "", request.name), request.query.get("path", "")
    kubelet_client.reach_node(world, name_of(node), path)
    found = kubelet_client.read_metrics(world, name_of(node), path)
    if found is None:
        raise no_such_path()
    return Response(200, found)


def _number(query: Mapping[str, str], name: str) -> int | None:
    text = query.get(name, "")
    if not text:
        return None
    if not re.fullmatch(r"-?\d{1,18}", text):
        raise bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax')
    number = int(text)
    if number < (0 if name == "tailLines" else 1):
        least = "must be greater than or equal to 0" if name == "tailLines" else "must be greater than 0"
        options = Resource(
            name="podlogoptions", plural="podlogoptions", singular="podlogoptions", kind="PodLogOptions", group="",
            version="v1", namespaced=True,
        )  # fmt: skip
        raise invalid(options, "", [invalid_value(name, number, least)])
    return number


def _since(world: World, query: Mapping[str, str]) -> int | None:
    seconds = _number(query, "sinceSeconds")
    if seconds is not None:
        return world.now - seconds * 1000
    if time := query.get("sinceTime", ""):
        try:
            return millis(time)
        except ValueError:
            raise bad_request(f'parsing time "{time}" as "2006-01-02T15:04:05Z07:00": cannot parse') from None
    return None


def list_statuses(pod: Obj) -> list[Mapping[str, Any]]:
    """What the kubelet has said of all of a pod's containers."""
    status = pod.get("status", {})
    return [s for kind in ("init", "", "ephemeral") for s in status.get(_list_name(kind, "containerStatuses"), ())]


def _list_name(kind: str, name: str) -> str:
    return kind + name[0].upper() + name[1:] if kind else name


def find_container(pod: Obj, wanted: str) -> str:
    """The container that is meant. Raises BadRequest where that is not clear."""
    spec = pod["spec"]
    plain = [c["name"] for c in spec.get("containers", ())]
    init = [c["name"] for c in spec.get("initContainers", ())]
    if wanted:
        if wanted in plain or wanted in init or any(c["name"] == wanted for c in spec.get("ephemeralContainers", ())):
            return wanted
        raise bad_request(f"container {wanted} is not valid for pod {name_of(pod)}")
    if len(plain) == 1:
        return str(plain[0])
    text = f"a container name must be specified for pod {name_of(pod)}, choose one of: [{' '.join(plain)}]"
    raise bad_request(text + (f" or one of the init containers: [{' '.join(init)}]" if init else ""))


def _which(pod: Obj, container: str, status: Mapping[str, Any] | None, previous: bool) -> bool:
    """Whether the log of the process before the latest is meant. Raises BadRequest where there is no log."""
    where = f"container {quote(container)} in pod {quote(name_of(pod))}"
    if status is None:
        raise bad_request(f"{where} is not available")
    state, last = status.get("state", {}), (status.get("lastState") or {}).get("terminated") or {}
    if previous:
        if not last.get("containerID"):
            raise bad_request(f"previous terminated {where} not found")
        return bool(state.get("running") or (state.get("terminated") or {}).get("containerID"))
    if state.get("running") or (state.get("terminated") or {}).get("containerID") or last.get("containerID"):
        return False
    if state.get("terminated") or last:
        raise bad_request(f"{where} is terminated")
    reason = (state.get("waiting") or {}).get("reason", "")
    words = {"ErrImagePull": "image can't be pulled", "ImagePullBackOff": "trying and failing to pull image"}
    raise bad_request(f"{where} is waiting to start: {words.get(reason, reason)}")


def exec_(world: World, resource: Resource, request: Request) -> Response:
    """Run a command in a container; the body of the answer is an Output."""
    pod, container, argv = find_exec_target(world, resource, request)
    body = request.body if isinstance(request.body, Mapping) else {}
    output: Output = inside.execute(world, pod, container, argv, str(body.get("stdin") or ""))
    if output.code == 126 and output.stderr.startswith("OCI runtime exec failed:"):
        process = draws.hexes(64, world.seed, "exec", pod, world.now)
        where = f'failed to exec in container: failed to start exec "{process}"'
        text = f"error executing command in container: {where}: {output.stderr.rstrip()}"
        raise ApiError(500, "InternalError", f"Internal error occurred: Internal error occurred: {text}")
    return Response(200, output)


def find_exec_target(world: World, resource: Resource, request: Request) -> tuple[str, str, list[str]]:
    """In which pod (its key) and container a command would run, and its words. Raises ApiError if it cannot."""
    pod = find_object(world, resource, request.namespace, request.name)
    argv = request.body.get("command") if isinstance(request.body, Mapping) else None
    if not isinstance(argv, list) or not argv or not all(isinstance(a, str) for a in argv):
        raise bad_request("you must specify at least one command for the container")
    container = find_container(pod, request.query.get("container", ""))
    if not get(pod, "spec", "nodeName"):
        raise bad_request(f"pod {name_of(pod)} does not have a host assigned")
    kubelet_client.reach(world, pod, f"exec/{key_of(pod)}/{container}")
    status = next((s for s in list_statuses(pod) if s["name"] == container), None)
    if status is None or not status.get("state", {}).get("running"):
        raise ApiError(500, "InternalError", f"unable to upgrade connection: container not found ({quote(container)})")
    return key_of(pod), container, list(argv)


def get_scale(world: World, resource: Resource, request: Request) -> Response:
    """How many replicas are asked for and there are."""
    return Response(200, _scale(find_object(world, resource, request.namespace, request.name)))


def _scale(obj: Obj) -> dict[str, Json]:
    meta = {k: obj["metadata"][k] for k in ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")}
    selector = get(obj, "spec", "selector", default={})
    chosen = {"matchLabels": selector} if obj["kind"] == "ReplicationController" else selector
    status = {"replicas": get(obj, "status", "replicas", default=0), "selector": format_object(chosen)}
    spec = {"replicas": n} if (n := get(obj, "spec", "replicas", default=0)) else {}
    return {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": meta, "spec": spec, "status": status}


def put_scale(world: World, resource: Resource, request: Request) -> Response:
    """Ask for another number of replicas, by a whole Scale or a patch of it."""
    old = find_object(world, resource, request.namespace, request.name)
    scale: Json = request.body
    if request.verb == "patch":
        kind = request.content_type.partition(";")[0].strip()
        kind = patching.MERGE if kind == patching.STRATEGIC else kind
        scale = patching.apply_patch(_scale(old), request.body, kind, "")
    scale = scale if isinstance(scale, Mapping) else {}
    spec, meta = (part if isinstance(part := scale.get(name), Mapping) else {} for name in ("spec", "metadata"))
    if meta.get("resourceVersion") not in (None, "", old["metadata"]["resourceVersion"]):
        raise conflict(resource, request.name)
    draft = copy_json(old)
    draft["spec"]["replicas"] = _replicas(spec.get("replicas") or 0, request.name)
    return Response(200, _scale(write.replace(world, resource, draft, old, "", bool(request.query.get("dryRun")))))


def _replicas(wanted: Json, name: str) -> int:
    if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted >= 1 << 31:
        kind = f"number {wanted}" if isinstance(wanted, int | float) else "string"
        where = "Go struct field ScaleSpec.spec.replicas of type int32"
        handled = 'Scale in version "v1" cannot be handled as a Scale'
        raise bad_request(f"{handled}: json: cannot unmarshal {kind} into {where}")
    if wanted < 0:
        scales = Resource(
            name="scales.autoscaling", plural="scales", singular="scale", kind="Scale", group="autoscaling",
            version="v1", namespaced=True,
        )  # fmt: skip
        raise invalid(scales, name, [invalid_value("spec.replicas", wanted, "must be greater than or equal to 0")])
    return wanted


def bind(world: World, resource: Resource, request: Request) -> Response:
    """Give a pod to a node."""
    pod = find_object(world, resource, request.namespace, request.name)
    target = get(request.body, "target", "name") if isinstance(request.body, Mapping) else None
    if not isinstance(target, str) or not target:
        raise bad_request("Binding.target.name: Required value")
    if node := get(pod, "spec", "nodeName"):
        raise conflict(RESOURCES["pods"], name_of(pod), f'pod {name_of(pod)} is already assigned to node "{node}"')
    assign(world, pod, target)
    return Response(201, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201})


def assign(world: World, pod: Obj, node: str) -> Obj:
    """Write down on which node a pod runs."""
    condition = {
        "type": "PodScheduled",
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": iso(world.now),
    }
    others = [c for c in get(pod, "status", "conditions", default=[]) if c["type"] != "PodScheduled"]
    spec = {**pod["spec"], "nodeName": node}
    status = {**pod.get("status", {}), "conditions": [*others, condition]}
    return world.store.put("pods", {**pod, "spec": spec, "status": status})


def token(world: World, resource: Resource, request: Request) -> Response:
    """A token for a service account, noted in table `tokens`: whoever bears it is that account, see `find_bearer`."""
    account = find_object(world, resource, request.namespace, request.name)
    spec = request.body.get("spec") if isinstance(request.body, Mapping) else None
    seconds = get(spec if isinstance(spec, Mapping) else {}, "expirationSeconds", default=3600)
    seconds = seconds if isinstance(seconds, int) else 3600
    secret = draws.hexes(96, world.seed, "token", uid_of(account), world.now)
    world.table("tokens")[secret] = [key_of(account), uid_of(account), world.now + seconds * 1000]
    return Response(
        201,
        {
            "kind": "TokenRequest",
            "apiVersion": "authentication.k8s.io/v1",
            "metadata": {
                "name": name_of(account),
                "namespace": namespace_of(account),
                "labels": dict(labels_of(account)),
            },
            "spec": {"audiences": [AUDIENCE], "expirationSeconds": seconds, "boundObjectRef": None},
            "status": {
                "token": f"{TOKEN}{secret}",
                "expirationTimestamp": iso(world.now + seconds * 1000),
            },
        },
    )


AUDIENCE = "https://kubernetes.default.svc.cluster.local"
TOKEN = "eyJhbGciOiJSUzI1NiJ9."
"""How a token begins."""


def find_bearer(world: World, bearer: str) -> tuple[str, str] | None:
    """Namespace and name of the service account that a token stands for; None once it has ended, or its account has."""
    known = world.table("tokens").get(bearer.removeprefix(TOKEN))
    account = world.store.by_key("serviceaccounts", known[0]) if known is not None else None
    if known is None or account is None or uid_of(account) != known[1] or world.now >= known[2]:
        return None
    return namespace_of(account), name_of(account)


def get_status(world: World, resource: Resource, request: Request) -> Response:
    """The object; its status is a part of it."""
    return Response(200, find_object(world, resource, request.namespace, request.name))


def put_status(world: World, resource: Resource, request: Request) -> Answer:
    """Replace the status."""
    return write.put(world, resource, request, find_object(world, resource, request.namespace, request.name))


def finalize(world: World, resource: Resource, request: Request) -> Answer:
    """Replace a namespace's own finalizers."""
    old = find_object(world, resource, request.namespace, request.name)
    body = request.body if isinstance(request.body, Mapping) else {}
    finalizers = get(body, "spec", "finalizers", default=[])
    draft = copy_json(old)
    draft["spec"] = {"finalizers": finalizers} if finalizers else {}
    return Answer(200, write.replace(world, resource, draft, old))


HANDLERS: Mapping[tuple[str, str], Callable[[World, Resource, Request], Response]] = {
    ("log", "get"): log,
    ("exec", "create"): exec_,
    ("exec", "get"): exec_,
    ("scale", "get"): get_scale,
    ("scale", "update"): put_scale,
    ("scale", "patch"): put_scale,
    ("status", "get"): get_status,
    ("status", "update"): put_status,
    ("status", "patch"): patching.patch,
    ("ephemeralcontainers", "get"): get_status,
    ("ephemeralcontainers", "update"): put_status,
    ("ephemeralcontainers", "patch"): patching.patch,
    ("eviction", "create"): lambda world, resource, request: evict(world, request),
    ("binding", "create"): bind,
    ("token", "create"): token,
    ("finalize", "update"): finalize,
    ("proxy", "get"): ask_node,
}
