"""Nothing in the shell follows the host: not its clock, its names, its environment, nor the interpreter's own ones."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aiops_gym.shell import calls, utilities

PLAYER = Path(__file__).with_name("play_outward.py")


def start(**env: str) -> subprocess.Popen[str]:
    home = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "SYSTEMROOT") if name in os.environ}
    return subprocess.Popen([sys.executable, str(PLAYER)], stdout=subprocess.PIPE, text=True, env={**home, **env})


@pytest.fixture(scope="module")
def played() -> list[tuple[str, str, str]]:
    """(script, what one process printed, what another did), in two places of the world, a second apart."""
    one = start(HOME="/nowhere", USER="somebody", TZ="Asia/Seoul", LANG="ko_KR.UTF-8", PYTHONHASHSEED="1")
    time.sleep(1.1)
    two = start(HOME="/elsewhere", USER="else", TZ="America/Lima", LANG="C", HOSTNAME="other", PYTHONHASHSEED="2")
    first, second = (json.loads(each.communicate(timeout=600)[0]) for each in (one, two))
    return [(script, a, b) for (script, a), (_, b) in zip(first, second, strict=True)]


def test_two_hosts_give_the_same_bytes(played):
    assert len(played) > 15
    assert [(script, a, b) for script, a, b in played if a != b] == []


def test_nothing_names_the_host_or_the_interpreter(played):
    words = re.compile(r"bashkit|monty|sandbox|somebody|nowhere|(?<!: )\b1000\b", re.IGNORECASE)
    found = [(script, words.findall(a)) for script, a, _ in played if "bzip2" not in script]
    assert [(script, hits) for script, hits in found if hits] == []


def test_an_archive_has_the_clusters_time_and_owner(shell):
    shell.run("mkdir -p d/e; echo one > d/one; echo two > d/e/two; echo three > d/three")
    shell.run("sleep 100", 200)
    packed = "tar cvf a.tar d; tar tf a.tar; tar xf a.tar -C /tmp; cat /tmp/d/e/two"
    run = shell.run(f"{packed}; xxd -s 108 -l 40 -c 40 -p a.tar")
    names = "d/e/two\nd/one\nd/three\n"
    assert run.output.startswith(names * 2 + "two\n")
    header = bytes.fromhex("".join(run.output.splitlines()[7:]))
    assert header[:16] == b"0000000\x000000000\x00"
    assert int(header[28:39], 8) == int(shell.cluster.now()) - 100


@pytest.mark.parametrize(
    ("script", "output"),
    [
        ('n=5; printf -v x "%${n}s|" a; echo "[$x]"', "[    a|]\n"),
        ("printf -v x '%*s' 3 z; echo \"[$x]\"", "[  z]\n"),
        ("f() { local q; printf -v q '%0*d' 5 42; echo $q; }; f", "00042\n"),
        ('n=2; printf -v x "%${n}s\\n" a; echo "[$x]"', "[ a\n]\n"),
    ],
)
def test_a_variable_is_printed_to_with_a_width_that_is_worked_out(shell, script, output):
    assert shell.run(script).output == output


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ('n=9999; printf -v x "%${n}s" $(seq 100000); echo ${#x}', "Cannot allocate memory"),
        ("x=xxd; $x -c 99999999 /etc/hosts | wc -c", "invalid number of columns"),
        ("seq 100000 | nl -w 9999 | wc -c", "memory exhausted"),
        ('column -t -o "$(head -c 100000 /dev/zero | tr "\\0" a)" <(seq 10000 | xargs -n 5)', "Cannot allocate"),
    ],
)
def test_what_would_fill_the_memory_is_refused(shell, script, words):
    assert words in shell.run(script).output


@pytest.mark.parametrize(
    "script", ["while :; do echo $((++i)); ls -lR / > /dev/null; done", "du -a $(yes / | head -2000)"]
)
def test_what_commands_of_ours_do_is_counted(new_shell, script, monkeypatch):
    for module in (calls, utilities):
        monkeypatch.setattr(module, "MOST_UNITS", 200_000)
    one, two = (new_shell(3).run(f"{script}; echo done") for _ in range(2))
    assert (one.limit, one.code) == ("commands", 124)
    assert one == two
    assert "done" not in one.output


def test_the_usual_loop_of_commands_has_room(shell):
    run = shell.run("for i in $(seq 300); do ls -l /etc; date; kubectl get pods; done | wc -l", 900)
    assert (run.code, run.limit) == (0, "")
