"""Envoy and the servers behind it: what it answers in their place."""

from __future__ import annotations

from aiops_gym.sim.traffic.clients.instrumented import call, say

TEXTS = {
    "refused": (
        "upstream connect error or disconnect/reset before headers. reset reason: remote connection failure, transport "
        "failure reason: delayed connect error: Connection refused"
    ),
    "timeout": "upstream connect error or disconnect/reset before headers. reset reason: connection timeout",
    "no_host": "no healthy upstream",
    "no_answer": "no healthy upstream",
}

RESET = "upstream connect error or disconnect/reset before headers. reset reason: connection termination"

CLIENTS = {"http": call("envoy", say(TEXTS, silence=5_000.0))._replace(hung_up=RESET)}
