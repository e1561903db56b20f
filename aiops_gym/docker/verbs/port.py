"""`docker port`"""

from __future__ import annotations

from aiops_gym.docker.call import Call, Failure


def run(call: Call) -> None:
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
