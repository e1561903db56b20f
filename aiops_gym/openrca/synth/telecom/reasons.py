"""What the operator's root causes do: magnitudes as measured on the original, 30 minutes before to 10 minutes after."""

from __future__ import annotations

from aiops_gym.openrca.synth.model import Effect, Reason, Slow


def _business(slower: float, failed: float) -> tuple[Effect, ...]:
    return (
        Effect(kpi="avg_time", multiply=slower, scope="business"),
        Effect(kpi="rate", add=-failed, scope="business"),
    )


_ALL = (
    Reason(
        name="CPU fault",
        shares={"metric": 1.0, "trace": 0.95},
        metrics=(
            Effect(kpi="container_cpu_used", add=38.8),
            Effect(kpi="container_thread_running", multiply=1.8, share=0.6),
            *_business(6.7, 0.001),
        ),
        calls=(Slow(own=40.0),),
    ),
    Reason(
        name="network delay",
        shares={"metric": 0.95, "trace": 0.85},
        telling=("metric",),
        metrics=(
            Effect(kpi="Sent_queue", add=87),
            Effect(kpi="Received_queue", multiply=1.65, share=6 / 13),
            Effect(kpi="ICMP_ping", multiply=0.51, share=9 / 13),
            *_business(4.7, 0.008),
        ),
        calls=(Slow(wire=75, scope="guests"),),
    ),
    Reason(
        name="network loss",
        shares={"metric": 0.95, "trace": 0.85},
        telling=("metric",),
        metrics=(
            Effect(kpi="Sent_queue", add=252),
            Effect(kpi="Received_queue", multiply=5.0, add=30, share=6 / 7),
            *_business(13.0, 0.013),
        ),
        calls=(Slow(wire=500, share=0.35, failed=0.03, scope="guests"),),
    ),
    Reason(
        name="db connection limit",
        shares={"metric": 1.0, "trace": 0.8},
        metrics=(
            Effect(kpi="Proc_User_Used_Pct", add=492),
            Effect(kpi="Proc_Used_Pct", add=22, share=0.7),
            Effect(kpi="Sess_Connect", multiply=2.2),
            Effect(kpi="Login_Per_Sec", multiply=2.9),
            Effect(kpi="Session_pct", multiply=4.6),
            *_business(0.75, 0.057),
        ),
        calls=(Slow(own=0.8, share=0.06, failed=1.0),),
    ),
    Reason(
        name="db close",
        shares={"metric": 0.8, "trace": 0.9},
        telling=("metric",),
        metrics=(
            Effect(kpi="tnsping_result_time", reach=12_500),
            Effect(kpi="On_Off_State", reach=0, share=0.9),
            Effect(kpi="Call_Per_Sec", multiply=0.63),
            Effect(kpi="Sess_Connect", multiply=0.5),
            *_business(0.67, 0.455),
        ),
        calls=(Slow(own=0.5, share=0.3, failed=0.8),),
    ),
)

REASONS = {reason.name: reason for reason in _ALL}
