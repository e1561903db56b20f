"""The Python client of Prometheus takes the served address as that of a real one."""

from __future__ import annotations

from knocking import NAMESPACE
from prometheus_api_client import PrometheusConnect

from aiops_gym.serve import Door


def test_it_lists_and_queries(still: Door) -> None:
    client = PrometheusConnect(url=f"{still.url}/prometheus", disable_ssl=True)
    assert client.check_prometheus_connection()
    assert "container_threads" in client.all_metrics()
    (series,) = client.custom_query(f'container_threads{{namespace="{NAMESPACE}",pod=~"frontend.*"}}')
    assert series["metric"]["pod"].startswith("frontend-") and series["value"][1] == "9"
    pods = client.get_current_metric_value("container_threads", label_config={"namespace": NAMESPACE})
    assert len(pods) > 10
