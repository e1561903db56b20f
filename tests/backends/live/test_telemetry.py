"""Metrics and traces asked over HTTP: the same numbers as in process, by the API server or at a URL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from served import Served

from aiops_gym.backends import Simulated
from aiops_gym.backends.kubernetes.api import Api, connect
from aiops_gym.backends.kubernetes.clocks import ServedClock
from aiops_gym.backends.kubernetes.telemetry import RealTelemetry
from aiops_gym.catalog import registry
from aiops_gym.tools import Context
from aiops_gym.tools.live.get_metrics import get_metrics
from aiops_gym.tools.live.get_traces import get_traces

PROBLEM = "revoke_auth_mongodb-detection-1"


class Twin:
    """A simulated incident whose telemetry is asked over HTTP."""

    def __init__(self, simulated: Simulated, telemetry: RealTelemetry) -> None:
        self.app, self.shell, self.cluster = simulated.app, simulated.shell, simulated.cluster
        self.telemetry, self._now = telemetry, simulated.now()

    def now(self) -> float:
        """When it was looked."""
        return self._now

    def spend(self, seconds: float) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def simulated() -> Simulated:
    return Simulated(registry.find_problem(PROBLEM), 3, noise=False)


@pytest.fixture(scope="module")
def served(simulated: Simulated, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    made = Served(simulated.fork().world, str(tmp_path_factory.mktemp("served")))
    yield made
    made.door.close()


@pytest.fixture(params=["api server", "url"])
def telemetry(served: Served, request: pytest.FixtureRequest) -> Iterator[RealTelemetry]:
    clock = ServedClock(served.cluster["clock"], served.cluster["clock_token"])
    api = Api(connect(served.context, served.cluster["kubeconfig"]), clock)
    urls = {name: f"{served.door.url}/{name}" for name in ("prometheus", "jaeger")}
    made = RealTelemetry(api, urls if request.param == "url" else {})
    yield made
    for each in (made, api, clock):
        each.close()


def test_metrics_are_those_of_the_simulator(simulated: Simulated, telemetry: RealTelemetry) -> None:
    now, space = simulated.now(), simulated.app.namespace
    for name in ("container_cpu_usage_seconds_total", "container_network_receive_bytes_total", "container_memory_rss"):
        found = telemetry.metrics(name, space, now - 300, now)
        assert found == sorted(simulated.telemetry.metrics(name, space, now - 300, now)), name
        assert found
    assert telemetry.metric_names() == simulated.telemetry.metric_names()


def test_traces_are_those_of_the_simulator(simulated: Simulated, telemetry: RealTelemetry) -> None:
    now = simulated.now()
    assert telemetry.services() == simulated.telemetry.services()
    found, expected = (
        each.telemetry.traces("frontend", now - 60, now, 5) for each in (Twin(simulated, telemetry), simulated)
    )
    assert found[1] == expected[1]
    for mine, theirs in zip(found[0], expected[0], strict=True):
        assert mine == theirs


@pytest.mark.full
def test_the_tools_write_the_same_files(simulated: Simulated, telemetry: RealTelemetry) -> None:
    twin = Twin(simulated, telemetry)
    here = simulated.fork()
    here.spend = lambda seconds: None  # type: ignore[method-assign]  # both look at one moment
    for tool, arguments in ((get_metrics, (here.app.namespace, 3)), (get_traces, (here.app.namespace, 1))):
        mine, theirs = (tool.function(Context(each), *arguments) for each in (here, twin))
        assert mine == theirs
    for path in here.shell.list_files("/root/metrics_output"):
        assert here.shell.read_file(path) == twin.shell.read_file(path), path
    for path in here.shell.list_files("/root/trace_output"):
        assert sorted(here.shell.read_file(path).splitlines()) == sorted(twin.shell.read_file(path).splitlines())


@pytest.mark.full
def test_the_new_query_api_of_jaeger_says_the_same(simulated: Simulated, telemetry: RealTelemetry) -> None:
    now = simulated.now()
    older = telemetry.traces("frontend", now - 60, now, 5)
    telemetry._newer = True
    newer, total = telemetry.traces("frontend", now - 60, now, 5)
    assert telemetry.services() == simulated.telemetry.services()
    assert total == older[1]
    key = lambda span: span[:7]  # noqa: E731
    assert sorted(map(key, newer)) == sorted(map(key, older[0]))


def test_a_server_that_is_not_there_answers_503(served: Served) -> None:
    clock = ServedClock(served.cluster["clock"], served.cluster["clock_token"])
    api = Api(connect(served.context, served.cluster["kubeconfig"]), clock)
    telemetry = RealTelemetry(api, {"jaeger": "http://127.0.0.1:9"})
    assert telemetry.ask("jaeger", "/api/services")[0] == 503
    assert (telemetry.services(), telemetry.traces("frontend", 0, 1, 5)) == ([], ([], 0))
    for each in (telemetry, api, clock):
        each.close()
