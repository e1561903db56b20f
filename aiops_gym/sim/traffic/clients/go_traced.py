"""Libraries of Go services that OpenTelemetry traces: grpc-go, net/http, lib/pq, Sarama."""

from __future__ import annotations

from aiops_gym.sim.traffic.clients.instrumented import call, say, store

DIAL = {
    "refused": "dial tcp {address}:{port}: connect: connection refused",
    "timeout": "dial tcp {address}:{port}: i/o timeout",
    "no_host": "dial tcp: lookup {host}: no such host",
    "no_answer": "dial tcp: lookup {host}: i/o timeout",
}
GRPC = 'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: {why}"'
RESOLVER = {**DIAL, "no_host": "name resolver error: produced zero addresses: lookup {host}: no such host"}
BROKERS = "kafka: client has run out of available brokers to talk to: {why}"

CLIENTS = {
    "grpc": call("go-grpc-traced", say(RESOLVER, GRPC), "rpc error: code = {code} desc = {message}"),
    "http": call("go-http-traced", say(DIAL, 'Post "http://{host}": {why}')),
    "postgres": store("go-pq", say(DIAL), "postgres", "driver: bad connection"),
    "kafka": store("go-sarama", say(DIAL, BROKERS, 750.0), "kafka", "kafka: broker not connected"),
}
