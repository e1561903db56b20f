"""An agent that speaks the Model Context Protocol works on an incident, in a process of its own.

    pip install "aiops_gym[mcp]"
    python examples/15_mcp.py

The agent starts the server, reads the task from its instructions, and calls tools. The score goes to a file that only
the trainer knows.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from mcp import Client, StdioServerParameters, stdio_client

PROBLEM = "scale_pod_zero_social_net-mitigation-1"
REPAIR = "kubectl scale deployment user-service -n test-social-network --replicas=1"


async def work(server):
    """What an agent does: find the service that has no pods, give it one back, and say that it is done."""
    async with Client(stdio_client(server)) as client:
        print("the task:", client.instructions.splitlines()[0])
        print("tools:", ", ".join(tool.name for tool in (await client.list_tools()).tools))
        look = "kubectl get deployments -n test-social-network | grep 0/"
        print((await client.call_tool("exec_shell", {"command": look})).content[0].text, end="")
        await client.call_tool("exec_shell", {"command": REPAIR})
        print((await client.call_tool("submit", {})).content[0].text)


with tempfile.TemporaryDirectory() as folder:
    score = Path(folder) / "score.json"
    command = ["-m", "aiops_gym.adapters.mcp", "--problem", PROBLEM, "--seed", "7", "--score", str(score)]
    asyncio.run(work(StdioServerParameters(command=sys.executable, args=command)))
    print("reward", json.loads(score.read_text())["reward"])
