"""A chart: its description, its settings and its templates, as read from a folder or from a release."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from aiops_gym.clients import goyaml
from aiops_gym.clients.context import Context
from aiops_gym.helm import texts
from aiops_gym.helm.errors import HelmError
from aiops_gym.types import Json

MOST_FILES = 400


@dataclass(frozen=True)
class Chart:
    """Attributes: `metadata` is Chart.yaml, `values` values.yaml; `templates` and other `files` by path."""

    metadata: Mapping[str, Json]
    values: Mapping[str, Json]
    templates: Mapping[str, str]
    files: Mapping[str, str]
    values_text: str = ""

    @property
    def name(self) -> str:
        """As in Chart.yaml."""
        return str(self.metadata.get("name", ""))

    @property
    def label(self) -> str:
        """Name and version."""
        return f"{self.name}-{self.metadata.get('version', '')}"

    def stored(self) -> Json:
        """The chart as a release keeps it."""
        return {
            "metadata": dict(self.metadata),
            "lock": None,
            "templates": [_entry(path, text) for path, text in self.templates.items()],
            "values": dict(self.values),
            "schema": None,
            "files": [_entry(path, text) for path, text in self.files.items()],
        }


def _entry(path: str, text: str) -> Json:
    return {"name": path, "data": base64.b64encode(text.encode()).decode()}


def of_release(stored: Mapping[str, Json]) -> Chart:
    """The chart that a release was made from."""

    def texts(entries: Json) -> dict[str, str]:
        return {e["name"]: base64.b64decode(e["data"]).decode("utf-8", "replace") for e in entries or ()}

    return Chart(
        stored.get("metadata") or {},
        stored.get("values") or {},
        texts(stored.get("templates")),
        texts(stored.get("files")),
    )


def of_files(files: Mapping[str, str]) -> Chart:
    """A chart whose files these are, by path in its folder. Raises HelmError."""
    if "Chart.yaml" not in files:
        raise HelmError("Chart.yaml file is missing")
    metadata = _yaml(files["Chart.yaml"], "Chart.yaml")
    for needed in ("name", "version"):
        if not metadata.get(needed):
            raise HelmError(f"validation: chart.metadata.{needed} is required")
    text = files.get("values.yaml", "")
    templates = {path: body for path, body in sorted(files.items()) if path.startswith("templates/")}
    rest = {
        p: body for p, body in sorted(files.items()) if p not in templates and p not in ("Chart.yaml", "values.yaml")
    }
    return Chart(metadata, _yaml(text, "values.yaml"), templates, rest, text)


def load(context: Context, path: str) -> Chart:
    """The chart in a folder of the shell. Raises HelmError."""
    about = context.files.about(path)
    if about is None:
        if path.startswith((".", "/")):
            raise HelmError(f'path "{path}" not found')
        repository, slash, _ = path.partition("/")
        raise HelmError(
            f"repo {repository} not found"
            if slash
            else f"non-absolute URLs should be in form of repo_name/path_to_chart, got: {path}"
        )
    if about.kind != "directory":
        raise HelmError(f"file '{path}' does not appear to be a gzipped archive; got 'application/octet-stream'")
    found: dict[str, str] = {}
    _collect(context, path.rstrip("/"), "", found)
    return of_files(found)


def _collect(context: Context, folder: str, inside: str, found: dict[str, str]) -> None:
    for name, about in context.files.entries(f"{folder}/{inside}" if inside else folder):
        path = f"{inside}/{name}" if inside else name
        if about.kind == "directory":
            _collect(context, folder, path, found)
        elif len(found) < MOST_FILES:
            found[path] = context.files.read(f"{folder}/{path}")


def _yaml(text: str, name: str) -> Mapping[str, Json]:
    try:
        data = goyaml.load(text) or {}
    except yaml.YAMLError as error:
        raise HelmError(f"cannot load {name}: {texts.explain_error(error)}") from None
    if not isinstance(data, dict):
        raise HelmError(f"cannot load {name}: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal")
    return data
