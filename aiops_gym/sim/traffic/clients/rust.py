"""The HTTP client of Rust services, awc."""

from __future__ import annotations

from aiops_gym.sim.traffic.clients.instrumented import call, say

TEXTS = {
    "refused": "Failed to connect to host: Connection refused (os error 111)",
    "timeout": "Failed to connect to host: Timeout while establishing connection",
    "no_host": "Failed to connect to host: Failed resolving hostname: failed to lookup address information",
}

CLIENTS = {"http": call("awc", say(TEXTS))}
