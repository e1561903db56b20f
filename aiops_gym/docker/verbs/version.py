"""`docker version`"""

from __future__ import annotations

from aiops_gym.docker.call import Call
from aiops_gym.docker.formats import render

COMMIT = "9f9e405"


def run(call: Call) -> None:
    """Print the versions of the client and of the daemon."""
    told = call.ask("GET", "/version")
    if form := call.flags.text("format"):
        call.write(f"{render(form, {'Client': told, 'Server': told})}\n")
        return
    rows = {"Version": told["Version"], "API version": told["ApiVersion"], "Go version": told["GoVersion"]}
    rows |= {"Git commit": COMMIT, "OS/Arch": f"{told['Os']}/{told['Arch']}"}
    call.write("Client: Docker Engine - Community\n")
    call.write("".join(f" {f'{part}:':<18}{value}\n" for part, value in rows.items()) + f" {'Context:':<18}default\n")
    call.write("\nServer: Docker Engine - Community\n Engine:\n")
    call.write("".join(f"  {f'{part}:':<17}{value}\n" for part, value in rows.items()))
