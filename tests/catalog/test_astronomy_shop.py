"""Astronomy Shop as data: what its chart deploys, and AIOpsLab's incidents on it."""

import json
from pathlib import Path

import pytest

from aiops_gym.catalog import registry
from aiops_gym.catalog.apps import astronomy_shop
from aiops_gym.catalog.apps.astronomy_shop import flags, manifests
from aiops_gym.catalog.model import POSED
from aiops_gym.helm import charts, render

APP = registry.find_app("astronomy_shop")
FOLDER = Path(astronomy_shop.__file__).parent
STEMS = {
    "ad_service_failure": "ad",
    "ad_service_high_cpu": "ad",
    "ad_service_manual_gc": "ad",
    "cart_service_failure": "cart",
    "image_slow_load": "frontend",
    "kafka_queue_problems": "kafka",
    "loadgenerator_flood_homepage": "frontend",
    "payment_service_failure": "payment",
    "payment_service_unreachable": "checkout",
    "product_catalog_service_failure": "product-catalog",
    "recommendation_service_cache_failure": "recommendation",
}
"""AIOpsLab's registered ids, without their beginning and task, and the answer to each localization."""


def test_the_ids_and_answers_are_those_of_upstream():
    known = [(f"astronomy_shop_{stem}-{task}-1", target) for stem, target in STEMS.items() for task in POSED[:2]]
    known.append(("astronomy_shop_kafka_queue_problems-mitigation-1", "kafka"))
    known.append(("noop_detection_astronomy_shop-1", ""))
    assert len(known) == 24
    assert [registry.find_problem(id_).target for id_, _ in known] == [target for _, target in known]


def test_it_is_listed_and_drawn_like_the_others():
    assert APP.id in registry.apps()
    for split in (None, "train", "test"):
        assert [p for p in registry.problems(split=split) if p.app == APP.id]
    assert [p for p in registry.problems(tier="hard") if p.app == APP.id and p.how]
    drawn = {registry.draw(task, seed, split).app for task in POSED for seed in range(40) for split in (None, "test")}
    assert APP.id in drawn


def test_what_the_chart_deploys_is_there():
    deployed = {m["metadata"]["name"] for m in APP.manifests if m["kind"] == "Deployment"}
    assert deployed == set(APP.components)
    assert set(manifests.SERVICES) | {"flagd", "kafka", "postgresql", "valkey-cart"} <= deployed
    assert {"otel-collector", "jaeger", "prometheus", "grafana"} <= deployed
    assert [m["metadata"]["name"] for m in APP.manifests if m["kind"] == "StatefulSet"] == ["opensearch"]
    for name in manifests.SERVICES:
        found = next(m for m in APP.manifests if m["kind"] == "Deployment" and m["metadata"]["name"] == name)
        assert found["spec"]["template"]["metadata"]["labels"][APP.selector] == name


def _key(manifest):
    return manifest["kind"], manifest["metadata"]["name"]


def test_the_chart_renders_the_manifests():
    (release,) = APP.releases
    about = {"Name": release.name, "Namespace": APP.namespace, "Revision": 1, "Service": "Helm"}
    rendered = [each.obj for each in render.render_chart(charts.of_files(release.files), {}, about)]
    wanted = [manifest for manifest in astronomy_shop.PLAIN if manifest["kind"] != "Namespace"]
    assert sorted(rendered, key=_key) == sorted(wanted, key=_key)


def test_a_component_can_be_left_out_and_set():
    (release,) = APP.releases
    values = {"components": {"llm": {"enabled": False}, "ad": {"replicas": 3, "image": "mine/ad:1"}}}
    about = {"Name": release.name, "Namespace": APP.namespace, "Revision": 1, "Service": "Helm"}
    found = {_key(m.obj): m.obj for m in render.render_chart(charts.of_files(release.files), values, about)}
    assert ("Deployment", "llm") not in found
    ad = found["Deployment", "ad"]["spec"]
    assert (ad["replicas"], ad["template"]["spec"]["containers"][0]["image"]) == (3, "mine/ad:1")


def test_every_call_leads_to_a_handler_of_whom_it_is_made_to():
    handlers = {
        name: row["params"]["handlers"] for name, row in manifests.SERVICES.items() if "handlers" in row["params"]
    }
    for name, row in handlers.items():
        known = manifests.SERVICES[name]["params"]
        addressed = {*known.get("environment", ()), *known.get("hosts", ())}
        for handler in row.values():
            for item in handler["calls"]:
                for call in item if isinstance(item, list) else [item]:
                    assert "to" not in call or call["to"] in addressed, name
                    if "to" in call and call["kind"] in ("grpc", "http"):
                        assert call["handler"] in handlers[call["to"]], (name, call["handler"])


def test_there_are_fifteen_flags_and_all_are_off():
    found = json.loads(flags.TEXT)["flags"]
    assert len(found) == 15
    assert {flag["defaultVariant"] for flag in found.values()} == {"off"}
    turned = {name for names in astronomy_shop.TURNED.values() for name in names}
    assert turned <= set(found)


def test_the_shares_of_the_operations_add_up():
    assert sum(operation["weight"] for operation in APP.operations) == pytest.approx(1.0)


def test_a_service_is_a_file_of_data():
    lines = {path: len(path.read_text().splitlines()) for path in FOLDER.rglob("*.py")}
    assert max(count for path, count in lines.items() if path.parent.name == "services") <= 250
    assert sum(lines.values()) <= 6_000
