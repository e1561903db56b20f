"""`docker info`, `docker system df` and `docker volume ls`: of the host as a whole."""

from __future__ import annotations

from contextlib import suppress

from aiops_gym.docker.call import KNOWN, Call
from aiops_gym.docker.formats import align, read_filters, render, say_binary, say_size, write_json, write_rows


def _info(call: Call) -> None:
    told = call.ask("GET", "/info")
    with suppress(FileNotFoundError, IsADirectoryError):
        told = {**told, "Name": call.context.files.read("/etc/hostname").strip() or told["Name"]}
    form = call.flags.text("format")
    if form in ("json", "{{json .}}"):
        call.write(f"{write_json(told)}\n")
    elif form:
        call.write(f"{render(form, told, strict=True)}\n")
    else:
        call.write(KNOWN["info"].format(**told, Memory=say_binary(told["MemTotal"])))


def _df(call: Call) -> None:
    images, every = call.ask("GET", "/images/json"), call.ask("GET", "/containers/json", {"all": "1"})
    size, idle = (sum(image["Size"] for image in images if not all_ or not image["Containers"]) for all_ in (0, 1))
    used, running = sum(bool(image["Containers"]) for image in images), sum(row["State"] == "running" for row in every)
    lines = [["TYPE", "TOTAL", "ACTIVE", "SIZE", "RECLAIMABLE"]]
    share = f"{say_size(idle)} ({100 * idle // max(1, size)}%)"
    lines += [["Images", str(len(images)), str(used), say_size(size), share]]
    lines += [["Containers", str(len(every)), str(running), "0B", "0B"]]
    call.write(align([*lines, *([kind, "0", "0", "0B", "0B"] for kind in ("Local Volumes", "Build Cache"))]))


def _volumes(call: Call) -> None:
    read_filters(call, ("dangling", "driver", "label", "name"))
    write_rows(call, call.ask("GET", "/volumes")["Volumes"])


RUNS = {"info": _info, "system df": _df, "volume ls": _volumes}
