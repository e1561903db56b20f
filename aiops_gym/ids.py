"""The environments that there are: names, what each is made with, how long an episode is."""

STEPS = 30
"""Actions of an episode at most."""

TASKS = ("Analysis", "Detection", "Localization", "Mitigation")

INCIDENT, INCIDENT_STEPS = "Incident", 60
"""The environment from the page to the report, and the actions of its episodes at most."""

RECORDED = {
    "OpenRCABank": {"domain": "bank"},
    "OpenRCAMarket": {"domain": "market"},
    "OpenRCATelecom": {"domain": "telecom"},
}
"""Environments over recorded telemetry, and what each is made with."""
