"""What admission adds to a new pod: its service account's token, tolerations, priority, limits of the namespace."""

from __future__ import annotations

from aiops_gym.sim.kernel import draws, quantity
from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import limits
from aiops_gym.sim.kube_api.kind import Draft
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.sim.kube_api.status import forbidden
from aiops_gym.types import Json

TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
EMPTY: dict[str, Json] = {}
CLASSES = "priorityclasses.scheduling.k8s.io"
SYSTEM_PRIORITIES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


def admit(world: World, draft: Draft, old: Obj | None) -> None:
    """Complete a new pod. Raises Forbidden."""
    if old is not None:
        return
    spec = draft["spec"]
    mirror = "kubernetes.io/config.mirror" in (draft["metadata"].get("annotations") or {})
    if not mirror:
        _service_account(world, draft, spec)
        _tolerations(spec)
    _priority(world, draft, spec)
    limits.fill_pod(world, draft)
    draft["status"] = {"phase": "Pending", **draft["status"], "qosClass": qos(spec)}


def _service_account(world: World, draft: Draft, spec: Draft) -> None:
    name = spec.get("serviceAccountName") or "default"
    spec["serviceAccountName"] = spec["serviceAccount"] = name
    namespace = draft["metadata"].get("namespace", "")
    account = world.store.get("serviceaccounts", namespace, name)
    if account is None and name != "default":
        why = f'error looking up service account {namespace}/{name}: serviceaccount "{name}" not found'
        raise forbidden(RESOURCES["pods"], _name(draft), why)
    mounted = spec.get(
        "automountServiceAccountToken", get(account or EMPTY, "automountServiceAccountToken", default=True)
    )
    if account is not None and account.get("imagePullSecrets") and not spec.get("imagePullSecrets"):
        spec["imagePullSecrets"] = list(account["imagePullSecrets"])
    if not mounted or any(v["name"].startswith("kube-api-access-") for v in spec.get("volumes") or ()):
        return
    suffix = draws.suffix(5, world.seed, "token volume", draft["metadata"]["uid"])
    volume = f"kube-api-access-{suffix}"
    used = False
    for kind in ("initContainers", "containers"):
        for container in spec.get(kind) or ():
            mounts = container.setdefault("volumeMounts", [])
            if all(m.get("mountPath") != TOKEN_PATH for m in mounts):
                mounts.append({"name": volume, "readOnly": True, "mountPath": TOKEN_PATH})
                used = True
    if used:
        spec["volumes"] = [*(spec.get("volumes") or ()), _token_volume(volume)]


def _token_volume(name: str) -> dict[str, Json]:
    field = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
    sources = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": field}]}},
    ]
    return {"name": name, "projected": {"sources": sources, "defaultMode": 420}}


def _name(draft: Draft) -> str:
    return str(draft["metadata"].get("name") or draft["metadata"].get("generateName", ""))


def _tolerations(spec: Draft) -> None:
    """A pod stays five minutes on a node that is lost, unless it says otherwise."""
    found = list(spec.get("tolerations") or ())
    for key in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"):
        if not any(_tolerates(t, key) for t in found):
            found.append({"effect": "NoExecute", "key": key, "operator": "Exists", "tolerationSeconds": 300})
    spec["tolerations"] = found


def _tolerates(toleration: Draft, key: str) -> bool:
    return toleration.get("key", "") in ("", key) and toleration.get("effect", "") in ("", "NoExecute")


def _priority(world: World, draft: Draft, spec: Draft) -> None:
    name = spec.get("priorityClassName", "")
    found = world.store.get(CLASSES, "", name) if name else _global_default(world)
    if name and found is None and name not in SYSTEM_PRIORITIES:
        raise forbidden(RESOURCES["pods"], _name(draft), f"no PriorityClass with name {name} was found")
    value = SYSTEM_PRIORITIES.get(name, 0) if found is None else int(found["value"])
    if not name and found is not None:
        spec["priorityClassName"] = found["metadata"]["name"]
    given = spec.get("priority")
    if given is not None and given != value:
        why = f"the integer value of priority ({given}) must not be provided in pod spec; "
        why += f"priority admission controller computed {value} from the given PriorityClass name"
        raise forbidden(RESOURCES["pods"], _name(draft), why)
    spec["priority"] = value
    spec.setdefault("preemptionPolicy", get(found or EMPTY, "preemptionPolicy", default="PreemptLowerPriority"))


def _global_default(world: World) -> Obj | None:
    """The class of pods that name none; the lowest where there are several."""
    defaults = [one for one in world.store.all(CLASSES) if one.get("globalDefault")]
    return min(defaults, key=lambda one: int(one["value"]), default=None)


def qos(spec: Draft) -> str:
    """The quality-of-service class of a pod.

    >>> qos({"containers": [{"resources": {"requests": {"cpu": "1"}}}]})
    'Burstable'
    """
    containers = [c.get("resources") or {} for k in ("initContainers", "containers") for c in spec.get(k) or ()]
    requests = [_positive(c.get("requests") or {}) for c in containers]
    limits = [_positive(c.get("limits") or {}) for c in containers]
    if not any(requests) and not any(limits):
        return "BestEffort"
    exact = all(
        len(limit) == 2 and (limit == request or not request) for limit, request in zip(limits, requests, strict=True)
    )
    return "Guaranteed" if exact else "Burstable"


def _positive(amounts: Draft) -> dict[str, Json]:
    found = {what: quantity.parse(amounts[what]) for what in ("cpu", "memory") if what in amounts}
    return {what: amount for what, amount in found.items() if amount > 0}
