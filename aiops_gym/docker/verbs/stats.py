"""`docker stats`"""

from __future__ import annotations

from typing import Final

from aiops_gym.docker.call import Call, clean
from aiops_gym.docker.formats import say_binary, say_size, write_rows

MEMORY: Final = 16 * (1 << 30) - 391 * (1 << 20)
"""Bytes of the host."""


def run(call: Call) -> None:
    """One screen; who lets it go on sees the same again and again, until the time is up."""
    every = call.ask("GET", "/containers/json", {"all": "1" if call.flags.on("all") else "0"})
    names = call.args or [row["Names"][0] for row in every]
    rows = []
    for name in names:
        about, used = call.inspect(name), call.ask("GET", f"/containers/{clean(name)}/stats") or {}
        memory = float(used.get("memory", 0.0))
        row = {"ID": about["Id"] if call.flags.on("no-trunc") else about["Id"][:12], "BlockIO": "0B / 0B"}
        row |= {"Name": about["Name"].removeprefix("/"), "Container": name.removeprefix("/")}
        row |= {"CPUPerc": f"{100 * float(used.get('cpu', 0.0)):.2f}%", "MemPerc": f"{100 * memory / MEMORY:.2f}%"}
        row |= {"MemUsage": f"{say_binary(memory)} / {say_binary(MEMORY if used else 0)}"}
        row |= {"NetIO": f"{say_size(used.get('received', 0))} / {say_size(used.get('sent', 0))}"}
        rows.append({**row, "PIDs": str(int(used.get("threads", 0)))})
    write_rows(call, rows)
    while not call.flags.on("no-stream"):
        call.wait(1.0)
