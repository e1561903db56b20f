"""How a C++ service starts: its two files, its database's index, its port; and how it ends."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thrift_town import JAEGER_YML, POOL, SERVICES, Town

from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.program import program_of
from aiops_gym.sim.software.thrift import settings


def restarted(files, seconds=3.0):
    """A town in which `posts` was started again with other files."""
    town = Town()
    town.config("settings", **files)
    town.stop("posts")
    town.start("posts")
    town.run(seconds)
    return town


def files(**changes):
    return {"service-config.json": json.dumps({**SERVICES, **changes}), "jaeger-config.yml": JAEGER_YML}


def test_it_tries_each_second_until_its_database_answers_and_only_then_listens():
    town = Town()
    lines = town.log("posts")
    assert " <info>: (Posts.h:9:GetMachineId) MAC address = " in lines[0]
    assert " <info>: (Posts.cpp:20:main) machine_id = " in lines[1]
    asked, again = lines[2:4]
    assert asked.endswith(
        "<error>: (utils_mongodb.h:76:CreateIndex) Error in createIndexes: No suitable servers found: "
        "`serverSelectionTimeoutMS` expired: [connection refused calling ismaster on 'db:27017']"
    )
    assert again.endswith("<error>: (Posts.cpp:30:main) Failed to create mongodb index, try again")
    assert lines[-1].endswith("<info>: (Posts.cpp:40:main) Starting the posts server...")
    tries = [ms for ms, line in town.row("posts")["log"] if "createIndexes" in line]
    assert all(after - before == 1_300 for before, after in pairwise(tries))
    indexes = town.exec("db", "mongo", "post", "--quiet", "--eval", "db.post.getIndexes()[1].name").stdout
    assert indexes == "post_id_1\n"


def test_the_clock_of_a_line_is_exact_to_the_microsecond_and_never_goes_back():
    town = Town()
    stamps = [line.split("]")[0] for line in town.log("posts")]
    assert stamps == sorted(stamps)
    assert all(len(stamp) == len("[2026-Mar-02 09:00:00.334151") for stamp in stamps)


@pytest.mark.parametrize(
    ("given_files", "line", "code"),
    [
        ({"jaeger-config.yml": JAEGER_YML}, "(utils.h:27:load_config_file) Cannot open service-config.json", 1),
        ({"service-config.json": "{}"}, "  what():  bad file", 134),
        (files(posts={}), "type must be number, but is null", 134),
        (files(names={"addr": "names"}), "type must be number, but is null", 134),
        (files(names={"addr": 7, "port": 9090}), "type must be string, but is number", 134),
        (files(db={"addr": "db", "port": "27017"}), "type must be number, but is string", 134),
        (files(ssl={}), "type must be boolean, but is null", 134),
        (files(ssl={**SERVICES["ssl"], "enabled": True}), "No such file or directory: /keys/crt", 134),
        ({**files(), "service-config.json": '{"posts": }'}, "parse error at line 1, column 11", 134),
        ({**files(), "jaeger-config.yml": "a: [1"}, "yaml-cpp: error at line", 134),
    ],
)
def test_a_configuration_that_makes_no_sense_ends_it_in_the_words_of_the_library(given_files, line, code):
    town = restarted(given_files)
    assert town.exits[-1] == ("posts", code)
    assert line in town.log("posts")[-1]
    assert town.row("posts")["ports"] == []


def test_without_a_tracer_it_waits_and_with_tracing_off_it_does_not():
    elsewhere = JAEGER_YML.replace("jaeger:6831", "nobody:6831")
    town = restarted({**files(), "jaeger-config.yml": elsewhere})
    waiting = [line for line in town.log("posts") if "(tracing.h:87:SetUpTracer) Failed to connect to jaeger" in line]
    assert len(waiting) == 3
    town = restarted({**files(), "jaeger-config.yml": elsewhere.replace("false", "true")})
    assert town.row("posts")["ports"] == [9090]


def test_the_port_is_the_one_of_its_configuration():
    assert restarted(files(posts={"addr": "posts", "port": 7070, **POOL})).row("posts")["ports"] == [7070]


def test_it_takes_no_notice_of_a_polite_signal():
    town = Town()
    runtime.signal(town.world, "uid-posts/main", "TERM")
    town.run(20)
    assert town.row("posts")["running"]


def test_it_hangs_up_on_what_is_not_thrift():
    town = Town()
    row = town.row("posts")
    assert program_of(town.world, row).talk(town.world, row, "GET / HTTP/1.1\r\n\r\n") == ""
    assert program_of(town.world, row).answer(town.world, row, "GET", "/") is None


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_any_json_gives_an_address_or_the_exception_of_the_library(data):
    found = settings.Services(json.dumps({"posts": data}))
    try:
        host, port = found.address("posts")
    except settings.Aborted as error:
        assert error.kind in ("nlohmann::detail::type_error", "nlohmann::detail::out_of_range")
        assert error.lines[1].startswith("  what():  [json.exception.")
    else:
        assert (data["addr"], data["port"]) == (host, port)


@given(st.text())
def test_any_text_is_settings_of_a_tracer_or_an_exception(text):
    try:
        found = settings.read_tracing(text)
    except settings.Aborted as error:
        assert error.kind == "YAML::ParserException"
    else:
        assert 0.0 <= found.sample <= 1.0


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"posts": {"port": 1e999, "addr": "a"}}'])
def test_files_made_to_hurt_only_end_the_service(deep):
    town = restarted({**files(), "service-config.json": deep})
    assert town.exits[-1] == ("posts", 134)
    with pytest.raises(settings.Aborted):
        settings.read_tracing("a: &a [x]\nb: [*a, *a]")
    assert settings.read_tracing(f"sampler: {{type: probabilistic, param: {10**400}}}").sample == 1.0


def test_a_service_that_is_refused_keeps_its_one_connection_to_the_database():
    town = Town()
    town.config("db", **{"mongod.conf": "security:\n  authorization: enabled\n"})
    town.stop("db")
    town.start("db")
    town.run(5)
    town.stop("posts")
    town.start("posts")
    town.run(5)
    told = [line for line in town.log("posts") if "CreateIndex" in line]
    assert len(told) > 2
    assert told[-1].endswith("Error in createIndexes: command createIndexes requires authentication")
    own = town.row("posts")["ip"]
    assert sum("Connection accepted" in line and own in line for line in town.log("db")) == 1
    assert sum("createIndexes requires authentication" in line for line in town.log("db")) == len(told)
