"""`kubectl exec`, `attach` and `port-forward` over WebSocket.

A command's channels are as `v5.channel.k8s.io` and `v4.channel.k8s.io` have them.

Each message begins with the number of its channel. Version 5 can say that a channel is closed; version 4 cannot, so
there a command that reads its input begins when the client has been quiet for a moment. A shell takes a pause for the
end of a script as well: whoever writes to it bit by bit waits for answers in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace

import orjson
from starlette.websockets import WebSocket, WebSocketDisconnect

from aiops_gym.serve import copying
from aiops_gym.serve.following import Following, find_container_id
from aiops_gym.serve.forwarding import CHANNELS, TUNNEL, forward
from aiops_gym.serve.keeper import Keeper
from aiops_gym.serve.objects import command
from aiops_gym.serve.paths import Target
from aiops_gym.serve.refusals import not_supported
from aiops_gym.serve.render import render_refusal
from aiops_gym.serve.terminal import PROMPTS, Repl, Terminal
from aiops_gym.serve.watching import TRUE
from aiops_gym.sim.kube_api import handle
from aiops_gym.sim.kube_api.connections import end_typing, find_forward_target, find_typed_into
from aiops_gym.sim.kube_api.status import ApiError, bad_request
from aiops_gym.sim.kube_api.subresources import find_exec_target
from aiops_gym.types import Json, Output, Request

STDIN, STDOUT, STDERR, ERROR, RESIZE, CLOSE = 0, 1, 2, 3, 4, 255
V5, V4 = "v5.channel.k8s.io", "v4.channel.k8s.io"
CHUNK = 32_768
QUIET = 0.4
"""Seconds without input after which a version 4 command begins."""

KEPT = 65_536
"""Characters of what a shell showed that go into its log at its end."""

LARGEST_INPUT = 8 * 1024 * 1024
SHELLS = ("sh", "bash", "ash")


async def converse(keeper: Keeper, target: Target | None, socket: WebSocket) -> None:
    """Run one command for a client that asked for a WebSocket."""
    try:
        question = await _checked(keeper, target, socket)
        known = (TUNNEL, CHANNELS) if question.subresource == "portforward" else (V5, V4)
        version = next((v for v in socket.scope.get("subprotocols", ()) if v in known), None)
        if version is None:
            raise bad_request("unable to upgrade: no sub-protocol that is known here was asked for")
    except ApiError as error:
        await socket.send_denial_response(render_refusal(error))
        return
    await socket.accept(version)
    try:
        if question.subresource == "log":
            await _attach(keeper, question, socket, version)
        elif question.subresource == "portforward":
            await forward(keeper, question, socket, version)
        else:
            await _Dialog(keeper, question, socket, version).run()
        await socket.close()
    except WebSocketDisconnect:
        return


async def _attach(keeper: Keeper, question: Request, socket: WebSocket, version: str) -> None:
    """Type into a shell that waits for it; of everything else, see what it prints."""
    asks = socket.query_params.get("stdin") in TRUE
    key = await keeper.ask(lambda world: find_typed_into(world, question)) if asks else ""
    if not key:
        await _watch(keeper, question, socket)
        return
    query = {**dict(socket.query_params), **question.query}
    shell = replace(question, verb="create", subresource="exec", query=query, body={"command": ["sh"]})
    dialog = _Dialog(keeper, shell, socket, version, attached=True)
    try:
        await dialog.talk()
    except WebSocketDisconnect:
        await keeper.ask(lambda world: end_typing(world, key, dialog.shown, dialog.code, left=True))
        raise
    await keeper.ask(lambda world: end_typing(world, key, dialog.shown, dialog.code))
    await dialog.leave()  # last: a client that hears of the end may look for it


async def _watch(keeper: Keeper, question: Request, socket: WebSocket) -> None:
    """What the container prints from now on: attached to a process whose input nobody has kept open."""
    following = await keeper.ask(lambda world: Following(keeper, world, question, ""))

    async def tell() -> None:
        async with aclosing(following.pieces()) as pieces:
            async for piece in pieces:
                if piece:
                    await socket.send_bytes(bytes([STDOUT]) + piece)
        await socket.send_bytes(bytes([ERROR]) + orjson.dumps(_status(0)))

    async def leave() -> None:
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass

    tasks = [asyncio.create_task(tell()), asyncio.create_task(leave())]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _checked(keeper: Keeper, target: Target | None, socket: WebSocket) -> Request:
    if target is None or target.subresource not in ("exec", "attach", "portforward"):
        raise not_supported(f"pods/{target.subresource}" if target else "this connection")
    query = dict(socket.query_params)
    where = (target.resource.name, target.namespace, target.name)
    if target.subresource == "portforward":
        question = Request("create", *where, "portforward")
        await keeper.ask(lambda world: find_forward_target(world, question))
        return question
    if target.subresource == "attach":
        question = Request("get", *where, "log", query={"container": query.get("container", "")})
        if not await keeper.ask(lambda world: find_container_id(world, question)):
            raise bad_request(f"container {question.query['container']} not found in pod {target.name}")
        return question
    question = Request("create", *where, "exec", command(socket.query_params), query=query)
    await keeper.ask(lambda world: find_exec_target(world, target.resource, question))
    return question


class _Dialog:
    """One command's conversation."""

    def __init__(
        self, keeper: Keeper, question: Request, socket: WebSocket, version: str, attached: bool = False
    ) -> None:
        query = question.query
        self.attached = attached  # to a process that was there before: how it ends is told by its pod
        self.keeper, self.question, self.socket, self.version = keeper, question, socket, version
        self.argv: list[str] = question.body["command"]
        self.tty = query.get("tty") in TRUE
        self.stdin = query.get("stdin") in TRUE
        self.refusal: Json = None
        self.shown, self.code = "", 0

    async def run(self) -> None:
        """Talk, and say how it ended."""
        await self.talk()
        await self.leave()

    async def leave(self) -> None:
        """Say how it ended; of a process that was there before, its pod tells that."""
        await self._send(ERROR, orjson.dumps(self.refusal or _status(0 if self.attached else self.code)))

    async def talk(self) -> None:
        """Read what is to be read, run, send what came of it."""
        if self.stdin and self._is_shell():
            typed = self._typed(None if self.tty else QUIET)
            code = await Terminal(self.exec, typed, self._send, self.tty).run()
        elif self.stdin and self.tty and self.argv[0].rpartition("/")[2] in PROMPTS:
            code = await Repl(self.argv, self.exec, self._typed(None), self._send, True).run()
        elif (archive := copying.find_archive(self.argv)) is not None:
            sent = await self._input() if self.stdin else b""
            output, packed = await archive.run(self.exec, sent)
            await self._send(STDOUT, packed)
            await self._send(STDERR, output.stderr.encode())
            code = output.code
        else:
            sent = await self._input() if self.stdin and not self.tty else b""
            output = await self.exec(self.argv, sent.decode("utf-8", "replace"))
            await self._tell(output)
            code = output.code
        self.code = code

    def _is_shell(self) -> bool:
        name, *options = self.argv
        return name.rpartition("/")[2] in SHELLS and all(o in ("-i", "-l", "-il", "--login") for o in options)

    async def exec(self, argv: list[str], stdin: str) -> Output:
        """Run words in the container."""
        question = replace(self.question, body={"command": argv, "stdin": stdin})
        answer = await self.keeper.ask(lambda world: handle(world, question))
        if isinstance(answer.body, Output):
            return answer.body
        if argv != self.argv:
            return Output("", f"{answer.body['message']}\n", 126)
        self.refusal = answer.body
        return Output("", "", 126)

    async def _input(self) -> bytes:
        """All that the client writes to the command."""
        chunks: list[bytes] = []
        size = 0
        async for chunk in self._typed(QUIET if self.version == V4 else None):
            size += len(chunk)
            if not chunk or size > LARGEST_INPUT:
                break
            chunks.append(chunk)
        return b"".join(chunks)

    async def _typed(self, quiet: float | None) -> AsyncIterator[bytes]:
        """Input as it comes, until it is closed; an empty piece is a pause of so many seconds."""
        while True:
            try:
                async with asyncio.timeout(quiet):  # why not `wait_for`: see `Bell.wait`
                    message = await self._receive()
            except TimeoutError:
                yield b""
                continue
            if message is None:
                return
            if message[:1] == bytes([STDIN]) and len(message) > 1:
                yield message[1:]

    async def _receive(self) -> bytes | None:
        """The next message, None when the input is closed."""
        received = await self.socket.receive()
        if received["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(received.get("code", 1000))
        message = received.get("bytes") or (received.get("text") or "").encode()
        return None if message[:2] == bytes([CLOSE, STDIN]) else message

    async def _tell(self, output: Output) -> None:
        if self.tty:
            text = (output.stdout + output.stderr).replace("\n", "\r\n")
            await self._send(STDOUT, text.encode("utf-8", "replace"))
            return
        await self._send(STDOUT, output.stdout.encode("utf-8", "replace"))
        await self._send(STDERR, output.stderr.encode("utf-8", "replace"))

    async def _send(self, channel: int, body: bytes) -> None:
        if self.attached and channel == STDOUT:
            self.shown = (self.shown + body.decode("utf-8", "replace"))[-KEPT:]
        for at in range(0, len(body), CHUNK):
            await self.socket.send_bytes(bytes([channel]) + body[at : at + CHUNK])


def _status(code: int) -> Json:
    """How a command ended, as a `v1.Status`."""
    if code == 0:
        return {"metadata": {}, "status": "Success"}
    cause = {"reason": "ExitCode", "message": str(code)}
    text = f"command terminated with non-zero exit code: exit status {code}"
    return {
        "metadata": {},
        "status": "Failure",
        "message": text,
        "reason": "NonZeroExitCode",
        "details": {"causes": [cause]},
    }
