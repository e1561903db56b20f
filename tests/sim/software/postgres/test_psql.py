"""`psql` and the server's command line, compared with what a PostgreSQL of version 15 printed for the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as settings_
from hypothesis import strategies as st

from aiops_gym.backends.baseline import make_baseline
from aiops_gym.backends.cluster import SimulatedCluster
from aiops_gym.shell.sandbox import Sandbox
from aiops_gym.sim import traffic
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.software.postgres import psql, settings
from aiops_gym.sim.software.programs.postgres import program

RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text("utf-8"))
KNOWN = {
    "SELECT nope FROM catalog.products": "no hint of a name that is like it",
    "set port = 1x": "what is no number is refused by the setting, not by the grammar",
    "select name ilike 'the%' as it from catalog.products order by id limit 2": "truth is 1 and 0",
    "select count(*)::text from catalog.products": "a cast is left out",
}
"""Commands with another answer, and why."""

REFUSED = {
    "foo=bar": 'unrecognized configuration parameter "foo"',
    "port=abc": 'invalid value for parameter "port": "abc"',
    "port=70000": '70000 is outside the valid range for parameter "port" (1 .. 65535)',
    "fsync=maybe": 'parameter "fsync" requires a Boolean value',
    "fsync=o": 'parameter "fsync" requires a Boolean value',
    "max_connections=1000000": '1000000 is outside the valid range for parameter "max_connections" (1 .. 262143)',
    "wal_level=x": 'invalid value for parameter "wal_level": "x"',
    "server_version=3": 'parameter "server_version" cannot be changed',
    "statement_timeout=1x": 'invalid value for parameter "statement_timeout": "1x"',
    "work_mem=1kB": '1 kB is outside the valid range for parameter "work_mem" (64 .. 2147483647)',
    "shared_buffers=1kB": '0 8kB is outside the valid range for parameter "shared_buffers" (16 .. 1073741823)',
    "seq_page_cost=-1": '-1 is outside the valid range for parameter "seq_page_cost" (0 .. 1.79769e+308)',
    "autovacuum_naptime=0": '0 s is outside the valid range for parameter "autovacuum_naptime" (1 .. 2147483)',
    "deadlock_timeout=1us": '0 ms is outside the valid range for parameter "deadlock_timeout" (1 .. 2147483647)',
    "fsync": "-c fsync requires a value",
    "ssl=on": 'could not load server certificate file "server.crt": No such file or directory',
}
"""What a server says of `-c`, and ends."""


WORDS = (
    *("SELECT", "*", "FROM", "catalog.products", "WHERE", "id", "=", "'x'", "::text", "(", ")", ";", "count(*)"),
    *("\\dt", "\\d", "**********", "show", "all", "set", "port", "to", "1", "-t", "-A", "-x", "--csv", "-F", "-h"),
    *("pg_stat_activity", "information_schema.tables", "limit", "-l", "--", "-p", "union", "drop", "'", '"', "\x00"),
)


@pytest.fixture(scope="module")
def server():
    world = make_baseline("astronomy_shop", 3).fork()
    key = next(key for key, row in world.table("processes").items() if row["program"] == "postgres")
    return Container(world, key)


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: " ".join(row["argv"][1:])[:60] or "input")
def test_psql_prints_what_the_real_one_does(server, row):
    ran = program.tools(server)["psql"](server, row["argv"], row["stdin"])
    same = (ran.stdout, ran.stderr, ran.code) == (row["stdout"], row["stderr"], row["code"])
    assert same is (row["argv"][-1] not in KNOWN), ran


@pytest.mark.parametrize("said", REFUSED)
def test_a_server_ends_with_a_setting_that_it_does_not_take(said):
    with pytest.raises(settings.Unusable) as wrong:
        settings.read(["postgres", "-c", said], {}, "/data")
    assert wrong.value.lines[0] == ("fatal", REFUSED[said])


def test_all_spellings_of_a_setting_are_one():
    words = ("--max-connections=20", "-N 20", "-N20", "-c max_connections=20", "-cMAX_CONNECTIONS=20")
    assert {str(settings.read(["postgres", *word.split()], {}, "")) for word in words} == {
        "Settings(given={'max_connections': '20'})"
    }


def test_a_statement_that_never_ends_is_cut_and_nothing_of_the_host_is_in_reach(server):
    def ask(text):
        return program.tools(server)["psql"](server, ["psql", "-U", "root", "-d", "otel", "-c", text], "")

    endless = "with recursive t(n) as (select 1 union all select n + 1 from t) select {} from t"
    assert "canceling statement" in ask(endless.format("count(*)")).stderr
    assert "more than 20000 rows" in ask(endless.format("*")).stderr
    for text in (
        "attach '/etc/passwd' as x",
        "pragma database_list",
        "select datetime('now')",
        "select random()",
        "select load_extension('x')",
        "select readfile('/etc/passwd')",
        "vacuum into '/tmp/x'",
        "select zeroblob(100000000)",
    ):
        assert ask(text).stdout in ("", "VACUUM\n"), text


def test_rows_of_orders_agree_in_all_tables_and_again(server):
    def ask(text):
        return program.tools(server)["psql"](server, ["psql", "-U", "root", "-d", "otel", "-tAc", text], "").stdout

    orders, items = (int(ask(f"select count(*) from accounting.{name}")) for name in ('"order"', "orderitem"))
    assert orders == items > 100
    join = 'select count(*) from accounting.orderitem i join accounting."order" o on i.order_id = o.order_id'
    assert int(ask(join)) == orders
    assert ask('select * from accounting."order" limit 3') == ask('select * from accounting."order" limit 3') != ""


def test_a_server_told_another_port_or_to_read_only_is_not_what_its_clients_need():
    world = make_baseline("astronomy_shop", 3).fork()
    shell = Sandbox(SimulatedCluster(world), 1)
    for said, words in (("port=6543", "port 6543"), ("listen_addresses=localhost", '"127.0.0.1"'), ("nope=1", "FATAL")):
        op = f'[{{"op": "add", "path": "/spec/template/spec/containers/0/args", "value": ["-c", "{said}"]}}]'
        shell.run(f"kubectl patch deployment postgresql -n astronomy-shop --type=json -p '{op}'; sleep 90", timeout=300)
        named = "-l app.kubernetes.io/name=postgresql"
        assert words in shell.run(f"kubectl logs -n astronomy-shop {named} --tail=30").output
        assert min(traffic.compute_success(world).values()) == 0.0, said


SCRIPTS = (
    "CREATE TABLE a (b TEXT); CREATE TABLE a (b TEXT);",
    "CREATE TABLE a (b\"); ATTACH '/etc/passwd' AS y; -- TEXT);",
    'CREATE TABLE "a(+" (b TEXT); INSERT INTO "a(+" VALUES (1);',
    "CREATE TABLE a (b TEXT);\n"
    "INSERT INTO a WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t) SELECT n FROM t;",
    "CREATE TABLE a (b TEXT);\nINSERT INTO a SELECT load_extension('x');\nINSERT INTO a VALUES ('\0');",
    "CREATE TABLE (" * 2_000,
    "CREATE SCHEMA x; CREATE TABLE x.a (id TEXT); CREATE TABLE x.b (a_id TEXT);",
)


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("text", ["SELECT * FROM a", "SELECT count(*) FROM x.b", "\\dt *.*", "\\d a"])
def test_whatever_a_first_start_ran_it_can_be_asked_for(server, script, text):
    session = psql.Session(
        server, "root", "root", "otel", ["otel"], script, {"x.b": 3}, settings.Settings({}), [], ["root"]
    )
    ran = psql.run(session, psql.read_line(["-c", text]), "")
    assert ran.code in (0, 1) and "passwd" not in ran.stdout


@settings_(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=8), st.text(max_size=12))
def test_no_words_break_psql(server, words, text):
    for line in ([*words, "-c", " ".join((*words, text))], [*words, text]):
        ran = program.tools(server)["psql"](server, ["psql", "-U", "root", "-d", "otel", *line], text)
        assert ran.code in (0, 1, 2)
