"""kubectl's side of the API: requests, resource names, and refusals as KubectlError."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from aiops_gym import caches
from aiops_gym.kubectl.errors import Failure, ServerError
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kube_api.autoscaling import to_v1, to_v2
from aiops_gym.sim.kube_api.resources import RESOURCES, Resource, find
from aiops_gym.types import Cluster, Json, Output, Request, Response

STRATEGIC = "application/strategic-merge-patch+json"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"


class Client:
    """The API server as one kubectl call sees it.

    Args:
        cluster: where requests go, and the clock.
        place: the namespace of the call and whether it stood on the command line; asked once, and only when needed.

    Attributes:
        warned: called with what the server warns of, as in `Warning:` headers.
        configure: raises what is wrong with the kubeconfig and the flags that overrule it.
    """

    def __init__(self, cluster: Cluster, place: Callable[[], tuple[str, bool]]) -> None:
        self.cluster = cluster
        self.warned: Callable[[str], None] = lambda text: None
        self.configure: Callable[[], None] = _nothing
        self.touch: Callable[[], None] = _nothing
        self._place = place

    @cached_property
    def _placed(self) -> tuple[str, bool]:
        return self._place()

    @property
    def namespace(self) -> str:
        """Of the call; used wherever a method is given none and the resource is namespaced."""
        return self._placed[0]

    @property
    def explicit(self) -> bool:
        """Whether the namespace stood on the command line."""
        return self._placed[1]

    def set_out(self, configure: Callable[[], None], reach: Callable[[], None]) -> None:
        """Have every request find its way first, both of which raise where there is none."""

        found, there = self.cluster, _Gate(self.cluster, self)

        def touch() -> None:
            configure()
            reach()
            self.configure = self.touch = _nothing  # a way that was found once is found
            self.cluster = found

        self.configure, self.touch, self.cluster = configure, touch, there

    def send(self, request: Request) -> Json:
        """The body of an answer. Raises ServerError for a code of 400 or more."""
        answer = self.cluster.handle(request)
        if answer.code >= 400:
            raise ServerError(answer.body)
        return self._told(answer)

    def _told(self, answer: Response) -> Json:
        for text in getattr(answer, "warnings", ()):
            self.warned(text)
        return answer.body

    def place(self, resource: Resource, namespace: str | None = None) -> str:
        """The namespace a request about this resource goes to, "" for a cluster-scoped one."""
        if not resource.namespaced:
            return ""
        return self.namespace if namespace is None else namespace

    def get(self, resource: Resource, name: str, namespace: str | None = None, **query: str) -> Json:
        """One object. Raises ServerError; a missing namespace is told before a missing object, as kubectl does."""
        if not name:
            raise Failure("resource name may not be empty")
        place = self.place(resource, namespace)
        return _heard(resource, self._named(Request("get", resource.name, place, name, query=query)))

    def below(self, resource: Resource, name: str, namespace: str, subresource: str, table: bool = False) -> Json:
        """A subresource of an object, or its Table. Raises ServerError."""
        place = self.place(resource, namespace)
        return self._named(Request("get", resource.name, place, name, subresource, table=table))

    def table(self, resource: Resource, name: str, namespace: str | None = None) -> Json:
        """One object as a server-side Table of one row."""
        return self._named(Request("get", resource.name, self.place(resource, namespace), name, table=True))

    def _named(self, request: Request) -> Json:
        answer = self.cluster.handle(request)
        if answer.code < 400:
            return self._told(answer)
        error = ServerError(answer.body)
        if error.reason == "NotFound" and request.namespace not in ("", "default"):
            missing = self.cluster.handle(Request("get", "namespaces", "", request.namespace))
            if missing.code == 404:
                raise ServerError(missing.body)
        raise error

    def list(
        self,
        resource: Resource,
        namespace: str | None = None,
        labels: str = "",
        fields: str = "",
        table: bool = False,
    ) -> Json:
        """A list of objects (or their Table); `namespace=""` asks all namespaces. Raises ServerError."""
        query: dict[str, str] = {}
        if labels:
            query["labelSelector"] = labels
        if fields:
            query["fieldSelector"] = fields
        place = self.place(resource, namespace)
        return _heard(resource, self.send(Request("list", resource.name, place, query=query, table=table)))

    def select(self, resource: Resource, namespace: str, labels: str, fields: str, table: bool = False) -> Json:
        """A list as the resource builder asks for it: refusals say what was looked for."""
        try:
            return self.list(resource, namespace, labels, fields, table)
        except ServerError as error:
            if error.reason not in ("BadRequest", "NotFound"):
                raise
            raise ServerError({**error.status, "message": _unfound(resource, labels, fields, error.message)}) from None

    def create(self, resource: Resource, obj: Json, namespace: str | None = None, **query: str) -> Json:
        """Create an object; the version it had elsewhere is left out, as client-go's helper does."""
        meta = obj.get("metadata")
        if isinstance(meta, dict) and meta.get("resourceVersion"):
            obj = {**obj, "metadata": {key: value for key, value in meta.items() if key != "resourceVersion"}}
        place, body = self.place(resource, namespace), _spoken(resource, obj)
        return _heard(resource, self.send(Request("create", resource.name, place, body=body, query=query)))

    def update(
        self, resource: Resource, obj: Json, namespace: str | None = None, subresource: str = "", **query: str
    ) -> Json:
        """Replace an object, or its subresource."""
        name = (obj.get("metadata") or {}).get("name")
        if not isinstance(name, str) or not name:
            raise Failure("resource name may not be empty")
        place = self.place(resource, namespace)
        asked = Request("update", resource.name, place, name, subresource, _spoken(resource, obj), query=query)
        return _heard(resource, self.send(asked))

    def patch(  # one parameter a part of the request
        self,
        resource: Resource,
        name: str,
        patch: Json,
        content_type: str = STRATEGIC,
        namespace: str | None = None,
        subresource: str = "",
        query: Mapping[str, str] | None = None,
    ) -> Json:
        """Patch an object, or its subresource."""
        if not name:
            raise Failure("resource name may not be empty")
        place = self.place(resource, namespace)
        body = _spoken(resource, patch)
        asked = Request("patch", resource.name, place, name, subresource, body, content_type, dict(query or {}))
        return _heard(resource, self.send(asked))

    def delete(self, resource: Resource, name: str, namespace: str | None = None, options: Json = None) -> Json:
        """Delete an object, with DeleteOptions."""
        return self.send(Request("delete", resource.name, self.place(resource, namespace), name, body=options))

    def log(self, namespace: str, pod: str, query: Mapping[str, str]) -> str:
        """Text of `pods/log`."""
        return str(self.send(Request("get", "pods", namespace, pod, "log", query=query)))

    def exec(self, namespace: str, pod: str, container: str, command: Sequence[str], stdin: str = "") -> Output:
        """Run a command in a container."""
        body = {"command": [*command], "stdin": stdin}
        answer = self.send(Request("create", "pods", namespace, pod, "exec", body, query={"container": container}))
        return answer if isinstance(answer, Output) else Output(*answer)


def _spoken(resource: Resource, body: Json) -> Json:
    """What is sent, as it is stored."""
    return to_v2(body) if (resource.group, resource.version) == ("autoscaling", "v1") else body


def _heard(resource: Resource, body: Json) -> Json:
    """What comes back, as it was asked for."""
    return to_v1(body) if (resource.group, resource.version) == ("autoscaling", "v1") else body


def _nothing() -> None:
    """What there is to do where nothing leads elsewhere."""


class _Gate:
    """A cluster whose requests need a way to it."""

    def __init__(self, cluster: Cluster, client: Client) -> None:
        self._cluster, self._client = cluster, client

    def handle(self, request: Request) -> Response:
        self._client.touch()
        return self._cluster.handle(request)

    def now(self) -> float:
        return self._cluster.now()

    def wait(self, seconds: float) -> bool:
        return self._cluster.wait(seconds)


class Impersonating:
    """A cluster that is asked in somebody else's name; see `types.Cluster`."""

    def __init__(self, cluster: Cluster, user: str, groups: Sequence[str]) -> None:
        self._cluster, self._user, self._groups = cluster, user, tuple(groups)
        self.now, self.wait = cluster.now, cluster.wait

    def handle(self, request: Request) -> Response:
        """Answer a request that this user may make."""
        return self._cluster.handle(replace(request, user=self._user, groups=self._groups))


OLD: Final = ".v1.autoscaling"
"""The version of autoscalers that the server turns into what it stores."""


def find_resource(text: str) -> Resource:
    """The resource a word on the command line means: plural, singular, short name, kind, with or without its group.

    Raises:
        Failure: the server doesn't have a resource type "x".
    """
    resource = find(text)
    if resource is None and text.endswith(OLD):
        newer = find(text.replace(".v1.", ".v2."))
        resource = newer and replace(newer, version="v1")
    if resource is None or (text.lower() in resource.short and text not in resource.short):
        raise Failure(f"the server doesn't have a resource type {go_quote(text.partition('.')[0])}")
    return resource


@caches.function(256, "looking through all short names")
def find_other_resources(word: str) -> tuple[Resource, ...]:
    """The resources that a short name could mean besides the one it does.

    >>> [resource.name for resource in find_other_resources("ev")], find_other_resources("po")
    (['events.events.k8s.io'], ())
    """
    return tuple(resource for resource in RESOURCES.values() if word in resource.short)[1:]


def find_category(name: str) -> list[Resource]:
    """The resources of a category such as `all`, in the order of discovery; empty when there is no such category."""
    return [resource for resource in RESOURCES.values() if name in resource.categories]


def kind_group(resource: Resource) -> str:
    """How names of several kinds are told apart: `pod`, `deployment.apps`."""
    kind = resource.kind.lower()
    return f"{kind}.{resource.group}" if resource.group else kind


def api_version(resource: Resource) -> str:
    """`v1`, `apps/v1`."""
    return f"{resource.group}/{resource.version}" if resource.group else resource.version


def _unfound(resource: Resource, labels: str, fields: str, message: str) -> str:
    what = go_quote(f"{resource.group}/{resource.version}, Resource={resource.plural}")
    if not labels and not fields:
        return f"Unable to list {what}: {message}"
    return (
        f"Unable to find {what} that match label selector {go_quote(labels)}, field selector {go_quote(fields)}: "
        f"{message}"
    )
