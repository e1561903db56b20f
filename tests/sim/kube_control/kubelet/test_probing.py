"""Probes: what they do to a container, and that those that succeed rest."""

from __future__ import annotations

from small_cluster import SmallCluster, deployment

HTTP = {"httpGet": {"path": "/x", "port": 8080}, "periodSeconds": 2}
FALSE = {"exec": {"command": ["/bin/false"]}, "periodSeconds": 2}


def test_a_failing_liveness_probe_restarts_and_then_holds_back() -> None:
    cluster = SmallCluster()
    live = {**HTTP, "failureThreshold": 2}
    cluster.apply(deployment("web", livenessProbe=live, terminationGracePeriodSeconds=2))
    cluster.at(60)
    counts = cluster.events("web-")
    assert counts["Unhealthy Liveness probe failed: HTTP probe failed with statuscode: 404"] in (8, 10)
    assert counts["Killing Container app failed liveness probe, will be restarted"] in (4, 5)
    shown = [s for _, s in cluster.states()]
    first_back_off = next(i for i, s in enumerate(shown) if "CrashLoopBackOff" in s)
    assert shown[first_back_off] == "Running app:CrashLoopBackOff:2"  # two restarts at once, the third waits
    assert next(t for t, s in cluster.states() if s.endswith(":1")) < 9.3


def test_a_failing_readiness_probe_only_keeps_traffic_away() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", readinessProbe=HTTP))
    cluster.at(60)
    assert cluster.states()[-1][1] == "Running app:r:0"
    assert cluster.events("web-")["Unhealthy Readiness probe failed: HTTP probe failed with statuscode: 404"] == 25


def test_a_port_where_nobody_listens_is_refused() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", readinessProbe={"tcpSocket": {"port": 9}, "periodSeconds": 2}))
    cluster.at(10)
    ip = cluster.pod()["status"]["podIP"]
    assert f"Unhealthy Readiness probe failed: dial tcp {ip}:9: connect: connection refused" in cluster.events("web-")


def test_a_startup_probe_holds_back_the_others() -> None:
    cluster = SmallCluster()
    cluster.apply(
        deployment("web", startupProbe={**FALSE, "failureThreshold": 3}, livenessProbe=HTTP, readinessProbe=HTTP)
    )
    cluster.at(7.5)
    status = cluster.pod()["status"]["containerStatuses"][0]
    assert not status["ready"]
    assert cluster.events("web-")["Unhealthy Startup probe failed: "] == 3
    assert cluster.events("web-")["Killing Container app failed startup probe, will be restarted"] == 1
    assert not any("Liveness" in text or "Readiness" in text for text in cluster.events("web-"))


def test_a_probe_that_succeeds_wakes_up_when_the_world_changes() -> None:
    cluster = SmallCluster()
    probe = {"tcpSocket": {"port": 8080}, "periodSeconds": 2, "failureThreshold": 1}
    cluster.apply(deployment("web", readinessProbe=probe))
    cluster.at(20)
    assert cluster.states()[-1][1] == "Running app:R:0"
    (key,) = cluster.world.table("processes")
    processes = cluster.world.table("processes")
    processes[key] = {**processes[key], "ports": []}
    cluster.world.touch()
    cluster.at(25)
    assert cluster.states()[-1][1] == "Running app:r:0"
    processes[key] = {**processes[key], "ports": [8080]}
    cluster.at(30)
    assert cluster.states()[-1][1] == "Running app:R:0"
