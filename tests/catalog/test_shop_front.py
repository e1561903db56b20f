"""Astronomy Shop through its front door and in its services' logs, as whoever knows the demo's source expects it."""

import json
import re
from itertools import pairwise

import pytest

from aiops_gym.backends.simulated import Simulated
from aiops_gym.catalog import registry
from aiops_gym.catalog.apps.astronomy_shop.database import PRODUCTS
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.software.programs.flagd import read_flags

APP = registry.find_app("astronomy_shop")
NS = APP.namespace
FLAG = (
    f"kubectl get configmap flagd-config -n {NS} -o json "
    '| jq \'.data["demo.flagd.json"] |= (fromjson | .flags.{}.defaultVariant = "{}" | tojson)\' | kubectl replace -f -'
)
RESTART = f"kubectl rollout restart deployment/flagd -n {NS} && kubectl rollout status deployment/flagd -n {NS}"
FULL = "remaining connection slots are reserved for roles with the SUPERUSER attribute"


@pytest.fixture(scope="module")
def origin():
    return Simulated(registry.find_problem("noop_detection_astronomy_shop-1"), seed=3, noise=False)


@pytest.fixture
def shop(origin):
    return origin.fork()


def _run(shop, command):
    return str(shop.shell.run(command, 300.0).output)


def _get(shop, path, options="-s", service="frontend-proxy", port=8080):
    address = f"$(kubectl get service {service} -n {NS} -o jsonpath='{{.spec.clusterIP}}'):{port}"
    return _run(shop, f'curl {options} "{address}{path}"')


def _turn(shop, flag, variant):
    _run(shop, FLAG.format(flag, variant))
    _run(shop, RESTART)
    shop.world.run(75 * SECOND)


def _logs(shop, component, more="--since=120s"):
    return _run(shop, f"kubectl logs -n {NS} deploy/{component} {more} 2>/dev/null")


def test_the_proxy_answers_in_place_of_a_web_server_that_is_not_there(shop):
    _run(shop, f"kubectl scale deployment/frontend -n {NS} --replicas=0")
    shop.world.run(20 * SECOND)
    for path in ("/", "/api/products", "/nope"):
        told = _get(shop, path, "-si")
        assert told.startswith("HTTP/1.1 503 Service Unavailable"), told
        assert "server: envoy" in told and "upstream connect error" in told
    assert _get(shop, "/images/Banner.png", "-s -o /dev/null -w '%{http_code}'") == "200"
    _run(shop, f"kubectl delete service frontend -n {NS}")
    assert _get(shop, "/api/cart").startswith("no healthy upstream")


@pytest.mark.parametrize(("host", "status"), [("llm", "404"), ("cart", "503")])
def test_whoever_gets_requests_that_are_not_for_it_answers_as_itself(shop, host, status):
    port = 8000 if host == "llm" else 8080
    _run(shop, f"kubectl set env deployment/frontend-proxy -n {NS} FRONTEND_HOST={host} FRONTEND_PORT={port}")
    shop.world.run(30 * SECOND)
    assert _get(shop, "/api/products", "-s -o /dev/null -w '%{http_code}'") == status


def test_a_withheld_product_fails_always_and_no_other_one(shop):
    _turn(shop, "productCatalogFailure", "on")
    code = "-s -o /dev/null -w '%{http_code} '"
    asked = {path: [_get(shop, f"/api/products/{path}", code).strip() for _ in range(6)] for path in list(PRODUCTS)}
    assert asked.pop("OLJCESPC7Z") == ["500"] * 6
    assert {status for statuses in asked.values() for status in statuses} == {"200"}
    assert _get(shop, "/api/products/NOSUCH", code).strip() == "500"


def test_the_api_shows_what_the_shop_sells(shop):
    listed = json.loads(_get(shop, "/api/products"))
    assert {row["id"]: row["name"] for row in listed} == dict(PRODUCTS)
    assert all(set(row["priceUsd"]) == {"currencyCode", "units", "nanos"} for row in listed)
    assert json.loads(_get(shop, "/api/products/LS4PSXUNUM")) in listed
    assert {"USD", "EUR", "CHF"} <= set(json.loads(_get(shop, "/api/currency")))
    assert json.loads(_get(shop, "/api/cart?sessionId=me")) == {"userId": "me", "items": []}
    assert all(row in listed for row in json.loads(_get(shop, "/api/recommendations?productIds=OLJCESPC7Z")))


def test_prefixes_lead_where_the_proxy_has_them(shop):
    through, direct = (
        json.loads(_get(shop, "/jaeger/ui/api/services", "-s", *place)) for place in ((), ("jaeger", 16686))
    )
    assert through == direct == json.loads(_get(shop, "/api/services", "-s", "jaeger", 16686))
    pages = {path: _get(shop, path, "-si") for path in ("/grafana/", "/loadgen/", "/feature", "/")}
    assert len({page[page.index("<") :] for page in pages.values()}) == len(pages)
    assert all(page.startswith("HTTP/1.1 200 OK") for page in pages.values())
    for path in ("/nope", "/api/nope", "/flagservice/", "/images/nothing.png"):
        assert _get(shop, path, "-si").startswith("HTTP/1.1 404 Not Found"), path
    assert "Content-Type: image/jpeg" in _get(shop, "/images/products/RedFlashlight.jpg", "-si")


WRONG = {
    "not json": "invalid character 'o' in literal null (expecting 'u')",
    "hello": "invalid character 'h' looking for beginning of value",
    "{'a': 1}": r"invalid character '\'' looking for beginning of object key string",
    '{"a": [1 2]}': "invalid character '2' after array element",
    '{"a": 1 "b": 2}': "invalid character '\"' after object key:value pair",
    '{"a" 1}': "invalid character '1' after object key",
    '{"a": 1} x': "invalid character 'x' after top-level value",
    '{"flags": {': "unexpected end of JSON input",
    '{"flags": tru': "unexpected end of JSON input",
}


@pytest.mark.parametrize(("text", "said"), WRONG.items(), ids=WRONG)
def test_the_server_of_flags_reads_json_as_go_does(text, said):
    assert read_flags(text) == ({}, f"transposing evaluators: unmarshal: {said}")


def test_a_flag_is_told_with_its_variant(shop):
    _turn(shop, "paymentFailure", "50%")
    path, options = "/ofrep/v1/evaluate/flags/paymentFailure", "-s -X POST -d '{}'"
    wanted = '{"value":0.5,"key":"paymentFailure","reason":"STATIC","variant":"50%","metadata":{}}'
    assert _get(shop, path, options, "flagd", 8016) == wanted


def test_what_comes_first_is_logged_first(shop):
    _turn(shop, "paymentFailure", "100%")
    told = re.findall("request received|request failed", _logs(shop, "payment", "--since=60s"))
    assert len(told) > 10
    assert all((first, second) != ("request failed",) * 2 for first, second in pairwise(told))
    assert told.count("request failed") in (told.count("request received"), told.count("request received") + 1)


def test_a_slow_reader_sleeps_before_it_says_that_it_has_read(shop):
    _turn(shop, "kafkaQueueProblems", "on")
    told = re.findall("sleeping 1 second|Consumed record", _logs(shop, "fraud-detection", "--since=60s"))
    slept, read = told.count("sleeping 1 second"), told.count("Consumed record")
    assert slept > 5 and abs(slept - read) <= 2
    first = told.index("sleeping 1 second")
    assert all(told[first:end].count("Consumed record") <= told[:end].count("sleeping 1 second") for end in range(9))


def test_each_client_says_in_its_own_words_that_there_are_no_connections(shop):
    op = '{"op": "add", "path": "/spec/template/spec/containers/0/args", "value": ["-c", "max_connections=4"]}'
    _run(shop, f"kubectl patch deployment postgresql -n {NS} --type=json -p '[{op}]'")
    shop.world.run(75 * SECOND)
    said = "".join(_logs(shop, name) for name in ("accounting", "frontend"))
    assert "pq: " not in said
    assert f"Npgsql.PostgresException (0x80004005): 53300: {FULL}" in said
    assert re.search(rf'connection to server at "postgresql" \([\d.]+\), port 5432 failed: FATAL:  {FULL}', said)
    assert FULL in _logs(shop, "postgresql") and "pq: " not in _logs(shop, "postgresql")


def test_users_want_different_things(shop):
    shop.world.run(300 * SECOND)
    drawn = {
        "cart": r"productId=(\w+), quantity=(\d+)",
        "ad": r"received for \[(\w+)\]",
        "quote": r'"total":([\d.]+)',
        "product-reviews": r"product id:(\w+)",
        "recommendation": r"product ids:(\[.*\])",
    }
    for component, pattern in drawn.items():
        assert len(set(re.findall(pattern, _logs(shop, component, "")))) >= 5, component
    assert "Non-targeted ad request" in _logs(shop, "ad", "")
    orders = re.findall('"orderId": "(.*?)", "shippingTrackingId": "(.*?)"', _logs(shop, "accounting", ""))
    assert len({number for number, _ in orders}) == len(orders) > 20
    assert all(number != tracking for number, tracking in orders)
    checked = re.findall("orderId: ([-0-9a-f]+)", _logs(shop, "fraud-detection", ""))
    assert len(set(checked) & {number for number, _ in orders}) > 0.9 * len(orders)
