"""Commands inside containers: the image's files and tools, not those of the host."""

from __future__ import annotations

import re

import pytest
from container_worlds import START, world_with

from aiops_gym.shell.engine import borrow_engine
from aiops_gym.shell.sandbox import Sandbox
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import handle
from aiops_gym.sim.machine.scripts.inside import execute
from aiops_gym.types import Timed


class WorldCluster:
    """A world as a cluster."""

    def __init__(self, world: World) -> None:
        self.world = world

    def handle(self, request):
        return handle(self.world, request)

    def now(self) -> float:
        return self.world.now / 1000

    def wait(self, seconds: float) -> bool:
        self.world.run(round(seconds * 1000))
        return True


@pytest.fixture
def world() -> World:
    return world_with("app:1")


def run(world, *argv, stdin=""):
    return execute(world, "shop/web-1", "app", list(argv), stdin)


def test_files_of_the_image_can_be_read(world):
    assert run(world, "cat", "/etc/app.conf") == ("port = 1\nhost = db\n", "", 0)
    assert (
        run(world, "sh", "-c", "grep -c = /etc/app.conf | tr 2 3; pwd; cat /etc/hostname").stdout
        == "3\n/srv/app\nweb-1\n"
    )
    assert run(world, "sh", "/scripts/run.sh", "x").stdout == "run x\n"
    assert run(world, "cat", "/etc/os-release").code == 1


def test_the_environment_is_that_of_the_process(world):
    assert run(world, "printenv", "MODE").stdout == "it's on\n"
    env = run(world, "env").stdout
    assert "PORT=1\n" in env
    assert "KUBECONFIG" not in env
    assert "LOGNAME" not in env


def test_the_tools_of_the_host_are_not_there(world):
    assert run(world, "sh", "-c", "kubectl get pods; jq .; echo $?") == (
        "127\n",
        "sh: 1: kubectl: not found\nsh: 1: jq: not found\n",
        0,
    )
    missing = run(world, "kubectl", "get")
    assert missing.code == 126
    assert 'exec: "kubectl": executable file not found in $PATH' in missing.stderr
    assert "stat /bin/nope: no such file" in run(world, "/bin/nope").stderr


def test_an_image_without_a_shell_has_none():
    world = world_with("bare:1")
    assert 'exec: "sh": executable file not found in $PATH' in run(world, "sh", "-c", "ls").stderr
    assert run(world, "ls").code == 126


def test_small_tools_of_the_image_answer_in_a_shell_too(world):
    assert "app" in run(world, "ps").stdout
    assert run(world, "sh", "-c", "ps | wc -l").stdout.strip() == "3"


def test_standard_input_reaches_the_command(world):
    assert run(world, "cat", stdin="a\nb\n").stdout == "a\nb\n"
    assert run(world, "sh", "-c", "grep b | wc -l", stdin="a\nb\n").stdout == "1\n"


def test_what_is_written_lives_as_long_as_the_container(world):
    assert run(world, "sh", "-c", "echo x > /tmp/a; rm /etc/app.conf").code == 0
    assert run(world, "cat", "/tmp/a").stdout == "x\n"
    assert run(world, "cat", "/etc/app.conf").code == 1
    twin = world.fork()
    run(twin, "sh", "-c", "echo y > /tmp/a")
    assert run(world, "cat", "/tmp/a").stdout == "x\n"
    row = world.table("processes")["u1/app"]
    world.table("processes")["u1/app"] = {**row, "id": "cd" * 32, "attempt": 1}
    assert run(world, "cat", "/tmp/a", "/etc/app.conf").stdout == "port = 1\nhost = db\n"


def test_reading_writes_nothing(world):
    before = {name: dict(table) for name, table in world.tables.items() if table}
    run(world, "sh", "-c", "ls -la /; cat /etc/app.conf | sort; echo $RANDOM; date")
    assert {name: dict(table) for name, table in world.tables.items() if table} == before


def test_waiting_inside_moves_no_world_and_ends(world):
    result = run(world, "sh", "-c", "while true; do echo x; sleep 10; done")
    assert isinstance(result, Timed)
    assert result.until(25.0) == "x\nx\nx\n"
    assert world.now == START


def test_it_can_be_called_from_a_running_script(world, shell):
    shell.commands["kubectl"] = lambda context, argv: run(world, "sh", "-c", argv[-1], stdin=context.stdin)
    script = "for i in 1 2; do echo in$i | kubectl exec 'cat; hostname; echo [$i]' | tr a-z A-Z; done"
    assert shell.run(script).stdout == "IN1\nWEB-1\n[]\nIN2\nWEB-1\n[]\n"
    with borrow_engine(shell.names | {"__special"}):
        assert run(world, "sh", "-c", "echo nested").stdout == "nested\n"


def test_a_container_that_is_gone_runs_nothing(world):
    assert execute(world, "shop/other", "app", ["ls"]).code == 126
    assert execute(world, "shop/web-1", "app", []).code == 126


def test_a_command_that_is_not_in_the_image_ends_kubectl_as_a_real_cluster_does(world):
    pod = world.store.by_key("pods", "shop/web-1")
    running = {"name": "app", "state": {"running": {"startedAt": "2026-03-02T09:00:00Z"}}}
    world.store.put("pods", Obj({**pod, "status": {"phase": "Running", "containerStatuses": [running]}}))
    result = Sandbox(WorldCluster(world), 1).run("kubectl -n shop exec web-1 -- foo --help")
    assert re.fullmatch(
        r"error: Internal error occurred: Internal error occurred: error executing command in container: "
        r'failed to exec in container: failed to start exec "[0-9a-f]{64}": OCI runtime exec failed: '
        r'exec failed: unable to start container process: exec: "foo": executable file not found in \$PATH: unknown\n',
        result.output,
    )
    assert result.code == 1
