"""Helm releases of an app in a simulated world: their installation, and a change of their settings."""

from __future__ import annotations

from aiops_gym import caches
from aiops_gym.backends.cluster import SimulatedCluster
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import App, Manifest, Release
from aiops_gym.clients.context import CommandModule
from aiops_gym.docker import run as docker
from aiops_gym.errors import BackendError
from aiops_gym.helm import actions, charts
from aiops_gym.helm.errors import HelmError
from aiops_gym.helm.values import parse_set
from aiops_gym.kubectl import run as kubectl
from aiops_gym.sim.kernel.world import World
from aiops_gym.types import Cluster


def is_released(app: App, manifest: Manifest) -> bool:
    """Whether an object comes with a release and not by itself."""
    labels = manifest["metadata"].get("labels") or {}
    return bool(app.releases) and labels.get("app.kubernetes.io/managed-by") == "Helm"


def install(world: World, app: App) -> None:
    """Install an app's releases. Raises BackendError."""
    install_on(SimulatedCluster(world), app)


def install_on(cluster: Cluster, app: App) -> None:
    """Install an app's releases in any cluster. Raises BackendError."""
    for release in app.releases:
        try:
            actions.install(cluster, release.name, app.namespace, _chart(app.id, release.name), {})
        except HelmError as error:
            raise BackendError(f"release {release.name} was refused: {error}") from error


def upgrade_release(world: World, app: App, name: str, settings: tuple[str, ...], why: str = "") -> None:
    """Give a release a new revision with further settings, as `upgrade_on` does. Raises BackendError."""
    upgrade_on(SimulatedCluster(world), app, name, settings, why)


def upgrade_on(cluster: Cluster, app: App, name: str, settings: tuple[str, ...], why: str = "") -> None:
    """Give a release a new revision with further settings, written as for `--set`. Raises BackendError.

    Args:
        cluster: where it is installed.
        app: whose it is.
        name: of the release.
        settings: further ones.
        why: the revision's description, "" for Helm's own.
    """
    values: dict[str, object] = {}
    try:
        for text in settings:
            parse_set(text, values)
        plan = actions.Plan(reuse="given", description=why)
        actions.upgrade(cluster, name, app.namespace, _chart(app.id, name), values, plan)
    except HelmError as error:
        raise BackendError(f"upgrade of release {name} failed: {error}") from error


def list_commands(app: App) -> dict[str, CommandModule] | None:
    """The commands of the host of an app, None for the usual ones: only where Docker runs there is its client.

    The host of an app in the cluster is a node of it, and on the nodes of kind there is no Docker.
    """
    return {"kubectl": kubectl, "docker": docker} if app.project is not None else None


def collect_chart_files(app: App) -> tuple[tuple[str, str], ...]:
    """The charts of an app's releases as files in the home of the agent's shell, and what else lies on its host."""
    return (*_files(app.id), *app.files)


@caches.function(16, "laying out the charts of an app as files")
def _files(app_id: str) -> tuple[tuple[str, str], ...]:
    found = ((f"/root/{r.folder}/{path}", text) for r in _releases(app_id) for path, text in r.files.items())
    return tuple(found)


@caches.function(16, "reading a chart")
def _chart(app_id: str, name: str) -> charts.Chart:
    return charts.of_files(next(r.files for r in _releases(app_id) if r.name == name))


def _releases(app_id: str) -> tuple[Release, ...]:
    return registry.find_app(app_id).releases
