"""Incidents as servers of the Model Context Protocol: tools, the task as the server's instructions, and nothing else.

    python -m aiops_gym.adapters.mcp --problem revoke_auth_mongodb-detection-1 --seed 7 --score score.json

is one episode over stdio, for any agent that starts its servers itself. `make_app` is many over streamable HTTP, each
at an address of its own: whoever makes the sessions keeps their trainer's side, and asks that for the score.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import orjson
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from aiops_gym.sessions import Session, Sessions
from aiops_gym.tools.schemas import reshape
from aiops_gym.version import __version__

LOOPBACK = ("127.0.0.1:*", "localhost:*", "[::1]:*")


def make_server(session: Session) -> Server[Any]:
    """A server of one session's agent side. An answer with `isError` says that we failed, and not the agent."""
    tools = [types.Tool(**each) for each in reshape(session.agent.tools, "mcp")]

    async def list_tools(_: Any, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def call_tool(_: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
        def call() -> types.CallToolResult:
            reply = session.agent.call(asked.name, **(asked.arguments or {}))
            broken = reply.over and session.score().masked
            return types.CallToolResult(content=[types.TextContent(type="text", text=reply.text)], is_error=broken)

        return await anyio.to_thread.run_sync(call)

    return Server(
        "aiops_gym",
        version=__version__,
        instructions=session.agent.prompt,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def make_app(sessions: Mapping[str, Session], hosts: Sequence[str] = LOOPBACK) -> Starlette:
    """An ASGI application in which each session is at `/NAME/mcp`.

    Args:
        sessions: may grow and shrink while it serves. Where agents must not meet, names are secrets.
        hosts: by which names it may be called, as protection against rebound DNS names.
    """
    return Starlette(routes=[Route("/{name}/mcp", endpoint=_Doors(sessions, hosts))])


class _Doors:
    def __init__(self, sessions: Mapping[str, Session], hosts: Sequence[str]) -> None:
        self.sessions = sessions
        origins = [f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts]
        self.security = TransportSecuritySettings(allowed_hosts=list(hosts), allowed_origins=origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = self.sessions.get(scope["path_params"]["name"])
        if session is None:
            raise HTTPException(404)
        # The session is the state: what the protocol would keep between two requests is nothing.
        manager = StreamableHTTPSessionManager(
            make_server(session), stateless=True, json_response=True, security_settings=self.security
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)


async def serve_stdio(session: Session) -> None:
    """Serve one session to whoever started this process, until they close its input."""
    server = make_server(session)
    async with stdio_server() as (requests, answers):
        await server.run(requests, answers, server.create_initialization_options())


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve one episode over stdio, and keep what it was worth for the trainer."""
    parser = argparse.ArgumentParser("python -m aiops_gym.adapters.mcp", description=main.__doc__)
    parser.add_argument("--problem", help="id; drawn by the seed if not given")
    parser.add_argument("--task", help="detection, ...: of which it is drawn")
    parser.add_argument("--split", choices=("train", "test"), help="of which it is drawn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--score", type=Path, help="file for the trainer, written at the end; a null reward is masked")
    given = vars(parser.parse_args(arguments))
    score = given.pop("score")
    session = Sessions(limit=1, idle=math.inf).create(**given)
    try:
        anyio.run(serve_stdio, session)
    finally:
        if score is not None:
            score.write_bytes(orjson.dumps(dataclasses.asdict(session.score()), option=orjson.OPT_INDENT_2))


if __name__ == "__main__":
    main()
