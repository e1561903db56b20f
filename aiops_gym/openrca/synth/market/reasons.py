"""What each root cause does in the shop.

A node's shows on that node alone. A pod's hardly moves the row of its service, which has three more. A service's hits
all its pods and makes those wait that call it. The magnitudes are those measured on the original; so are the shares of
failures that leave no trace.
"""

from __future__ import annotations

from aiops_gym.openrca.domains.market import SERVICES
from aiops_gym.openrca.synth.market import proxy, words
from aiops_gym.openrca.synth.market.mesh import BROKEN, DURATION, GOOD, REQUESTS, UNAVAILABLE
from aiops_gym.openrca.synth.model import Choice, Effect, Instead, Longer, Reason, Slow

CPU, DISK = "container_cpu_", "./dev/vda"
RECEIVED, SENT = "container_network_receive", "container_network_transmit"
SERVICE, POD = ("service",), ("pod",)

MRT = 4.0
"""A usual response time in ms: what is added to it makes this many times as much in the mesh."""


def _waiting(ms: float, *, success: float = 0.0, share: float = 1.0, network: bool = False) -> tuple[Effect, ...]:
    """Longer and failing answers, in the rows of services and in the mesh.

    Args:
        ms: more on each answer.
        success: what the success rate loses, in percentage points.
        share: of the cases.
        network: its own calls of others take longer, too.
    """
    times = 1 + ms / MRT
    found = [
        Effect(kpi="mrt", add=ms, scope="row", levels=SERVICE, share=share),
        Effect(kpi="mrt", add=0.55 * ms, scope="upstream", levels=SERVICE, share=share),
        Effect(kpi="mrt", add=0.006 * ms, scope="row", levels=POD, share=share),
        Effect(kpi=f"{DURATION}.{GOOD}", multiply=times, share=share),
        Effect(kpi=f"{DURATION}.{GOOD}", multiply=times, scope="asked", levels=SERVICE, share=share),
        Effect(kpi=f"{DURATION}.{GOOD}", multiply=1 + (times - 1) / 3, scope="asked", levels=POD, share=share),
    ]
    if network:
        found.append(Effect(kpi=f"{DURATION}.{GOOD}", multiply=times, scope="asks", share=share))
    if success:
        # The usual rates lie a little above 100 before they are cut there: so much has to be lost first.
        found += [
            Effect(kpi="sr", add=-success - 1.5, scope="row", levels=SERVICE, share=share),
            Effect(kpi="rr", add=-success / 2 - 2, scope="row", levels=SERVICE, share=share),
            Effect(kpi="sr", add=-success / 3 - 0.5, scope="upstream", levels=SERVICE, share=share),
            Effect(kpi=f"{REQUESTS}.{UNAVAILABLE}", add=0.6 * success, scope="asked", share=share),
            Effect(kpi=f"{REQUESTS}.{BROKEN}", add=0.4 * success, share=share),
        ]
    return tuple(found)


def _packets(received: float, sent: float, share: float) -> tuple[Effect, ...]:
    """Factors on the packets of the network. A failure has both or none: their shares are drawn by name."""
    return tuple(
        Effect(kpi=f"{name}_*.eth0", multiply=factor, share=share)
        for name, factor in ((RECEIVED, received), (SENT, sent))
    )


def _complaints(error: Choice, part: float, share: float = 1.0) -> tuple[Instead, ...]:
    """What those write who call in vain, and the proxies of what they call.

    Args:
        part: of the proxies' lines; a smaller one of the callers', who do more than these calls, mostly to others.
    """
    return (
        *(
            Instead(
                log=words.application(who),
                text=(text, error),
                part=part * times,
                scope=f"clients of {service}",
                share=share,
                levels=levels,
            )
            for service, (who, text) in words.COMPLAINTS.items()
            for times, levels in ((0.8, SERVICE), (0.5, POD))
        ),
        *(Instead(log=proxy.access(each), text=proxy.reset(each), part=part, share=share) for each in SERVICES),
    )


def _longer(factor: float) -> tuple[Longer, ...]:
    """Longer times in the access logs: at the pods themselves, and where they are called."""
    return (
        Longer(log="*-envoy_gateway", factor=factor),
        Longer(log=words.application("cartservice"), factor=factor),
        *(
            Longer(log=f"*>{service}", factor=1 + (factor - 1) * part, scope=f"clients of {service}", levels=levels)
            for service in SERVICES
            for part, levels in ((1.0, SERVICE), (1 / 3, POD))
        ),
    )


_EXCEPTIONS = (Instead(log=words.application("adservice"), text=words.EXCEPTION, part=0.8),)
_STARTS = tuple(
    Instead(log=words.application(service), text=text, part=0.3, shape="spike", share=0.8)
    for service, text in words.STARTED.items()
)

_FOUND = (
    Reason(
        name="container CPU load",
        shares={"metric": 0.97, "trace": 0.9, "log": 0.9},
        metrics=(
            Effect(kpi=f"{CPU}cfs_throttled_seconds", add=430),
            Effect(kpi=f"{CPU}cfs_throttled_periods", add=306),
            Effect(kpi=f"{CPU}cfs_periods", add=262),
            Effect(kpi=f"{CPU}usage_seconds", add=12),
            Effect(kpi=f"{CPU}user_seconds", add=11),
            Effect(kpi=f"{CPU}system_seconds", add=1),
            Effect(kpi="java_lang_OperatingSystem_ProcessCpuLoad", add=0.2, scope="runtime"),
            *_waiting(65),
        ),
        calls=(Slow(own=45, wire=42),),
        longer=_longer(20),
    ),
    Reason(
        name="container memory load",
        shares={"metric": 0.85, "trace": 0.7, "log": 0.3},
        metrics=(
            Effect(kpi="container_memory_failures.*.pgfault", multiply=10),
            Effect(kpi="container_memory_failcnt", add=15_800, share=0.3),
            Effect(kpi="container_memory_usage_MB", reach=252, shape="ramp"),
            Effect(kpi="container_memory_working_set_MB", reach=250, shape="ramp"),
            Effect(kpi="container_memory_rss", reach=2.5e8, shape="ramp"),
            *_waiting(0.6),
        ),
        calls=(Slow(own=6),),
        longer=_longer(1.5),
    ),
    Reason(
        name="container network packet retransmission",
        shares={"metric": 0.62},
        metrics=_packets(1.28, 1.36, 1.0),
    ),
    Reason(
        name="container network packet corruption",
        shares={"metric": 0.9, "trace": 0.85, "log": 0.6},
        telling=("metric", "trace"),
        metrics=(*_packets(0.6, 0.55, 0.5), *_waiting(600, success=1.2, network=True)),
        calls=(Slow(wire=640, share=0.85, failed=0.03),),
        instead=_complaints(words.TIMEOUT, 0.4),
        longer=_longer(180),
    ),
    Reason(
        name="container network latency",
        shares={"metric": 0.75, "trace": 0.9, "log": 0.7},
        telling=("trace",),
        metrics=(*_packets(0.9, 0.9, 0.5), *_waiting(115, network=True)),
        calls=(Slow(wire=215),),
        longer=_longer(60),
    ),
    Reason(
        name="container packet loss",
        shares={"metric": 0.85, "trace": 0.85, "log": 0.75},
        telling=("trace", "log"),
        metrics=(*_packets(0.5, 0.47, 0.3), *_waiting(960, success=13.3, network=True)),
        calls=(Slow(wire=420, share=0.6, failed=0.24),),
        instead=_complaints(words.TIMEOUT, 0.7),
        longer=_longer(120),
    ),
    Reason(
        name="container process termination",
        shares={"metric": 0.43, "trace": 0.4, "log": 0.45},
        telling=("metric", "log"),
        metrics=(
            # Only a mark: the time of the last start is what the file tells.
            Effect(kpi="container_start_time_seconds", add=1e3),
            Effect(kpi="container_threads", add=0.8),
            Effect(kpi=f"{REQUESTS}.{UNAVAILABLE}", add=3, scope="asked", shape="spike"),
            Effect(kpi=f"{REQUESTS}.{BROKEN}", add=2, shape="spike"),
        ),
        calls=(Slow(own=1.5, share=0.5, failed=0.04),),
        instead=(*_complaints(words.REFUSED, 0.4, 0.7), *_EXCEPTIONS, *_STARTS),
    ),
    Reason(
        name="container read I/O load",
        shares={"metric": 0.55, "trace": 0.4},
        metrics=(
            Effect(kpi=f"container_fs_reads{DISK}", add=32_600),
            Effect(kpi=f"container_fs_reads_MB{DISK}", add=5_500),
            Effect(kpi="container_memory_cache", multiply=3, shape="ramp"),
            *_waiting(1.4, share=0.6),
        ),
        calls=(Slow(own=1.7),),
        longer=_longer(1.5),
    ),
    Reason(
        name="container write I/O load",
        shares={"metric": 0.8, "trace": 0.6},
        metrics=(
            Effect(kpi=f"container_fs_writes{DISK}", add=4_500),
            Effect(kpi=f"container_fs_writes_MB{DISK}", add=2_100),
            Effect(kpi=f"{CPU}cfs_throttled_periods", add=145),
            Effect(kpi=f"{CPU}cfs_throttled_seconds", add=60),
            *_waiting(0.9, share=0.7),
        ),
        calls=(Slow(own=1.6),),
        longer=_longer(1.4),
    ),
    Reason(
        name="node CPU load",
        shares={"metric": 1.0},
        metrics=(
            Effect(kpi="system.cpu.user", add=21.7),
            Effect(kpi="system.cpu.pct_usage", add=21.9),
            Effect(kpi="system.load.1", add=3.5),
            Effect(kpi="system.load.5", add=2),
        ),
    ),
    Reason(
        name="node CPU spike",
        shares={"metric": 1.0},
        metrics=(
            Effect(kpi="system.cpu.user", add=17, shape="spike"),
            Effect(kpi="system.cpu.pct_usage", add=17.2, shape="spike"),
            Effect(kpi="system.load.1", add=2.5, shape="spike"),
        ),
    ),
    Reason(
        name="node memory consumption",
        shares={"metric": 0.9},
        metrics=(
            Effect(kpi="system.mem.real.used", add=4500),
            Effect(kpi="system.mem.real.pct_useage", add=12.9),
            Effect(kpi="system.mem.used", add=2900),
            Effect(kpi="system.mem.pct_usage", add=8.3),
            Effect(kpi="system.mem.free", add=-1300),
            Effect(kpi="system.mem.usable", add=-4400),
        ),
    ),
    Reason(
        name="node disk read I/O consumption",
        shares={"metric": 0.85},
        metrics=(
            Effect(kpi="system.io.rkb_s", add=15_000),
            Effect(kpi="system.io.r_s", add=210),
            Effect(kpi="system.io.util", add=5),
            Effect(kpi="system.io.r_await", add=1.5),
            Effect(kpi="system.cpu.iowait", add=0.6),
        ),
    ),
    Reason(
        name="node disk write I/O consumption",
        shares={"metric": 1.0},
        metrics=(
            Effect(kpi="system.io.w_await", add=25.5),
            Effect(kpi="system.io.await", add=17.5),
            Effect(kpi="system.io.avg_q_sz", add=13.2),
            Effect(kpi="system.io.w_s", add=80),
            Effect(kpi="system.io.util", add=18),
            Effect(kpi="system.cpu.iowait", add=1.5),
        ),
    ),
    Reason(
        name="node disk space consumption",
        shares={"metric": 0.35},
        metrics=(
            Effect(kpi="system.disk.used", add=6.3e9, shape="step"),
            Effect(kpi="system.disk.free", add=-6.3e9, shape="step"),
            Effect(kpi="system.disk.pct_usage", add=6.0, shape="step"),
        ),
    ),
)

REASONS = {reason.name: reason for reason in _FOUND}
"""Each by its name."""
