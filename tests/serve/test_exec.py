"""Sessions in a container, over WebSocket."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
from collections.abc import Iterator

import pytest
from knocking import NAMESPACE, Kubectl
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from aiops_gym.serve import Door

V5, V4 = "v5.channel.k8s.io", "v4.channel.k8s.io"


def dial(place: Door, pod: str, query: str, version: str = V5) -> ClientConnection:
    where = place.url.replace("http://", "ws://")
    path = f"/api/v1/namespaces/{NAMESPACE}/pods/{pod}/exec?{query}"
    return connect(where + path, subprotocols=[version], open_timeout=600)


@pytest.fixture
def pod(still: Door) -> Iterator[str]:
    pods = still.call(lambda world: world.store.labelled("pods", NAMESPACE, {"io.kompose.service": "frontend"}))
    yield pods[0]["metadata"]["name"]


def heard(session: ClientConnection, channel: int = 1) -> str:
    """All of a channel until the end of the command."""
    parts = [message for message in session if message[0] == channel]
    return b"".join(part[1:] for part in parts).decode()


def heard_until(session: ClientConnection, text: str) -> str:
    found = ""
    while text not in found:
        found += session.recv(timeout=600)[1:].decode()
    return found


@pytest.mark.parametrize("version", [V5, V4])
def test_a_command_says_how_it_ended(still: Door, pod: str, version: str) -> None:
    with dial(still, pod, "command=sh&command=-c&command=exit+7&stdout=true&stderr=true", version) as session:
        status = json.loads(heard(session, 3))
    assert (status["status"], status["reason"]) == ("Failure", "NonZeroExitCode")
    assert status["details"]["causes"] == [{"reason": "ExitCode", "message": "7"}]


def test_version_five_closes_the_input(still: Door, pod: str) -> None:
    with dial(still, pod, "command=cat&stdin=true&stdout=true") as session:
        session.send(b"\x00one\n")
        session.send(b"\x00two\n")
        session.send(b"\xff\x00")
        assert heard(session) == "one\ntwo\n"


def test_version_four_takes_a_pause_for_the_end(still: Door, pod: str) -> None:
    with dial(still, pod, "command=cat&stdin=true&stdout=true", V4) as session:
        session.send(b"\x00one\n")
        assert heard(session) == "one\n"


def test_a_script_that_is_piped_in_runs_as_one(still: Door, kubectl: Kubectl) -> None:
    script = "x=1\nif true; then\n  echo $x\nfi\ncat <<EOF\nthere\nEOF\nexit 4\n"
    ran = kubectl(still, "exec", "-i", "deploy/frontend", "-n", NAMESPACE, "--", "sh", stdin=script)
    assert (ran.code, ran.out) == (4, "1\nthere\n")


def test_a_terminal_echoes_edits_and_keeps_its_folder(still: Door, pod: str) -> None:
    with dial(still, pod, "command=sh&stdin=true&stdout=true&tty=true") as session:
        assert heard_until(session, "# ") == "# "
        for key in b"cd /tmx\x7fp\r":
            session.send(bytes([0, key]))
        assert heard_until(session, "# ") == "cd /tmx\b \bp\r\n# "
        session.send(b"\x00nonsense\x03pwd\r")
        assert heard_until(session, "/tmp\r\n# ") == "nonsense^C\r\n# pwd\r\n/tmp\r\n# "
        session.send(b"\x00exit 3\r")
        assert json.loads(heard(session, 3))["details"]["causes"][0]["message"] == "3"


def test_a_database_shell_holds_a_dialogue(still: Door) -> None:
    (pod,) = still.call(lambda world: world.store.labelled("pods", NAMESPACE, {"io.kompose.service": "mongodb-geo"}))
    words = "&".join(f"command={word}" for word in ("mongo", "-u", "admin", "-p", "admin"))
    with dial(still, pod["metadata"]["name"], f"{words}&stdin=true&stdout=true&tty=true") as session:
        assert "MongoDB shell version" in heard_until(session, "> ")
        session.send(b"\x00use geo-db\r")
        assert heard_until(session, "db geo-db\r\n> ") == "use geo-db\r\nswitched to db geo-db\r\n> "
        session.send(b"\x00nonsense\x03db\r")
        assert heard_until(session, "geo-db\r\n> ") == "nonsense^C\r\n> db\r\ngeo-db\r\n> "
        session.send(b"\x00exit\r")
        assert json.loads(heard(session, 3))["status"] == "Success"


def test_the_real_kubectl_talks_to_a_database_in_a_terminal(still: Door, kubectl: Kubectl) -> None:
    kubectl(still, "version", "--client")  # skips where there is none
    program = shutil.which("kubectl")
    assert program is not None
    ours, theirs = pty.openpty()
    line = [program, "exec", "-it", "deploy/mongodb-geo", "-n", NAMESPACE, "--", "mongo", "--quiet"]
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "KUBECONFIG": str(still), "TERM": "xterm"}
    with subprocess.Popen(line, stdin=theirs, stdout=theirs, stderr=theirs, env=env, start_new_session=True) as running:
        os.close(theirs)
        said = seen_until(ours, "> ")
        os.write(ours, b"use geo-db\r")
        said += seen_until(ours, "geo-db\r\n> ")
        os.write(ours, b"half a line\x03")
        said += seen_until(ours, "^C\r\n> ")
        os.write(ours, b"exit\r")
        assert running.wait(timeout=600) == 0
    os.close(ours)
    assert "switched to db geo-db" in said


def seen_until(terminal: int, text: str) -> str:
    found = ""
    while text not in found:
        found += os.read(terminal, 4096).decode()
    return found


@pytest.mark.parametrize("version", ["v1.channel.k8s.io", "channel.k8s.io", "nonsense"])
def test_an_unknown_protocol_is_refused(still: Door, pod: str, version: str) -> None:
    with pytest.raises(InvalidStatus) as caught:
        dial(still, pod, "command=ls", version)
    assert json.loads(caught.value.response.body)["reason"] == "BadRequest"


@pytest.mark.parametrize(
    ("name", "query", "code"), [("nope", "command=ls", 404), ("", "command=ls", 501), (None, "", 400)]
)
def test_what_cannot_be_run_is_refused_before_the_upgrade(
    still: Door, pod: str, name: str | None, query: str, code: int
) -> None:
    with pytest.raises(InvalidStatus) as caught:
        dial(still, pod if name is None else name, query)
    assert caught.value.response.status_code == code
    assert json.loads(caught.value.response.body)["kind"] == "Status"


def test_garbage_on_the_wire_ends_the_session_only(still: Door, pod: str) -> None:
    for garbage in (b"", b"\x07nonsense", b"\x04{bad", "text", b"\xff", b"\xff\x01"):
        with dial(still, pod, "command=cat&stdin=true&stdout=true") as session:
            session.send(garbage)
            session.send(b"\x00fine\xff")
            session.send(b"\xff\x00")
            assert heard(session).startswith("fine")
