"""`docker inspect`"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from aiops_gym.docker.call import Call, Failure, clean
from aiops_gym.docker.formats import parse, render, write_json
from aiops_gym.types import Json

BAD_FORMAT = 64
"""Exit code."""


def _find_any(call: Call, name: str) -> Json:
    """A container, network or image of a name. Raises Failure."""
    for kind in ("containers", "networks"):
        try:
            return call.ask("GET", f"/{kind}/{clean(name)}/inspect")
        except Failure:
            continue
    for image in call.ask("GET", "/images/json"):
        if name in (*image["RepoTags"], image["Id"]):
            return image
    raise Failure(f"Error: No such object: {name}")


def inspect_all(call: Call, names: Sequence[str], find: Callable[[Call, str], Json]) -> int:
    """Print what is found as JSON or as `--format` says, and complain of the rest."""
    form = call.flags.text("format").replace("\\t", "\t").replace("\\n", "\n")
    found, errors = [], []
    if form and form != "json":
        parse(form, BAD_FORMAT)
    for name in names:
        try:
            found.append(find(call, name))
        except Failure as error:
            errors.append(str(error))
    if form == "json":
        call.write(f"{write_json(found)}\n")
    elif form:
        call.write("".join(f"{render(form, row, strict=True)}\n" for row in found) or ("\n" if errors else ""))
    else:
        call.write(f"{json.dumps(found, indent=4, ensure_ascii=False)}\n")
    call.complain("".join(f"{error}\n" for error in errors))
    return int(bool(errors))


def run(call: Call) -> int:
    """Show objects of any kind."""
    return inspect_all(call, call.args, _find_any)
