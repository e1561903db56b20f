"""The resources a 1.32 cluster serves, as `kubectl api-resources` lists them, and how people abbreviate them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from aiops_gym import caches

ALL = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
CREATE = ("create",)
READ = ("get", "list")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """One kind of object and its place in the API.

    Attributes:
        name: plural with its group, `deployments.apps`; the store's and a request's name for it.
        short: abbreviations that kubectl accepts.
        categories: groups such as `all` that it is listed in.
        verbs: what may be done with it.
        subresources: paths below an object.
    """

    name: str
    plural: str
    singular: str
    kind: str
    group: str
    version: str
    namespaced: bool
    short: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL
    subresources: tuple[str, ...] = ()

    @property
    def api_version(self) -> str:
        """`apps/v1`, or `v1` for the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def group_kind(self) -> str:
        """As error texts name it, `Deployment.apps`."""
        return f"{self.kind}.{self.group}" if self.group else self.kind


# One row a resource: plural, kind, namespaced, short names, options. Options: `all` (category), `ext` (api-extensions),
# `create` or `read` (only these verbs), `/x` (subresource).
_GROUPS: dict[str, str] = {
    "v1": """
        bindings Binding yes - create
        componentstatuses ComponentStatus no cs read
        configmaps ConfigMap yes cm
        endpoints Endpoints yes ep
        events Event yes ev
        limitranges LimitRange yes limits
        namespaces Namespace no ns /status /finalize
        nodes Node no no /status /proxy
        persistentvolumeclaims PersistentVolumeClaim yes pvc /status
        persistentvolumes PersistentVolume no pv /status
        pods Pod yes po all /status /log /exec /attach /portforward /eviction /binding /ephemeralcontainers /proxy
        podtemplates PodTemplate yes -
        replicationcontrollers ReplicationController yes rc all /status /scale
        resourcequotas ResourceQuota yes quota /status
        secrets Secret yes -
        serviceaccounts ServiceAccount yes sa /token
        services Service yes svc all /status /proxy""",
    "admissionregistration.k8s.io/v1": """
        mutatingwebhookconfigurations MutatingWebhookConfiguration no - ext
        validatingadmissionpolicies ValidatingAdmissionPolicy no - ext /status
        validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding no - ext
        validatingwebhookconfigurations ValidatingWebhookConfiguration no - ext""",
    "apiextensions.k8s.io/v1": "customresourcedefinitions CustomResourceDefinition no crd,crds ext /status",
    "apiregistration.k8s.io/v1": "apiservices APIService no - ext /status",
    "apps/v1": """
        controllerrevisions ControllerRevision yes -
        daemonsets DaemonSet yes ds all /status
        deployments Deployment yes deploy all /status /scale
        replicasets ReplicaSet yes rs all /status /scale
        statefulsets StatefulSet yes sts all /status /scale""",
    "authentication.k8s.io/v1": """
        selfsubjectreviews SelfSubjectReview no - create
        tokenreviews TokenReview no - create""",
    "authorization.k8s.io/v1": """
        localsubjectaccessreviews LocalSubjectAccessReview yes - create
        selfsubjectaccessreviews SelfSubjectAccessReview no - create
        selfsubjectrulesreviews SelfSubjectRulesReview no - create
        subjectaccessreviews SubjectAccessReview no - create""",
    "autoscaling/v2": "horizontalpodautoscalers HorizontalPodAutoscaler yes hpa all /status",
    "batch/v1": """
        cronjobs CronJob yes cj all /status
        jobs Job yes - all /status""",
    "certificates.k8s.io/v1": "certificatesigningrequests CertificateSigningRequest no csr /status /approval",
    "coordination.k8s.io/v1": "leases Lease yes -",
    "discovery.k8s.io/v1": "endpointslices EndpointSlice yes -",
    "events.k8s.io/v1": "events Event yes ev",
    "flowcontrol.apiserver.k8s.io/v1": """
        flowschemas FlowSchema no - /status
        prioritylevelconfigurations PriorityLevelConfiguration no - /status""",
    "metrics.k8s.io/v1beta1": """
        nodes NodeMetrics no - read
        pods PodMetrics yes - read""",
    "networking.k8s.io/v1": """
        ingressclasses IngressClass no -
        ingresses Ingress yes ing /status
        networkpolicies NetworkPolicy yes netpol""",
    "node.k8s.io/v1": "runtimeclasses RuntimeClass no -",
    "policy/v1": "poddisruptionbudgets PodDisruptionBudget yes pdb /status",
    "rbac.authorization.k8s.io/v1": """
        clusterrolebindings ClusterRoleBinding no -
        clusterroles ClusterRole no -
        rolebindings RoleBinding yes -
        roles Role yes -""",
    "scheduling.k8s.io/v1": "priorityclasses PriorityClass no pc",
    "storage.k8s.io/v1": """
        csidrivers CSIDriver no -
        csinodes CSINode no -
        csistoragecapacities CSIStorageCapacity yes -
        storageclasses StorageClass no sc
        volumeattachments VolumeAttachment no - /status""",
}

SINGULARS = {"endpoints": "endpoints", "componentstatuses": "componentstatus"}


def _resource(api_version: str, row: str) -> Resource:
    plural, kind, namespaced, short, *options = row.split()
    group, _, version = api_version.rpartition("/")
    metrics = group == "metrics.k8s.io"
    return Resource(
        name=f"{plural}.{group}" if group else plural,
        plural=plural,
        singular="" if metrics else SINGULARS.get(plural, kind.lower()),
        kind=kind,
        group=group,
        version=version,
        namespaced=namespaced == "yes",
        short=() if short == "-" else tuple(short.split(",")),
        categories=tuple({"all": "all", "ext": "api-extensions"}[o] for o in options if o in ("all", "ext")),
        verbs=CREATE if "create" in options else READ if "read" in options else ALL,
        subresources=tuple(o[1:] for o in options if o.startswith("/")),
    )


RESOURCES: dict[str, Resource] = {
    resource.name: resource
    for api_version, rows in _GROUPS.items()
    for resource in (_resource(api_version, row) for row in rows.strip().splitlines())
}
"""All resources by name, in the order in which discovery lists them."""


@cache
def _names() -> dict[str, Resource]:
    """Every spelling that kubectl accepts; of two claims on one, the first group wins, as on a real server."""
    found: dict[str, Resource] = {}
    for resource in RESOURCES.values():
        bare = {resource.plural, resource.singular, resource.kind.lower(), *resource.short} - {""}
        for word in sorted(bare):
            if resource.group != "metrics.k8s.io" or word not in (resource.plural,):
                found.setdefault(word, resource)
            found.setdefault(f"{word}.{resource.group}" if resource.group else f"{word}.", resource)
            found.setdefault(f"{word}.{resource.version}.{resource.group}", resource)
    return found


def find(text: str) -> Resource | None:
    """The resource that a person means by `text`: plural, singular, kind, short name, with or without its group.

    >>> [find(t).name for t in ("po", "Deployment", "deploy.apps", "deployments.v1.apps", "svc")]
    ['pods', 'deployments.apps', 'deployments.apps', 'deployments.apps', 'services']
    >>> find("widgets") is None
    True
    """
    return _names().get(text.lower())


@caches.function(1024, "looking through all resources for a kind")
def find_by_kind(api_version: str, kind: str) -> Resource | None:
    """The resource whose objects say this `apiVersion` and `kind`, or None.

    >>> find_by_kind("apps/v1", "Deployment").name
    'deployments.apps'
    """
    for resource in RESOURCES.values():
        if resource.kind == kind and resource.api_version == api_version:
            return resource
    return None
