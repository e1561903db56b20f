"""What tells the reasons of the bank."""

from __future__ import annotations

from aiops_gym.agents.rules.indicators import Knowledge, LogSign, Symptom, Wire

CPU, JVM, OOM = "high CPU usage", "high JVM CPU load", "JVM Out of Memory (OOM) Heap"
LATENCY, LOSS = "network latency", "network packet loss"
READ, SPACE, MEMORY = "high disk I/O read usage", "high disk space usage", "high memory usage"

knowledge = Knowledge(
    queries=("CPU", "TCP", "DSK", "Mem", "FSCapacity"),
    symptoms=(
        Symptom(reason=CPU, kpi="CPUUserTime|CPUCpuUtil", weight=1.5, least=8),
        Symptom(reason=CPU, kpi="CPU-[012]_SingleCpuUtil", least=12),
        Symptom(reason=JVM, kpi="JVM_CPULoad", weight=2.5, least=15),
        Symptom(reason=JVM, kpi="CPU-3_SingleCpuUtil", weight=0.5, least=25),
        Symptom(reason=OOM, kpi="JVM_CPULoad", weight=1.5, least=3, most=15),
        Symptom(reason=OOM, kpi="HeapMemoryUsage|JVMMemoryUsedPercent", weight=1.5, least=15),
        Symptom(reason=OOM, kpi="HeapMemoryUsed", weight=0.7, factor=1.3),
        Symptom(reason=LOSS, kpi="TCP-FIN-WAIT", weight=2.0, least=6.5),
        Symptom(reason=LATENCY, kpi="TCP-FIN-WAIT", weight=2.0, least=1.7, most=6.5),
        Symptom(reason=LATENCY, kpi="TotalTcpConnNum", side="down", weight=0.6, factor=1.25),
        Symptom(reason=LOSS, kpi="TotalTcpConnNum", side="down", weight=0.6, factor=1.25),
        Symptom(reason=READ, kpi="sdb_DSK(Read|ReadWrite)$", weight=1.5, least=5000),
        Symptom(reason=READ, kpi="sdb_DSK(RTps|Bps|PercentBusy)", weight=0.7, factor=3, least=20),
        Symptom(reason=SPACE, kpi="FSCapacity", weight=2.5, least=5),
        Symptom(reason=SPACE, kpi="sd[ab]_DSKRead$", weight=0.7, least=2, most=50),
        Symptom(reason=MEMORY, kpi="NoCacheMemPerc", weight=2.0, least=8),
        Symptom(reason=MEMORY, kpi="CacheMem", side="down", weight=1.5, factor=1.3),
    ),
    logs=(LogSign(reason=OOM, template="Full GC|concurrent mode failure|OutOfMemory", weight=1.5),),
    wires=(Wire(reason=LOSS, uneven=2.6), Wire(reason=LATENCY)),
    felt=dict.fromkeys(("Mysql01", "Mysql02", "Redis01", "Redis02"), ("Tomcat01", "Tomcat02", "Tomcat03", "Tomcat04")),
)
