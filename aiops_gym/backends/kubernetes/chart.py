"""The application from a Helm chart that the user names, in place of the catalogue's own manifests.

The user's own `helm` renders it, for the version of the cluster; what came of it is applied and taken away as the
catalogue's manifests are, without a release. What could not be taken away again, or would run before or after, is
refused before anything is applied.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import yaml

from aiops_gym.backends.kubernetes import deploy
from aiops_gym.backends.kubernetes.api import Api, check, find_resource
from aiops_gym.backends.kubernetes.settings import Settings
from aiops_gym.catalog.model import App, Fault, Manifest, Upgrade
from aiops_gym.clients import goyaml
from aiops_gym.errors import BackendError
from aiops_gym.sim.kernel.objects import get

SECONDS = 300.0
"""That helm may take: it may have to fetch the chart."""

HOOK = "helm.sh/hook"
"""Annotation of what Helm runs before or after (https://helm.sh/docs/topics/charts_hooks/)."""


def use_chart(api: Api, app: App, settings: Settings) -> App:
    """The application as the named chart has it; as the catalogue has it where none is named. Raises BackendError."""
    if not settings.chart:
        return app
    manifests = list(_read(_render(api, app, settings)))
    wrong = next(_find_wrong(app, manifests), "")
    if wrong:
        raise BackendError(f"the chart {settings.chart} cannot stand for {app.title}: {wrong}")
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": app.namespace}}
    there = any(each["kind"] == "Namespace" for each in manifests)
    return replace(app, manifests=(*(() if there else (space,)), *manifests), releases=())


def check_release(app: App, fault: Fault) -> None:
    """Refuse a fault that is an upgrade of the catalogue's release where another chart stands. Raises BackendError."""
    if not app.releases and any(isinstance(each, Upgrade) for each in fault.changes):
        raise BackendError(f"{fault.id} upgrades a release of the catalogue's own chart, which is not installed")


def _render(api: Api, app: App, settings: Settings) -> str:
    program = shutil.which("helm")
    if program is None:
        raise BackendError("cluster={'chart': ...} needs helm 3 on your PATH: https://helm.sh/docs/intro/install/")
    argv = [program, "template", settings.release or app.id.replace("_", "-"), settings.chart]
    argv += ["--namespace", app.namespace, "--include-crds", "--skip-tests"]
    argv += ["--kube-version", str(check(api.raw("GET", "/version"), "version of the cluster")["gitVersion"])]
    given = settings.values if isinstance(settings.values, str) else ""
    argv += ["--values", given or "-"]
    values = "" if given else yaml.safe_dump(_plain(settings.values or {}))
    try:
        done = subprocess.run(argv, input=values, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise BackendError(f"helm has not rendered {settings.chart} within {SECONDS:g} seconds") from None
    if done.returncode:
        raise BackendError(f"helm cannot render {settings.chart}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def _plain(values: Any) -> Any:
    """Values as YAML knows them, whatever mappings they came in."""
    if isinstance(values, Mapping):
        return {str(key): _plain(value) for key, value in values.items()}
    return [_plain(each) for each in values] if isinstance(values, list | tuple) else values


def _read(text: str) -> Iterator[dict[str, Any]]:
    """The objects of a stream of documents, those of lists one by one. Raises BackendError."""
    try:
        found = [each for each in yaml.load_all(text, Loader=goyaml.Loader) if each]
    except yaml.YAMLError as error:
        raise BackendError(f"what helm printed is no YAML: {error}") from None
    for document in found:
        items = document.get("items") if isinstance(document, dict) and document.get("kind") == "List" else None
        for each in [document] if items is None else items:
            if not (isinstance(each, dict) and {"apiVersion", "kind"} <= each.keys() and get(each, "metadata", "name")):
                raise BackendError(f"what helm printed has a document that is no object with a name: {str(each)[:80]}")
            yield each


def _find_wrong(app: App, manifests: Sequence[Manifest]) -> Iterator[str]:
    """What speaks against the objects of a chart."""
    for each in manifests:
        meta, name = each["metadata"], f"{each['kind']} {each['metadata']['name']}"
        if HOOK in (meta.get("annotations") or {}):
            yield f"{name} is a hook ({meta['annotations'][HOOK]}), which is not run: turn it off by values"
        try:
            resource = find_resource(each)
        except BackendError:
            yield f"{name} ({each['apiVersion']}) is of a kind that is not known here: turn it off by values"
            continue
        if resource.namespaced and meta.get("namespace", app.namespace) != app.namespace:
            yield f"{name} lies in the namespace {meta['namespace']}, and the problem is about {app.namespace}"
        if not resource.namespaced and resource.name not in (*deploy.OF_CLUSTER, "namespaces"):
            yield f"{name} would change the cluster for all: turn it off by values"
        if resource.name == "namespaces" and meta["name"] != app.namespace:
            yield f"{name} is not the namespace {app.namespace}, which the problem is about"
    made = {each["metadata"]["name"]: each for each in manifests if each["kind"] == "Deployment"}
    for name in app.components:
        if name not in made:
            yield f"there is no Deployment {name}: the problem's components are {', '.join(app.components)}"
        elif get(made[name], "spec", "template", "metadata", "labels", app.selector) != app.labels.get(name, name):
            label = f"{app.selector}={app.labels.get(name, name)}"
            yield f"the pods of Deployment {name} need the label {label}, by which they are found"
