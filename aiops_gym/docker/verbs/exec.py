"""`docker exec`"""

from __future__ import annotations

from aiops_gym.clients.waiting import finish
from aiops_gym.docker.call import KNOWN, Call, Failure, clean
from aiops_gym.types import Output

OCI = "OCI runtime exec failed:"
NO_USER = "unable to find user"


def run(call: Call) -> int:
    """Run a command in a container, and pass on what it printed and its exit code."""
    flags, (name, *words) = call.flags, call.args
    if flags.on("tty") and flags.on("interactive"):
        raise Failure("the input device is not a TTY")
    if pairs := flags.items("env"):
        told = (pair if "=" in pair else f"{pair}={call.context.env.get(pair, '')}" for pair in pairs)
        words = ["env", *told, *words]
    if folder := flags.text("workdir"):
        try:
            call.ask("GET", f"/containers/{clean(name)}/archive", {"path": folder})
        except Failure as error:
            if "Could not find" in str(error):
                raise Failure(KNOWN["no_folder"].format(folder), 127) from None
            raise
        words = ["sh", "-c", 'cd "$0" && exec "$@"', folder, *words]
    body = {"argv": words, "user": flags.text("user"), "stdin": call.context.stdin if flags.on("interactive") else ""}
    if flags.on("detach"):
        call.ask("POST", f"/containers/{clean(name)}/exec", body=body)
        return 0
    try:
        output: Output = call.ask("POST", f"/containers/{clean(name)}/exec", body=body)
    except Failure as error:
        if NO_USER not in str(error):
            raise
        call.write(f"{str(error).partition('daemon: ')[2]}\n")  # the daemon says it over the stream of the command
        return 126
    if output.code == 126 and output.stderr.startswith(OCI):
        call.write(output.stderr)
        return 127 if "not found" in output.stderr or "no such file" in output.stderr else 126
    ended = finish(call.context, output)
    call.write(ended.stdout)
    call.complain(ended.stderr)
    return ended.code
