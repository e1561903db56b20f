"""Whole episodes over HTTP: a problem and an agent by name, and back comes the session.

    python -m aiops_gym.adapters.aiopslab.service --port 1818 --base-url http://127.0.0.1:8000/v1

`GET /health`, `GET /problems` and `GET /agents` say what there is, `POST /simulate` plays. Who asks is a trainer: an
agent has no business here. Nobody is asked for a password, so it listens on the loopback address unless told otherwise.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium as gym
import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from aiops_gym.adapters.aiopslab.registry import ProblemRegistry
from aiops_gym.adapters.aiopslab.session import KEYS, RESULTS, Session
from aiops_gym.agents.base import list_agents, make, pick_accepted
from aiops_gym.envs.naming import find_env
from aiops_gym.errors import BackendError, describe_error
from aiops_gym.runs.runner import run_episode
from aiops_gym.serve.visitors import LOOPBACK, is_welcome

STEPS, AGENT = 10, "runbook"
"""Of an episode, where a request does not say."""

AGENTS = [name for name in list_agents() if name not in ("human", "reference")]
"""Who may play: of the others one asks at the terminal, and one is told the solution."""

EPISODE = {"problem_id": str, "agent_name": str, "max_steps": int, "seed": int}
MODEL = {"model": str, "temperature": (int, float), "max_tokens": int}
MORE = {"top_p": (int, float), "repetition_penalty": (int, float)}
"""What a request may say of a language model that not every server knows: it is sent as it is."""


@dataclass(frozen=True)
class Service:
    """Answers requests.

    Args:
        folder: of saved sessions.
        options: of agents, such as `base_url`, which no request may change.
        listening: the address it listens on; see `serve.visitors` for who may come in.
    """

    folder: Path = RESULTS
    options: Mapping[str, Any] = field(default_factory=dict)
    listening: str = LOOPBACK

    def app(self) -> Starlette:
        """As an ASGI application."""

        async def answer(request: Request) -> JSONResponse:
            if not is_welcome(request.headers, self.listening):
                raise HTTPException(403, "this address answers to programs that call it by its own name only")
            if request.method == "POST":
                asked = read_request(await request.body())
                return JSONResponse(await run_in_threadpool(self.simulate, asked))
            told = {"/problems": ProblemRegistry().get_problem_ids(), "/agents": AGENTS}
            return JSONResponse(told.get(request.url.path, {"status": "healthy", "service": "AIOpsLab"}))

        gets = [Route(path, answer) for path in ("/health", "/problems", "/agents")]
        refused = {HTTPException: lambda _, error: JSONResponse({"detail": error.detail}, error.status_code)}
        return Starlette(routes=[*gets, Route("/simulate", answer, methods=["POST"])], exception_handlers=refused)

    def simulate(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Play an episode: its session, with the prompts in front. Raises HTTPException where there is no verdict."""
        try:
            return self._play(asked["problem_id"], asked.get("agent_name", AGENT), asked)
        except Exception as error:  # Ours, the agent's or the model's server's: told, not raised.
            raise HTTPException(500, f"Error during simulation: {describe_error(error)}") from error

    def _play(self, problem: str, name: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        limits = {"max_episode_steps": asked.get("max_steps", STEPS), "evaluation": "aiopslab"}
        env = gym.make(find_env(problem), problem=problem, disable_env_checker=True, **limits)
        options = {key: asked[key] for key in MODEL if key in asked}
        options["extra"] = {key: asked[key] for key in MORE if key in asked}
        seed = asked.get("seed", 0)
        agent = make(name, env, seed, **pick_accepted(name, {**options, **self.options}))
        episode = run_episode(env, agent, seed)
        env.close()
        if episode.agent_error or episode.infra_error:
            raise BackendError(episode.agent_error or episode.steps[-1]["observation"])
        episode.agent = name
        session = Session.of(episode)
        session.to_json(self.folder)
        prompts = {"system": str(getattr(agent, "system", "")), "user": episode.prompt}
        begun = [{"role": role, "content": content} for role, content in prompts.items()]
        told = {key: value for key, value in session.to_dict().items() if key in KEYS}
        return {**told, "trace": [*begun, *told["trace"][:-1]]}


def read_request(body: bytes) -> dict[str, Any]:
    """A request for an episode. Raises HTTPException: 404 for what there is not, 422 for what is no request."""
    try:
        asked = {key: value for key, value in orjson.loads(body).items() if value is not None}
    except (orjson.JSONDecodeError, AttributeError):
        raise HTTPException(422, "the body is no JSON object") from None
    types: dict[str, Any] = {**EPISODE, **MODEL, **MORE}
    for name, value in {"problem_id": None, **asked}.items():
        if name not in types or isinstance(value, bool) or not isinstance(value, types[name]):
            raise HTTPException(422, f"{name} is missing, not known here, or of another type")
    if min(asked.get("max_steps", 1), asked.get("seed", 0) + 1) < 1:
        raise HTTPException(422, "max_steps is 1 or more, and seed 0 or more")
    known, name = ProblemRegistry(), asked.get("agent_name", AGENT)
    if known.get_problem(asked["problem_id"]) is None:
        raise HTTPException(404, f"Problem {asked['problem_id']} not found. There are: {known.get_problem_ids()}")
    if name not in AGENTS:
        raise HTTPException(404, f"Agent {name} not found. There are: {AGENTS}")
    return asked


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--host", default=os.environ.get("SERVICE_HOST", LOOPBACK), help="address to listen on")
    parser.add_argument("--port", default=int(os.environ.get("SERVICE_PORT", "1818")), type=int)
    parser.add_argument("--results", default=RESULTS, type=Path, help="folder of saved sessions")
    parser.add_argument("--base-url", help="of the language models' server, for the agent chat")
    given = parser.parse_args(arguments)
    options = {"base_url": given.base_url} if given.base_url else {}
    uvicorn.run(Service(given.results, options, given.host).app(), host=given.host, port=given.port, log_level="error")


if __name__ == "__main__":
    main()
