"""What forbids: policies that admit whoever has to come, quotas and ranges that nobody comes near."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.backends.decisions.site import Decision, Site, find_callers
from aiops_gym.backends.health import USERS
from aiops_gym.catalog.names import NEW

POLICY = "networking.k8s.io/v1"
DNS = {"ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]}
ASKED_BY_ALL = ("consul", "jaeger")


def _create(site: Site, spec: Mapping[str, object], key: str) -> None:
    name = f"{site.name}-{site.pick(NEW['policy'][2], key)}"
    labels = site.deployment["spec"]["selector"]["matchLabels"]
    site.create("NetworkPolicy", name, POLICY, spec={"podSelector": {"matchLabels": dict(labels)}, **spec})


def _admit_all(site: Site) -> None:
    _create(site, {"policyTypes": ["Ingress"], "ingress": [{}]}, "wide")


def _admit_namespace(site: Site) -> None:
    _create(site, {"policyTypes": ["Ingress"], "ingress": [{"from": [{"podSelector": {}}]}]}, "namespace")


def _admit_callers(site: Site) -> None:
    peers = [{"podSelector": {"matchLabels": dict(_labels(site, name))}} for name in find_callers(site)]
    _create(site, {"policyTypes": ["Ingress"], "ingress": [{"from": peers}]}, "callers")


def _labels(site: Site, name: str) -> Mapping[str, str]:
    deployment = site.world.store.get("deployments.apps", site.app.namespace, name)
    assert deployment is not None
    found: Mapping[str, str] = deployment["spec"]["selector"]["matchLabels"]
    return found


def _called_inside(site: Site) -> bool:
    """Whether it is called, and by nobody but other components."""
    callers = find_callers(site)
    return bool(callers) and USERS not in callers and site.name not in ASKED_BY_ALL


def _inside(site: Site) -> bool:
    """Whether users do not come to it themselves."""
    return USERS not in find_callers(site) and site.name not in ASKED_BY_ALL


def _let_out(site: Site) -> None:
    egress = site.pick(([{}], [{"to": [{"podSelector": {}}]}, DNS], [{"to": [{"namespaceSelector": {}}]}]))
    _create(site, {"policyTypes": ["Egress"], "egress": egress}, "out")


def _quota(site: Site) -> None:
    name = site.pick(NEW["quota"][2])
    hard = {"pods": str(100 + 20 * site.pick(range(6), "pods")), "services": "80", "configmaps": "120"}
    site.create("ResourceQuota", name, spec={"hard": hard})


def _range(site: Site) -> None:
    limit = {"type": "PersistentVolumeClaim", "max": {"storage": site.pick(("50Gi", "100Gi", "1Ti"), "most")}}
    site.create("LimitRange", site.pick(("ranges", "team-ranges", "container-limits")), spec={"limits": [limit]})


decisions = (
    Decision("policy for everybody", _admit_all, weight=0.7),
    Decision("policy for the namespace", _admit_namespace, _inside, 0.4),
    Decision("policy for its callers", _admit_callers, _called_inside, 1.0),
    Decision("policy of its own calls", _let_out, lambda site: site.name not in ASKED_BY_ALL, 0.8),
    Decision("quota", _quota, weight=0.7, wide=True),
    Decision("range of limits", _range, weight=0.7, wide=True),
)
