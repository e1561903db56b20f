"""Libraries of Node.js services: grpc-js, and fetch."""

from __future__ import annotations

from aiops_gym.sim.traffic.clients.instrumented import call, say

SOCKET = {
    "refused": "No connection established. Last error: Error: connect ECONNREFUSED {address}:{port}",
    "timeout": "No connection established. Last error: Error: connect ETIMEDOUT {address}:{port}",
    "no_host": "Name resolution failed for target dns:{host}:{port}",
    "no_answer": "Name resolution failed for target dns:{host}:{port}",
}
FETCH = {
    "refused": "TypeError: fetch failed: connect ECONNREFUSED {address}:{port}",
    "timeout": "TypeError: fetch failed: Connect Timeout Error",
    "no_host": "TypeError: fetch failed: getaddrinfo ENOTFOUND {host}",
    "no_answer": "TypeError: fetch failed: getaddrinfo EAI_AGAIN {host}",
}

CLIENTS = {
    "grpc": call("grpc-js", say(SOCKET, "14 UNAVAILABLE: {why}"), "{number} {upper}: {message}"),
    "http": call("node-fetch", say(FETCH)),
}
