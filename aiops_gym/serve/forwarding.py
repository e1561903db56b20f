"""`kubectl port-forward`: connections to the ports of a pod, through one WebSocket.

kubectl wraps SPDY into it (KEP-4006, `SPDY/3.1+portforward.k8s.io`): two streams for each connection, one of bytes and
one for an error. Clients in other languages have numbered channels instead (`v4.channel.k8s.io`): two for each port.
Behind a port, HTTP is answered request by request; whatever else comes is given to the program as text.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from contextlib import suppress

import h11
from starlette.websockets import WebSocket

from aiops_gym.serve.behind import FORM, JSON
from aiops_gym.serve.keeper import Keeper
from aiops_gym.serve.spdy import Data, Frame, Frames, Opened, Ping, Reset, SpdyError
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.connections import find_forward_target, refuse_forward
from aiops_gym.sim.kube_api.status import ApiError, bad_request
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.executables.curl import guess_type
from aiops_gym.sim.machine.executables.peer import Inside
from aiops_gym.sim.machine.program import HttpAnswer
from aiops_gym.types import Request

TUNNEL, CHANNELS = "SPDY/3.1+portforward.k8s.io", "v4.channel.k8s.io"
MOST = 256
"""Connections at the same time."""

LARGEST = 1 << 20
"""Bytes of a request's body."""

HOST = "localhost"


async def forward(keeper: Keeper, question: Request, socket: WebSocket, version: str) -> None:
    """Hand on what comes, until the client leaves, or the pod has gone. The socket is accepted."""
    with suppress(ApiError):
        await (_Tunnel if version == TUNNEL else _Channels)(keeper, question, socket).run()


class Connection:
    """One connection to a port of a pod.

    Args:
        keeper: of the world.
        question: names the pod.
        port: in it.
    """

    def __init__(self, keeper: Keeper, question: Request, port: int) -> None:
        self.keeper, self.question, self.port = keeper, question, port
        self.http: h11.Connection | None = h11.Connection(h11.SERVER)
        self.head: h11.Request | None = None
        self.body = b""

    async def open(self) -> str:
        """Connect; what the kubelet says of it where nobody listens, "" where somebody does. Raises ApiError."""

        def begin(world: World) -> str:
            key = find_forward_target(world, self.question)
            link = Inside(Container(world, key)).link(HOST, self.port) if key else None
            return "" if link and link.outcome == "ok" else refuse_forward(world, self.question, self.port)

        return await self.keeper.ask(begin)

    async def take(self, piece: bytes) -> tuple[bytes, bool]:
        """What the program sends back for some bytes, and whether it hangs up then."""
        if self.http is None:
            return await self._talk(piece), False
        sent = b""
        try:
            self.http.receive_data(piece)
            while True:
                event = self.http.next_event()
                if event is h11.PAUSED:
                    self.http.start_next_cycle()
                elif isinstance(event, h11.Request):
                    self.head, self.body = event, b""
                elif isinstance(event, h11.Data):
                    self.body = (self.body + event.data)[:LARGEST]
                elif isinstance(event, h11.EndOfMessage):
                    sent += await self._answer()
                    if self.http.our_state is h11.MUST_CLOSE:
                        return sent, True
                else:
                    return sent, event is not h11.NEED_DATA
        except h11.RemoteProtocolError:
            self.http = None
            return sent + await self._talk(piece), False

    async def _answer(self) -> bytes:
        assert self.head is not None and self.http is not None
        method, path = self.head.method.decode("ascii"), self.head.target.decode("ascii", "replace")
        kind = dict(self.head.headers).get(b"content-type", b"").decode("latin-1")
        text = self.body.decode("utf-8", "replace") if kind.startswith((FORM, JSON)) else ""

        def ask(world: World) -> HttpAnswer | None:
            key = find_forward_target(world, self.question)
            return Inside(Container(world, key)).http(method, HOST, self.port, path, text) if key else None

        answer = await self.keeper.ask(ask) or HttpAnswer(0)
        if not answer.status:
            self.http.send_failed()
            return b""
        body = answer.body.encode("utf-8", "replace")
        named = {"Content-Type": guess_type(answer.body), **answer.headers, "Content-Length": str(len(body))}
        head = h11.Response(status_code=answer.status, headers=[*named.items()])
        parts = [head, *([h11.Data(data=body)] if body and method != "HEAD" else []), h11.EndOfMessage()]
        return b"".join(self.http.send(part) or b"" for part in parts)

    async def _talk(self, piece: bytes) -> bytes:
        def talk(world: World) -> str:
            key = find_forward_target(world, self.question)
            inside = Inside(Container(world, key)) if key else None
            return inside.talk(HOST, self.port, piece.decode("utf-8", "replace")) if inside else ""

        return (await self.keeper.ask(talk)).encode("utf-8", "replace")


class _Tunnel:
    """SPDY inside a WebSocket: what is written to a data stream goes to the port that its headers name."""

    def __init__(self, keeper: Keeper, question: Request, socket: WebSocket) -> None:
        self.keeper, self.question, self.socket = keeper, question, socket
        self.frames = Frames()
        self.errors: dict[str, int] = {}
        self.open: dict[int, tuple[str, Connection]] = {}

    async def run(self) -> None:
        """Until the client leaves, or sends what is none."""
        while (message := await self.socket.receive())["type"] != "websocket.disconnect":
            try:
                for frame in self.frames.read(message.get("bytes") or b""):
                    await self._take(frame)
            except SpdyError:
                return

    async def _take(self, frame: Frame) -> None:
        if isinstance(frame, Opened):
            await self.socket.send_bytes(self.frames.accept(frame.stream))
            await self._begin(frame.stream, frame.headers)
        elif isinstance(frame, Data) and frame.stream in self.open:
            sent, over = await self.open[frame.stream][1].take(frame.body) if frame.body else (b"", False)
            if sent:
                await self.socket.send_bytes(self.frames.data(frame.stream, sent))
            if over or frame.ended:
                await self._end(frame.stream)
        elif isinstance(frame, Reset) and frame.stream in self.open:
            await self._end(frame.stream)
        elif isinstance(frame, Ping):
            await self.socket.send_bytes(self.frames.pong(frame))

    async def _begin(self, stream: int, headers: Mapping[str, str]) -> None:
        request = headers.get("requestid", "")
        if headers.get("streamtype") == "error":
            self.errors[request] = stream
            return
        connection = Connection(self.keeper, self.question, read_port(headers.get("port", "")))
        self.open[stream] = request, connection
        wrong = await connection.open() if len(self.open) <= MOST else "too many connections"
        if wrong:
            await self._end(stream, wrong)

    async def _end(self, stream: int, wrong: str = "") -> None:
        """Close both streams of a connection; what went wrong is the last that is said on that for errors."""
        request, _ = self.open.pop(stream)
        error = self.errors.pop(request, None)
        if error is not None:
            await self.socket.send_bytes(self.frames.data(error, wrong.encode(), ended=True))
        await self.socket.send_bytes(self.frames.data(stream, b"", ended=True))


class _Channels:
    """Numbered channels: 2 N has the bytes of port N, 2 N + 1 its error; each begins with the port's number."""

    def __init__(self, keeper: Keeper, question: Request, socket: WebSocket) -> None:
        ports = [read_port(each) for given in socket.query_params.getlist("ports") for each in given.split(",")]
        self.socket = socket
        self.ports = [Connection(keeper, question, port) for port in ports[:MOST]]

    async def run(self) -> None:
        """Until the client leaves."""
        for number, each in enumerate(self.ports):
            for channel in (2 * number, 2 * number + 1):
                await self.socket.send_bytes(bytes([channel]) + struct.pack("<H", each.port))
            if wrong := await each.open():
                await self.socket.send_bytes(bytes([2 * number + 1]) + wrong.encode())
        while (message := await self.socket.receive())["type"] != "websocket.disconnect":
            piece = message.get("bytes") or b""
            number, odd = divmod(piece[0], 2) if len(piece) > 1 else (0, 1)
            if not odd and number < len(self.ports):
                sent, over = await self.ports[number].take(piece[1:])
                await self.socket.send_bytes(piece[:1] + sent)
                if over:
                    return


def read_port(text: str) -> int:
    """The number of a port. Raises ApiError.

    >>> read_port("8080")
    8080
    """
    if not text.isascii() or not text.isdecimal() or not 0 < int(text) < 65_536:
        raise bad_request(f"unable to parse {text!r} as a port")
    return int(text)
