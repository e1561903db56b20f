"""`docker info`, `version`, `network ls` and `volume ls`: of the host as a whole."""

from __future__ import annotations

from contextlib import suppress

from aiops_gym.docker.call import KNOWN, Call
from aiops_gym.docker.formats import matches_all, read_filters, read_form, render, say_binary, write_rows
from aiops_gym.types import Json


def _info(call: Call) -> None:
    told, form = call.ask("GET", "/info"), read_form(call)
    with suppress(FileNotFoundError, IsADirectoryError):
        told = {**told, "Name": call.context.files.read("/etc/hostname").strip() or told["Name"]}
    text = KNOWN["info"].format(**told, Memory=say_binary(told["MemTotal"]))
    call.write(f"{render(form, told, strict=True)}\n" if form else text)


def _version(call: Call) -> None:
    told, form = call.ask("GET", "/version"), read_form(call)
    both = {"Client": told, "Server": told}
    call.write(f"{render(form, both)}\n" if form else KNOWN["version"].format(**told))


def _fits(row: Json, name: str, value: str) -> bool:
    return value in row["ID" if name == "id" else name.title()]


def _list_networks(call: Call) -> None:
    filters, rows = read_filters(call), []
    for found in call.ask("GET", "/networks"):
        row = {name: found[name] for name in ("Name", "Driver", "Scope")}
        rows.append({**row, "ID": found["Id"] if call.flags.on("no-trunc") else found["Id"][:12]})
    write_rows(call, [row for row in rows if matches_all(filters, _fits, row)])


def _list_volumes(call: Call) -> None:
    read_filters(call)
    write_rows(call, call.ask("GET", "/volumes")["Volumes"])


RUNS = {"info": _info, "version": _version, "network ls": _list_networks, "volume ls": _list_volumes}
