"""Programs in Go that tell of themselves only what their runtime does: Alertmanager, Pushgateway."""

from __future__ import annotations

from aiops_gym.sim.telemetry.families import Kind
from aiops_gym.sim.telemetry.processes import describe_go

kind = Kind(describe_go("go1.20.7"))
