"""`docker network ls` and `docker network inspect`"""

from __future__ import annotations

from aiops_gym.docker.call import Call, clean
from aiops_gym.docker.formats import matches_all, read_filters, write_rows
from aiops_gym.docker.verbs import inspect


def _list(call: Call) -> None:
    filters, rows = read_filters(call, ("driver", "id", "name", "scope")), []
    for found in call.ask("GET", "/networks"):
        row = {"ID": found["Id"] if call.flags.on("no-trunc") else found["Id"][:12]}
        row |= {name: found[name] for name in ("Name", "Driver", "Scope")}
        if matches_all(filters, lambda name, value, row=row: value in row["ID" if name == "id" else name.title()]):
            rows.append(row)
    write_rows(call, rows)


def _inspect(call: Call) -> int:
    return inspect.inspect_all(call, call.args, lambda call, name: call.ask("GET", f"/networks/{clean(name)}/inspect"))


RUNS = {"network ls": _list, "network inspect": _inspect}
