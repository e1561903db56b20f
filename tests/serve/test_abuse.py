"""Whatever arrives, the answer is a `v1.Status`, nothing is told that should not be, and nothing piles up."""

from __future__ import annotations

import gc
import json
import re
import resource
import socket
import struct
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from knocking import NAMESPACE, PROBLEM

from aiops_gym.serve import Door
from aiops_gym.serve.patient import Patient

MAPS = "/api/v1/namespaces/default/configmaps"
PROTOBUF = "application/vnd.kubernetes.protobuf"


def refused(answer: httpx.Response, code: int, reason: str) -> str:
    """Check that an answer is a Status; its message."""
    status = answer.json()
    assert (answer.status_code, status["kind"], status["status"]) == (code, "Status", "Failure"), answer.text
    assert (status.get("reason"), status["code"]) == (reason, code)
    return str(status["message"])


@pytest.mark.parametrize("said", [True, False])
def test_an_oversized_body_is_refused(still: Door, said: bool) -> None:
    body = b'{"metadata": {"name": "' + b"x" * (3 * 1024 * 1024) + b'"}}'
    content = body if said else (body[at : at + 65536] for at in range(0, len(body), 65536))
    answer = httpx.post(still.url + MAPS, content=content, headers={"content-type": "application/json"})
    assert refused(answer, 413, "RequestEntityTooLarge") == "Request entity too large: limit is 3145728"


@pytest.mark.parametrize(
    "body",
    [b"{", b"", b"[]", b'"x"', b"1", b"null", b"\xff\xfe", b'{"metadata": {"name": NaN}}', b"{" * 5000,
     b'{"metadata": []}', b'{"metadata": {"name": 7}}', b'{"kind": "Pod", "metadata": {"name": "x"}}', b"[" * 100_000],
)  # fmt: skip
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_malformed_body_is_a_bad_request(still: Door, method: str, body: bytes) -> None:
    path = MAPS if method == "POST" else f"{MAPS}/kube-root-ca.crt"
    answer = httpx.request(method, still.url + path, content=body, headers={"content-type": "application/json"})
    refused(answer, 400, "BadRequest")


@pytest.mark.parametrize("kind", ["json-patch", "merge-patch", "strategic-merge-patch"])
@pytest.mark.parametrize("body", [b"{", b"", b"1", b'"x"', b"\xff", b"{" * 5000])
def test_a_malformed_patch_is_refused(still: Door, kind: str, body: bytes) -> None:
    path = f"{still.url}{MAPS}/kube-root-ca.crt"
    answer = httpx.patch(path, content=body, headers={"content-type": f"application/{kind}+json"})
    refused(answer, 400, "BadRequest")


def test_yaml_that_unfolds_for_ever_is_refused(still: Door) -> None:
    lines = ["a: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"b{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    answer = httpx.post(still.url + MAPS, content="\n".join(lines), headers={"content-type": "application/yaml"})
    assert "excessive aliasing" in refused(answer, 400, "BadRequest")


UNKNOWN = "the object provided is unrecognized (must be of type ConfigMap): "
DEEP_JSON = "couldn't get version/kind; json parse error: exceeded max depth"
DEEP_YAML = "error converting YAML to JSON: yaml: exceeded max depth of 10000"
BRACKETS = f"({'5b' * 30} ...)"


@pytest.mark.parametrize(
    "body", [b"[" * 50_000, b"[" * 101 + b"]" * 101, b"- " * 50_000, b"? -  " * 20_000, b"{a: " * 20_000]
)
def test_yaml_without_a_bottom_is_refused(still: Door, body: bytes) -> None:
    answer = httpx.post(still.url + MAPS, content=body, headers={"content-type": "application/yaml"})
    assert refused(answer, 400, "BadRequest").startswith(UNKNOWN + DEEP_YAML)
    path, media = f"{still.url}{MAPS}/kube-root-ca.crt", "application/apply-patch+yaml"
    answer = httpx.patch(path, params={"fieldManager": "me"}, content=body, headers={"content-type": media})
    assert refused(answer, 400, "BadRequest") == f"error decoding YAML: {DEEP_YAML}"
    assert httpx.get(path).status_code == 200


@pytest.mark.parametrize("many", [101, 500, 50_000])
def test_json_without_a_bottom_is_refused(still: Door, many: int) -> None:
    body = b"[" * many + b"]" * many
    answer = httpx.post(still.url + MAPS, content=body, headers={"content-type": "application/json"})
    assert refused(answer, 400, "BadRequest") == f"{UNKNOWN}{DEEP_JSON} {BRACKETS}"
    for kind, before in (("merge-patch", "error decoding patch: "), ("strategic-merge-patch", "")):
        media = f"application/{kind}+json"
        answer = httpx.patch(f"{still.url}{MAPS}/kube-root-ca.crt", content=body, headers={"content-type": media})
        assert refused(answer, 400, "BadRequest") == f"{before}exceeded max depth"


def test_a_patch_of_too_many_operations_is_too_large(still: Door) -> None:
    body = json.dumps([{"op": "test", "path": "/kind", "value": "ConfigMap"}] * 10_001)
    media = {"content-type": "application/json-patch+json"}
    answer = httpx.patch(f"{still.url}{MAPS}/kube-root-ca.crt", content=body, headers=media)
    told = refused(answer, 413, "RequestEntityTooLarge")
    assert told.endswith("The allowed maximum operations in a JSON patch is 10000, got 10001")


@pytest.mark.parametrize(
    "body",
    [b"", b"k8s", b"k8s\0", b"k8s\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", b"k8s\0\x0a\x7f", b"k8s\0\x00\x00",
     b"k8s\0\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12\x04\x0a\x7f\x01\x02", b"not protobuf at all", b"k8s\0\x0b\x0c",
     b"k8s\0\x0a\x08\x0a\x02v1\x12\x02No\x12\x00"],
)  # fmt: skip
def test_malformed_protobuf_is_a_bad_request(still: Door, body: bytes) -> None:
    answer = httpx.post(still.url + MAPS, content=body, headers={"content-type": PROTOBUF})
    refused(answer, 400, "BadRequest")


def test_unknown_media_types_are_refused(still: Door) -> None:
    answer = httpx.post(still.url + MAPS, content=b"a=b", headers={"content-type": "text/plain"})
    assert "accepted media types include: application/json" in refused(answer, 415, "UnsupportedMediaType")
    answer = httpx.patch(f"{still.url}{MAPS}/x", content=b"{}", headers={"content-type": "application/json"})
    assert "application/apply-patch+yaml" in refused(answer, 415, "UnsupportedMediaType")
    answer = httpx.get(still.url + MAPS, headers={"accept": "text/html"})
    assert "only the following media types are accepted" in refused(answer, 406, "NotAcceptable")


PATHS = [
    "/nope",
    "/api/v2",
    "/api/v1/nope",
    "/apis/nope",
    "/apis/apps/v9/deployments",
    "/api/v1/namespaces/a/b/c/d/e/f",
    "/api/v1/../../etc/passwd",
    "/api/v1/namespaces/..%2f..%2fetc/pods/x",
    "/../../../etc/passwd",
    "/%2e%2e/%2e%2e/etc",
    "/api/v1/namespaces/default/pods/..%2f..%2fsecrets",
    "/api/v1/namespaces/default/pods/%00",
    "//api//v1",
    "/openapi/v3/../../x",
    "/static/index.html",
    "/api/v1/namespaces/default/pods/x/nope",
    "/metrics",
    "/submit",
    "/status",
    "/api/v1/nodes/kind-worker/proxy/logs/../../x",
    "/api/v1/namespaces/default/pods/" + "x" * 5000,
]


@pytest.mark.parametrize("path", PATHS, ids=range(len(PATHS)))
def test_an_unknown_path_is_not_found(still: Door, path: str) -> None:
    answer = raw(still, f"GET {path} HTTP/1.1".encode())
    code, body = int(answer.split(b" ")[1]), answer.partition(b"\r\n\r\n")[2]
    assert code in (404, 405)
    status = json.loads(body)
    assert (status["kind"], status["status"]) == ("Status", "Failure")
    assert b"root:" not in answer


def raw(place: Door, first: bytes, *headers: bytes, body: bytes = b"") -> bytes:
    """The answer to a request that no client would send."""
    host, port = place.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=600) as connection:
        lines = (first, b"Host: 127.0.0.1", b"Connection: close", *headers, b"", body)
        connection.sendall(b"\r\n".join(lines))
        found = b""
        while piece := connection.recv(65536):
            found += piece
    return found


def test_methods_that_make_no_sense_are_refused(still: Door) -> None:
    for method, path in (("POST", f"{MAPS}/x"), ("PUT", MAPS), ("PATCH", MAPS), ("OPTIONS", MAPS), ("TRACE", MAPS),
                         ("POST", "/version"), ("DELETE", "/api"), ("POST", "/api/v1/configmaps")):  # fmt: skip
        headers = {"content-type": "application/merge-patch+json"} if method == "PATCH" else {}
        refused(httpx.request(method, still.url + path, headers=headers), 405, "MethodNotAllowed")
    assert raw(still, b"BREW /api/v1/pods HTTP/1.1").startswith(b"HTTP/1.1 405")


@pytest.mark.parametrize(
    ("query", "code"),
    [("resourceVersion=x", 400), ("resourceVersion=99999999", 504), ("limit=x", 400), ("labelSelector=a%20b%20c", 400),
     ("fieldSelector=a.b=c", 400), ("limit=1&continue=zzz", 400), ("watch=true&resourceVersion=-1", 400),
     ("labelSelector=" + "a," * 3000, 400)],
)  # fmt: skip
def test_a_query_that_makes_no_sense_is_refused(still: Door, query: str, code: int) -> None:
    refused(httpx.get(f"{still.url}{MAPS}?{query}"), code, "BadRequest" if code == 400 else "Timeout")


def test_a_page_from_elsewhere_reaches_nothing(still: Door) -> None:
    refused(httpx.get(f"{still.url}/api/v1/pods", headers={"host": "evil.example"}), 403, "Forbidden")
    refused(httpx.get(f"{still.url}/api/v1/pods", headers={"origin": "https://evil.example"}), 403, "Forbidden")


def test_half_open_connections_do_not_stand_in_the_way(still: Door) -> None:
    host, port = still.url.removeprefix("http://").split(":")
    silent = []
    try:
        for number in range(60):
            connection = socket.create_connection((host, int(port)))
            connection.sendall(
                (b"", b"GET /api/v1/pods HT", b"POST /api/v1/x HTTP/1.1\r\nContent-Length: 9\r\n\r\n{")[number % 3]
            )
            silent.append(connection)
        assert httpx.get(f"{still.url}/version", timeout=600).json()["minor"] == "32"
    finally:
        for connection in silent:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()  # with a reset
    assert httpx.get(f"{still.url}/healthz").text == "ok"


@pytest.mark.parametrize(
    "begun", [b"", b"GET /api/v1/pods HT", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /"]
)
def test_a_request_that_never_ends_is_hung_up_on(still: Door, monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    monkeypatch.setattr(Patient, "patience", 0.1)
    host, port = still.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=600) as connection:
        connection.sendall(begun)
        with suppress(ConnectionResetError):
            while connection.recv(4096):
                pass


def test_a_watcher_that_leaves_is_forgotten(opened: Door) -> None:
    for _ in range(5):
        with httpx.stream("GET", f"{opened.url}{MAPS}?watch=true") as answer:
            next(answer.iter_lines())
    for _ in range(200):  # a server may hear of a broken connection later than of the next request
        opened.advance(1)
        httpx.get(f"{opened.url}/healthz")
        if not opened.keeper.watched:
            break
    assert opened.keeper.watched == 0


@pytest.mark.parametrize("rounds", [1_000, pytest.param(4_000, marks=pytest.mark.full)])
def test_memory_stays_flat_over_many_requests(opened: Door, rounds: int) -> None:
    opened.clock.speed = 0
    where = f"{opened.url}{MAPS}/kube-root-ca.crt"
    kind = {"content-type": "application/merge-patch+json"}
    with httpx.Client() as client:

        def knock(times: int) -> None:
            for number in range(times):
                match number % 6:
                    case 0:
                        client.patch(
                            where, content=json.dumps({"metadata": {"labels": {"n": str(number)}}}), headers=kind
                        )
                    case 1:
                        client.get(f"{opened.url}/api/v1/namespaces/{NAMESPACE}/pods")
                    case 2:
                        client.get(f"{opened.url}/nope{number}")
                    case 3:
                        client.post(f"{opened.url}{MAPS}", content=b"{bad")
                    case 4:
                        client.get(f"{opened.url}{MAPS}?labelSelector=n={number}")
                    case _:
                        client.get(f"{opened.url}/api/v1/events?limit=5", headers={"accept": "application/json"})

        knock(1_500)  # caches and the watch history fill up
        before = memory()
        knock(rounds)
    gc.collect()
    assert memory() - before < 12_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0


def memory() -> int:
    """Bytes of this process that are in memory."""
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize()


def test_nothing_served_names_the_problem(still: Door) -> None:
    words = re.compile(rf"{PROBLEM}|revoke.?auth|mitigation|fault|problem|aiops|seed", re.IGNORECASE)
    groups = [
        f"/apis/{g['name']}/{v['version']}"
        for g in httpx.get(f"{still.url}/apis").json()["groups"]
        for v in g["versions"]
    ]
    for root in ("/api/v1", *groups):
        for row in httpx.get(still.url + root).json()["resources"]:
            if "list" in row["verbs"]:
                text = httpx.get(f"{still.url}{root}/{row['name']}").text.replace("node-problem-detector", "")
                assert not [m for m in words.findall(text) if m.lower() != "fault"], (root, row["name"])
    assert not words.search(Path(still).read_text())
    assert "server" not in httpx.get(f"{still.url}/version").headers


@pytest.mark.parametrize("origin", ["http://localhost:9999", "http://127.0.0.1:1", "null", "https://{host}", "{host}"])
def test_a_page_of_another_address_of_this_machine_reaches_nothing(still: Door, origin: str) -> None:
    headers = {"origin": origin.format(host=still.url.removeprefix("http://"))}
    refused(httpx.get(f"{still.url}/api/v1/pods", headers=headers), 403, "Forbidden")
    refused(httpx.post(f"{still.url}{MAPS}", headers=headers, content=b"{}"), 403, "Forbidden")


def test_clients_without_an_origin_and_pages_of_ones_own_come_in(still: Door) -> None:
    port = still.url.rpartition(":")[2]
    for headers in ({}, {"origin": still.url}, {"host": f"localhost:{port}", "origin": f"http://localhost:{port}"},
                    {"host": "localhost:9999"}, {"sec-fetch-site": "none"}):  # fmt: skip
        assert httpx.get(f"{still.url}/api/v1/pods?limit=1", headers=headers).status_code == 200
    for headers in ({"host": f"127.0.0.1.evil.example:{port}"}, {"host": ""}, {"sec-fetch-site": "same-site"}):
        assert httpx.get(f"{still.url}/api/v1/pods?limit=1", headers=headers).status_code == 403
