"""What tells the reasons of the market."""

from __future__ import annotations

from aiops_gym.agents.rules.indicators import Knowledge, LogSign, Symptom, Wire

CPU, MEMORY = "container CPU load", "container memory load"
READ, WRITE = "container read I/O load", "container write I/O load"
LATENCY, LOSS = "container network latency", "container packet loss"
CORRUPTION, RETRANSMISSION = "container network packet corruption", "container network packet retransmission"
TERMINATION = "container process termination"
NODE_CPU, SPIKE, NODE_MEMORY = "node CPU load", "node CPU spike", "node memory consumption"
NODE_READ, NODE_WRITE = "node disk read I/O consumption", "node disk write I/O consumption"
SPACE = "node disk space consumption"

SERVICES = (
    *("frontend", "shippingservice", "checkoutservice", "currencyservice", "adservice", "emailservice"),
    *("cartservice", "productcatalogservice", "recommendationservice", "paymentservice"),
)

knowledge = Knowledge(
    queries=("container_cpu", "container_memory", "container_fs", "container_network", "container_start", "system."),
    lead=60,
    symptoms=(
        Symptom(reason=CPU, kpi="cfs_throttled_(seconds|periods)", factor=4),
        Symptom(reason=CPU, kpi="container_cpu_usage_seconds", weight=1.2, factor=2.5),
        Symptom(reason=MEMORY, kpi=r"container_memory_failures\..*pgfault", weight=1.5, factor=2.5),
        Symptom(reason=MEMORY, kpi="container_memory_failcnt", weight=1.5, least=50),
        Symptom(reason=MEMORY, kpi="container_memory_(usage|working_set)_MB", factor=1.4),
        Symptom(reason=READ, kpi="container_fs_reads(_MB)?./dev/vda$", weight=1.5, factor=5, least=50),
        Symptom(reason=WRITE, kpi="container_fs_writes(_MB)?./dev/vda$", weight=1.5, factor=5, least=50),
        Symptom(reason=RETRANSMISSION, kpi="container_network_(receive|transmit)_packets.eth0", factor=1.15),
        Symptom(reason=CORRUPTION, kpi="container_network_(receive|transmit)_packets.eth0", side="down", factor=1.5),
        Symptom(reason=LOSS, kpi="container_network_transmit_packets.eth0", side="down", factor=2),
        Symptom(reason=TERMINATION, kpi="container_start_time_seconds", weight=2.5),
        Symptom(reason=NODE_CPU, kpi=r"system.cpu.(pct_usage|user)", weight=1.5, least=8, samples=(4, 1000)),
        Symptom(reason=SPIKE, kpi=r"system.cpu.(pct_usage|user)", weight=1.5, least=8, samples=(1, 3)),
        Symptom(reason=NODE_MEMORY, kpi=r"system.mem.real", weight=1.2, factor=1.1),
        Symptom(reason=NODE_MEMORY, kpi=r"system.mem.(free|usable)", side="down", weight=0.8, factor=1.1),
        Symptom(reason=NODE_READ, kpi=r"system.io.(rkb_s|r_s|r_await)", factor=1.3),
        Symptom(reason=NODE_WRITE, kpi=r"system.io.(w_await|avg_q_sz|await)", factor=2.5),
        Symptom(reason=NODE_WRITE, kpi=r"system.io.w_s", weight=0.7, factor=1.3),
        Symptom(reason=SPACE, kpi=r"system.disk.(used|pct_usage)", weight=1.5, factor=1.02),
    ),
    wires=(
        Wire(reason=LOSS, failed=0.08),
        Wire(reason=CORRUPTION, failed=0.012),
        Wire(reason=CORRUPTION, slower=350_000),  # microseconds
        Wire(reason=LATENCY),
    ),
    answers=(Symptom(reason=LATENCY, kpi="istio_request_duration_milliseconds.grpc.200.0.0", weight=1.5, factor=5),),
    further=(
        Symptom(reason=TERMINATION, kpi="container_threads", weight=1.5, least=0.5),
        Symptom(reason=TERMINATION, kpi=r"istio_requests\.grpc\.0\.2\.0", least=1, samples=(1, 2)),
        Symptom(reason=LOSS, kpi=r"istio_requests\.grpc\.0\.2\.0", least=3, samples=(3, 1000)),
        Symptom(reason=LOSS, kpi="^sr$", side="down", weight=1.5, least=5),
        Symptom(reason=CORRUPTION, kpi="^sr$", side="down", weight=0.8, least=1, most=5),
    ),
    further_queries=("sr", "grpc.0.2.0"),
    starts=(LogSign(reason=TERMINATION, template="[Ss]tarting|started|listening", weight=1.5),),
    members={name: (*(f"{name}-{number}" for number in range(3)), f"{name}2-0") for name in SERVICES},
)
