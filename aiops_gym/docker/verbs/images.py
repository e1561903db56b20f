"""`docker images`"""

from __future__ import annotations

from fnmatch import fnmatchcase

from aiops_gym.docker.call import Call
from aiops_gym.docker.formats import matches_all, read_filters, say_moment, say_size, write_rows
from aiops_gym.sim.docker_host.views import say_duration
from aiops_gym.types import Json


def make_row(call: Call, image: Json) -> dict[str, str]:
    """What can be shown of an image."""
    name, _, tag = image["RepoTags"][0].partition(":")
    age, size = round(1000 * call.context.cluster.now()) - 1000 * image["Created"], say_size(image["Size"])
    digest = image["Id"] if call.flags.values.get("no-trunc") else image["Id"].removeprefix("sha256:")[:12]
    row = {"Repository": name, "Tag": tag, "ID": digest, "CreatedSince": f"{say_duration(age)} ago", "Size": size}
    row |= {"Digest": image["RepoDigests"][0].partition("@")[2], "CreatedAt": say_moment(image["Created"])}
    return {**row, "Containers": "N/A", "SharedSize": "N/A", "UniqueSize": "N/A", "VirtualSize": size}


def _fits(row: Json, name: str, value: str) -> bool:
    return any(fnmatchcase(each, value) for each in (row["Repository"], f"{row['Repository']}:{row['Tag']}"))


def run(call: Call) -> None:
    """List the images of which containers were made, the newest first."""
    filters = [*read_filters(call), *(("named", name) for name in call.args)]
    rows = [make_row(call, image) for image in call.ask("GET", "/images/json")]
    write_rows(call, [row for row in rows if matches_all(filters, _fits, row)])
