"""An application from a chart of the user's, which the real helm renders."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from served import serve
from test_episodes import make_real, play

from aiops_gym.backends.kubernetes.api import Api, connect
from aiops_gym.backends.kubernetes.chart import check_release, use_chart
from aiops_gym.backends.kubernetes.clocks import WallClock
from aiops_gym.backends.kubernetes.settings import Settings
from aiops_gym.catalog import registry
from aiops_gym.errors import BackendError

pytestmark = pytest.mark.skipif(shutil.which("helm") is None, reason="no helm here")
HOTEL = registry.find_app("hotel_reservation")
NOTE = """apiVersion: v1
kind: ConfigMap
metadata: {name: note-of-{{ .Release.Name }}}
data:
  text: {{ .Values.text | quote }}
  server: {{ .Capabilities.KubeVersion.Version }}
  space: {{ .Release.Namespace }}
"""


def write(folder: Path, *more: str, leave_out: str = "", **values: Any) -> Path:
    """A chart of the application's own objects, a note and further templates."""
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: rooms\nversion: 0.1.0\n")
    (folder / "values.yaml").write_text("text: of the chart\n")
    objects = [each for each in HOTEL.manifests if each["metadata"]["name"] != leave_out]
    (folder / "objects.yaml").write_text(yaml.safe_dump_all(json.loads(json.dumps(objects, default=dict))))
    (folder / "templates" / "objects.yaml").write_text('{{ .Files.Get "objects.yaml" }}')
    for number, text in enumerate([NOTE, *more]):
        (folder / "templates" / f"more-{number}.yaml").write_text(text)
    return folder


@pytest.fixture(scope="module")
def api() -> Iterator[tuple[Api, Mapping[str, Any]]]:
    """To a cluster in which nothing is deployed."""
    with serve("hotel_reservation") as served:
        found = Api(connect(served.context, served.cluster["kubeconfig"]), WallClock(), 20.0)
        yield found, {"context": served.context}
        found.close()


def render(api: tuple[Api, Mapping[str, Any]], folder: Path | str, **more: Any) -> Mapping[str, Any]:
    """The objects of the application as the chart has them, by kind and name."""
    app = use_chart(api[0], HOTEL, Settings(chart=str(folder), **api[1], **more))
    return {f"{each['kind']} {each['metadata']['name']}": each for each in app.manifests}


def test_a_chart_is_rendered_with_the_values_for_the_version_of_the_cluster(
    api: tuple[Api, Mapping[str, Any]], tmp_path: Path
) -> None:
    folder = write(tmp_path / "rooms")
    plain = render(api, folder)["ConfigMap note-of-hotel-reservation"]["data"]
    assert plain == {"text": "of the chart", "server": "v1.32.1", "space": HOTEL.namespace}
    said = render(api, folder, values={"text": "mine"}, release="rooms")["ConfigMap note-of-rooms"]["data"]
    assert said["text"] == "mine"
    (tmp_path / "mine.yaml").write_text("text: of a file\n")
    found = render(api, folder, values=str(tmp_path / "mine.yaml"))
    assert found["ConfigMap note-of-hotel-reservation"]["data"]["text"] == "of a file"
    assert {f"Deployment {name}" for name in HOTEL.components} < set(found)
    assert next(iter(found)) == f"Namespace {HOTEL.namespace}"


WRONG = {
    "is a hook": "{apiVersion: v1, kind: Pod, metadata: {name: x, annotations: {helm.sh/hook: pre-install}}}",
    "of a kind that is not known here": "{apiVersion: monitoring.coreos.com/v1, kind: PodMonitor, metadata: {name: x}}",
    "lies in the namespace shop": "{apiVersion: v1, kind: Secret, metadata: {name: x, namespace: shop}}",
    "would change the cluster for all": "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: x}}",
    "is not the namespace test-hotel": "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}",
    "is no object with a name": "{apiVersion: v1, kind: Secret, metadata: {}}",
    "has a document that": "just: text",
    "helm cannot render": "{{ .Values.text.of.nothing }}",
}


def test_objects_of_a_list_are_taken_one_by_one(api: tuple[Api, Mapping[str, Any]], tmp_path: Path) -> None:
    secrets = "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Secret, metadata: {name: x}}]}"
    assert "Secret x" in render(api, write(tmp_path / "rooms", secrets))


@pytest.mark.parametrize("why", WRONG)
def test_what_could_not_be_taken_away_or_would_not_run_is_refused(
    api: tuple[Api, Mapping[str, Any]], tmp_path: Path, why: str
) -> None:
    with pytest.raises(BackendError, match=why):
        render(api, write(tmp_path / "rooms", WRONG[why]))


def test_the_problem_s_components_have_to_be_there(api: tuple[Api, Mapping[str, Any]], tmp_path: Path) -> None:
    with pytest.raises(BackendError, match="there is no Deployment geo: the problem's components are"):
        render(api, write(tmp_path / "rooms", leave_out="geo"))
    with pytest.raises(BackendError, match="helm cannot render /nowhere"):
        render(api, "/nowhere")


def test_an_upgrade_of_our_own_release_is_refused_where_it_is_not_there() -> None:
    fault = registry.find_fault(registry.find_problem("auth_miss_mongodb-mitigation-1"))
    assert fault is not None
    social = registry.find_app("social_network")
    check_release(social, fault)
    with pytest.raises(BackendError, match="upgrades a release of the catalogue's own chart"):
        check_release(replace(social, releases=()), fault)


@pytest.mark.full
def test_an_episode_on_a_chart_ends_as_one_on_the_manifests(tmp_path: Path) -> None:
    with serve("hotel_reservation") as served:
        env = make_real("wrong_bin_usage-mitigation-1", served, chart=str(write(tmp_path / "rooms")))
        env.reset(seed=5)
        named = ("configmaps", HOTEL.namespace, "note-of-hotel-reservation")
        assert served.door.call(lambda world: world.store.get(*named)) is not None
        assert play(env, env.unwrapped.reference_actions())[:2] == (1.0, True)
        env.close()
        assert served.door.call(lambda world: world.store.get("namespaces", "", HOTEL.namespace)) is None
