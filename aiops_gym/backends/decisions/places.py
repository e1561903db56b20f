"""Where pods may run, and how they find others by name."""

from __future__ import annotations

from aiops_gym.backends.baseline import request
from aiops_gym.backends.decisions.site import Decision, Site
from aiops_gym.catalog.cluster import WORKER

HOSTNAME = "kubernetes.io/hostname"
PLACES: tuple[dict[str, str], ...] = (
    {HOSTNAME: WORKER},
    {"kubernetes.io/os": "linux"},
    {"kubernetes.io/arch": "amd64"},
)


def _pin(site: Site) -> None:
    site.patch_pod({"nodeSelector": site.pick(PLACES)})


def _attract(site: Site) -> None:
    """An affinity for the node where it runs."""
    term = {"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": [WORKER]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    site.patch_pod({"affinity": {"nodeAffinity": required}})


def _tolerate(site: Site) -> None:
    key = site.pick(("dedicated", "maintenance", "spot"))
    site.patch_pod({"tolerations": [{"key": key, "operator": "Exists", "effect": "NoSchedule"}]})


def _prefer(site: Site) -> None:
    """A node is kept for those who say so, where others have room elsewhere."""
    taint = {"key": "dedicated", "value": "services", "effect": "PreferNoSchedule"}
    node = site.world.store.get("nodes", "", WORKER)
    assert node is not None
    taints = [*(node["spec"].get("taints") or ()), taint]
    kind = "application/merge-patch+json"
    request(site.world, "patch", "nodes", "", WORKER, body={"spec": {"taints": taints}}, content_type=kind)
    for name in site.app.components:
        toleration = {"key": "dedicated", "operator": "Equal", "value": "services", "effect": "PreferNoSchedule"}
        spec = {"template": {"spec": {"tolerations": [toleration]}}}
        site.patch("deployments.apps", name, {"spec": spec})


def _know(site: Site) -> None:
    """A line in its hosts file for a name that is not the cluster's, or a right one for a Service it does not need."""
    names = ("licences.corp.example", "smtp.corp.example", "mirror.corp.example")
    entry = {"ip": f"10.20.{site.pick(range(4), 'net')}.{site.pick(range(10, 200), 'host')}"}
    site.patch_pod({"hostAliases": [{**entry, "hostnames": [site.pick(names)]}]})


def _know_a_service(site: Site) -> None:
    """A line in its hosts file that says of a Service what the name server says."""
    name = site.pick(_others(site))
    service = site.world.store.get("services", site.app.namespace, name)
    assert service is not None
    site.patch_pod({"hostAliases": [{"ip": service["spec"]["clusterIP"], "hostnames": [name]}]})


def _others(site: Site) -> list[str]:
    """Services beside its own and those that the app says it needs most."""
    mine = {site.name, *site.parameters.values()}
    names = [service["metadata"]["name"] for service in site.world.store.all("services", site.app.namespace)]
    return [name for name in names if name not in mine]


def _ask(site: Site) -> None:
    """For a pod without the node's network this is the usual policy by another name."""
    site.patch_pod({"dnsPolicy": "ClusterFirstWithHostNet"})


def _search(site: Site) -> None:
    options = [{"name": "ndots", "value": site.pick(("2", "3", "5"))}, {"name": "timeout", "value": "2"}]
    site.patch_pod({"dnsConfig": {"options": options}})


decisions = (
    Decision("pinned to a node", _pin, weight=1.5),
    Decision("drawn to a node", _attract),
    Decision("toleration", _tolerate),
    Decision("taint with tolerations", _prefer, weight=0.25, wide=True),
    Decision("entry in the hosts file", _know),
    Decision("right address in the hosts file", _know_a_service, lambda site: bool(_others(site))),
    Decision("policy of names", _ask),
    Decision("search of names", _search),
)
