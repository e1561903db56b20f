"""Commands of the host: their words, and the cluster's clock in them."""

from __future__ import annotations

import pytest

from aiops_gym.sim.machine.executables.peer import Link
from aiops_gym.sim.machine.program import HttpAnswer


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        ("date", "Mon Mar  2 09:00:00 UTC 2026\n"),
        ("date -u +%FT%TZ", "2026-03-02T09:00:00Z\n"),
        ("date -d '5 minutes ago' +%T", "08:55:00\n"),
        ("date -d '-2 hours' +%H:%M", "07:00\n"),
        ("date -d '2024-05-01 10:00 +5 minutes' '+%F %T'", "2024-05-01 05:01:00\n"),
        ("date -d '2024-01-31 +1 month' +%F", "2024-03-02\n"),
        ("date -d @1714557600 -Iseconds", "2024-05-01T10:00:00+00:00\n"),
        ("date --date='2024-05-01T10:00:00+02:00' +%s", "1714550400\n"),
        ("date -d yesterday +%A; date -d 'Jan 5 2025' +%j; date -d '3 May 2024 5pm' +%H", "Sunday\n005\n17\n"),
        ("date +'%-d %e %k %l %p %y %N %Z %z %% %q'", "2  2  9  9 AM 26 000000000 UTC +0000 % %q\n".replace("%q", "1")),
        ("sleep 20; date +%T", "09:00:20\n"),
        ("hostname; whoami; id -u; uname -sr; nproc >/dev/null", "kind-control-plane\nroot\n0\nLinux 6.1.0-28-amd64\n"),
        ("head -1 /etc/os-release", 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n'),
        ("echo abc > f; ls -l f", "-rw-r--r-- 1 root root 4 Mar  2 09:00 f\n"),
        ("echo abc > f; stat -c '%n %s %a %Y' f", "f 4 644 1772442000\n"),
        ("mkdir -p d/e; touch d/b d/.c; ls d; ls -A d; ls -d d; ls -F d", "b\ne\n.c\nb\ne\nd\nb\ne/\n"),
        ("mkdir -p d/e; touch d/b; ls -1R d", "d:\nb\ne\n\nd/e:\n"),
    ],
)
def test_what_a_command_prints(shell, script, stdout):
    assert shell.run(script).output == stdout


@pytest.mark.parametrize(
    ("script", "stderr", "code"),
    [
        ("date -d gestern", "date: invalid date ‘gestern’\n", 1),
        ("sleep x", "sleep: invalid time interval ‘x’\nTry 'sleep --help' for more information.\n", 1),
        ("ls /nope", "ls: cannot access '/nope': No such file or directory\n", 2),
        ("stat /nope", "stat: cannot statx '/nope': No such file or directory\n", 1),
        ("docker ps", "bash: line 1: docker: command not found\n", 127),
        ("mktemp a.X", "mktemp: too few X's in template ‘a.X’\n", 1),
        ("timeout 1 nope", "timeout: failed to run command ‘nope’: No such file or directory\n", 127),
        ("set -u; echo $NOPE", "bash: line 1: NOPE: unbound variable\n", 127),
        ("top", "top: failed tty get\n", 1),
    ],
)
def test_what_a_command_says_when_it_fails(shell, script, stderr, code):
    result = shell.run(script)
    assert (result.output, result.code) == (stderr, code)


def test_times_of_files_are_the_clusters(shell):
    shell.run("echo a > /tmp/a")
    shell.run("sleep 25")
    shell.run("sleep 25")
    shell.run("sleep 25; echo b > /tmp/b")
    assert shell.run("ls -lt --time-style=+%T /tmp").stdout == (
        "total 8\n-rw-r--r-- 1 root root 2 09:01:15 b\n-rw-r--r-- 1 root root 2 09:00:00 a\n"
    )


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        ("""echo '{"a":[1,2]}' | python3 -c 'import sys,json; d=json.load(sys.stdin); print(len(d["a"]))'""", "2\n"),
        ("printf 'a\\nb\\n' | python3 -c 'import sys\nfor l in sys.stdin: print(l.strip().upper())'", "A\nB\n"),
        ("echo '{\"b\":1}' | python3 -m json.tool", '{\n    "b": 1\n}\n'),
        ("python3 --version", "Python 3.11.2\n"),
        ("echo 'print(1+1)' > x.py; python3 x.py; echo 'print(3)' | python3 -", "2\n3\n"),
    ],
)
def test_the_python_that_people_put_into_pipes_works(shell, script, stdout):
    assert shell.run(script).output == stdout


def test_other_python_says_what_it_lacks(shell):
    assert "No module named" in shell.run("python3 -m http.server").stderr
    assert shell.run("python3 -c 'import subprocess'").code != 0


class Toy:
    """One web server at 10.96.0.5:80, and a host that drops packets."""

    def resolve(self, host):
        return [host] if host[0].isdigit() else []

    def ask(self, server, host):
        return {"10.96.0.10": ["10.96.0.5"]}.get(server)

    def link(self, host, port):
        if not self.resolve(host):
            return Link("no_host")
        known = (
            "timeout" if host == "10.0.0.9" else "ok" if (host, port) in (("10.96.0.5", 80), ("10.96.0.5", 0)) else ""
        )
        return Link(known or "refused", host, loss=1.0 if host == "10.0.0.9" else 0.0)

    def talk(self, host, port, text):
        return f"you said {text}"

    def http(self, method, host, port, path, body=""):
        return HttpAnswer(200 if path == "/" else 404, f"{method} {path}\n", seconds=0.25)


@pytest.mark.parametrize(
    ("script", "output"),
    [
        ("curl -s http://10.96.0.5/", "GET /\n"),
        ("curl -s -o /dev/null -w '%{http_code}\\n' 10.96.0.5/nope", "404\n"),
        ("curl -sS web:8080; echo $?", "curl: (6) Could not resolve host: web\n6\n"),
        ("curl -s 10.96.0.5:81; echo $?", "7\n"),
        ("curl -sf 10.96.0.5/nope; echo $?", "22\n"),
        ("curl -s -X POST -d x 10.96.0.5 -i | head -1", "HTTP/1.1 200 OK\r\n"),
        ("curl -s -m 3 10.0.0.9; echo $?; date +%T.%1N", "28\n09:00:03.3\n"),
        ("wget -qO- 10.96.0.5; wget -q 10.96.0.5/ && cat index.html", "GET /\nGET /\n"),
        ("nc -zv 10.96.0.5 80", "Connection to 10.96.0.5 80 port [tcp/*] succeeded!\n"),
        ("nc -z -w 2 10.0.0.9 80; echo $?", "1\n"),
        ("dig +short web; host web", "Host web not found: 3(NXDOMAIN)\n"),
        ("dig +short web @10.96.0.10; nslookup web 10.96.0.10 | tail -2", "10.96.0.5\nAddress: 10.96.0.5\n\n"),
        (
            "host web 10.96.0.10; dig web @10.96.0.9 >/dev/null; echo $?; date +%T",
            "web has address 10.96.0.5\n9\n09:00:15\n",
        ),
        (
            "ping -c 3 -q 10.0.0.9 | grep loss; date +%T",
            "3 packets transmitted, 0 received, 100% packet loss, time 2000ms\n09:00:12\n",
        ),
        ("ping -c 2 -i 5 10.96.0.5 | grep -c ttl=; date +%T", "2\n09:00:05\n"),
        ("timeout 3 ping 10.96.0.5 | grep -c ttl=", "3\n"),
        ("echo stats | nc 10.96.0.5 80", "you said stats\n"),
        ("curl -s -w '%{http_code} %{exitcode} %{time_total}\\n' -m 2 10.0.0.9", "000 28 2.000000\n"),
        ("curl --nope 2>&1 | head -1", "curl: option --nope: is unknown\n"),
        ("curl -sI 10.96.0.5 | head -1; curl -sO 10.96.0.5/x; cat x", "HTTP/1.1 200 OK\r\nGET /x\n"),
        ("ping -c 1 web", "ping: web: Name or service not known\n"),
    ],
)
def test_the_network_is_the_clusters(new_shell, script, output):
    result = new_shell(network=Toy()).run(script)
    assert result.output == output


def test_without_a_network_nothing_resolves(shell):
    assert shell.run("curl -s 10.96.0.5").code == 6
    assert "NXDOMAIN" in shell.run("nslookup web").stdout
