"""`docker start`, `stop`, `restart`, `kill`, `rm` and `wait`."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.docker.call import Call, clean


def _ask(call: Call, method: str, then: str, query: Mapping[str, str], summary: str = "") -> int:
    """Ask the daemon the same of each container that is named."""

    def act(name: str) -> None:
        call.ask(method, f"/containers/{clean(name)}{then}", query)

    return call.each(call.args, act, summary)


def _start(call: Call) -> int:
    return _ask(call, "POST", "/start", {}, "Error: failed to start containers")


def _kill(call: Call) -> int:
    return _ask(call, "POST", "/kill", {"signal": call.flags.text("signal") or "KILL"})


def _rm(call: Call) -> int:
    return _ask(call, "DELETE", "", {"force": str(int(call.flags.on("force")))})


def _wait(call: Call) -> int:
    return call.each(call.args, lambda name: str(call.await_end(name)["ExitCode"]))


RUNS = {"start": _start, "kill": _kill, "rm": _rm, "wait": _wait}
RUNS |= {"stop": lambda call: call.each_ended(call.args, "stop")}
RUNS |= {"restart": lambda call: call.each_ended(call.args, "restart")}
