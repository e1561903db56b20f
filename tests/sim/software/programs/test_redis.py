"""A Redis server and its shell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thrift_town import PORTS, Town, name_of

from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.program import program_of
from aiops_gym.sim.software.redis import settings


@pytest.fixture
def town():
    return Town()


def cli(town, *words, stdin="", where="lines"):
    return town.exec(where, "redis-cli", *words, stdin=stdin)


def with_settings(town, text):
    """Start the server again with a file of settings."""
    row = town.row("lines")
    image = town.world.blueprint.images["lines"]
    files = {**image.files, "/etc/redis.conf": text}
    object.__setattr__(image, "files", files)
    try:
        town.stop("lines")
        spec = town.world.store.by_key("pods", row["pod"])["spec"]["containers"][0]
        pod = town.world.store.by_key("pods", row["pod"])
        runtime.start(town.world, pod, {**spec, "args": [name_of("lines"), "/etc/redis.conf"]}, row["attempt"] + 1)
        town.run(2)
    finally:
        object.__setattr__(image, "files", image.files)
    return town


def test_it_says_what_redis_says_when_it_starts(town):
    lines = [line for _, line in town.row("lines")["log"]]
    assert lines[0].startswith("1:C 02 Mar 2026 09:00:00.0") and lines[0].endswith("Redis is starting oO0OoO0OoO0Oo")
    assert "# Redis version=6.2.4, bits=64, commit=00000000, modified=0, pid=1, just started" in lines[1]
    assert lines[-1].endswith("* Ready to accept connections")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["PING"], "PONG"),
        (["ECHO", "hi"], "hi"),
        (["SET", "a", "1"], "OK"),
        (["SET", "a", "1", "XX"], ""),
        (["GET", "none"], ""),
        (["EXISTS", "none"], "0"),
        (["DEL", "none"], "0"),
        (["TYPE", "none"], "none"),
        (["TTL", "none"], "-2"),
        (["ZADD", "z", "2", "b", "1", "a"], "2"),
        (["CONFIG", "GET", "port"], "port\n6379"),
        (["CLIENT", "ID"], "7"),
        (["ROLE"], "master\n0\n"),
        (["NONSENSE", "x"], "ERR unknown command `NONSENSE`, with args beginning with: `x`, \n"),
        (["GET"], "ERR wrong number of arguments for 'get' command\n"),
        (["ZRANGE", "z", "a", "b"], "ERR value is not an integer or out of range\n"),
        (
            ["AUTH", "x"],
            "ERR AUTH <password> called without any password configured for the default user. "
            "Are you sure your configuration is correct?\n",
        ),
    ],
)
def test_commands_are_answered_as_redis_answers_them(words, answer):
    assert cli(Town(), *words).stdout == f"{answer}\n"


def test_what_is_set_stays_until_the_process_ends(town):
    assert cli(town, "zadd", "z", "2.5", "b", "1", "a").stdout == "2\n"
    assert cli(town, "zrange", "z", "0", "-1", "withscores").stdout == "a\n1\nb\n2.5\n"
    assert cli(town, "zrevrange", "z", "0", "0").stdout == "b\n"
    assert cli(town, "get", "z").stdout.startswith("WRONGTYPE")
    assert cli(town, stdin="set k v\nget k\n").stdout == "OK\nv\n"
    town.stop("lines")
    town.start("lines")
    town.run(0.3)
    assert cli(town, "exists", "z", "k").stdout == "0\n"


def test_requests_leave_keys_that_can_be_looked_at_and_taken_away(town):
    early = int(cli(town, "dbsize").stdout)
    town.run(30)
    names = cli(town, "keys", "*").stdout.split()
    assert early < len(names) < 700
    assert f"keys={len(names)}" in cli(town, "info", "keyspace").stdout
    members = cli(town, "zrange", names[0], "0", "-1").stdout.split()
    assert members and all(member.isdigit() for member in members)
    assert cli(town, "del", names[0]).stdout == "1\n"
    assert names[0] not in cli(town, "keys", "*").stdout.split()
    assert cli(town, "flushall").stdout == "OK\n"
    assert cli(town, "dbsize").stdout == "0\n"


def test_the_shell_says_why_it_cannot_connect(town):
    assert (
        cli(town, "-h", "nobody", "ping").stderr
        == "Could not connect to Redis at nobody:6379: Name or service not known\n"
    )
    assert cli(town, "-p", "1", "ping").code == 1
    assert "Connection refused" in cli(town, "-p", "1", "ping").stderr
    assert cli(town, "--nonsense").code == 1


def test_it_speaks_its_protocol_to_whoever_types_it(town):
    row = town.row("lines")
    assert program_of(town.world, row).talk(town.world, row, "PING\r\nGET x\r\n") == "+PONG\r\n$-1\r\n"
    assert program_of(town.world, row).talk(town.world, row, "POST / HTTP/1.1\r\n") == ""


def test_a_signal_ends_it_with_its_last_words(town):
    runtime.signal(town.world, "uid-lines/main", "TERM")
    town.run(1)
    assert town.exits[-1] == ("lines", 0)
    assert town.log("lines")[-1].endswith("# Redis is now ready to exit, bye bye...")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prot 6379\n", "Bad directive or wrong number of arguments"),
        ("\nport x\n", "argument must be between 0 and 65535"),
    ],
)
def test_settings_that_make_no_sense_are_fatal(text, said):
    with pytest.raises(settings.Unusable) as failed:
        settings.read(["redis-server", "/a.conf"], {"/a.conf": text}, "6.2.4")
    assert failed.value.lines[1] == "*** FATAL CONFIG FILE ERROR (Redis 6.2.4) ***"
    assert said in failed.value.lines[-1]
    with pytest.raises(settings.Unusable, match=r"can't open config file '/b\.conf'"):
        settings.read(["redis-server", "/b.conf"], {}, "6.2.4")


def test_a_password_keeps_its_clients_out(town):
    town = with_settings(town, "requirepass secret\n")
    assert town.success() == 0.0
    assert any(line.endswith("NOAUTH Authentication required.") for line in town.log("posts"))
    assert cli(town, "ping").stdout == "NOAUTH Authentication required.\n\n"
    assert cli(town, "-a", "secret", "ping").stdout == "PONG\n"
    assert "Using a password with '-a'" in cli(town, "-a", "secret", "ping").stderr


def test_a_server_on_the_loopback_interface_is_reached_from_its_own_pod_only(town):
    town = with_settings(town, "bind 127.0.0.1\n")
    assert town.success() == 0.0
    assert cli(town, "ping").stdout == "PONG\n"
    assert PORTS["lines"] in town.row("lines")["ports"]


@given(st.lists(st.text(alphabet="abp- \"'0", max_size=6)))
def test_any_words_are_settings_or_a_complaint(words):
    try:
        found = settings.read(["redis-server", *words], {}, "6.2.4")
    except settings.Unusable as error:
        assert error.lines
    else:
        assert found.port == 6379 or "--port" in words


@pytest.mark.parametrize(
    ("text", "port"),
    [
        ("# port 7000\n\n   \n", 6379),
        ('PORT 7000\nrename-command FLUSHALL ""\n', 7000),
        ('  port    "7000"\nactiverehashing yes\nclient-output-buffer-limit normal 0 0 0', 7000),
    ],
)
def test_a_file_is_read_however_it_is_written(text, port):
    assert settings.read(["redis-server", "/r.conf"], {"/r.conf": text}, "6.2.1").port == port
