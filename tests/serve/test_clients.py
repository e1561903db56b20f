"""Clients of the Kubernetes API that nobody here wrote: the official one and kr8s."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections.abc import Iterator

import pytest
from knocking import NAMESPACE

from aiops_gym.serve import Door

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import kr8s.asyncio
    import kubernetes
    from kubernetes import dynamic, stream, utils, watch

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # not every client closes what it opened
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def swept() -> Iterator[None]:
    """Sockets that a client forgot are collected here, not in somebody else's test."""
    yield
    gc.collect()


@pytest.fixture
def official(opened: Door) -> Iterator[kubernetes.client.ApiClient]:
    made = kubernetes.config.new_client_from_config(config_file=str(opened))
    yield made
    made.close()
    made.rest_client.pool_manager.clear()


class TestTheOfficialClient:
    def test_lists_and_reads(self, official: kubernetes.client.ApiClient) -> None:
        core = kubernetes.client.CoreV1Api(official)
        pods = core.list_namespaced_pod(NAMESPACE, label_selector="io.kompose.service=geo").items
        assert [pod.metadata.labels["io.kompose.service"] for pod in pods] == ["geo"]
        assert core.read_namespaced_pod(pods[0].metadata.name, NAMESPACE).spec.node_name == "kind-worker"
        assert kubernetes.client.VersionApi(official).get_code().git_version == "v1.32.1"
        assert len(core.list_node().items) == 2

    def test_pages_through_a_list(self, official: kubernetes.client.ApiClient) -> None:
        core = kubernetes.client.CoreV1Api(official)
        everything = [p.metadata.name for p in core.list_pod_for_all_namespaces().items]
        page = core.list_pod_for_all_namespaces(limit=7)
        names = [p.metadata.name for p in page.items]
        while page.metadata._continue:
            page = core.list_pod_for_all_namespaces(limit=7, _continue=page.metadata._continue)
            names += [p.metadata.name for p in page.items]
        assert names == everything

    def test_says_what_is_not_there(self, official: kubernetes.client.ApiClient) -> None:
        with pytest.raises(kubernetes.client.ApiException) as caught:
            kubernetes.client.CoreV1Api(official).read_namespaced_pod("nope", NAMESPACE)
        assert (caught.value.status, caught.value.reason) == (404, "Not Found")

    def test_patches_in_each_way(self, official: kubernetes.client.ApiClient) -> None:
        apps = kubernetes.client.AppsV1Api(official)
        ways = [
            {"metadata": {"labels": {"strategic": "yes"}}},
            [{"op": "add", "path": "/metadata/labels/json", "value": "yes"}],
        ]
        for body in ways:
            apps.patch_namespaced_deployment("frontend", NAMESPACE, body)
        apps.patch_namespaced_deployment_scale("frontend", NAMESPACE, {"spec": {"replicas": 2}})
        found = apps.read_namespaced_deployment("frontend", NAMESPACE)
        assert found.spec.replicas == 2
        assert found.metadata.labels.items() >= {"strategic": "yes", "json": "yes"}.items()

    def test_watches(self, opened: Door, official: kubernetes.client.ApiClient) -> None:
        core, seen = kubernetes.client.CoreV1Api(official), []
        version = core.list_namespaced_config_map("default").metadata.resource_version
        core.create_namespaced_config_map("default", {"metadata": {"name": "a"}, "data": {"x": "1"}})
        core.patch_namespaced_config_map("a", "default", {"data": {"x": "2"}})
        core.delete_namespaced_config_map("a", "default")
        stream_ = watch.Watch().stream(
            core.list_namespaced_config_map, "default", resource_version=version, timeout_seconds=1
        )
        for event in stream_:
            seen.append((event["type"], event["object"].data))
        assert seen == [("ADDED", {"x": "1"}), ("MODIFIED", {"x": "2"}), ("DELETED", {"x": "2"})]

    def test_reads_logs(self, official: kubernetes.client.ApiClient) -> None:
        core = kubernetes.client.CoreV1Api(official)
        pod = core.list_namespaced_pod(NAMESPACE, label_selector="io.kompose.service=geo").items[0]
        text = core.read_namespaced_pod_log(pod.metadata.name, NAMESPACE, tail_lines=3)
        assert "not authorized on geo-db" in text

    def test_runs_commands_in_containers(self, official: kubernetes.client.ApiClient) -> None:
        core = kubernetes.client.CoreV1Api(official)
        name = core.list_namespaced_pod(NAMESPACE, label_selector="io.kompose.service=frontend").items[0].metadata.name
        run: dict[str, object] = {"command": ["sh", "-c", "echo out; echo err >&2"], "stdin": False}
        run |= {"stderr": True, "stdout": True, "tty": False}
        assert stream.stream(core.connect_get_namespaced_pod_exec, name, NAMESPACE, **run) == "out\nerr\n"
        run |= {"command": ["/bin/sh"], "stdin": True, "_preload_content": False}
        session = stream.stream(core.connect_get_namespaced_pod_exec, name, NAMESPACE, **run)
        session.write_stdin("cd /tmp; echo one\n")
        assert session.readline_stdout(timeout=600) == "one"
        session.write_stdin("pwd; exit 3\n")
        session.run_forever(timeout=600)
        assert session.returncode == 3
        assert session.read_all().splitlines()[-1] == "/tmp"
        session.close()

    def test_works_without_types(self, official: kubernetes.client.ApiClient) -> None:
        client = dynamic.DynamicClient(official)
        deployments = client.resources.get(api_version="apps/v1", kind="Deployment")
        assert deployments.get(name="geo", namespace=NAMESPACE).spec.replicas == 1
        deployments.patch(name="geo", namespace=NAMESPACE, body={"spec": {"replicas": 0}})
        body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "geo"}, "spec": {"replicas": 2}}
        applied = deployments.server_side_apply(
            body=body, name="geo", namespace=NAMESPACE, field_manager="test", force_conflicts=True
        )
        assert applied.spec.replicas == 2
        usage = kubernetes.client.CustomObjectsApi(official)
        found = usage.list_namespaced_custom_object("metrics.k8s.io", "v1beta1", NAMESPACE, "pods")
        assert found["kind"] == "PodMetricsList"

    def test_creates_from_a_manifest_and_deletes(self, official: kubernetes.client.ApiClient) -> None:
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}
        utils.create_from_dict(official, body)
        core = kubernetes.client.CoreV1Api(official)
        core.delete_namespaced_config_map("a", "default")
        with pytest.raises(kubernetes.client.ApiException):
            core.read_namespaced_config_map("a", "default")
        core.create_namespaced_config_map("default", body)
        core.delete_collection_namespaced_config_map("default", field_selector="metadata.name=a")
        assert "a" not in [m.metadata.name for m in core.list_namespaced_config_map("default").items]

    def test_asks_what_it_may(self, official: kubernetes.client.ApiClient) -> None:
        review = {"spec": {"resourceAttributes": {"verb": "delete", "resource": "pods"}}}
        api = kubernetes.client.AuthorizationV1Api(official)
        assert api.create_self_subject_access_review(review).status.allowed


def test_kr8s_gets_scales_patches_and_runs(opened: Door) -> None:
    async def work() -> None:
        api = await kr8s.asyncio.api(kubeconfig=str(opened))
        pods = [pod async for pod in api.get("pods", namespace=NAMESPACE, label_selector="io.kompose.service=frontend")]
        assert len(pods) == 1
        done = await pods[0].exec(["echo", "out"])
        assert done.stdout == b"out\n"
        [deployment] = [d async for d in api.get("deployments", "geo", namespace=NAMESPACE)]
        await deployment.scale(0)
        await deployment.patch({"metadata": {"labels": {"a": "b"}}})
        await deployment.refresh()
        assert (deployment.replicas, deployment.labels["a"]) == (0, "b")
        lines = [line async for line in pods[0].logs(tail_lines=2)]
        assert isinstance(lines, list)
        await api._session.aclose()

    asyncio.run(work())
