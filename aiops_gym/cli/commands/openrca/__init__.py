"""Recorded telemetry: look at it, convert it, make some, score answers."""
