"""The API server: requests that go on all the time, of those who look and watch, and every write that there was."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aiops_gym.sim.telemetry import journal
from aiops_gym.sim.telemetry.courses import Floats
from aiops_gym.sim.telemetry.families import (
    Column,
    Family,
    Kind,
    Labels,
    Scrape,
    constant,
    histogram,
    never,
    spread,
    steady,
)
from aiops_gym.sim.telemetry.processes import BUILD, describe_go
from aiops_gym.sim.telemetry.writes import count_writes

LATENCY = "0.005 0.025 0.05 0.1 0.2 0.4 0.6 0.8 1 1.25 1.5 2 3 4 5 6 8 10 15 20 30 45 60"
PACE: tuple[tuple[str, str, str, str, str, float], ...] = (
    ("GET", "coordination.k8s.io", "v1", "leases", "200", 1.4),
    ("PUT", "coordination.k8s.io", "v1", "leases", "200", 1.3),
    ("GET", "", "v1", "namespaces", "200", 0.12),
    ("GET", "", "v1", "nodes", "200", 0.22),
    ("PATCH", "", "v1", "nodes", "200", 0.01),
    ("GET", "", "v1", "endpoints", "200", 0.3),
    ("PUT", "", "v1", "endpoints", "200", 0.1),
    ("GET", "", "v1", "pods", "200", 0.25),
    ("PATCH", "", "v1", "pods", "200", 0.03),
    ("LIST", "", "v1", "pods", "200", 0.02),
    ("POST", "", "v1", "events", "201", 0.03),
    ("POST", "authorization.k8s.io", "v1", "subjectaccessreviews", "201", 0.07),
    ("GET", "metrics.k8s.io", "v1beta1", "pods", "200", 0.07),
    ("WATCH", "", "v1", "pods", "200", 0.03),
    ("WATCH", "", "v1", "configmaps", "200", 0.06),
    ("WATCH", "apps", "v1", "deployments", "200", 0.01),
    ("GET", "", "v1", "configmaps", "404", 0.004),
)
"""Verb, group, version, resource, code and requests per second."""


SECONDS = {"GET": 0.0018, "LIST": 0.0062, "PUT": 0.0041, "PATCH": 0.0058, "POST": 0.0049, "DELETE": 0.0066}
"""Median of what a request takes, by verb; watches last, and are not measured here."""

IN_QUEUES = 0.0002
"""Seconds of that in queues and webhooks, for which the server itself cannot be blamed."""

STATUS = (("PATCH", "pods"), ("PATCH", "nodes"))
"""What kubelets write of an object is its status."""

FOLLOWING: dict[tuple[str, str], tuple[tuple[str, str, str, str], ...]] = {
    ("PATCH", "pods"): (("GET", "pods", "", "200"),),
    ("POST", "pods"): (
        ("POST", "pods", "binding", "201"),
        ("POST", "serviceaccounts", "token", "201"),
        ("LIST", "configmaps", "", "200"),
        ("WATCH", "configmaps", "", "200"),
    ),
}
"""Verb, resource, subresource and code of the requests that go with a write.

A kubelet gets a pod before it patches its status (`syncPod` of its status manager). The scheduler binds a new pod;
its kubelet asks for a token, and begins to list and watch the settings that are mounted into it.
"""


def _request(verb: str, group: str, version: str, resource: str, subresource: str = "") -> dict[str, str]:
    single = verb in ("GET", "PUT", "PATCH", "POST", "DELETE")
    scope = "resource" if single else "cluster"
    labels = {"component": "apiserver", "group": group, "resource": resource, "scope": scope, "verb": verb}
    subresource = subresource or ("status" if (verb, resource) in STATUS else "")
    return {**labels, "version": version, "subresource": subresource, "dry_run": ""}


def _requests() -> Iterator[tuple[Labels, float]]:
    for verb, group, version, resource, code, rate in PACE:
        yield {**_request(verb, group, version, resource), "code": code}, rate


USUAL = steady("apiserver_request_total", "", 1.0, *_requests())
VERSIONS = {"autoscaling": "v2"}


def _count_requests(scrape: Scrape) -> Iterator[Column]:
    """Those that go on all the time, and each write with the requests that go with it."""
    found = {tuple(labels.items()): (labels, values) for labels, values in USUAL.read(scrape)}
    for verb, name, written in count_writes(scrape.world, scrape.times):
        resource, _, group = name.partition(".")
        made = _request(verb, group, VERSIONS.get(group, "v1"), resource)
        requests = [{**made, "code": "201" if verb == "POST" else "200"}]
        for other, beside, subresource, code in FOLLOWING.get((verb, name), ()):
            requests.append({**_request(other, "", "v1", beside, subresource), "code": code})
        for labels in requests:
            usual = found.get(tuple(labels.items()), (labels, np.zeros(len(written))))
            found[tuple(labels.items())] = labels, usual[1] + written
    yield from found.values()


def _measure(name: str, help_: str, spared: float = 0.0) -> Family:
    """How long all these requests took, whatever came of them, but for watches.

    Args:
        name: of the family.
        help_: what it is.
        spared: seconds that are left out of each.
    """

    def read(scrape: Scrape) -> Iterator[Column]:
        counted: dict[tuple[tuple[str, str], ...], tuple[Labels, Floats]] = {}
        for labels, values in _count_requests(scrape):
            kept = {label: value for label, value in labels.items() if label != "code"}
            before = counted.get(tuple(kept.items()), (kept, np.zeros(len(values))))
            counted[tuple(kept.items())] = kept, before[1] + values
        for request, values in counted.values():
            if request["verb"] in SECONDS:
                yield from spread(name, request, LATENCY, values, SECONDS[request["verb"]] - spared)

    return Family(name, "histogram", help_, read)


def _objects(scrape: Scrape) -> Iterator[Column]:
    for resource in sorted(journal.TRACKED):
        count = scrape.constant(0.0)
        for versions in journal.list_versions(scrape.world, resource):
            for _, where in journal.pick(versions, scrape.seen):
                count[where] += 1.0
        if count.any():
            yield {"resource": resource}, count


HOST = {"endpoint": "https://127.0.0.1:2379"}
kind = Kind(
    (
        never("apiserver_audit_event_total", "Events of the audit"),
        constant("apiserver_build_info", "Version of the API server"),
        histogram("apiserver_client_certificate_expiration_seconds", "Seconds that certificates hold",
                  "0 1800 3600 86400 604800 2.592e+06 7.776e+06 3.1104e+07", 0.4, 3.1e7),
        constant("apiserver_current_inflight_requests", "Requests under way", 1.0, request_kind="mutating"),
        constant("apiserver_longrunning_requests", "Watches and the like under way", 11.0, component="apiserver",
                 verb="WATCH", scope="cluster", resource="pods", version="v1"),
        _measure("apiserver_request_duration_seconds", "Seconds that a request takes"),
        _measure("apiserver_request_sli_duration_seconds", "The same without what webhooks and queues take", IN_QUEUES),
        Family("apiserver_request_total", "counter", "Requests by verb, resource and code", _count_requests),
        Family("apiserver_storage_objects", "gauge", "Objects in the store", _objects),
        never("apiserver_tls_handshake_errors_total", "Handshakes that failed"),
        histogram("etcd_request_duration_seconds", "Seconds that the store takes", LATENCY, 0.8, 0.0011,
                  {"operation": "get", "type": "/registry/leases/"}, {"operation": "list", "type": "/registry/pods/"},
                  {"operation": "update", "type": "/registry/leases/"}),
        BUILD,
        steady("rest_client_requests_total", "Requests to other servers", 0.3,
               ({"code": "200", "host": "[::1]:6443", "method": "GET"}, 0.8),
               ({"code": "200", "host": "[::1]:6443", "method": "PUT"}, 0.2)),
        steady("workqueue_adds_total", "Work that came", 0.05, ({"name": "APIServiceRegistrationController"}, 1.0)),
        constant("workqueue_depth", "Work that waits", 0.0, name="APIServiceRegistrationController"),
        *describe_go("go1.23.4", 1240.0),
    ),
    seconds=0.11,
)  # fmt: skip
