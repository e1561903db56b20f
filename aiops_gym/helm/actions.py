"""What Helm does to releases: install, upgrade, roll back, uninstall. Each leaves a revision that tells of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aiops_gym.helm import storage
from aiops_gym.helm.charts import Chart, of_release
from aiops_gym.helm.errors import HelmError
from aiops_gym.helm.objects import Obj, Objects, of_manifest
from aiops_gym.helm.render import join_manifests, render_chart
from aiops_gym.helm.storage import Release, Storage, format_stamp
from aiops_gym.helm.values import coalesce_values, merge_values
from aiops_gym.types import Cluster, Json

HISTORY = 10
"""Revisions that are kept."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How an action is to be done.

    Attributes:
        dry_run: change nothing.
        reuse: `reset` forgets the settings of the last revision, `reuse` keeps them with its chart's, `given` keeps
            what was given above the chart's; "" keeps them when none are given now.
        description: of the revision.
        history: revisions to keep, 0 for all.
        replace: take the name of a release that is uninstalled.
    """

    dry_run: bool = False
    reuse: str = ""
    description: str = ""
    history: int = HISTORY
    replace: bool = False


def install(
    cluster: Cluster, name: str, namespace: str, chart: Chart, values: Mapping[str, Json], plan: Plan = Plan()
) -> Release:
    """Install a chart as a new release. Raises HelmError."""
    kept = Storage(cluster, namespace)
    history = kept.all(f"name={name},owner=helm")
    if history and not (plan.replace and history[-1]["info"]["status"] in (storage.UNINSTALLED, storage.FAILED)):
        raise HelmError("cannot re-use a name that is still in use")
    number = history[-1]["version"] + 1 if history else 1
    found = _release(cluster, name, namespace, number, chart, values)
    objects = Objects(cluster, name, namespace)
    wanted = of_manifest(found["manifest"])
    objects.claim(wanted)
    if plan.dry_run:
        return _told(found, "pending-install", plan.description or "Dry run complete")
    kept.put(_told(found, "pending-install", "Initial install underway"))
    _carried_out(objects, kept, found, (), wanted, f"Release {_quoted(name)} failed")
    done = _told(found, storage.DEPLOYED, plan.description or "Install complete")
    kept.put(done)
    return done


def upgrade(
    cluster: Cluster, name: str, namespace: str, chart: Chart, values: Mapping[str, Json], plan: Plan = Plan()
) -> Release:
    """Give a release a new revision. Raises HelmError."""
    kept = Storage(cluster, namespace)
    history = kept.all(f"name={name},owner=helm")
    current = next((r for r in reversed(history) if r["info"]["status"] == storage.DEPLOYED), None)
    if not history or (current is None and history[-1]["info"]["status"] != storage.FAILED):
        raise HelmError(f"{_quoted(name)} has no deployed releases")
    current = current or history[-1]
    chart, values = _settings(current, chart, values, plan.reuse)
    found = _release(cluster, name, namespace, history[-1]["version"] + 1, chart, values, current)
    objects = Objects(cluster, name, namespace)
    old, new = of_manifest(current["manifest"]), of_manifest(found["manifest"])
    objects.claim(new, old)
    if plan.dry_run:
        return _told(found, "pending-upgrade", plan.description or "Dry run complete")
    kept.put(_told(found, "pending-upgrade", "Preparing upgrade"))
    _carried_out(objects, kept, found, old, new, f"Upgrade {_quoted(name)} failed")
    kept.put(_told(current, storage.SUPERSEDED))
    done = _told(found, storage.DEPLOYED, plan.description or "Upgrade complete")
    kept.put(done)
    _forget(kept, name, plan.history)
    return done


def rollback(cluster: Cluster, name: str, namespace: str, number: int = 0, plan: Plan = Plan()) -> Release:
    """Bring an earlier revision back, the one before the last with 0, as a new revision. Raises HelmError."""
    kept = Storage(cluster, namespace)
    history = kept.history(name)
    current = history[-1]
    number = number or current["version"] - 1
    target = next((r for r in history if r["version"] == number), None)
    if target is None:
        raise HelmError(f"release has no {number} version")
    now = format_stamp(cluster.now())
    info = {**target["info"], "first_deployed": current["info"]["first_deployed"], "last_deployed": now}
    text = plan.description or f"Rollback to {number}"
    found: Release = {**target, "version": current["version"] + 1, "info": info}
    if plan.dry_run:
        return _told(found, "pending-rollback", text)
    kept.put(_told(found, "pending-rollback", text))
    objects = Objects(cluster, name, namespace)
    old, new = of_manifest(current["manifest"]), of_manifest(target["manifest"])
    _carried_out(objects, kept, found, old, new, f"Rollback {_quoted(name)} failed")
    for release in history:
        if release["info"]["status"] == storage.DEPLOYED:
            kept.put(_told(release, storage.SUPERSEDED))
    done = _told(found, storage.DEPLOYED, text)
    kept.put(done)
    _forget(kept, name, plan.history)
    return done


def uninstall(cluster: Cluster, name: str, namespace: str, *, keep: bool = False, dry_run: bool = False) -> Release:
    """Delete what a release installed, and its history unless that is to be kept. Raises HelmError."""
    kept = Storage(cluster, namespace)
    try:
        history = kept.history(name)
    except HelmError as error:
        raise HelmError(f"uninstall: Release not loaded: {name}: {error}") from None
    last = history[-1]
    if last["info"]["status"] == storage.UNINSTALLED:
        if keep:
            raise HelmError(f"the release named {_quoted(name)} is already deleted")
        _remove(kept, history)
        return last
    if dry_run:
        return last
    Objects(cluster, name, namespace).delete(of_manifest(last["manifest"]))
    gone = {**last, "info": {**last["info"], "deleted": format_stamp(cluster.now())}}
    if keep:
        kept.put(_told(gone, storage.UNINSTALLED, "Uninstallation complete"))
    else:
        _remove(kept, history)
    return gone


def _remove(kept: Storage, history: list[Release]) -> None:
    for release in history:
        kept.remove(release)


def _settings(
    current: Release, chart: Chart, values: Mapping[str, Json], reuse: str
) -> tuple[Chart, Mapping[str, Json]]:
    """The chart and the settings of the next revision."""
    given = current.get("config") or {}
    if reuse == "reuse":
        usual = coalesce_values(of_release(current["chart"]).values, given)
        chart = Chart(chart.metadata, usual, chart.templates, chart.files, chart.values_text)
    if reuse in ("reuse", "given"):
        return chart, merge_values(given, values)
    if not reuse and not values:
        return chart, given
    return chart, values


def _release(
    cluster: Cluster,
    name: str,
    namespace: str,
    number: int,
    chart: Chart,
    values: Mapping[str, Json],
    current: Release | None = None,
) -> Release:
    """A revision that is not carried out yet. Raises HelmError."""
    now = format_stamp(cluster.now())
    about = {
        "Name": name,
        "Namespace": namespace,
        "Revision": number,
        "IsInstall": current is None,
        "IsUpgrade": current is not None,
        "Service": "Helm",
    }
    first = current["info"]["first_deployed"] if current else now
    info = {"first_deployed": first, "last_deployed": now, "deleted": "", "description": "", "status": "unknown"}
    return {
        "name": name,
        "info": info,
        "chart": chart.stored(),
        "config": dict(values) or None,
        "manifest": join_manifests(render_chart(chart, values, about)),
        "version": number,
        "namespace": namespace,
    }


def _told(release: Release, status: str, description: str = "") -> Release:
    """The revision with another state."""
    info = {**release["info"], "status": status}
    return {**release, "info": {**info, "description": description} if description else info}


def _carried_out(
    objects: Objects, kept: Storage, found: Release, old: Sequence[Obj], new: Sequence[Obj], failure: str
) -> None:
    """Change the cluster; a revision that fails on the way says so. Raises HelmError."""
    try:
        objects.apply(old, new)
    except HelmError as error:
        kept.put(_told(found, storage.FAILED, f"{failure}: {error}"))
        raise


def _forget(kept: Storage, name: str, most: int) -> None:
    """Remove the oldest revisions beyond what is kept; a deployed one stays."""
    history = kept.history(name)
    old = [r for r in history if r["info"]["status"] != storage.DEPLOYED]
    for release in old[: max(0, len(history) - most)] if most else ():
        kept.remove(release)


def _quoted(name: str) -> str:
    return f'"{name}"'
