"""Calls as the solver and the sampler want them: plain data, made from what a program declares and who would answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiops_gym.sim.traffic.clients.client import Client, Failed, parse_lines
from aiops_gym.types import Json

OWN_SPANS = ("plain", "otel-client")
"""Sides of calls whose spans a program names itself."""

Target = list[Json]
"""[node (-1: none), share, delay ms, loss, error]"""


def compile_call(call: Mapping[str, Json], client: Client, targets: list[Target], error: str, after: float) -> Json:
    """A call as the solver and the sampler want it."""
    named = call.get("span") if client.side in OWN_SPANS else call.get("handler") or call.get("span") or call["kind"]
    apart = {"apart": True} if call.get("apart") else {}
    counted = {key: call[key] for key in ("messages", "writes", "only") if key in call}
    return {
        **apart,
        **counted,
        "kind": client.name,
        "span": str(named or ""),
        "p": float(call.get("p", 1.0)),
        "to": targets,
        "error": error,
        "after": after,
        "timeout": client.timeout,
        "on_error": str(call.get("on_error", "fail")),
        "log": list(call["log"]) if call.get("log") else None,
    }


def compile_failure(call: Mapping[str, Json], client: Client, failed: Failed, about: str) -> dict[str, Json]:
    """What is logged when the call fails, and what the program then tells its own caller."""
    log, caught = parse_lines(call.get("log")), parse_lines(call.get("caught"))
    told: dict[str, Json] = {"log": [[s, t + about, v] for s, t, v in (*log, *caught)]}
    if client.own_words:
        told["shunned"] = [[s, t + about, v] for s, t, v in (*client.complaints(failed), *caught)]
    if call.get("throws"):
        told["throws"] = str(call["throws"])
    return told


def share_targets(groups: Sequence[Sequence[Target]]) -> list[Target]:
    """Targets with their share: equal for each address, and within it for each process behind it."""
    found = []
    for group in groups:
        for target in group:
            found.append([target[0], 1.0 / (len(groups) * len(group)), *target[2:]])
    return found
