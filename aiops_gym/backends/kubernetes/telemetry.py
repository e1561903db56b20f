"""Metrics and traces of a real cluster: Prometheus' HTTP API and Jaeger's query API, old (`/api`) or new (`/api/v3`).

Either is asked at a URL that the user gives, or through the API server, which needs no port-forward: the Service is
that of `backends.servers.PORTS`, in whatever namespace it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from aiops_gym.backends.kubernetes.api import Api
from aiops_gym.backends.servers import PORTS
from aiops_gym.errors import BackendError
from aiops_gym.sim.machine.program import HttpAnswer
from aiops_gym.sim.telemetry.metrics import NAMES, STEP
from aiops_gym.types import Json, Request, Sample, Span

MOST = 1_500
"""Traces of a service that are asked for, to say how many there are."""

OWN_TAGS = ("internal.span.format", "error")
"""Tags that Jaeger adds, and the one that is a field of a span here."""


class RealTelemetry:
    """See `types.Telemetry`.

    Args:
        api: of the cluster.
        urls: base URL by server, "" or missing to ask through the API server.
    """

    def __init__(self, api: Api, urls: Mapping[str, str]) -> None:
        self.api = api
        self._clients: list[Any] = []
        self._ask = {name: self._at(url) if (url := urls.get(name, "")) else self._inside(name) for name in PORTS}
        self._newer: bool | None = None

    def close(self) -> None:
        """End all connections to URLs that were given."""
        for client in self._clients:
            client.close()

    def ask(self, server: str, path: str) -> tuple[int, str]:
        """What a server answers to a GET; 503 where it is out of reach."""
        return self._ask[server](path)

    def _inside(self, server: str) -> Callable[[str], tuple[int, str]]:
        name, port = PORTS[server]
        known: list[str] = []

        def ask(path: str) -> tuple[int, str]:
            if not known:
                places = [each["metadata"]["namespace"] for each in self.api.list("services")
                          if each["metadata"]["name"] == name]  # fmt: skip
                if not places:
                    return 503, f"no Service {name} in the cluster\n"
                known.append(min(places))
            body = {"method": "GET", "path": path}
            answer = self.api.send(Request("get", "services", known[0], f"{name}:{port}", "proxy", body))
            if isinstance(answer.body, HttpAnswer):
                return answer.body.status, answer.body.body
            known.clear()
            return 503, f"{answer.body.get('message', 'no answer')}\n"

        return ask

    def _at(self, url: str) -> Callable[[str], tuple[int, str]]:
        """What asks a server at a URL."""
        import httpx  # noqa: PLC0415  # heavy, and of this room alone

        client = httpx.Client(timeout=30.0, trust_env=False)
        self._clients.append(client)

        def ask(path: str) -> tuple[int, str]:
            try:
                answer = client.get(f"{url.rstrip('/')}{path}")
            except httpx.HTTPError as error:
                return 503, f"{error}\n"
            return answer.status_code, answer.text

        return ask

    def metric_names(self) -> Sequence[str]:
        """Names of the metrics, as on the simulator."""
        return NAMES

    def metrics(self, name: str, namespace: str, start: float, end: float) -> Sequence[Sample]:
        """One metric of a namespace's pods: of their containers together, and of each network interface."""
        network = "_network_" in name
        which = "" if network else ',container!="",container!="POD"'
        query = f'{name}{{namespace="{namespace}"{which}}}'
        asked = {"query": query, "start": f"{start:.3f}", "end": f"{end:.3f}", "step": STEP // 1000}
        found: dict[tuple[int, str, str], float] = {}
        for series in self._prometheus("/api/v1/query_range", asked):
            labels = series["metric"]
            node = labels.get("kubernetes_io_hostname") or labels.get("node") or labels.get("instance", "")
            whose = f"{node}.{labels.get('pod', '')}", labels.get("interface", "") if network else ""
            for time, value in series["values"]:
                key = (int(time), *whose)
                found[key] = found.get(key, 0.0) + float(value)
        return [Sample(*key, value) for key, value in sorted(found.items())]

    def number(self, promql: str) -> float:
        """The value of a query that has one series, 0 where it has none. Raises BackendError."""
        found = self._prometheus("/api/v1/query", {"query": promql, "time": f"{self.api.clock.now():.3f}"})
        return float(found[0]["value"][1]) if found else 0.0

    def _prometheus(self, path: str, query: Mapping[str, Any]) -> list[Json]:
        status, body = self.ask("prometheus", f"{path}?{urlencode(query)}")
        if status != 200:
            raise BackendError(f"Prometheus answers {status}: {body.strip()[:200]}")
        result: list[Json] = json.loads(body)["data"]["result"]
        return result

    def services(self) -> Sequence[str]:
        """Services that sent spans."""
        found = self._jaeger("/api/v3/services", {}) if self._is_newer() else self._jaeger("/api/services", {})
        return sorted(found.get("services" if self._is_newer() else "data") or ())

    def traces(self, service: str, start: float, end: float, limit: int) -> tuple[Sequence[Span], int]:
        """The newest traces through a service, and how many there are, as far as Jaeger counts."""
        found = self._newer_traces(service, start, end) if self._is_newer() else self._older_traces(service, start, end)
        by_trace: dict[str, list[Span]] = {}
        for span in found:
            by_trace.setdefault(span.trace, []).append(span)
        newest = sorted(by_trace.values(), key=lambda spans: -min(span.start for span in spans))
        return [span for spans in newest[:limit] for span in spans], len(newest)

    def _older_traces(self, service: str, start: float, end: float) -> Iterator[Span]:
        query = {"service": service, "start": round(start * 1e6), "end": round(end * 1e6), "limit": MOST}
        for trace in self._jaeger("/api/traces", query).get("data") or ():
            names = {key: process["serviceName"] for key, process in trace["processes"].items()}
            for span in trace["spans"]:
                above = [ref["spanID"] for ref in span.get("references") or () if ref["refType"] == "CHILD_OF"]
                said = [(tag["key"], tag["value"]) for tag in span.get("tags") or ()]
                broken = any(key == "error" and _write(value) == "true" for key, value in said)
                yield Span(
                    trace["traceID"], span["spanID"], above[0] if above else "", names[span["processID"]],
                    span["operationName"], span["startTime"], span["duration"], broken, _read_tags(said),
                )  # fmt: skip

    def _newer_traces(self, service: str, start: float, end: float) -> Iterator[Span]:
        query = {
            "query.service_name": service,
            "query.start_time_min": _stamp(start),
            "query.start_time_max": _stamp(end),
            "query.num_traces": MOST,
        }
        found = self._jaeger("/api/v3/traces", query)
        for part in (found.get("result") or {}).get("resourceSpans") or ():
            told = dict(_read_otlp(part.get("resource", {}).get("attributes")))
            for scope in part.get("scopeSpans") or ():
                for span in scope.get("spans") or ():
                    first, last = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
                    broken = str((span.get("status") or {}).get("code", "")) in ("2", "STATUS_CODE_ERROR")
                    yield Span(
                        span["traceId"].removeprefix("0" * 16), span["spanId"], span.get("parentSpanId") or "",
                        told.get("service.name", ""), span["name"], first // 1000, (last - first) // 1000, broken,
                        _read_otlp(span.get("attributes")),
                    )  # fmt: skip

    def _is_newer(self) -> bool:
        """Whether Jaeger has the new query API alone: probed once."""
        if self._newer is None:
            status, body = self.ask("jaeger", "/api/services")
            self._newer = status != 200 or not body.lstrip().startswith("{")
        return self._newer

    def _jaeger(self, path: str, query: Mapping[str, Any]) -> dict[str, Json]:
        status, body = self.ask("jaeger", f"{path}?{urlencode(query)}" if query else path)
        try:
            found = json.loads(body) if status == 200 else {}
        except ValueError:
            found = {}
        return found if isinstance(found, dict) else {}


def _read_tags(pairs: Iterable[tuple[str, Json]]) -> tuple[tuple[str, str], ...]:
    return tuple((key, _write(value)) for key, value in pairs if key not in OWN_TAGS)


def _read_otlp(attributes: Sequence[Json] | None) -> tuple[tuple[str, str], ...]:
    return _read_tags((each["key"], next(iter(each["value"].values()), "")) for each in attributes or ())


def _write(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
