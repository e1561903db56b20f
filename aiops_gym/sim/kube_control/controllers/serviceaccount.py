"""What each new namespace is given: the `default` ServiceAccount and the cluster's root certificate."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.objects import Obj, name_of, namespace_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import pods as pods_of

ACCOUNT = "default"
ROOT = "kube-root-ca.crt"
DESCRIPTION = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the "
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes "
    "clusters."
)


class ServiceAccountController:
    """Makes both in every namespace, and makes them again when they are deleted."""

    name = "serviceaccount"
    watches = ("namespaces", "serviceaccounts", "configmaps")

    def keys(self, world: World, resource: str, old: Obj | None, new: Obj | None) -> Iterable[str]:
        """A new namespace, or one that lost what it was given."""
        if resource == "namespaces":
            if new is not None and old is None:
                yield f"/{name_of(new)}"
        elif new is None and old is not None and name_of(old) in (ACCOUNT, ROOT):
            yield f"/{namespace_of(old)}"

    def reconcile(self, world: World, key: str) -> None:
        """Create what is missing."""
        namespace = world.store.by_key("namespaces", key)
        if namespace is None or pods_of.is_terminating(namespace):
            return
        name = name_of(namespace)
        if world.store.get("configmaps", name, ROOT) is None:
            meta = {"name": ROOT, "namespace": name, "annotations": {"kubernetes.io/description": DESCRIPTION}}
            body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"ca.crt": make_certificate()}}
            kube_api.create(world, "configmaps", body)
        if world.store.get("serviceaccounts", name, ACCOUNT) is None:
            meta = {"name": ACCOUNT, "namespace": name}
            kube_api.create(world, "serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta})


def make_certificate() -> str:
    """Text in the form of a certificate; the same in all clusters, and nobody's."""
    noise = b"".join(sha256(f"root {i}".encode()).digest() for i in range(25))
    text = b64encode(b"0\x82\x03\x1d" + noise[:793]).decode()
    lines = [text[i : i + 64] for i in range(0, len(text), 64)]
    return "\n".join(["-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""])


controller = ServiceAccountController()
