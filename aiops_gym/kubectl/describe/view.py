"""What a description may ask of the cluster beside the object itself: related objects, its events, and how long ago."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aiops_gym.sim.kernel.times import millis
from aiops_gym.sim.kube_api.age import human_duration
from aiops_gym.types import Cluster, Json, Request


@dataclass(frozen=True, slots=True)
class View:
    """The cluster as one description sees it.

    Attributes:
        cluster: the API and the clock.
        show_events: whether events are wanted.
    """

    cluster: Cluster
    show_events: bool = True

    def get(self, resource: str, namespace: str, name: str) -> Mapping[str, Json] | None:
        """An object, or None when it cannot be read."""
        answer = self.cluster.handle(Request("get", resource, namespace, name))
        return answer.body if answer.code == 200 else None

    def list(
        self, resource: str, namespace: str, *, labels: str = "", fields: str = ""
    ) -> Sequence[Mapping[str, Json]]:
        """Objects of a resource, chosen by selectors; none when they cannot be read."""
        query = {"limit": "500"}
        if labels:
            query["labelSelector"] = labels
        if fields:
            query["fieldSelector"] = fields
        answer = self.cluster.handle(Request("list", resource, namespace, query=query))
        return answer.body["items"] if answer.code == 200 else ()

    def events(
        self, obj: Mapping[str, Json], *, uid: str | None = None, kind: str = ""
    ) -> Sequence[Mapping[str, Json]]:
        """Events about an object; `uid` where they carry another one than the object's own."""
        meta = obj["metadata"]
        namespace = meta.get("namespace", "")
        uid = meta.get("uid", "") if uid is None else uid
        terms = [f"involvedObject.name={meta['name']}", f"involvedObject.namespace={namespace}"]
        if kind:
            terms.append(f"involvedObject.kind={kind}")
        if uid:
            terms.append(f"involvedObject.uid={uid}")
        return self.list("events", namespace, fields=",".join(terms))

    def age(self, timestamp: str | None) -> str:
        """How long ago a time was, as in `5m12s`; `<unknown>` for none."""
        if not timestamp:
            return "<unknown>"
        return human_duration(self.cluster.now() - millis(timestamp) / 1000)
