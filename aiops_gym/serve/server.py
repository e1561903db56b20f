"""A served world: sockets, a thread with an event loop, the clock, and how all of it ends."""

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

import uvicorn
from starlette.types import ASGIApp

from aiops_gym.errors import BackendError
from aiops_gym.serve import kubeconfig
from aiops_gym.serve.app import make_api
from aiops_gym.serve.clock import Clock
from aiops_gym.serve.keeper import Keeper
from aiops_gym.serve.patient import Patient
from aiops_gym.serve.visitors import LOOPBACK
from aiops_gym.sim.kernel.world import World

T = TypeVar("T")

Around = Callable[[Keeper, ASGIApp], ASGIApp]
"""What stands between the clients and the API of a kept world."""

BACKLOG = 512
GRACE = 2
"""Seconds that open connections get to end."""


class HasWorld(Protocol):
    """A simulated backend."""

    world: World


def listen(app: ASGIApp, host: str, port: int) -> tuple[uvicorn.Server, socket.socket]:
    """A server for an application, and the socket that it shall answer at. Raises BackendError."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # so asyncio sets TCP_NODELAY
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        bound.close()
        raise BackendError(f"cannot listen on {host}:{port}: {error}") from None
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            lifespan="off",
            http=Patient,
            ws="wsproto",
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            ws_max_size=16 * 1024 * 1024,
            timeout_keep_alive=60,
            timeout_graceful_shutdown=GRACE,
        )
    )
    return server, bound


class Door:
    """A world behind an address; see `door`. As a path it is its kubeconfig.

    Attributes:
        kubeconfig: the file for `KUBECONFIG` or `--kubeconfig`.
        url: of the Kubernetes API.
        clock: of the world; its `speed` may be changed at any time.
        keeper: of the world, for whoever wants to look at it or change it.
    """

    def __init__(
        self,
        world: World,
        path: Path,
        *,
        host: str = LOOPBACK,
        port: int = 0,
        speed: float = 0.0,
        namespace: str = "",
        around: Around | None = None,
    ) -> None:
        self.keeper = Keeper(world)
        self.clock = Clock(self.keeper, speed)
        self.kubeconfig, self.namespace = path, namespace
        self._servers: list[tuple[uvicorn.Server, socket.socket]] = []
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._main, name="aiops-gym-serve", daemon=True)
        served = make_api(self.keeper, host)
        self.url = self.listen(around(self.keeper, served) if around else served, host, port)

    def __fspath__(self) -> str:
        return str(self.kubeconfig)

    __str__ = __fspath__

    def listen(self, app: ASGIApp, host: str = LOOPBACK, port: int = 0) -> str:
        """Have an application served as well, before `open`; its URL."""
        server, bound = listen(app, host, port)
        self._servers.append((server, bound))
        return f"http://{host}:{bound.getsockname()[1]}"

    def open(self) -> Door:
        """Begin to answer, and write the kubeconfig."""
        kubeconfig.write(self.kubeconfig, self.url, self.namespace)
        self._thread.start()
        self._ready.wait()
        return self

    def close(self) -> None:
        """End all connections and remove the kubeconfig."""
        self.keeper.leave()
        for server, _ in self._servers:
            server.should_exit = True
        if self._thread.is_alive():
            self._thread.join()
        for _, bound in self._servers:
            bound.close()
        self.keeper.close()
        kubeconfig.remove(self.kubeconfig, self.url)

    def advance(self, seconds: float) -> None:
        """Let so many virtual seconds pass at once."""
        self.clock.advance(seconds)

    def call(self, work: Callable[[World], T]) -> T:
        """Do something with the world while no request does."""
        return self.keeper.call(work)

    def put(self, world: World | HasWorld) -> None:
        """Serve another world from now on, at the same address."""
        self.keeper.put(world_of(world))

    def _main(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        ticking = asyncio.create_task(self.clock.run())
        ticking.add_done_callback(self._note_end)
        serving = [asyncio.create_task(server.serve(sockets=[bound])) for server, bound in self._servers]
        while not all(server.started for server, _ in self._servers):
            await asyncio.sleep(0.001)
        self._ready.set()
        await asyncio.gather(*serving)
        ticking.cancel()

    def _note_end(self, ticking: asyncio.Task[None]) -> None:
        """The clock runs until it is cancelled; where it ends otherwise, that is told."""
        error = None if ticking.cancelled() else ticking.exception()
        if isinstance(error, Exception):
            self.keeper.note_trouble(error)


def world_of(backend: World | HasWorld) -> World:
    """The world of a simulated backend, or the world itself."""
    return backend if isinstance(backend, World) else backend.world


@contextmanager
def door(
    backend: World | HasWorld,
    *,
    speed: float = 0.0,
    watched_speed: float = 0.0,
    path: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Iterator[Door]:
    """Serve a world's Kubernetes API on a loopback address, for as long as the block lasts.

    What is served is the world itself, so pass a fork to keep it. While the door is open, touch the world through
    `Door.call` only.

    Args:
        backend: a world, or a simulated backend.
        speed: virtual seconds a second; 0 holds the clock still, and only `Door.advance` moves it.
        watched_speed: the speed while a client waits for a change (`wait`, `rollout status`, `delete`, `get -w`).
        path: of the kubeconfig; a temporary file without it.
        options: `host` and `port` of the API, `namespace` of the kubeconfig's context.

    Yields:
        The open door; `str(door)` and `os.fspath(door)` are the path of the kubeconfig.
    """
    with tempfile.TemporaryDirectory(prefix="kube-") as folder:
        made = Door(world_of(backend), Path(path or Path(folder, "config")), speed=speed, **options)
        made.clock.watched_speed = watched_speed
        try:
            yield made.open()
        finally:
            made.close()
