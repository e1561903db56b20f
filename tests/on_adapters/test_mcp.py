"""Incidents over the Model Context Protocol, with its own client: stdio, streamable HTTP, and in one process."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from contextlib import asynccontextmanager, contextmanager

import httpx2
import pytest
import uvicorn
from door_contract import (
    CASES,
    MEMBERS,
    PROBLEM,
    SEED,
    check_group,
    check_surface,
    group_calls,
    play_registered,
    run_page,
)
from mcp import Client, MCPError, StdioServerParameters, stdio_client

from aiops_gym.adapters.mcp import make_app, make_server
from aiops_gym.sessions import Sessions
from aiops_gym.sessions.session import ENDED


async def call(client, texts, tool, given):
    result = await client.call_tool(tool, given)
    (content,) = result.content
    texts.append(content.text)
    return result


async def play(client, calls):
    texts = [client.instructions]
    for tool, given in calls:
        await call(client, texts, tool, given)
    return texts


@contextmanager
def serving(app):
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


@pytest.mark.parametrize("case", CASES)
def test_a_server_plays_as_the_registered_environment_does(case):
    (problem, seed), calls = CASES[case]
    session = Sessions().create(problem, seed=seed)

    async def run():
        async with Client(make_server(session)) as client:
            return await play(client, calls)

    assert (asyncio.run(run()), session.score().reward) == play_registered(problem, seed, calls)


def test_a_group_over_http_side_by_side():
    sessions = Sessions()
    first = sessions.create(PROBLEM, seed=SEED)
    group = {f"{member}": session for member, session in enumerate([first, *first.fork(MEMBERS - 1)])}

    async def one(url, member):
        async with Client(f"{url}/{member}/mcp") as client:
            return await play(client, group_calls(member))

    async def run(url):
        return await asyncio.gather(*(one(url, member) for member in range(MEMBERS)))

    with serving(make_app(group)) as url:
        texts = asyncio.run(run(url))
    check_group(zip(texts, [session.score().reward for session in group.values()], strict=True))


def stdio(*arguments):
    return stdio_client(
        StdioServerParameters(command=sys.executable, args=["-m", "aiops_gym.adapters.mcp", *arguments])
    )


def test_a_group_over_stdio(tmp_path):
    async def one(member, limit):
        score = tmp_path / f"{member}.json"
        async with (
            limit,
            Client(stdio("--problem", PROBLEM, "--seed", str(SEED), "--score", str(score))) as client,
        ):
            texts = await play(client, group_calls(member))
        return texts, json.loads(score.read_bytes())["reward"]

    async def run():
        limit = asyncio.Semaphore(2)
        return await asyncio.gather(*(one(member, limit) for member in range(MEMBERS)))

    check_group(asyncio.run(run()))


@asynccontextmanager
async def each_transport():
    session = Sessions().create(PROBLEM, seed=SEED)
    with serving(make_app({"it": session})) as url:
        yield [make_server(session), f"{url}/it/mcp", stdio("--problem", PROBLEM, "--seed", str(SEED))]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_agent_sees_tools_and_nothing_of_the_trainers(mode):
    async def run():
        async with each_transport() as transports:
            for transport in transports:
                async with Client(transport, mode=mode) as client:
                    tools = (await client.list_tools()).tools
                    assert [tool.name for tool in tools] == sorted(tool.name for tool in tools)
                    check_surface([tool.model_dump(mode="json") for tool in tools])
                    there = client.server_capabilities.model_dump(exclude_none=True)
                    assert set(there) <= {"tools", "experimental"}
                    assert not there.get("experimental")
                    for ask in (client.list_resources, client.list_resource_templates, client.list_prompts):
                        with pytest.raises(MCPError):
                            await ask()

    asyncio.run(run())


def test_no_other_address_answers():
    with serving(make_app({"it": Sessions().create(PROBLEM)})) as url:
        for path in ("/", "/it", "/mcp", "/other/mcp", "/it/mcp/score", "/openapi.json", "/docs"):
            for method in ("GET", "POST"):
                assert httpx2.request(method, url + path).status_code == 404
        assert httpx2.post(f"{url}/it/mcp", json={}, headers={"Host": "elsewhere.example"}).status_code == 421


def test_what_breaks_inside_is_an_error_to_the_agent_and_masked_for_the_trainer(caplog):
    def broken(action):
        raise ValueError("secret")

    session = Sessions().create(PROBLEM, seed=SEED)

    async def run():
        async with Client(make_server(session)) as client:
            fine = await call(client, [], *group_calls(0)[0])
            session.env.step = broken
            return fine, await call(client, [], *group_calls(0)[0])

    fine, result = asyncio.run(run())
    assert (fine.is_error, result.is_error, result.content[0].text) == (False, True, ENDED)
    assert (session.score().reward, session.score().masked) == (None, True)
    assert caplog.records


def test_the_lines_of_the_page_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run_page("MCP", {})
    assert "kube-system" in capsys.readouterr().out
    assert json.loads((tmp_path / "score.json").read_bytes())["steps"] == 1
