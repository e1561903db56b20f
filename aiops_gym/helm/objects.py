"""Objects of a release in the cluster: made, changed with a three-way merge, and deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiops_gym import caches
from aiops_gym.clients import goyaml
from aiops_gym.helm.errors import HelmError
from aiops_gym.helm.render import split_documents
from aiops_gym.sim.kube_api.patch import apply_three_way
from aiops_gym.sim.kube_api.resources import Resource, find_by_kind
from aiops_gym.sim.kube_api.schema import type_of
from aiops_gym.types import Cluster, Json, Request

Obj = Mapping[str, Json]

STRATEGIC = "application/strategic-merge-patch+json"
MANAGER = {"fieldManager": "helm"}


@caches.function(32, "parsing the manifest of a release")
def of_manifest(text: str) -> tuple[Obj, ...]:
    """The objects of a release's manifest: read them, never change them."""
    return tuple(obj for part in split_documents(text) if isinstance(obj := goyaml.load(f"{part}\n"), dict))


class Objects:
    """What a release may do to a cluster's objects.

    Args:
        cluster: the Kubernetes API.
        release: name of the release; objects bear it.
        namespace: where objects go that do not say.
    """

    def __init__(self, cluster: Cluster, release: str, namespace: str) -> None:
        self.cluster = cluster
        self.release = release
        self.namespace = namespace

    def resource(self, obj: Obj) -> Resource:
        """What kind of object it is. Raises HelmError."""
        found = find_by_kind(str(obj.get("apiVersion")), str(obj.get("kind")))
        if found is None:
            name = (obj.get("metadata") or {}).get("name", "")
            raise HelmError(
                "unable to build kubernetes objects from release manifest: resource mapping not found for "
                f'name: "{name}" namespace: "" from "": no matches for kind "{obj.get("kind")}" in version '
                f'"{obj.get("apiVersion")}"\nensure CRDs are installed first'
            )
        return found

    def place(self, obj: Obj) -> str:
        """The namespace of an object."""
        if not self.resource(obj).namespaced:
            return ""
        return str(obj["metadata"].get("namespace") or self.namespace)

    def identity(self, obj: Obj) -> tuple[str, str, str]:
        """Kind, namespace and name."""
        return self.resource(obj).name, self.place(obj), str(obj["metadata"]["name"])

    def marked(self, obj: Obj) -> Obj:
        """The object with the marks of its release, in its namespace."""
        meta = dict(obj["metadata"])
        meta["labels"] = {**(meta.get("labels") or {}), "app.kubernetes.io/managed-by": "Helm"}
        notes = {"meta.helm.sh/release-name": self.release, "meta.helm.sh/release-namespace": self.namespace}
        meta["annotations"] = {**(meta.get("annotations") or {}), **notes}
        if self.resource(obj).namespaced:
            meta["namespace"] = self.place(obj)
        return {**obj, "metadata": meta}

    def live(self, obj: Obj) -> Obj | None:
        """The object as it is in the cluster."""
        resource, place, name = self.identity(obj)
        answer = self.cluster.handle(Request("get", resource, place, name))
        return answer.body if answer.code < 400 else None

    def claim(self, wanted: Sequence[Obj], old: Sequence[Obj] = ()) -> None:
        """Refuse to take over what exists and is not of this release. Raises HelmError."""
        known = {self.identity(obj) for obj in old}
        for obj in wanted:
            live = None if self.identity(obj) in known else self.live(obj)
            if live is None:
                continue
            meta = live["metadata"]
            notes, wants = meta.get("annotations") or {}, self.marked(obj)["metadata"]
            pairs = [("label", "app.kubernetes.io/managed-by", meta.get("labels") or {}, wants["labels"])]
            pairs += [
                ("annotation", f"meta.helm.sh/release-{word}", notes, wants["annotations"])
                for word in ("name", "namespace")
            ]
            wrong = [
                f'{what} validation error: missing key "{key}": must be set to "{right[key]}"'
                if key not in found
                else f'{what} validation error: key "{key}" must equal "{right[key]}": current value is "{found[key]}"'
                for what, key, found, right in pairs
                if found.get(key) != right[key]
            ]
            if wrong:
                raise HelmError(
                    f'{obj["kind"]} "{meta["name"]}" in namespace "{self.place(obj)}" exists and cannot be imported '
                    f"into the current release: invalid ownership metadata; {'; '.join(wrong)}"
                )

    def apply(self, old: Sequence[Obj], new: Sequence[Obj]) -> None:
        """Bring the cluster from one revision's objects to another's. Raises HelmError."""
        before = {self.identity(obj): obj for obj in old}
        for obj in new:
            live = self.live(obj)
            if live is None:
                self._create(obj)
            else:
                self._change(before.get(self.identity(obj), {}), self.marked(obj), live)
        kept = {self.identity(obj) for obj in new}
        self.delete([obj for obj in old if self.identity(obj) not in kept])

    def delete(self, objects: Sequence[Obj]) -> None:
        """Delete objects; what is gone already stays so."""
        for obj in reversed(objects):
            resource, place, name = self.identity(obj)
            self.cluster.handle(Request("delete", resource, place, name, body={"propagationPolicy": "Background"}))

    def _create(self, obj: Obj) -> None:
        resource, place, _ = self.identity(obj)
        self._done(Request("create", resource, place, body=self.marked(obj), query=MANAGER))

    def _change(self, old: Obj, new: Obj, live: Obj) -> None:
        resource, place, name = self.identity(new)
        patch = apply_three_way(old, new, live, type_of(str(new["apiVersion"]), str(new["kind"])))
        if patch:
            request = Request("patch", resource, place, name, body=patch, content_type=STRATEGIC, query=MANAGER)
            self._done(request, f"cannot patch {_quoted(name)} with kind {new['kind']}: ")

    def _done(self, request: Request, what: str = "") -> None:
        answer = self.cluster.handle(request)
        if answer.code >= 400:
            raise HelmError(f"{what}{answer.body['message']}")


def _quoted(name: str) -> str:
    return f'"{name}"'
