"""A stand-in for Chaos Mesh before a served cluster: it takes its objects, and has their effect on the world.

It reads the fields that Chaos Mesh 2.6 documents, and refuses an object that lacks one of them.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

import orjson
from starlette.types import ASGIApp, Receive, Scope, Send

from aiops_gym.serve.keeper import Keeper
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control.controllers import chaos

ROOT = "/apis/chaos-mesh.org/v1alpha1"


class ChaosMesh:
    """As `Around` of a door.

    Attributes:
        objects: that were made and are still there, by plural and name.
    """

    def __init__(self) -> None:
        self.objects: dict[tuple[str, str], Any] = {}

    def __call__(self, keeper: Keeper, app: ASGIApp) -> ASGIApp:
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http" or not scope["path"].startswith(ROOT):
                await app(scope, receive, send)
                return
            parts = scope["path"].removeprefix(ROOT).strip("/").split("/")
            code, body = 200, {"kind": "APIResourceList"}
            if scope["method"] == "POST":
                made = orjson.loads((await receive())["body"])
                await keeper.ask(lambda world: begin(world, made))
                self.objects[parts[2], made["metadata"]["name"]] = made
                code, body = 201, made
            elif scope["method"] == "DELETE":
                gone = self.objects.pop((parts[2], parts[3]))
                await keeper.ask(lambda world: chaos.remove(world, gone["metadata"]["name"]))
            elif parts != [""]:
                wanted = re.fullmatch(r"labelSelector=(.+)=(.+)", unquote(scope["query_string"].decode()))
                assert wanted is not None
                items = [o for (plural, _), o in self.objects.items()
                         if plural == parts[0] and o["metadata"]["labels"].get(wanted[1]) == wanted[2]]  # fmt: skip
                body = {"items": items}
            await send(
                {"type": "http.response.start", "status": code, "headers": [(b"content-type", b"application/json")]}
            )
            await send({"type": "http.response.body", "body": orjson.dumps(body)})

        return answer


def begin(world: World, made: Any) -> None:
    """What an object has done to the pods that it selects."""
    spec, every = made["spec"], 0
    if made["kind"] == "Schedule":
        every = int(spec["schedule"].removeprefix("@every ").removesuffix("s"))
        spec = spec[{"PodChaos": "podChaos", "NetworkChaos": "networkChaos"}[spec["type"]]]
    assert spec["mode"] == "one"
    kind, params = read(spec)
    if every and kind == "container_kill":
        params["every"] = every
    (space,) = spec["selector"]["namespaces"]
    effect = {"kind": kind, "namespace": space, "labels": spec["selector"]["labelSelectors"], "params": params}
    chaos.add(world, made["metadata"]["name"], effect)


def read(spec: Any) -> tuple[str, dict[str, Any]]:
    """An action, as the world has it."""
    action = spec["action"]
    if action == "loss":
        return "network_loss", {
            "percent": float(spec["loss"]["loss"]),
            "correlation": float(spec["loss"]["correlation"]),
        }
    if action == "delay":
        return "network_delay", {"ms": int(spec["delay"]["latency"].removesuffix("ms")), "jitter": 0}
    if action == "pod-failure":
        return "pod_failure", {"image": "gcr.io/google-containers/pause:latest"}
    assert action == "container-kill"
    return "container_kill", {"containers": spec["containerNames"]}
