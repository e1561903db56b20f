"""A picture of a cluster: its objects, as they are now, in a world in which nothing moves.

Rules that look at objects alone (what was changed beside the point, what a deployment runs, which pods belong to it)
are then the very code that judges simulated worlds. What only running programs can say is asked of them, see `system`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from aiops_gym.backends.baseline import make_blueprint
from aiops_gym.backends.intent.compare import BY_CONTROLLERS
from aiops_gym.backends.kubernetes.api import Api
from aiops_gym.catalog.model import App
from aiops_gym.sim.dynamics import make_dynamics
from aiops_gym.sim.kernel.objects import Obj, key_of
from aiops_gym.sim.kernel.world import Dynamics, World
from aiops_gym.sim.kube_api.resources import RESOURCES

SEEN = tuple(r.name for r in RESOURCES.values() if "list" in r.verbs and r.name not in BY_CONTROLLERS)
"""What a whole picture shows."""

OF_APP = (
    *("deployments.apps", "replicasets.apps", "statefulsets.apps", "pods", "services", "endpoints", "configmaps"),
    *("secrets", "persistentvolumeclaims", "resourcequotas", "networkpolicies.networking.k8s.io"),
)
"""What is looked at again and again while something happens, in the application's namespace."""


@cache
def _dynamics() -> Dynamics:
    return make_dynamics()


def take(api: Api, app: App, before: World | None = None, only: Iterable[str] = ()) -> World:
    """A picture. Raises BackendError.

    Args:
        api: of the cluster.
        app: whose images the rules know.
        before: an earlier picture; what is still the same is the very same value, as differences compare identities.
        only: resources of the app's namespace alone; without them all of the cluster.
    """
    world = World(make_blueprint(app, 0, 0), _dynamics(), 0)
    world.tables["meta"]["now"] = round(api.clock.now() * 1000)
    places = [(each, app.namespace) for each in only] or [(each, "") for each in SEEN]
    for resource, namespace in places:
        if resource not in RESOURCES:
            continue
        old = before.tables.get(f"objects/{resource}", {}) if before is not None else {}
        found = (Obj(each) for each in api.list(resource, namespace))
        world.tables[f"objects/{resource}"] = {key_of(each): _same(old.get(key_of(each)), each) for each in found}
    world.store.follow({})
    return world


def _same(old: Obj | None, new: Obj) -> Obj:
    """The earlier value where nobody has written the object since."""
    same = old is not None and all(
        old["metadata"].get(key) == new["metadata"].get(key) for key in ("uid", "resourceVersion")
    )
    return old if same and old is not None else new
