"""Nodes, with what runs on them and what is asked of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiops_gym import caches
from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.amounts import ZERO, Amount, Amounts, collect, format_ratio, sum_pod_amounts
from aiops_gym.kubectl.describe.meta import Object, format_time
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View
from aiops_gym.sim.kernel.objects import Obj, get

_ROW = caches.slot(
    f"{__name__}.row",
    "writing the row of a pod on its node",
    ends="a write to the pod, and another size of the node, which is compared",
)

RESOURCES = ("nodes",)
ROLE = "node-role.kubernetes.io/"
STANDARD = ("cpu", "memory", "ephemeral-storage", "pods")
INFO = (
    ("Machine ID", "machineID"),
    ("System UUID", "systemUUID"),
    ("Boot ID", "bootID"),
    ("Kernel Version", "kernelVersion"),
    ("OS Image", "osImage"),
    ("Operating System", "operatingSystem"),
    ("Architecture", "architecture"),
    ("Container Runtime Version", "containerRuntimeVersion"),
    ("Kubelet Version", "kubeletVersion"),
    ("Kube-Proxy Version", "kubeProxyVersion"),
)


def events(node: Object, view: View) -> Sequence[Object]:
    """Events about a node: controllers use its uid, the kubelet its name."""
    name = node["metadata"]["name"]
    return [*view.events(node, kind="Node"), *view.events(node, uid=name, kind="Node")]


def describe(page: Page, node: Object, view: View) -> None:
    """Write all about a node."""
    metadata, spec, status = node["metadata"], node.get("spec") or {}, node.get("status") or {}
    meta.title(page, node, namespaced=False)
    page.line(f"Roles:\t{','.join(roles(metadata.get('labels') or {})) or '<none>'}")
    meta.write_metadata(page, node)
    page.line(f"CreationTimestamp:\t{format_time(metadata.get('creationTimestamp'))}")
    taints = sorted(spec.get("taints") or (), key=lambda t: f"{t.get('effect')},{t.get('key')}")
    meta.write_several(page, "Taints", [taint_text(taint) for taint in taints])
    page.line(f"Unschedulable:\t{str(bool(spec.get('unschedulable'))).lower()}")
    _lease(page, view, metadata["name"])
    _conditions(page, status.get("conditions") or ())
    page.line("Addresses:")
    page.rows((f"{a['type']}:", a["address"]) for a in status.get("addresses") or ())
    for heading in ("Capacity", "Allocatable"):
        if status.get(heading.lower()):
            page.line(f"{heading}:")
            page.rows((f"{name}:", quantity) for name, quantity in sorted(status[heading.lower()].items()))
    page.line("System Info:")
    page.rows((f"{title}:", get(status, "nodeInfo", field, default="")) for title, field in INFO)
    if spec.get("podCIDR"):
        page.line(f"PodCIDR:\t{spec['podCIDR']}")
    if spec.get("podCIDRs"):
        page.line(f"PodCIDRs:\t{','.join(spec['podCIDRs'])}")
    if spec.get("providerID"):
        page.line(f"ProviderID:\t{spec['providerID']}")
    _pods(page, status.get("allocatable") or status.get("capacity") or {}, metadata["name"], view)


def roles(labels: Mapping[str, str]) -> list[str]:
    """Roles of a node, from its labels."""
    found = {key.removeprefix(ROLE) for key in labels if key.startswith(ROLE)}
    return sorted({*found, labels.get("kubernetes.io/role", "")} - {""})


def taint_text(taint: Object) -> str:
    """`key=value:effect`, without the parts that are empty."""
    key, value, effect = taint.get("key", ""), taint.get("value", ""), taint.get("effect", "")
    if not effect:
        return f"{key}={value}:" if value else key
    return f"{key}={value}:{effect}" if value else f"{key}:{effect}"


def _lease(page: Page, view: View, name: str) -> None:
    lease = view.get("leases.coordination.k8s.io", "kube-node-lease", name)
    if lease is None:
        page.line(f'Lease:\tFailed to get lease: leases.coordination.k8s.io "{name}" not found')
        return
    spec = lease.get("spec") or {}
    page.line("Lease:")
    page.line(f"HolderIdentity:\t{spec.get('holderIdentity', '<unset>')}", 1)
    for heading, field in (("AcquireTime", "acquireTime"), ("RenewTime", "renewTime")):
        page.line(f"{heading}:\t{format_time(spec[field]) if spec.get(field) else '<unset>'}", 1)


def _conditions(page: Page, found: Sequence[Object]) -> None:
    if not found:
        return
    page.line("Conditions:")
    page.line("  Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage")
    page.line("  ----\t------\t-----------------\t------------------\t------\t-------")
    for c in found:
        times = f"{format_time(c.get('lastHeartbeatTime'))} \t{format_time(c.get('lastTransitionTime'))}"
        page.line(f"  {c['type']} \t{c['status']} \t{times} \t{c.get('reason', '')} \t{c.get('message', '')}")


def _pods(page: Page, allocatable: Mapping[str, str], name: str, view: View) -> None:
    """The pods of a node that have not ended, and the sums of what they ask for."""
    chosen = f"spec.nodeName={name},status.phase!=Failed,status.phase!=Succeeded"
    pods = view.list("pods", "", fields=chosen)
    cpu, memory = Amount.of(allocatable.get("cpu", "0")), Amount.of(allocatable.get("memory", "0"))
    page.line(f"Non-terminated Pods:\t({len(pods)} in total)")
    page.line("  Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge")
    page.line("  ---------\t----\t\t------------\t----------\t---------------\t-------------\t---")
    requests: Amounts = {}
    limits: Amounts = {}
    for pod in pods:
        amounts = sum_pod_amounts(pod)
        page.line(f"  {_row(pod, amounts, cpu, memory)}\t{view.age(pod['metadata'].get('creationTimestamp'))}")
        collect(requests, amounts[0])
        collect(limits, amounts[1])
    page.line("Allocated resources:")
    page.line("  (Total limits may be over 100 percent, i.e., overcommitted.)")
    page.line("  Resource\tRequests\tLimits")
    page.line("  --------\t--------\t------")
    others = sorted(r for r in allocatable if r.startswith("hugepages-"))
    for resource in (*STANDARD[:3], *others):
        whole = Amount.of(allocatable.get(resource, "0"))
        page.line(
            "  " + "\t".join([resource, *(format_ratio(total.get(resource), whole) for total in (requests, limits))])
        )
    for resource in sorted(r for r in allocatable if r not in STANDARD and r not in others):
        texts = [str(total.get(resource, ZERO)) for total in (requests, limits)]
        page.line("  " + "\t".join([resource, *texts]))


def _row(pod: Object, amounts: tuple[Amounts, Amounts], cpu: Amount, memory: Amount) -> str:
    """A pod's row up to its age, kept with the pod."""
    if isinstance(pod, Obj) and (kept := pod.memo.get(_ROW)) and kept[0] == (cpu, memory):
        return str(kept[1])
    cells = [
        format_ratio(part.get(name), whole) for name, whole in (("cpu", cpu), ("memory", memory)) for part in amounts
    ]
    row = "\t".join([pod["metadata"].get("namespace", ""), pod["metadata"]["name"], "", *cells])
    if isinstance(pod, Obj):
        pod.memo[_ROW] = ((cpu, memory), row)
    return row
