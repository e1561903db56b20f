"""What the real kubectl and helm do at length: a terminal, an editor, folders, what a container goes on printing."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from knocking import NAMESPACE, Kubectl, write

from aiops_gym.serve import Door

NS = ("-n", NAMESPACE)
FRONTEND = "deploy/frontend"
CHART = {
    "Chart.yaml": "apiVersion: v2\nname: note\nversion: 0.1.0\n",
    "values.yaml": "text: first\n",
    "templates/note.yaml": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\ndata:\n  text: {{ .Values.text }}\n"
    ),
}


def settings(place: Door, home: Path, **more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), "KUBECONFIG": str(place), "TERM": "xterm", **more}


def seen_until(terminal: int, text: str) -> str:
    found = ""
    while text not in found:
        found += os.read(terminal, 4096).decode()
    return found


def test_an_interrupt_ends_the_command_and_not_the_session(still: Door, kubectl: Kubectl, tmp_path: Path) -> None:
    kubectl(still, "version", "--client")  # skips where there is none
    ours, theirs = pty.openpty()
    line, env = ["kubectl", "exec", "-it", FRONTEND, *NS, "--", "sh"], settings(still, tmp_path)
    with subprocess.Popen(line, stdin=theirs, stdout=theirs, stderr=theirs, env=env, start_new_session=True) as running:
        os.close(theirs)
        seen_until(ours, "# ")
        os.write(ours, b"sleep 600\r")
        seen_until(ours, "sleep 600\r\n")
        os.write(ours, b"\x03")
        seen_until(ours, "# ")
        os.write(ours, b"echo still$((1))\r")
        assert "still1" in seen_until(ours, "still1\r\n")
        os.write(ours, b"exit 4\r")
        assert running.wait(timeout=600) == 4
    os.close(ours)


def test_who_is_attached_sees_what_is_printed_until_the_container_ends(
    opened: Door, kubectl: Kubectl, tmp_path: Path
) -> None:
    words = ("--restart=Never", "--image=busybox:1.36", "--", "sh", "-c", "while true; do echo tick; sleep 5; done")
    assert kubectl(opened, "run", "clock", *NS, *words).code == 0
    assert kubectl(opened, "wait", "--for=condition=Ready", "pod/clock", *NS, "--timeout=60s").code == 0
    line = ["env", "--default-signal=INT", "kubectl", "attach", "clock", *NS]  # the suite may run in the background
    with subprocess.Popen(line, env=settings(opened, tmp_path), stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert [running.stdout.readline() for _ in range(3)] == ["tick\n"] * 3
        running.send_signal(signal.SIGINT)
        running.wait(timeout=600)
    assert kubectl(opened, "get", "pod", "clock", *NS, "-o", "jsonpath={.status.phase}").out == "Running"
    assert "container nope not found in pod clock" in kubectl(opened, "attach", "clock", "-c", "nope", *NS).err


def test_an_editor_changes_an_object_or_nothing(opened: Door, kubectl: Kubectl) -> None:
    edited = kubectl(opened, "edit", FRONTEND, *NS, KUBE_EDITOR="sed -i s/replicas:.1/replicas:\\ 2/")
    assert edited.out == "deployment.apps/frontend edited\n"
    assert kubectl(opened, "get", FRONTEND, *NS, "-o", "jsonpath={.spec.replicas}").out == "2"
    assert kubectl(opened, "edit", FRONTEND, *NS, KUBE_EDITOR="true").err == "Edit cancelled, no changes made.\n"
    wrong = kubectl(opened, "edit", FRONTEND, *NS, KUBE_EDITOR="sed -i s/replicas:.2/replicas:\\ many/")
    assert wrong.code == 1 and 'deployments.apps "frontend" is invalid' in wrong.err


def test_folders_are_copied_both_ways(opened: Door, kubectl: Kubectl, tmp_path: Path) -> None:
    (tmp_path / "sent" / "in").mkdir(parents=True)
    write(tmp_path / "sent", "a", "1\n")
    write(tmp_path / "sent" / "in", "b", "2\n")
    name = kubectl(opened, "get", "pods", "-l", "io.kompose.service=frontend", *NS, "-o", "name").out.split()[0][4:]
    assert kubectl(opened, "cp", str(tmp_path / "sent"), f"{name}:/tmp/there", *NS).code == 0
    assert kubectl(opened, "exec", name, *NS, "--", "cat", "/tmp/there/a", "/tmp/there/in/b").out == "1\n2\n"
    assert kubectl(opened, "cp", f"{name}:/tmp/there", str(tmp_path / "back"), *NS).code == 0
    back = {str(path.relative_to(tmp_path / "back")): path.read_text() for path in (tmp_path / "back").rglob("?")}
    assert back == {"a": "1\n", "in/b": "2\n"}


def test_the_real_helm_installs_upgrades_rolls_back_and_uninstalls(
    opened: Door, kubectl: Kubectl, tmp_path: Path
) -> None:
    program = shutil.which("helm")
    if program is None:
        pytest.skip("no helm here")
    for path, text in CHART.items():
        (tmp_path / "note" / path).parent.mkdir(parents=True, exist_ok=True)
        write(tmp_path / "note", path, text)

    def helm(*words: str) -> str:
        line, env = [program, *words, *NS], settings(opened, tmp_path)
        return subprocess.run(
            line, env=env, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=600
        ).stdout

    def text() -> str:
        return kubectl(opened, "get", "configmap", "mine", *NS, "-o", "jsonpath={.data.text}").out

    assert "STATUS: deployed\nREVISION: 1\n" in helm("install", "mine", "note")
    assert text() == "first"
    assert "REVISION: 2\n" in helm("upgrade", "mine", "note", "--set", "text=second")
    assert text() == "second"
    assert "Rollback was a success" in helm("rollback", "mine", "1")
    assert text() == "first"
    told = [line.split("\t") for line in helm("history", "mine").splitlines()]
    assert [row[-1].strip() for row in told[1:]] == ["Install complete", "Upgrade complete", "Rollback to 1"]
    assert helm("uninstall", "mine") == 'release "mine" uninstalled\n'
    assert text() == "" and "mine" not in helm("list")
