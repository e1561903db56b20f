"""Social Network as data: the chart and the manifests say the same, and the parts fit together."""

import json
import re

import pytest

from aiops_gym.catalog import registry
from aiops_gym.catalog.apps.social_network import chart, manifests, traffic
from aiops_gym.catalog.apps.social_network.tls import CERTIFICATE, KEY
from aiops_gym.catalog.apps.social_network.values import COMPONENTS, SECTIONS, SERVICES
from aiops_gym.helm import charts, render

APP = registry.find_app("social_network")
RELEASE = {"Name": chart.NAME, "Namespace": manifests.NAMESPACE, "Revision": 1, "Service": "Helm"}
LEAKS = re.compile(r"\bfault|inject|aiops|misconfig|requireTLS|9999|extra-node|revoke|chaos", re.IGNORECASE)


def _rendered(values=None):
    return render.render_chart(charts.of_files(chart.FILES), values or {}, RELEASE)


def _bare(manifest):
    meta = {key: value for key, value in manifest["metadata"].items() if key not in ("namespace", "annotations")}
    labels = {k: v for k, v in meta.pop("labels", {}).items() if k != "app.kubernetes.io/managed-by"}
    return {**manifest, "metadata": {**meta, **({"labels": labels} if labels else {})}}


def test_the_chart_renders_the_manifests():
    assert [_bare(m) for m in manifests.RELEASED] == [_bare(m.obj) for m in _rendered()]


def test_the_app_has_the_deployments_of_the_original():
    assert len(APP.components) == 27
    assert list(APP.components) == sorted(APP.components)
    for manifest in manifests.RELEASED:
        if manifest["kind"] == "Deployment":
            name, spec = manifest["metadata"]["name"], manifest["spec"]["template"]
            assert spec["metadata"]["labels"] == {"service": name, "app": name}
            assert spec["spec"]["hostname"] == name
            assert all(c["imagePullPolicy"] == "Always" for c in spec["spec"]["containers"])
            assert not any(key in c for c in spec["spec"]["containers"] for key in ("livenessProbe", "resources"))


def test_the_media_entry_forwards_to_another_port():
    (service,) = [m for m in manifests.RELEASED if m["kind"] == "Service" and m["metadata"]["name"] == "media-frontend"]
    assert service["spec"]["ports"] == [{"name": "8081", "port": 8081, "targetPort": 8080}]


@pytest.mark.parametrize("mode", ["disabled", "allowTLS", "requireTLS"])
def test_the_settings_of_encryption_reach_the_database_and_no_other(mode):
    tls = {"mode": mode, "certificateKeyFile": "/etc/tls/tls.pem" if mode != "disabled" else "", "CAFile": "x"}
    before, after = _rendered(), _rendered({"url-shorten-mongodb": {"tls": tls}})
    changed = [b.obj for a, b in zip(before, after, strict=True) if a.obj != b.obj]
    names = [(obj["kind"], obj["metadata"]["name"]) for obj in changed]
    assert names == ([] if mode == "disabled" else [("ConfigMap", "url-shorten-mongodb")])
    for obj in changed:
        expected = f"net:\n  tls:\n    mode: {mode}\n    certificateKeyFile: /etc/tls/tls.pem\n"
        assert obj["data"]["mongod.conf"] == expected


def test_neither_chart_nor_settings_hint_at_an_incident():
    text = "".join(chart.FILES.values())
    assert LEAKS.findall(text) == []


def test_the_certificate_and_its_key_are_whole():
    assert CERTIFICATE.startswith("-----BEGIN CERTIFICATE-----\n")
    assert CERTIFICATE.endswith("-----END CERTIFICATE-----\n")
    assert KEY.startswith("-----BEGIN PRIVATE KEY-----\n")


def _calls(handler):
    for call in handler.get("calls", ()):
        yield from _calls({"calls": call}) if isinstance(call, list) else (call,)


def test_every_call_goes_to_a_service_that_has_the_handler():
    places = {**{name: traffic.HANDLERS[name] for name in SERVICES}, "nginx-thrift": traffic.PAGES}
    places["media-frontend"] = traffic.MEDIA_PAGES
    config = json.loads(manifests.RELEASED[0]["data"]["service-config.json"])
    for handlers in places.values():
        for handler in handlers.values():
            for call in _calls(handler):
                assert config[call["to"]]["port"] == SECTIONS[call["to"]]["ports"][0]["port"]
                assert call["kind"] != "thrift" or call["handler"] in traffic.HANDLERS[call["to"]]


def test_every_component_but_the_tracer_is_used_by_some_operation():
    reached, todo = set(), [(o["service"], o["handler"]) for o in APP.operations]
    places = {**traffic.HANDLERS, "nginx-thrift": traffic.PAGES, "media-frontend": traffic.MEDIA_PAGES}
    while todo:
        name, handler = todo.pop()
        reached.add(name)
        todo += [(call["to"], call.get("handler", "")) for call in _calls(places.get(name, {}).get(handler, {}))]
    assert set(COMPONENTS) - reached == {"jaeger"}


def test_the_shares_of_the_operations_add_up():
    assert sum(o["weight"] for o in APP.operations) == pytest.approx(1.0)


def _lines_changed(before, after):
    old, new = before.splitlines(), after.splitlines()
    return [line for line in new if line not in old], [line for line in old if line not in new]


@pytest.mark.parametrize("mistake", ["moved", "misled", "starved", "guarded"])
def test_a_mistake_in_a_file_is_one_line_of_it(mistake):
    files = {m["metadata"]["name"]: m["data"] for m in manifests.MANIFESTS if m["kind"] == "ConfigMap"}
    wrong = {name: row for name, row in manifests.PARAMETERS.items() if mistake in row}
    assert wrong
    for name, row in wrong.items():
        added, gone = _lines_changed(files[name][row["file"]], row[mistake])
        assert len(gone) <= 1 <= len(added) <= 2, (name, added, gone)


def test_whom_a_service_needs_most_is_somebody_whom_it_calls():
    for name, row in manifests.PARAMETERS.items():
        for key in ("callee", "cache", "pooled"):
            assert row.get(key, "jaeger") in COMPONENTS
        assert ("callee" in row) == (name in SERVICES and name not in ("media-service", "unique-id-service"))


def test_what_a_store_throws_is_logged_by_whoever_asked_it():
    for name, handlers in traffic.HANDLERS.items():
        for handler in handlers.values():
            calls = [call for item in handler["calls"] for call in (item if isinstance(item, list) else [item])]
            silent = [call["to"] for call in calls if not call.get("log") and call.get("on_error") != "ignore"]
            assert not silent, name
