"""What the programs of a workload may do to others, and what it may not do: rights, the node, rank, users."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aiops_gym.sim.kernel.objects import Obj, get, namespace_of
from aiops_gym.sim.kernel.world import World

HOST = ("hostNetwork", "hostPID", "hostIPC")
GROUPS = ("containers", "initContainers", "ephemeralContainers")

INSIDE = {"emptyDir", "configMap", "secret", "projected", "downwardAPI", "persistentVolumeClaim", "ephemeral", "image"}
"""Kinds of volumes that lead to no disk of a node and to no other machine."""

LOOSE = {
    "procMount": "Unmasked",
    "seccompProfile": {"type": "Unconfined"},
    "appArmorProfile": {"type": "Unconfined"},
    "runAsGroup": 0,
}
"""Settings of a security context that take a fence away."""

TIGHT = {
    "runAsNonRoot": True,
    "readOnlyRootFilesystem": True,
    "allowPrivilegeEscalation": False,
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""Settings of a security context that put up a fence."""

CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
BINDINGS = ("rolebindings.rbac.authorization.k8s.io", "clusterrolebindings.rbac.authorization.k8s.io")


def read_template(obj: Obj) -> Mapping[str, Any]:
    """The template of the pods of a workload, or what is one of a pod."""
    spec = obj.get("spec") or {}
    found: Mapping[str, Any] = spec.get("template") or get(spec, "jobTemplate", "spec", "template", default=obj)
    return found


def list_new_powers(was: Obj | None, is_: Obj, world: World) -> list[str]:
    """What a workload's programs may do to others that they could not do before, in words."""
    if was is None:
        return sorted(_find_powers(is_, world))
    given_up = {f"{fence} is given up" for fence in _find_fences(was) - _find_fences(is_)}
    return sorted((_find_powers(is_, world) - _find_powers(was, world)) | given_up)


def _find_powers(obj: Obj, world: World) -> set[str]:
    template = read_template(obj)
    spec = template.get("spec") or {}
    found = {f"{field} is set" for field in HOST if spec.get(field)}
    found |= {
        f"{kind} {source.get('path') or source.get('server') or ''} is mounted"
        for volume in spec.get("volumes") or ()
        for kind, source in volume.items()
        if kind != "name" and kind not in INSIDE
    }
    account = spec.get("serviceAccountName", "default")
    if _has_rights(world, namespace_of(obj), account):
        found.add(f"the rights of service account {account} are given")
    if spec.get("nodeName") and template is not obj:  # of a pod the scheduler writes it
        found.add("its pods are put on a node past the scheduler")
    if _outranks(spec.get("priorityClassName"), world):
        found.add(f"its pods rank as {spec['priorityClassName']}")
    found |= {text for each in spec.get("tolerations") or () if (text := _tolerates(each))}
    found |= {f"sysctl {each['name']} is set" for each in get(spec, "securityContext", "sysctls", default=())}
    for container in list_containers(spec):
        found |= {
            f"{power} of container {container['name']}" for power in _rights(container, _context(spec, container))
        }
    return found


def list_containers(spec: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """All containers of a pod, of whatever group."""
    for group in GROUPS:
        yield from spec.get(group) or ()


def _context(spec: Mapping[str, Any], container: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**(spec.get("securityContext") or {}), **(container.get("securityContext") or {})}


def _rights(container: Mapping[str, Any], context: Mapping[str, Any]) -> Iterator[str]:
    if context.get("privileged"):
        yield "privileged mode"
    if context.get("runAsUser") == 0:
        yield "running as root"
    if 0 in (context.get("supplementalGroups") or ()) or context.get("fsGroup") == 0:
        yield "the group of root"
    if context.get("allowPrivilegeEscalation"):
        yield "privilege escalation"
    for name in get(context, "capabilities", "add", default=()):
        yield f"capability {name}"
    for field, value in LOOSE.items():
        if context.get(field) == value:
            yield field
    if context.get("seLinuxOptions"):
        yield f"seLinuxOptions {context['seLinuxOptions'].get('type', '')}"
    for port in container.get("ports") or ():
        if port.get("hostPort"):
            yield f"port {port['hostPort']} of the node"


def _find_fences(obj: Obj) -> set[str]:
    """What keeps a workload's programs in, of those containers that it has."""
    spec = read_template(obj).get("spec") or {}
    found = {"to have no token"} if spec.get("automountServiceAccountToken") is False else set()
    found |= {"to have users of its own"} if spec.get("hostUsers") is False else set()
    for container in list_containers(spec):
        context = _context(spec, container)
        fences = {field for field, value in TIGHT.items() if context.get(field) == value}
        fences |= {f"to be without {name}" for name in get(context, "capabilities", "drop", default=())}
        fences |= {"runAsUser"} if context.get("runAsUser") else set()
        found |= {f"{fence} of container {container['name']}" for fence in fences}
    return found


def _has_rights(world: World, namespace: str, account: str) -> bool:
    """Whether a service account has been given any role."""
    return any(
        subject.get("kind") == "ServiceAccount" and (subject.get("namespace"), subject["name"]) == (namespace, account)
        for resource in BINDINGS
        for binding in world.store.all(resource)
        for subject in binding.get("subjects") or ()
    )


def _outranks(name: str | None, world: World) -> bool:
    """Whether pods of a class may take the place of others, which have none."""
    if not name:
        return False
    found = world.store.get("priorityclasses.scheduling.k8s.io", "", name)
    return found is None or found.get("value", 0) > 0


def _tolerates(toleration: Mapping[str, Any]) -> str:
    """What a toleration lets through beside a taint that somebody put up for a time."""
    if not toleration.get("key"):
        return "every taint is tolerated"
    return "the taint of the control plane is tolerated" if toleration["key"] == CONTROL_PLANE else ""
