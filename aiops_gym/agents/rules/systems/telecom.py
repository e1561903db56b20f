"""What tells the reasons of the telecom operator."""

from __future__ import annotations

from aiops_gym.agents.rules.indicators import Failing, Knowledge, Symptom

CPU, DELAY, LOSS, LIMIT, CLOSE = "CPU fault", "network delay", "network loss", "db connection limit", "db close"

knowledge = Knowledge(
    queries=("container_", "_queue", "ICMP", "Proc_", "Sess", "Per_Sec", "tnsping", "On_Off"),
    lead=60,  # samples lie within their minutes, and the first sign is told by the minute
    symptoms=(
        Symptom(reason=CPU, kpi="container_cpu_used", weight=2.0, least=12),
        Symptom(reason=CPU, kpi="container_thread_running", weight=0.5, factor=1.3),
        Symptom(reason=LOSS, kpi="Sent_queue", weight=2.0, least=165),
        Symptom(reason=DELAY, kpi="Sent_queue", weight=2.0, least=25, most=165),
        Symptom(reason=LOSS, kpi="Received_queue", weight=0.7, factor=3),
        Symptom(reason=DELAY, kpi="Received_queue", weight=0.7, factor=1.25),
        Symptom(reason=DELAY, kpi="ICMP_ping", side="down", weight=0.7, factor=1.5),
        Symptom(reason=LIMIT, kpi="Proc_User_Used_Pct", weight=2.5, least=50),
        Symptom(reason=LIMIT, kpi="Login_Per_Sec|Session_pct|Sess_Connect|Proc_Used_Pct", weight=0.7, factor=1.5),
        Symptom(reason=CLOSE, kpi="tnsping_result_time", weight=2.5, least=500),
        Symptom(reason=CLOSE, kpi="On_Off_State", side="down", weight=2.5, least=0.2),
        Symptom(reason=CLOSE, kpi="Call_Per_Sec|Sess_Connect", side="down", weight=0.7, factor=1.3),
    ),
    felt={
        "os_017": ("docker_001", "docker_005"),
        "os_018": ("docker_002", "docker_006"),
        "os_019": ("docker_003", "docker_007"),
        "os_020": ("docker_004", "docker_008"),
        "os_009": ("fly_remote_001",),
    },
    failing=(Failing(reason=CLOSE, operation=r"^JDBC (db_\d+)", share=0.025, weight=1.5),),
)
