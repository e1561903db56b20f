"""The web server in front of a Thrift application: its configuration, its pages, its log."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thrift_town import JAEGER_JSON, NGINX, Town

from aiops_gym.sim.machine.program import program_of
from aiops_gym.sim.software.nginx import conf


def restarted(nginx=NGINX, **more):
    town = Town()
    files = {"nginx.conf": nginx, "jaeger-config.json": JAEGER_JSON, **more}
    town.config("door", **{name: text for name, text in files.items() if text is not None})
    town.stop("door")
    town.start("door")
    town.run(2)
    return town


def get(town, path, method="GET"):
    row = town.row("door")
    reply = program_of(town.world, row).answer(town.world, row, method, path)
    return reply.status, reply.body


def test_it_answers_as_its_scripts_do():
    town = Town()
    assert get(town, "/take?text=a") == (200, "Taken\n")
    assert get(town, "/take", "POST") == (200, "Taken\n")
    assert get(town, "/take") == (400, "Incomplete arguments\n")
    assert get(town, "/nothing")[0] == 404
    assert get(town, "/other") == (500, "no: Invalid method name: 'Nothing'\n")
    town.endpoints("names", 9999)
    town.run(1)
    assert get(town, "/take?text=a") == (500, "take failure: connect() failed: Connection refused\n")
    town.stop("posts")
    town.run(1)
    status, page = get(town, "/take?text=a")
    assert (status, "500 Internal Server Error" in page, "failure" in page) == (500, True, False)


def test_a_location_that_is_gone_is_not_found_by_users_either():
    town = restarted(NGINX.replace("location /take", "location /given"))
    assert town.success() == 0.0
    assert get(town, "/take?text=a")[0] == 404


def test_without_the_variable_handed_on_scripts_ask_for_bare_names():
    assert restarted(NGINX.replace("env fqdn_suffix;", "")).row("door")["state"]["configured"]["addresses"] == {
        "posts": ["posts", 9090]
    }


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("dns.town", "dns.nowhere", 'host not found in resolver "dns.nowhere" in /app/nginx.conf:6'),
        ("listen 8080", "lisen 8080", 'unknown directive "lisen" in /app/nginx.conf:11'),
        ("reuseport;", "reuseport", 'invalid parameter "access_log" in /app/nginx.conf:12'),
        ("\n  }\n}\n", "\n  }\n", 'unexpected end of file, expecting "}" in /app/nginx.conf:15'),
        ("/app/jaeger-config.json", "/app/none.json", "failed to open tracing configuration file /app/none.json"),
    ],
)
def test_a_configuration_that_it_does_not_understand_ends_it(old, new, problem):
    town = restarted(NGINX.replace(old, new))
    dated, bare = town.log("door")
    assert bare.startswith(f"nginx: [emerg] {problem}")
    assert dated.endswith(bare.removeprefix("nginx: [emerg] "))
    assert town.exits[-1] == ("door", 1)
    assert town.success() == 0.0


def test_without_a_configuration_it_does_not_start():
    town = restarted(None)
    assert town.log("door")[-1] == 'nginx: [emerg] open() "/app/nginx.conf" failed (2: No such file or directory)'


def test_it_ends_politely_on_a_signal_and_listens_where_it_is_told():
    town = restarted(NGINX.replace("listen 8080", "listen 0.0.0.0:8081"))
    assert town.row("door")["ports"] == [8081]
    assert town.success() == 0.0, "the Service leads to the port that nobody listens on"


@given(st.text(alphabet="ab {};'\"#\n\\_", max_size=60))
def test_any_text_is_directives_or_an_error_with_a_line(text):
    try:
        found = conf.read(text)
    except conf.ConfError as error:
        assert 1 <= error.line <= text.count("\n") + 1
    else:
        assert not found
