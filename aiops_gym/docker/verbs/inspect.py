"""`docker inspect`"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from aiops_gym.docker import nils
from aiops_gym.docker.call import Call, Failure, clean
from aiops_gym.docker.formats import parse, render, write_json
from aiops_gym.types import Json

BAD_FORMAT = 64
"""Exit code."""


KINDS: Mapping[str, str] = {"container": "containers", "network": "networks", "image": "images"}
"""Types of objects, with their paths, in the order in which a name is looked for."""


def _find_any(call: Call, name: str) -> Json:
    """A container, network or image of a name. Raises Failure."""
    wanted = call.flags.text("type")
    for kind in [wanted] if wanted in KINDS else KINDS:
        try:
            return call.ask("GET", f"/{KINDS[kind]}/{clean(name)}/inspect")
        except Failure:
            continue
    raise Failure(f"Error: No such {wanted or 'object'}: {name}")


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
        call.write(
            "".join(f"{render(form, _add_hidden(row), strict=True)}\n" for row in found) or ("\n" if errors else "")
        )
    else:
        call.write(f"{json.dumps(found, indent=4, ensure_ascii=False)}\n")
    call.complain("".join(f"{error}\n" for error in errors))
    return int(bool(errors))


def _add_hidden(row: Json) -> Json:
    """What a template may ask for and JSON leaves out, with nil values as Go has them."""
    told = {**row, "SizeRw": None, "SizeRootFs": None} if "HostConfig" in row else row
    told = {**told, "State": {**told["State"], "Health": None}} if "State" in told else told
    return nils.mark({**told, "Config": {**told["Config"], "Healthcheck": None}} if "Config" in told else told)


def _run(call: Call) -> int:
    """Show objects of any kind."""
    return inspect_all(call, call.args, _find_any)


def _run_image(call: Call) -> int:
    return inspect_all(call, call.args, lambda call, name: call.ask("GET", f"/images/{clean(name)}/inspect"))


RUNS = {"inspect": _run, "image inspect": _run_image}
