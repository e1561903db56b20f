"""`docker images`"""

from __future__ import annotations

from aiops_gym.docker.call import Call
from aiops_gym.docker.formats import say_size, write_rows
from aiops_gym.sim.docker_host.views import say_duration


def run(call: Call) -> None:
    """List the images of which containers were made."""
    now, rows = call.context.cluster.now(), []
    for image in call.ask("GET", "/images/json"):
        name, _, tag = image["RepoTags"][0].partition(":")
        digest = image["Id"] if call.flags.on("no-trunc") else image["Id"].removeprefix("sha256:")[:12]
        age = f"{say_duration(round(1000 * (now - image['Created'])))} ago"
        row = {"Repository": name, "Tag": tag, "ID": digest, "CreatedSince": age, "Size": say_size(image["Size"])}
        rows += [row] if not call.args or call.args[0] in (name, f"{name}:{tag}") else []
    write_rows(call, rows)
