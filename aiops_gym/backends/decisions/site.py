"""Where a decision is made: a component in a world, and what somebody who writes objects there needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from aiops_gym import caches
from aiops_gym.backends.baseline import make_baseline, request
from aiops_gym.backends.health import Edge, measure
from aiops_gym.backends.inject import apply_change
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import App, Create
from aiops_gym.errors import BackendError
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kernel.world import World
from aiops_gym.types import Json

T = TypeVar("T")

ALL = "*"
"""In place of a component: the whole namespace."""

STRATEGIC = "application/strategic-merge-patch+json"


@dataclass(frozen=True)
class Site:
    """A component in a world about which something is decided.

    Attributes:
        world: in which it is.
        app: whose component it is.
        name: of the component, `ALL` for the namespace.
        seed: of all draws.
    """

    world: World
    app: App
    name: str
    seed: int

    def pick(self, options: Sequence[T], key: str = "") -> T:
        """One of some options."""
        return options[draws.pick(len(options), self.seed, "decision pick", key)]

    @property
    def deployment(self) -> Obj:
        """The component's deployment."""
        found = self.world.store.get("deployments.apps", self.app.namespace, self.name)
        assert found is not None, f"no deployment {self.name}"
        return found

    @property
    def pod(self) -> Mapping[str, Any]:
        """What its pods are made from."""
        found: Mapping[str, Any] = self.deployment["spec"]["template"]["spec"]
        return found

    @property
    def container(self) -> Mapping[str, Any]:
        """Its first container."""
        found: Mapping[str, Any] = self.pod["containers"][0]
        return found

    @property
    def service(self) -> Obj | None:
        """The Service of its name."""
        return self.world.store.get("services", self.app.namespace, self.name)

    @property
    def is_stateless(self) -> bool:
        """Whether it keeps no data of its own, so that there may be two."""
        volumes = [volume for volume in self.pod.get("volumes") or () if "configMap" not in volume]
        return not volumes and bool(self.container.get("command"))

    @property
    def parameters(self) -> Mapping[str, str]:
        """What the app says of it."""
        return self.app.parameters.get(self.name, {})

    def patch(self, resource: str, name: str, body: Mapping[str, Json]) -> None:
        """Merge something into an object of the namespace, strategically. Raises BackendError."""
        answer = request(self.world, "patch", resource, self.app.namespace, name, body=body, content_type=STRATEGIC)
        if answer.code >= 400:
            raise BackendError(f"decision about {resource} {name}: {answer.body['message']}")

    def patch_pod(self, spec: Mapping[str, Json], labels: Mapping[str, str] | None = None) -> None:
        """Merge something into what the component's pods are made from."""
        template: dict[str, Json] = {"spec": spec}
        if labels:
            template["metadata"] = {"labels": labels}
        self.patch("deployments.apps", self.name, {"spec": {"template": template}})

    def patch_container(self, fields: Mapping[str, Json]) -> None:
        """Merge something into its first container."""
        self.patch_pod({"containers": [{"name": self.container["name"], **fields}]})

    def create(self, kind: str, name: str, version: str = "v1", **fields: Json) -> None:
        """Create an object in the namespace; one of that name stays as it is."""
        manifest = {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **fields}
        apply_change(Create(manifest=manifest), self.world, self.app)


def anybody(site: Site) -> bool:
    """Whether a decision fits: it always does."""
    return True


def nowhere(site: Site) -> bool:
    """Whether a decision is about what the manifests say: it is about what they leave open."""
    return False


def find_callers(site: Site) -> list[str]:
    """Components that call it, read from it when they start or are told its address, and `USERS`."""
    edges = _find_edges(site.app.id)
    return sorted({caller for caller, callee in edges if callee == site.name})


@caches.function(len(registry.apps()), "who calls whom in an app as it is deployed")
def _find_edges(app_id: str) -> tuple[Edge, ...]:
    app = registry.find_app(app_id)
    return (*measure(make_baseline(app_id, 0), app).edges, *_told(app))


def _told(app: App) -> Iterator[Edge]:
    """Whose containers are told whose address, by a variable or on their command line: also who only consumes."""
    known = re.compile(rf"(?<![\w.-])({'|'.join(map(re.escape, app.components))})(?![\w.-])")
    for manifest in app.manifests:
        name = manifest["metadata"]["name"]
        if manifest["kind"] != "Deployment" or name not in app.components:
            continue
        pod = manifest["spec"]["template"]["spec"]
        for container in (*pod.get("initContainers", ()), *pod["containers"]):
            said = [str(each.get("value", "")) for each in container.get("env") or ()]
            for text in (*said, *(container.get("command") or ()), *(container.get("args") or ())):
                yield from ((name, callee) for callee in known.findall(text) if callee != name)


class Decision(NamedTuple):
    """Something that may be decided for good.

    Attributes:
        name: of the kind.
        decide: makes it so.
        fits: whether it makes sense of a component, in a world as it was deployed; tells of a component, not of faults.
        weight: how likely it is beside others.
        wide: it is about the whole namespace.
        replaces: whether it puts something else in the place of what the manifests say, so that whoever applies them
            undoes it; what they leave open stays as it is then.
    """

    name: str
    decide: Callable[[Site], None]
    fits: Callable[[Site], bool] = anybody
    weight: float = 1.0
    wide: bool = False
    replaces: Callable[[Site], bool] = nowhere
