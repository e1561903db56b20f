"""The profiles of synthetic telemetry, see `synth.hard`."""

from __future__ import annotations

EASY, HARD = "easy", "hard"
PROFILES = (EASY, HARD)
"""The last is made where none is named."""
