"""verifiers plays eight identical starts of an incident with a model behind chat completions.

    pip install "aiops_gym[verifiers]"
    python examples/12_verifiers.py

The model is a server in this file, which names the right culprit three times out of four. With a real one it is
`base_url="https://.../v1"`, or `eval aiops-gym-verifiers` on the command line.
"""

import asyncio
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread

import verifiers.v1 as vf
from verifiers.v1.clients import ModelContext

PROBLEM = "misconfig_app_hotel_res-localization-1"
LOOK = '```\nexec_shell("kubectl get pods -n test-hotel-reservation --no-headers | grep Error")\n```'
drawn = count()


class Model(BaseHTTPRequestHandler):
    """Looks first, then names what it saw; every fourth time something else."""

    def do_POST(self):
        messages = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"]
        culprit = "rate" if len(messages) > 1 and next(drawn) % 4 == 3 else messages[-1]["content"].split("-")[0]
        text = LOOK if len(messages) == 1 else f"It is {culprit}.\n```\nsubmit([{culprit!r}])\n```"
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        body = {"id": "1", "object": "chat.completion", "created": 0, "model": "toy", "choices": [choice]}
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *arguments):
        """Quiet."""


async def play(url):
    """Rewards of a group."""
    taskset = {"id": "aiops-gym-verifiers", "problems": [PROBLEM]}
    env = vf.load_environment(vf.resolve_env_config({"taskset": taskset}))
    client = vf.EvalClientConfig(base_url=url, api_key_var="TOY_KEY")
    model = ModelContext(model="toy", client=client, sampling=vf.SamplingConfig())
    async with env.serving():
        slots = env.slots(next(iter(env.taskset)), 8)
        episodes = [await env.run_slot(slot, model) for slot in slots]
    return [episode.traces[0].rewards["reward"].score for episode in episodes if episode.ok]


os.environ["TOY_KEY"] = "none is needed"
server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
Thread(target=server.serve_forever, daemon=True).start()
print("rewards", asyncio.run(play(f"http://127.0.0.1:{server.server_port}/v1")))
