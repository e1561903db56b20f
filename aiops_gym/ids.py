"""The environments that there are: names, what each is made with, how long an episode is."""

STEPS = 30
"""Actions of an episode at most."""

TASKS = ("Analysis", "Detection", "Localization", "Mitigation")

RECORDED = {
    "OpenRCABank": {"domain": "bank"},
    "OpenRCAMarket": {"domain": "market"},
    "OpenRCATelecom": {"domain": "telecom"},
}
"""Environments over recorded telemetry, and what each is made with."""
