"""`docker start`, `stop`, `restart`, `kill`, `rm`, `wait`, `container prune` and `diff`."""

from __future__ import annotations

from collections.abc import Callable

from aiops_gym.docker.call import STEP, Call, Failure, clean

WARNING = "WARNING! This will remove all stopped containers.\nAre you sure you want to continue? [y/N] "
UNSTARTED = "Error: failed to start containers"


def _ask(method: str, then: str, read: Callable[[Call], dict[str, str]], summary: str = "") -> Callable[[Call], int]:
    """Ask the daemon the same of each container that is named."""

    def run(call: Call) -> int:
        query = read(call)
        return call.each(call.args, lambda name: call.ask(method, f"/containers/{clean(name)}{then}", query), summary)

    return run


def _wait(call: Call) -> int:
    errors = 0
    for name in call.args:
        try:
            first = state = call.inspect(name)["State"]
            while state["Running"] and state["StartedAt"] == first["StartedAt"]:
                call.wait(STEP)
                state = call.inspect(name)["State"]
            call.write(f"{state['ExitCode']}\n")
        except Failure as error:
            if not str(error):
                raise
            call.complain(f"{error}\n")
            errors = 1
    return errors


def _prune(call: Call) -> None:
    call.write("" if call.flags.on("force") else WARNING)
    if call.flags.on("force") or call.context.stdin.strip().lower().startswith("y"):
        rows = call.ask("GET", "/containers/json", {"all": "1"})
        gone = [f"{row['Id']}\n" for row in rows if row["State"] in ("created", "exited")]
        for each in gone:
            call.ask("DELETE", f"/containers/{each.strip()}", {"force": "0"})
        call.write(f"Deleted Containers:\n{''.join(gone)}\n" if gone else "")
        call.write("Total reclaimed space: 0B\n")


def _diff(call: Call) -> None:
    changes = call.ask("GET", f"/containers/{clean(call.args[0])}/changes")
    call.write("".join(f"{kind} {path}\n" for kind, path in changes))


RUNS: dict[str, Callable[[Call], int | None]] = {"wait": _wait, "container prune": _prune, "diff": _diff}
RUNS |= {"stop": lambda call: call.each_ended(call.args, "stop")}
RUNS |= {"restart": lambda call: call.each_ended(call.args, "restart")}
RUNS |= {"start": _ask("POST", "/start", lambda call: {}, UNSTARTED)}
RUNS |= {"kill": _ask("POST", "/kill", lambda call: {"signal": call.flags.text("signal") or "KILL"})}
RUNS |= {"rm": _ask("DELETE", "", lambda call: {"force": "1" if call.flags.on("force") else "0"})}
