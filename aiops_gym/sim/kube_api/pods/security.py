"""Pod security: what a namespace's label lets its new pods ask for (`pod-security-admission`, standards of 1.32).

`pod-security.kubernetes.io/enforce` is `privileged` (anything goes), `baseline` or `restricted`. Each check below
names the containers or volumes that break it, in the words of the real one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from aiops_gym.sim.kernel.objects import Obj, get, labels_of, name_of, namespace_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.kind import Draft
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.sim.kube_api.status import Fault, forbidden, invalid_value, quote

LABEL = "pod-security.kubernetes.io/enforce"
WARN = "pod-security.kubernetes.io/warn"
LABELS = (LABEL, "pod-security.kubernetes.io/audit", WARN)
LEVELS = ("privileged", "baseline", "restricted")
TEMPLATED = frozenset(
    [
        *("deployments.apps", "replicasets.apps", "statefulsets.apps", "daemonsets.apps", "replicationcontrollers"),
        *("jobs.batch", "podtemplates"),
    ]
)
"""What makes pods of a template: it is let in, and whoever writes it is warned."""

HOST = ("hostNetwork", "hostPID", "hostIPC")
USUAL = {
    *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP"),
    *("SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
}
"""Capabilities that the baseline lets a container add."""

HARMLESS = {
    *("name", "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim"),
    *("projected", "secret"),
}
"""Kinds of volumes that even restricted pods may have."""

CONFINED = ("RuntimeDefault", "Localhost")

Spec = Mapping[str, Any]


def admit(world: World, draft: Draft) -> None:
    """Refuse a new pod that its namespace does not let in. Raises Forbidden."""
    namespace = world.store.get("namespaces", "", draft["metadata"].get("namespace", ""))
    labels = labels_of(namespace or Obj())
    found = _list_breaches(labels.get(LABEL, ""), draft["spec"])
    if found:
        name = str(draft["metadata"].get("name") or draft["metadata"].get("generateName", ""))
        raise forbidden(RESOURCES["pods"], name, f"violates PodSecurity {_tell(labels, LABEL)}: {', '.join(found)}")


def _list_breaches(level: str, spec: Spec) -> list[str]:
    return [text for check in CHECKS.get(level, ()) if (text := check(spec))]


def _tell(labels: Mapping[str, str], label: str) -> str:
    return quote(f"{labels[label]}:{labels.get(f'{label}-version', 'latest')}")


def list_warnings(world: World, resource: str, obj: Obj, old: Obj | None) -> list[str]:
    """What whoever wrote an object is warned of: its pods may not do as they ask, or those that are there may not."""
    if resource == "namespaces":
        return _list_left_behind(world, obj, old) if old is not None else []
    if resource not in TEMPLATED and (resource != "pods" or old is not None) and resource != "cronjobs.batch":
        return []
    labels = labels_of(world.store.get("namespaces", "", namespace_of(obj)) or Obj())
    if labels.get(WARN) not in CHECKS:
        return []
    spec: Spec = obj if resource == "pods" else get(obj, "spec", default={})
    spec = spec.get("jobTemplate", {}).get("spec", {}) if resource == "cronjobs.batch" else spec
    spec = get(obj if resource == "podtemplates" else spec, "template", default=spec)
    found = _list_breaches(labels[WARN], get(spec, "spec", default={}))
    return [f"would violate PodSecurity {_tell(labels, WARN)}: {', '.join(found)}"] if found else []


def _list_left_behind(world: World, namespace: Obj, old: Obj) -> list[str]:
    """Pods that a stricter standard of their namespace would not let in any more; they stay."""
    new, before = labels_of(namespace).get(LABEL, LEVELS[0]), labels_of(old).get(LABEL, LEVELS[0])
    if new not in CHECKS or before not in LEVELS or LEVELS.index(new) <= LEVELS.index(before):
        return []
    kept: dict[str, list[str]] = {}
    for pod in world.store.all("pods", name_of(namespace)):
        if found := [text.partition(" (")[0] for text in _list_breaches(new, pod["spec"])]:
            kept.setdefault(", ".join(found), []).append(name_of(pod))
    if not kept:
        return []
    where, level = quote(name_of(namespace)), _tell(labels_of(namespace), LABEL)
    first = f"existing pods in namespace {where} violate the new PodSecurity enforce level {level}"
    return [first, *sorted(f"{min(names)}{_count(len(names) - 1)}: {why}" for why, names in kept.items())]


def _count(others: int) -> str:
    return f" (and {others} other pod{'s' if others > 1 else ''})" if others else ""


def check_labels(draft: Draft) -> list[Fault]:
    """What is wrong with the standards that a namespace's labels name."""
    given = draft["metadata"].get("labels") or {}
    why = f"must be one of {', '.join(LEVELS)}"
    return [
        invalid_value(f"metadata.labels[{name}]", given[name], why)
        for name in LABELS
        if name in given and given[name] not in LEVELS
    ]


def _containers(spec: Spec) -> Iterator[Spec]:
    for group in ("initContainers", "containers", "ephemeralContainers"):
        yield from spec.get(group) or ()


def _name(what: str, names: Sequence[str]) -> str:
    return f"{what}{'s' if len(names) > 1 else ''} {', '.join(map(quote, names))}"


def _of_containers(title: str, bad: Callable[[Spec], object], rule: str) -> Callable[[Spec], str]:
    """A check of each container by itself."""

    def check(spec: Spec) -> str:
        names = [each["name"] for each in _containers(spec) if bad(each)]
        return f"{title} ({_name('container', names)} {rule})" if names else ""

    return check


def _settled(field: str, good: Callable[[Any], bool], title: str, rule: str) -> Callable[[Spec], str]:
    """A check of what a container says in its security context, or leaves to that of its pod."""

    def check(spec: Spec) -> str:
        whole = get(spec, "securityContext", field)
        said = [(each["name"], get(each, "securityContext", field, default=whole)) for each in _containers(spec)]
        names = [name for name, value in said if not good(value)]
        return f"{title} (pod or {_name('container', names)} {rule})" if names else ""

    return check


def _host(spec: Spec) -> str:
    found = [f"{field}=true" for field in HOST if spec.get(field)]
    return f"host namespaces ({', '.join(found)})" if found else ""


def _paths(spec: Spec) -> str:
    names = [each["name"] for each in spec.get("volumes") or () if "hostPath" in each]
    return f"hostPath volumes ({_name('volume', names)})" if names else ""


def _volumes(spec: Spec) -> str:
    odd = {each["name"]: kind for each in spec.get("volumes") or () for kind in each if kind not in HARMLESS}
    kinds = sorted(set(odd.values()))
    used = f"use{'' if len(odd) > 1 else 's'} restricted volume type{'s' if len(kinds) > 1 else ''}"
    return f"restricted volume types ({_name('volume', [*odd])} {used} {', '.join(map(quote, kinds))})" if odd else ""


def _drops_all(container: Spec) -> bool:
    return "ALL" in get(container, "securityContext", "capabilities", "drop", default=())


def _adds(container: Spec) -> set[str]:
    return {*get(container, "securityContext", "capabilities", "add", default=())}


BASELINE = (
    _of_containers(
        "non-default capabilities",
        lambda c: _adds(c) - USUAL,
        "must not include other than the default ones in securityContext.capabilities.add",
    ),
    _host,
    _paths,
    _of_containers(
        "hostPort", lambda c: any(port.get("hostPort") for port in c.get("ports") or ()), "must not use a hostPort"
    ),
    _of_containers(
        "privileged",
        lambda c: get(c, "securityContext", "privileged"),
        "must not set securityContext.privileged=true",
    ),
    _settled(
        "seccompProfile",
        lambda value: (value or {}).get("type") != "Unconfined",
        "seccompProfile",
        'must not set securityContext.seccompProfile.type to "Unconfined"',
    ),
)
RESTRICTED = (
    *BASELINE[:-1],
    _of_containers(
        "allowPrivilegeEscalation != false",
        lambda c: get(c, "securityContext", "allowPrivilegeEscalation") is not False,
        "must set securityContext.allowPrivilegeEscalation=false",
    ),
    _of_containers(
        "unrestricted capabilities",
        lambda c: not _drops_all(c) or _adds(c) - {"NET_BIND_SERVICE"},
        'must set securityContext.capabilities.drop=["ALL"]',
    ),
    _volumes,
    _settled(
        "runAsNonRoot",
        lambda value: value is True,
        "runAsNonRoot != true",
        "must set securityContext.runAsNonRoot=true",
    ),
    _settled("runAsUser", lambda value: value != 0, "runAsUser=0", "must not set runAsUser=0"),
    _settled(
        "seccompProfile",
        lambda value: (value or {}).get("type") in CONFINED,
        "seccompProfile",
        'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"',
    ),
)
CHECKS: Mapping[str, Sequence[Callable[[Spec], str]]] = {"baseline": BASELINE, "restricted": RESTRICTED}
"""What is checked, by the value of the label; any other value lets everything through."""
