"""A server of OpenEnv and eight clients: identical starts, played side by side.

    pip install "aiops_gym[openenv]"
    python examples/14_openenv.py

The server is in this process. Elsewhere it is `uvicorn --factory aiops_gym.adapters.openenv:make_app`, and its address
is the trainer's: an agent is shown observations only.
"""

import asyncio
import threading

import httpx
import uvicorn

from aiops_gym.adapters.openenv import IncidentAction, IncidentClient, make_app

PROBLEM = "misconfig_app_hotel_res-localization-1"
LOOK = "kubectl get pods -n test-hotel-reservation --no-headers | grep -v Running"


async def play(url, member):
    """Look first, then name what was seen; every fourth member names something else."""
    async with IncidentClient(base_url=url) as client:
        begun = await client.reset(problem=PROBLEM, seed=7)
        assert "exec_shell" in {tool["function"]["name"] for tool in begun.observation.tools}
        seen = await client.step(IncidentAction(tool="exec_shell", arguments={"command": LOOK}))
        culprit = "rate" if member % 4 == 3 else seen.observation.text.split("-")[0]
        ended = await client.step(IncidentAction(tool="submit", arguments={"faulty_components": [culprit]}))
        return ended.reward


async def group(url):
    """Rewards of eight clients at once."""
    return await asyncio.gather(*(play(url, member) for member in range(8)))


server = uvicorn.Server(uvicorn.Config(make_app(), host="127.0.0.1", port=0, log_level="warning"))
threading.Thread(target=server.run, daemon=True).start()
while not server.started:
    threading.Event().wait(0.01)
url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
many = httpx.post(f"{url}/aiops_gym/num_tasks", json={"split": "train"}).json()["num_tasks"]
print(f"problems to train on: {many:,}")
print("rewards", asyncio.run(group(url)))
server.should_exit = True
