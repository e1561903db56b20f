"""`docker inspect`, `image inspect`, `network inspect` and `port`: of what is named."""

from __future__ import annotations

import json
from collections.abc import Mapping

from aiops_gym.docker import nils
from aiops_gym.docker.call import Call, Failure, clean
from aiops_gym.docker.formats import parse, read_form, render, write_json
from aiops_gym.types import Json

BAD_FORMAT = 64
"""Exit code."""


KINDS: Mapping[str, str] = {"container": "containers", "network": "networks", "image": "images"}
"""Types of objects, with their paths, in the order in which a name is looked for."""


def _find(call: Call, name: str) -> Json:
    """What the verb names, or a container, network or image of a name. Raises Failure."""
    if kind := call.verb.name.rpartition(" ")[0]:
        return call.ask("GET", f"/{KINDS[kind]}/{clean(name)}/inspect")
    wanted = call.flags.text("type")
    for kind in [wanted] if wanted in KINDS else KINDS:
        try:
            return call.ask("GET", f"/{KINDS[kind]}/{clean(name)}/inspect")
        except Failure:
            continue
    raise Failure(f"Error: No such {wanted or 'object'}: {name}")


def _inspect(call: Call) -> int:
    """Print what is found as JSON or as `--format` says, and complain of the rest."""
    form, found, errors = read_form(call), [], []
    parse(form, BAD_FORMAT)
    for name in call.args:
        try:
            found.append(_find(call, name))
        except Failure as error:
            errors.append(str(error))
    if call.flags.text("format") == "json":
        call.write(f"{write_json(found)}\n")
    elif form:
        lines = [f"{render(form, _add_hidden(row), strict=True)}\n" for row in found]
        call.write("".join(lines or ["\n"]))
    else:
        call.write(f"{json.dumps(found, indent=4, ensure_ascii=False)}\n")
    call.complain("".join(f"{error}\n" for error in errors))
    return int(bool(errors))


def _add_hidden(row: Json) -> Json:
    """What a template may ask for and JSON leaves out, with nil values as Go has them."""
    told = {**row, "SizeRw": None, "SizeRootFs": None} if "HostConfig" in row else row
    told = {**told, "State": {**told["State"], "Health": None}} if "State" in told else told
    return nils.mark({**told, "Config": {**told["Config"], "Healthcheck": None}} if "Config" in told else told)


def _port(call: Call) -> None:
    """Print which ports of a container are those of the host."""
    name, *asked = call.args
    ports = call.inspect(name)["NetworkSettings"]["Ports"]
    wanted = f"{asked[0].partition('/')[0]}/tcp" if asked else ""
    if wanted and wanted not in ports:
        raise Failure(f"Error: No public port '{asked[0]}' published for {name}")
    for port, address, number in ((p, each["HostIp"], each["HostPort"]) for p in ports for each in ports[p]):
        host = f"[{address}]" if ":" in address else address
        if not wanted or port == wanted:
            call.write(f"{'' if wanted else f'{port} -> '}{host}:{number}\n")


RUNS = {"inspect": _inspect, "image inspect": _inspect, "network inspect": _inspect, "port": _port}
