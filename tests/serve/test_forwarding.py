"""`kubectl port-forward` through the door: what listens in a pod is reached, by the real kubectl and in channels."""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
import websocket
from hypothesis import given
from hypothesis import strategies as st
from knocking import NAMESPACE
from kubernetes.client import CoreV1Api
from kubernetes.config import new_client_from_config
from kubernetes.stream import portforward

from aiops_gym.serve import Door
from aiops_gym.serve.forwarding import TUNNEL
from aiops_gym.serve.spdy import Data, Frames, Opened, Ping, SpdyError


@contextmanager
def forwarded(place: Door, *words: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """A port on this machine that leads into the cluster, and the kubectl that holds it open."""
    program = shutil.which("kubectl")
    if program is None:
        pytest.skip("no kubectl here")
    env = {"PATH": os.environ["PATH"], "HOME": str(place.kubeconfig.parent), "KUBECONFIG": str(place.kubeconfig)}
    line = [program, "port-forward", "-n", NAMESPACE, *words]
    with subprocess.Popen(line, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        try:
            yield int(said.split(" -> ")[0].rpartition(":")[2]), process
        finally:
            process.terminate()


def test_a_server_in_a_pod_answers_one_request_after_another(still: Door) -> None:
    with forwarded(still, "deploy/frontend", ":5000") as (port, _):
        client = http.client.HTTPConnection("127.0.0.1", port)
        for path, part in (("/", "<"), ("/recommendations?require=rate&lat=37&lon=-122", "{"), ("/nothing", "404")):
            client.request("GET", path)
            answer = client.getresponse()
            assert part in answer.read().decode(), path
        client.close()
        client.request("GET", "/")  # by a connection of its own
        assert client.getresponse().status == 200
        client.close()


def test_where_nothing_listens_the_kubelets_words_are_shown(still: Door) -> None:
    with forwarded(still, "svc/frontend", ":5000") as (port, _), socket.create_connection(("127.0.0.1", port)) as wire:
        wire.sendall(b"no HTTP\r\n\r\n")
        assert b"400" in wire.recv(100)
    with forwarded(still, "deploy/frontend", ":81") as (port, process):
        with socket.create_connection(("127.0.0.1", port)) as wire:
            wire.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert wire.recv(100) == b""
        process.wait(600)
        assert process.stderr is not None
        said = process.stderr.read()
    assert "error forwarding port 81 to pod" in said
    assert "dial tcp4 127.0.0.1:81: connect: connection refused" in said
    assert "error: lost connection to pod" in said


def test_the_python_client_reaches_a_port_by_channels(still: Door) -> None:
    api = CoreV1Api(new_client_from_config(str(still.kubeconfig)))
    pods = api.list_namespaced_pod(NAMESPACE, label_selector="io.kompose.service=frontend").items
    ways = portforward(api.connect_get_namespaced_pod_portforward, pods[0].metadata.name, NAMESPACE, ports="5000,81")
    with closing(ways), closing(ways.websocket):
        wire = ways.socket(5000)
        wire.sendall(b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n")
        assert wire.recv(1000).startswith(b"HTTP/1.1 404 ")
        assert "connect: connection refused" in ways.error(81)


TEXTS = st.text("abc-:/ 09", max_size=20)


@given(st.lists(st.dictionaries(TEXTS, TEXTS, max_size=4), max_size=5), st.binary(max_size=400), st.integers(1, 9))
def test_what_one_side_sends_the_other_reads_in_any_pieces(headers, body, size):
    here, there = Frames(), Frames()
    sent = b"".join(here.open(2 * at + 1, each) for at, each in enumerate(headers)) + here.data(1, body, ended=True)
    sent += here.pong(Ping(7))
    pieces = [sent[at : at + size] for at in range(0, len(sent), size)]
    found = [frame for piece in pieces for frame in there.read(piece)]
    opened = [Opened(2 * at + 1, each, ended=False) for at, each in enumerate(headers)]
    assert found == [*opened, Data(1, body, ended=True), Ping(7)]


@given(st.binary(min_size=8, max_size=200))
def test_noise_is_refused_or_waited_for(noise):
    try:
        list(Frames().read(noise))
    except SpdyError as error:
        assert str(error)


def tunnel(door: Door, pod: str) -> websocket.WebSocket:
    """A client that may send what it likes."""
    path = f"/api/v1/namespaces/{NAMESPACE}/pods/{pod}/portforward"
    return websocket.create_connection(door.url.replace("http", "ws", 1) + path, subprotocols=[TUNNEL], timeout=600)


def test_nonsense_ends_its_own_connection_and_nothing_else(still: Door) -> None:
    api = CoreV1Api(new_client_from_config(str(still.kubeconfig)))
    pod = api.list_namespaced_pod(NAMESPACE, label_selector="io.kompose.service=frontend").items[0].metadata.name
    frames = Frames()
    for wrong in (
        b"GET / HTTP/1.1\r\n\r\n",
        frames.open(1, {"streamtype": "data", "port": "abc"}),
        frames.open(1, {"streamtype": "data", "port": "0"}),
        b"\x80\x03\x00\x01\x00\x00\x00\x0bnot zlib at",
    ):
        with closing(tunnel(still, pod)) as wire:
            wire.send_binary(wrong)
            with pytest.raises(websocket.WebSocketConnectionClosedException):
                for _ in range(3):
                    wire.recv()
    with closing(tunnel(still, pod)) as wire:
        frames, heard = Frames(), Frames()
        wire.send_binary(frames.open(1, {"streamtype": "data", "port": "5000", "requestid": "0"}))
        wire.send_binary(frames.data(1, b"GET /nothing HTTP/1.0\r\n\r\n"))
        found = [frame for _ in range(3) for frame in heard.read(wire.recv())]
        assert any(isinstance(frame, Data) and frame.body.startswith(b"HTTP/1.1 404 ") for frame in found)
