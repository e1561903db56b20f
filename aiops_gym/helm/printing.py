"""What Helm prints: tables, states of releases, and both as JSON or YAML."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from aiops_gym.clients import as_yaml
from aiops_gym.helm.charts import of_release
from aiops_gym.helm.errors import HelmError
from aiops_gym.helm.storage import Release, format_ansi, format_go_time
from aiops_gym.helm.values import coalesce_values
from aiops_gym.types import Json

ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
FORMS = ("table", "json", "yaml")
LISTED = ("name", "namespace", "revision", "updated", "status", "chart", "app_version")
HISTORY = ("revision", "updated", "status", "chart", "app_version", "description")


def parse_form(word: str) -> str:
    """The form that `-o` names. Raises HelmError."""
    if word not in FORMS:
        raise HelmError(f'invalid argument "{word}" for "-o, --output" flag: invalid format type')
    return word


def format_data(value: Json, form: str) -> str:
    """A value as JSON with Go's escapes, or as YAML."""
    if form == "yaml":
        return as_yaml.text(value)
    return orjson.dumps(value).decode().translate(ESCAPES) + "\n"


def format_table(columns: Sequence[str], rows: Sequence[Sequence[str]], header: bool = True) -> str:
    r"""Rows in columns with tabs between them.

    >>> format_table(["name", "app_version"], [["web", "1.2"]])
    'NAME\tAPP VERSION\nweb \t1.2        \n'
    """
    titles = [column.upper().replace("_", " ") for column in columns]
    lines = [titles, *rows] if header else [*rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)] if lines else []
    return "".join(
        "\t".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + "\n" for line in lines
    )


def sort_keys(value: Json) -> Json:
    """Settings with their keys sorted, as Go writes maps."""
    if isinstance(value, dict):
        return {key: sort_keys(value[key]) for key in sorted(value)}
    return [sort_keys(item) for item in value] if isinstance(value, list) else value


def make_list_row(release: Release) -> dict[str, str]:
    """A release as a row of `helm list`."""
    about = release["chart"]["metadata"]
    values = (
        release["name"],
        release["namespace"],
        str(release["version"]),
        format_go_time(release["info"]["last_deployed"]),
        release["info"]["status"],
        f"{about['name']}-{about['version']}",
        str(about.get("appVersion", "")),
    )
    return dict(zip(LISTED, values, strict=True))


def make_history_entry(release: Release) -> dict[str, Json]:
    """A revision as a row of `helm history`."""
    row, info = make_list_row(release), release["info"]
    found = {"revision": release["version"], "updated": info["last_deployed"], "status": info["status"]}
    return {**found, "chart": row["chart"], "app_version": row["app_version"], "description": info["description"]}


def format_history_row(release: Release) -> list[str]:
    """The same, as people read it."""
    return [
        str(v)
        for v in {**make_history_entry(release), "updated": format_ansi(release["info"]["last_deployed"])}.values()
    ]


def compute_values(release: Release) -> dict[str, Json]:
    """All settings of a revision."""
    return coalesce_values(of_release(release["chart"]).values, release.get("config") or {})


def format_status(release: Release, *, version: bool = False, described: bool = False) -> str:
    """The state of a release, as after each change of it."""
    info, about = release["info"], release["chart"]["metadata"]
    lines = [
        f"NAME: {release['name']}",
        f"LAST DEPLOYED: {format_ansi(info['last_deployed'])}",
        f"NAMESPACE: {release['namespace']}",
        f"STATUS: {info['status']}",
        f"REVISION: {release['version']}",
    ]
    if version:
        lines += [f"CHART: {about['name']}", f"VERSION: {about['version']}"]
        lines += [f"APP_VERSION: {about.get('appVersion', '')}"]
    if described:
        lines.append(f"DESCRIPTION: {info['description']}")
    return "\n".join([*lines, "TEST SUITE: None"]) + "\n"


def format_all(release: Release) -> str:
    """`helm get all`."""
    given = as_yaml.text(release.get("config"))
    return (
        f"{format_status(release, version=True)}USER-SUPPLIED VALUES:\n{given}\nCOMPUTED VALUES:\n"
        f"{as_yaml.text(compute_values(release))}\n{format_plan(release)}"
    )


def format_plan(release: Release) -> str:
    """What a revision would install."""
    return f"HOOKS:\nMANIFEST:\n{release['manifest']}\n"


def hide_chart(release: Release) -> Json:
    """A release as `-o json` prints it: without its chart."""
    keys = ("name", "info", "config", "manifest", "version", "namespace")
    found = {key: release[key] for key in keys if release.get(key) is not None}
    if "config" in found:
        found["config"] = sort_keys(found["config"])
    order = ("first_deployed", "last_deployed", "deleted", "description", "status")
    return {**found, "info": {key: release["info"][key] for key in order if key in release["info"]}}


def make_metadata(release: Release) -> Json:
    """`helm get metadata`."""
    about, info = release["chart"]["metadata"], release["info"]
    return {
        "name": release["name"],
        "chart": about["name"],
        "version": about["version"],
        "appVersion": str(about.get("appVersion", "")),
        "namespace": release["namespace"],
        "revision": release["version"],
        "status": info["status"],
        "deployedAt": f"{info['last_deployed'][:19]}Z",
    }
