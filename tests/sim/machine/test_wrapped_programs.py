"""A program that a shell or `env` starts in a container is the program, wherever its command line stands."""

from __future__ import annotations

import pytest

from aiops_gym.sim.kernel.blueprint import Binary, Image
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.executables import machine
from aiops_gym.sim.machine.scripts.files import Files

REPLACED = [
    ["sh", "-c", "exec memcached -m 64"],
    ["/bin/sh", "-ec", "exec memcached -m $SIZE"],
    ["sh", "-c", 'exec "$@"', "--", "memcached", "-m", "64"],
    ["sh", "-c", 'SIZE=64; exec "$0" -m "${SIZE}"', "memcached"],
    ["bash", "-c", "memcached -m 64"],
    ["bash", "-eu", "-o", "pipefail", "-c", "true; memcached -m 64"],
    ["sh", "-c", "exec sh -c 'exec memcached -m 64'"],
    ["/usr/bin/env", "memcached", "-m", "64"],
    ["env", "MORE=1", "memcached", "-m", "64"],
    ["env", "-i", "PATH=/usr/local/bin", "memcached", "-m", "64"],
    ["sh", "-c", "exec nice -n 5 memcached -m 64"],
    ["sh", "-c", "exec docker-entrypoint.sh memcached -m 64"],
]
CHILDREN = [
    ["sh", "-c", "memcached -m 64"],
    ["sh", "-c", "memcached -m 64; echo over"],
    ["sh", "-c", "memcached -m 64 & wait $!"],
    ["bash", "-c", "memcached -m 64; echo over"],
    ["sh", "-c", "sh -c 'exec memcached -m 64'; exit $?"],
]


def _run(tiny, command, **fields):
    env = [{"name": "SIZE", "value": "64"}]
    key = tiny.pod("cache-0", "memcached", command=command, env=env, **fields)
    tiny.run(2)
    return key


def _texts(tiny, key):
    return {row.pid: row.text for row in machine.rows(Container(tiny.world, key), ["ps"])[:-1]}


@pytest.mark.parametrize("command", REPLACED)
def test_a_program_in_place_of_its_shell(tiny, command):
    key = _run(tiny, command)
    row = tiny.row(key)
    assert (row["program"], row["argv"], row["ports"]) == ("memcached", ["memcached", "-m", "64"], [11211])
    assert _texts(tiny, key) == {1: "memcached -m 64"}
    runtime.signal(tiny.world, key, "TERM")
    tiny.run(5)
    assert tiny.exits == [("main", 0)]


@pytest.mark.parametrize("command", CHILDREN)
def test_a_program_as_the_child_of_a_shell(tiny, command):
    key = _run(tiny, command)
    assert (tiny.row(key)["program"], tiny.row(key)["ports"]) == ("memcached", [11211])
    texts = _texts(tiny, key)
    assert (texts.pop(1), list(texts.values())) == (" ".join(command), ["memcached -m 64"])
    proc = [Files(Container(tiny.world, key)).read(f"/proc/1/{name}") for name in ("cmdline", "comm")]
    assert tuple(proc) == ("".join(f"{word}\0" for word in command), f"{command[0]}\n")
    runtime.signal(tiny.world, key, "TERM")  # the first process takes no notice of it
    tiny.run(40)
    assert not tiny.exits and tiny.row(key)["ports"] == [11211]
    Container(tiny.world, key).exit(3)
    tiny.run(1)
    said = "over" in tiny.log(key)
    assert tiny.exits == [("main", 0 if said else 3)] and said == ("over" in command[2])
    assert not tiny.world.table("shells")


def test_a_shell_that_passes_the_signal_on(tiny):
    key = _run(tiny, ["sh", "-c", "trap 'kill -TERM $pid' TERM; memcached & pid=$!; wait $pid; wait $pid; exit 7"])
    runtime.signal(tiny.world, key, "TERM")
    tiny.run(5)
    assert tiny.exits == [("main", 7)]


def test_what_waits_in_the_background_goes_on_beside_the_program(tiny):
    key = _run(tiny, ["sh", "-c", "(sleep 5; echo later) & exec memcached"])
    assert tiny.row(key)["program"] == "memcached"
    key = tiny.pod("cache-1", "memcached", command=["sh", "-c", "(sleep 5; echo later) & memcached"])
    tiny.run(10)
    assert "later" in tiny.log(key) and tiny.row(key)["ports"] == [11211]


def test_what_is_exported_reaches_the_program(tiny):
    script = "A=1; export B=2 C=3; unset SIZE; D=4 exec env -u C E=5 memcached"
    env = tiny.row(_run(tiny, ["sh", "-c", script]))["env"]
    assert {name: env[name] for name in "ABCDE" if name in env} == {"B": "2", "D": "4", "E": "5"}
    assert "SIZE" not in env and "PATH" in env


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["sh", "-c", "exec nobody"], "sh: 1: exec: nobody: not found"),
        (["sh", "-c", "nobody"], "sh: 1: nobody: not found"),
        (["env", "nobody"], "env: 'nobody': No such file or directory"),
        (["bash", "-c", "nobody"], "bash: line 1: nobody: command not found"),
        (["bash", "-c", "exec nobody"], "bash: line 1: exec: nobody: not found"),
    ],
)
def test_a_program_that_is_not_there(tiny, command, said):
    assert tiny.log(_run(tiny, command)) == said
    assert tiny.exits == [("main", 127)]


@pytest.mark.parametrize("word", ["sh", "/bin/sh", "env", "/usr/bin/env", "bash"])
def test_an_image_without_a_shell(word):
    image = Image(entrypoint=("/app",), binaries={"app": Binary(program="idle")}, shell=False)
    found = runtime.resolve(image, {"command": [word, "-c", "exec /app"]}, {})
    why = f"stat {word}: no such file or directory" if "/" in word else "executable file not found in $PATH"
    assert found == runtime.StartError("StartError", f'{runtime.RUNC}exec: "{word}": {why}: unknown')


def test_all_end_where_memory_runs_out(tiny):
    key = _run(tiny, ["sh", "-c", "memcached; echo over"])
    Container(tiny.world, key).exit(137, "OOMKilled")
    tiny.run(2)
    assert tiny.exits == [("main", 137)] and not tiny.world.table("shells")
