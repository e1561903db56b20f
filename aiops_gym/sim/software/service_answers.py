"""What a service answers to a request that somebody sends it: as requests go at present, and about what it names.

Params: `pages` (path -> body); `routes` ([path, handler]; `{name}` in it stands for one further part, `*` at its end
for whatever follows); `passes` ([prefix, variables with the host and the port, what replaces the prefix or ""]) to whom
all other paths are passed on, by the longest prefix; `missing`, the page of what is not there; `headers` of each
answer; `unreached`, the status where whom it asks cannot be reached. A handler has `body`, or `bodies` by what the path
names and `unknown` ([status, body]) for the rest; in them `{name}` stands for a value of the query, or for an identity.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.machine.program import HttpAnswer, program_of
from aiops_gym.sim.network import routes
from aiops_gym.sim.software import web_answers
from aiops_gym.sim.traffic import clients
from aiops_gym.sim.traffic.clients.client import Failed
from aiops_gym.sim.traffic.configuration import find_endpoint
from aiops_gym.sim.traffic.walk import UNIMPLEMENTED, code_of
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

MISSING, WRONG = "404 page not found\n", "Internal Server Error"
QUICK = 0.001
IDENTITIES = ("orderId", "shippingTrackingId")
TYPES = {"jpg": "image/jpeg", "png": "image/png"}
PLACE = re.compile(r"[{*]")
BLANK = re.compile(r"\{(\w+)\}")


def answer(world: World, process: Process, method: str, path: str) -> HttpAnswer:
    """The whole answer of a service that speaks HTTP."""
    params, where = process["params"], path.partition("?")[0]
    found = find_handler(params, "GET" if method == "HEAD" else method, where)
    if where in (pages := params.get("pages") or {}):
        reply = HttpAnswer(200, str(pages[where]), seconds=QUICK)
    elif found:
        reply = _serve(world, process, *found, path) or _pass_on(world, process, method, path)
    else:
        reply = _pass_on(world, process, method, path)
    return replace(reply, headers={**reply.headers, **(params.get("headers") or {})})


def find_handler(params: Mapping[str, Json], method: str, where: str) -> tuple[str, str] | None:
    """The handler of a request, and what its path names.

    >>> find_handler({"routes": [["/a/{b}", "GET /a/{b}"]]}, "GET", "/a/c")
    ('GET /a/{b}', 'c')
    """
    for route, handler in params.get("routes", ()):
        head = PLACE.split(route)[0]
        named = where.removeprefix(head).strip("/")
        if head == route:
            fits, named = where.rstrip("/") == route.rstrip("/"), ""
        else:
            fits = where.startswith(head) and (route.endswith("*") or (bool(named) and "/" not in named))
        if fits and str(handler).startswith(f"{method} "):
            return str(handler), named
    return None


def _serve(world: World, process: Process, handler: str, named: str, path: str) -> HttpAnswer | None:
    """One more request for a handler: what it shows, or why it fails; None where it went to somebody who lacks it."""
    tried = web_answers.attempt(world, process, handler, named)
    walk, number = tried or web_answers.try_request(world, process, handler, named)
    seconds = float(walk.end[0]) / 1000.0
    if walk.ok[0]:
        return replace(_show(world, process, handler, named, path), seconds=seconds)
    own = [trouble for trouble in walk.troubles if trouble.process == number]
    if not own:
        return HttpAnswer(500, WRONG, seconds=seconds)
    if "passes" in process["params"] and code_of(own[-1].errors[0]) == UNIMPLEMENTED:
        return None
    status = 500 if own[-1].reached[0] else int(process["params"].get("unreached", 500))
    text = str(own[-1].call.get("throws", "{error}")).replace("{error}", own[-1].errors[0])
    return HttpAnswer(status, text or WRONG, seconds=seconds)


def _show(world: World, process: Process, handler: str, named: str, path: str) -> HttpAnswer:
    """What a handler answers when all is well; who passes requests on shows what those show whom it asks."""
    params, row = process["params"], process["params"]["handlers"][handler]
    if "passes" in params and row["calls"]:
        call = row["calls"][0]
        route = _dial(world, process, *find_endpoint(process, call))
        target = world.table("processes")[route.targets[0].process] if route.targets else process
        if "passes" not in target["params"] and call["handler"] in (target["params"].get("handlers") or {}):
            return _show(world, target, call["handler"], named, path)
    text = row["bodies"].get(named) if "bodies" in row else row.get("body", "{}")
    if text is None:
        status, text = row.get("unknown") or (404, params.get("missing", MISSING))
        return HttpAnswer(int(status), str(text))
    kind = TYPES.get(path.partition("?")[0].rpartition(".")[2])
    known = {name: draws.uuid(world.seed, "answered", f"{process['id']} {name}", world.now) for name in IDENTITIES}
    known |= {name: json.dumps(value)[1:-1] for name, value in parse_qsl(path.partition("?")[2])}
    filled = BLANK.sub(lambda blank: known.get(blank[1], ""), str(text))
    return HttpAnswer(200, filled, {"Content-Type": kind} if kind else {})


def _pass_on(world: World, process: Process, method: str, path: str) -> HttpAnswer:
    """A request that is somebody else's to answer, or nobody's."""
    params, env = process["params"], process["env"]
    rows = [row for row in params.get("passes", ()) if path.startswith(row[0])]
    if not rows:
        return HttpAnswer(404, str(params.get("missing", MISSING)), seconds=QUICK)
    prefix, host, port, instead = max(rows, key=lambda row: len(row[0]))
    given = str(env.get(port, ""))
    where = str(env.get(host, "")), int(given) if is_natural(given) else 0
    route, client = _dial(world, process, *where), clients.find(str(params["language"]), "http")
    if route.outcome != "ok":
        text, after = client.unreachable(Failed(route.outcome, *where, route.address))
        return HttpAnswer(int(params["unreached"]), text, seconds=after / 1000.0)
    target = world.table("processes")[route.targets[0].process]
    further = instead + path[len(prefix) :].lstrip("/") if instead else path
    there = None if "passes" in target["params"] else program_of(world, target)
    reply = there.answer(world, target, method, further) if there else None
    if reply is None or not reply.status or reply.tls:
        return HttpAnswer(int(params["unreached"]), client.hung_up, seconds=QUICK)
    return replace(reply, seconds=reply.seconds + route.delay_ms / 1000.0 + QUICK)


def _dial(world: World, process: Process, host: str, port: int) -> routes.Route:
    namespace = str(process["pod"]).partition("/")[0]
    return routes.dial(world, f"{process['uid']}/{process['container']}", namespace, host, port)
