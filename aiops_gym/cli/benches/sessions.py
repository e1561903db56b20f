"""How many sessions fit behind one address, and how fast they are, with agents and service on the same machine."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Coroutine, Sequence
from itertools import cycle
from typing import Any

from aiops_gym.cli.measure import measure_memory, measure_processor_seconds
from aiops_gym.serve.desk import LocalProcess
from aiops_gym.serve.service import Service, serve_sessions
from aiops_gym.sessions import Sessions
from aiops_gym.types import Json

CONNECTIONS = 64
"""Requests at once. Each session would have its own where an agent thinks between its calls."""

COMMANDS = (
    "kubectl get pods -n test-hotel-reservation",
    "kubectl get events -n test-hotel-reservation --sort-by=.lastTimestamp | tail -20",
    "kubectl describe deploy geo -n test-hotel-reservation",
    "kubectl logs deploy/geo -n test-hotel-reservation --tail=50",
    "kubectl top pods -n test-hotel-reservation",
)

ASKED: dict[str, Any] = {"task": "detection", "app": "hotel_reservation"}


def measure(rounds: int, sessions: int) -> dict[str, Any]:
    """Sessions a second, steps a second and memory.

    Args:
        rounds: steps that each session takes.
        sessions: that are open at once.
    """
    processes = os.cpu_count() or 1
    with serve_sessions(processes=processes, limit=sessions + processes) as service:
        return asyncio.run(_measured(service, rounds, sessions))


async def _measured(service: Service, rounds: int, sessions: int) -> dict[str, Any]:
    pool = _Pool(service.url)
    await pool.open(min(CONNECTIONS, sessions))
    warm = await _create(pool, service.token, range(sessions))  # every healthy world is simulated once
    await _all(pool.ask("DELETE", f"/trainer/sessions/{told['session']}", service.token) for told in warm)
    used, begun = _processors(service), time.perf_counter()
    made = await _create(pool, service.token, range(sessions, 2 * sessions))
    created, opened = time.perf_counter(), _processors(service)
    for _, command in zip(range(rounds), cycle(COMMANDS), strict=False):
        call = {"name": "exec_shell", "arguments": {"command": command}}
        await _all(pool.ask("POST", "/agent/call", told["agent"], call) for told in made)
    played, acted = time.perf_counter(), _processors(service)
    scores = await _all(pool.ask("GET", f"/trainer/sessions/{told['session']}/score", service.token) for told in made)
    assert not [score for score in scores if score["masked"] or score["steps"] != rounds]
    pool.close()
    memory, steps = _memory(service), rounds * sessions / (played - created)
    alone = _alone(rounds, min(sessions, 50))
    return {
        "sessions at once": sessions,
        "processes that hold them": len(service.desks),
        "sessions created a second": sessions / (created - begun),
        "steps a second, all sessions in turns": steps,
        "processor time to create a session, ms": 1e3 * (opened - used) / sessions,
        "processor time of a step, the asker's included, ms": 1e3 * (acted - opened) / (rounds * sessions),
        "steps a second in one process, without HTTP": alone,
        "of these": steps / alone,
        "memory of all processes, MB": memory / 1e6,
        "memory a session, MB": memory / sessions / 1e6,
    }


async def _create(pool: _Pool, token: str, seeds: Sequence[int]) -> list[Json]:
    return await _all(pool.ask("POST", "/trainer/sessions", token, {**ASKED, "seed": seed}) for seed in seeds)


async def _all(asked: Any) -> list[Json]:
    each: list[Coroutine[Any, Any, Json]] = list(asked)
    return await asyncio.gather(*each)


def _alone(rounds: int, sessions: int) -> float:
    """Steps a second of sessions in this process."""
    holder = Sessions(sessions)
    made = [holder.create(seed=seed, **ASKED) for seed in range(sessions)]
    begun = time.perf_counter()
    for _, command in zip(range(rounds), cycle(COMMANDS), strict=False):
        for session in made:
            session.agent.call("exec_shell", command=command)
    return rounds * sessions / (time.perf_counter() - begun)


def _processors(service: Service) -> float:
    """Processor seconds of all that takes part; what else the machine does does not count."""
    return time.process_time() + sum(map(measure_processor_seconds, _list_pids(service)))


def _memory(service: Service) -> float:
    return sum(map(measure_memory, _list_pids(service)))


class _Pool:
    """Connections that stay open, and are used by one request after another."""

    def __init__(self, url: str) -> None:
        self.host, _, self.port = url.removeprefix("http://").partition(":")
        self.free: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()

    async def open(self, count: int) -> None:
        for _ in range(count):
            self.free.put_nowait(await asyncio.open_connection(self.host, int(self.port)))

    def close(self) -> None:
        while not self.free.empty():
            self.free.get_nowait()[1].close()

    async def ask(self, method: str, path: str, token: str, body: Json = None) -> Json:
        """One request and its answer, as JSON data."""
        data = b"" if body is None else json.dumps(body).encode()
        reader, writer = await self.free.get()
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: Bearer {token}\r\n"
        writer.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        status = (await reader.readline()).split()[1]
        length = 0
        while (line := await reader.readline()) != b"\r\n":
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        answer = json.loads(await reader.readexactly(length))
        self.free.put_nowait((reader, writer))
        assert status == b"200", answer
        return answer


def _list_pids(service: Service) -> list[int]:
    return [desk.holder.pid for desk in service.desks if isinstance(desk.holder, LocalProcess)]
