"""Alerts."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from aiops_gym.sim.kernel import jsontext
from aiops_gym.tools.registry import Context, extra, read
from aiops_gym.tools.servers import ask_server, print_rows
from aiops_gym.types import Json, Result

TITLES = ("state", "since", "severity", "alert", "labels", "what")
HIDDEN = ("alertname", "severity", "instance", "job", "service", "uid", "node")
"""Labels that have a column of their own, or tell of who measured only."""

SILENCED = "silenced"
STATES = ("firing", "pending", SILENCED)

HINT = 'ask query_metrics for ALERTS{alertname="..."}'


@extra
@read
def get_alerts(context: Context) -> Result:
    """Print the alerts that are pending or firing now, by Prometheus' rules, the firing ones first.

    An alert fires once its condition held for some time: since says when it began to hold. Some of them fire for days
    and mean nothing. Those that somebody has silenced come last.
    """
    data = ask_server(context, "get_alerts", "prometheus", "/api/v1/alerts", {})
    silenced = _list_silenced(context)
    found = [{**each, "state": SILENCED} if each["labels"] in silenced else each for each in data["alerts"]]
    if not found:
        return Result("No alerts.")
    found.sort(key=lambda alert: (STATES.index(alert["state"]), alert["activeAt"]))
    return Result(print_rows(context, TITLES, [_row(alert) for alert in found], HINT))


def _list_silenced(context: Context) -> list[Json]:
    """The labels of alerts that Alertmanager keeps to itself; none where it does not answer."""
    if not any(each["status"]["state"] == "active" for each in _ask(context, "/api/v2/silences")):
        return []
    return [each["labels"] for each in _ask(context, "/api/v2/alerts?active=false")]


def _ask(context: Context, path: str) -> list[Json]:
    status, body = context.backend.telemetry.ask("alertmanager", path)
    found = jsontext.load(body) if status == HTTPStatus.OK else []
    return found if isinstance(found, list) else []


def _row(alert: Mapping[str, Json]) -> list[str]:
    labels, notes = alert["labels"], alert["annotations"]
    own = {name: value for name, value in labels.items() if name not in HIDDEN and not name.startswith("app_")}
    told = " ".join(f"{name}={value}" for name, value in own.items()) or "-"
    what = " ".join(str(notes.get("description") or notes.get("summary") or "-").split())
    return [alert["state"], f"{alert['activeAt'][:19]}Z", labels.get("severity", "-"), labels["alertname"], told, what]
