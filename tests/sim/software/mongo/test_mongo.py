"""The database: its first start, its users, its shell."""

from __future__ import annotations

import contextlib
import gc
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.sim.machine import runtime
from aiops_gym.sim.software.mongo import javascript, pipeline, query
from aiops_gym.sim.software.mongo.errors import MongoError
from aiops_gym.sim.software.mongo.server import Server, Session, find_refusal

ADMIN = ("admin", "-u", "app", "-p", "app", "--quiet")


@pytest.fixture
def town(tiny):
    tiny.db = tiny.database("--auth")
    tiny.run(10)
    return tiny


def _eval(town, script, *args):
    return town.tool(town.db, "mongo", *(args or ADMIN), "--eval", script)


def test_the_first_start_runs_the_scripts_and_a_later_one_does_not(town):
    assert "running /docker-entrypoint-initdb.d/users.sh" in town.log(town.db)
    assert "Successfully added user" in town.log(town.db)
    runtime.signal(town.world, town.db, "KILL")
    town.restart("db-0")
    town.run(5)
    assert "users.sh" not in town.log(town.db)
    assert _eval(town, "db.getUser('app').user").stdout == "app\n"
    assert _eval(town, "db.getMongo().getDBNames()").code == 0


def test_data_lives_as_long_as_its_volume(town):
    assert _eval(town, "db.getSiblingDB('geo-db').x.insertOne({_id: 1})").code == 0
    runtime.forget(town.world, "uid-db-0")
    town.database("--auth")
    town.run(10)
    assert _eval(town, "db.getSiblingDB('geo-db').x.count()").stdout == "1\n"


def test_two_indexes_of_a_name_are_one_or_conflict(town):
    """`IndexCatalogImpl::_doesSpecConflictWithExisting` of 4.4."""
    made = "var c = db.getSiblingDB('geo-db').a; c.createIndex({n: -1}, {name: 'n_1'}); "
    assert (
        "all indexes already exist"
        in _eval(town, f"{made} printjson(c.createIndex({{n: -1}}, {{name: 'n_1'}}))").stdout
    )
    refused = _eval(town, f"{made} printjson(c.createIndex({{n: 1}}))").stdout
    existing, asked = ("{ v: 2, key: { n: " + n + ' }, name: \\"n_1\\" }' for n in ("-1", "1"))
    text = (
        f"Index must have unique name.The existing index: {existing} has the same name as the requested index: {asked}"
    )
    assert text in refused
    assert '"codeName" : "IndexKeySpecsConflict"' in refused
    other = _eval(town, f"{made} printjson(c.createIndex({{n: -1}}, {{name: 'n_1', unique: true}}))").stdout
    assert "Index with name: n_1 already exists with different options" in other
    assert (
        '"numIndexesAfter" : 2' in _eval(town, f"{made} c.dropIndex('n_1'); printjson(c.createIndex({{n: 1}}))").stdout
    )


def test_another_user_cannot_open_what_the_entry_point_gave_to_its_own(town):
    """`StorageEngineLockFile::open` of 4.4; the official image's entry point changes owners as root only."""
    runtime.forget(town.world, "uid-db-0")
    volumes, mounts = [{"name": "data", "hostPath": {"path": "/data"}}], [{"name": "data", "mountPath": "/data/db"}]
    alone = {"securityContext": {"runAsUser": 1000}}
    key = town.pod("db-0", "mongo:4.4.6", volumes, volumeMounts=mounts, **alone)
    town.run(10)
    assert "IllegalOperation: Attempted to create a lock file on a read-only directory: /data/db" in town.log(key)
    assert not town.row(key)["running"]
    fresh = [{"name": "data", "hostPath": {"path": "/new"}}]
    assert town.row(town.pod("db-1", "mongo:4.4.6", fresh, volumeMounts=mounts, **alone))["running"]
    inside = town.pod("db-2", "mongo:4.4.6", **alone)
    town.run(10)
    assert [town.row(each)["running"] for each in ("uid-db-1/main", inside)] == [True, False]


def test_nobody_gets_in_before_the_listening_begins(tiny):
    key = tiny.database("--auth")
    out = tiny.tool(key, "mongo", "--eval", "1")
    assert out.code == 1
    assert "couldn't connect to server 127.0.0.1:27017" in out.stdout
    assert out.stdout.endswith("exception: connect failed\nexiting with code 1\n")


def test_a_wrong_password_is_refused_by_shell_and_log(town):
    out = town.tool(town.db, "mongo", "admin", "-u", "app", "-pbad", "--eval", "1")
    assert (out.code, "Error: Authentication failed. :\nconnect@src/mongo/shell/mongo.js:374:17" in out.stdout) == (
        1,
        True,
    )
    assert "SCRAM authentication failed, storedKey mismatch" in town.log(town.db)


def test_typed_input_prints_what_the_shell_of_4_4_prints(town):
    script = "use admin\ndb.createUser({user: 'x', pwd: 'x', roles: []})\n"
    script += "db.auth('app', 'app')\nshow dbs\nvar a = 1\na\nnull\n"
    out = town.tool(town.db, "mongo", stdin=script)
    lines = out.stdout.split("\n")
    assert lines[0] == "MongoDB shell version v4.4.6"
    assert lines[1] == "connecting to: mongodb://127.0.0.1:27017/?compressors=disabled&gssapiServiceName=mongodb"
    assert lines[2].startswith('Implicit session: session { "id" : UUID("')
    assert lines[3:] == [
        "MongoDB server version: 4.4.6",
        "switched to db admin",
        "uncaught exception: Error: couldn't add user: command createUser requires authentication :",
        "_getErrorWithCode@src/mongo/shell/utils.js:25:13",
        "DB.prototype.createUser@src/mongo/shell/db.js:1386:11",
        "@(shell):1:1",
        "1",
        "admin   0.000GB",
        "config  0.000GB",
        "local   0.000GB",
        "1",
        "null",
        "bye",
        "",
    ]


def test_roles_are_revoked_granted_and_obeyed(town):
    login = {"user": "app", "password": "app", "source": "admin"}
    assert find_refusal(town.world, town.db, login, "geo-db") == ""
    assert _eval(town, "db.revokeRolesFromUser('app', [{role: 'readWrite', db: 'geo-db'}])").stdout == ""
    assert find_refusal(town.world, town.db, login, "geo-db").startswith("not authorized on geo-db")
    out = _eval(town, "db.getSiblingDB('geo-db').geo.find().toArray()")
    assert out.code == 252
    assert '"codeName" : "Unauthorized"' in out.stdout
    assert out.stdout.endswith("exiting with code -4\n")
    assert _eval(town, "db.grantRolesToUser('app', [{role: 'readWrite', db: 'geo-db'}])").code == 0
    assert find_refusal(town.world, town.db, login, "geo-db") == ""
    assert find_refusal(town.world, town.db, None, "geo-db") == "command find requires authentication"
    assert find_refusal(town.world, town.db, {**login, "password": "no"}, "geo-db") == "Authentication failed."


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        ("db.createUser({user: 'app', pwd: 'x', roles: []})", 'couldn\'t add user: User "app@admin" already exists :'),
        ("db.createUser({user: 'y', pwd: 'x', roles: ['boss']})", "couldn't add user: No role named boss@admin :"),
        ("db.grantRolesToUser('who', ['read'])", "User 'who@admin' not found :"),
        ("db.runCommand({nonsense: 1})", '"errmsg" : "no such command: \'nonsense\'"'),
        ("db.foo.find().toArray()", 'not authorized on admin to execute command { find: \\"foo\\"'),
        ("db.dropUser('who')", "false"),
        ("nothing", "ReferenceError: nothing is not defined :"),
        ("db.getUser('who')", "null"),
        ("function f() { return f() } f()", "RangeError"),
        ("try { db.foo.findOne() } catch (e) { print('caught', e.code) }", "caught 13"),
    ],
)
def test_what_the_shell_says_of(town, script, printed):
    assert printed in _eval(town, script).stdout


def test_documents_come_and_go(town):
    script = """
    db = db.getSiblingDB('geo-db');
    db.a.insertMany([{n: 1}, {n: 2, tag: 'x'}, {n: 3}]);
    db.a.updateOne({n: 2}, {$set: {'in.side': true}, $inc: {n: 10}});
    print(db.a.find({n: {$gt: 1}}).sort({n: -1}).map(d => d.n).join());
    printjson(db.a.findOne({tag: 'x'}, {_id: 0}));
    printjson(db.a.remove({n: 1}));
    print(db.a.countDocuments({}), db.a.distinct('n').join());
    printjson(db.a.createIndex({n: 1}).numIndexesAfter);
    print(db.a.drop(), db.a.drop());
    """
    assert _eval(town, script).stdout.split("\n")[:-1] == [
        "12,3",
        '{ "n" : 12, "tag" : "x", "in" : { "side" : true } }',
        'WriteResult({ "nRemoved" : 1 })',
        "2 3,12",
        "2",
        "true false",
    ]


def test_another_pod_reaches_it_by_name(town):
    town.pod("db-1", "mongo:4.4.6")
    out = town.tool("uid-db-1/main", "mongo", "--host", "db", "--quiet", "--eval", "db.version()")
    assert out.stdout == "4.4.6\n"
    out = town.tool("uid-db-1/main", "mongo", "--host", "nowhere", "--quiet", "--eval", "1")
    assert "Could not find address for nowhere:27017" in out.stdout


def test_a_script_that_never_ends_is_ended(monkeypatch, town):
    monkeypatch.setattr(javascript, "SECONDS", 0.05)
    assert _eval(town, "while (true) {}").code == 252
    monkeypatch.setattr(javascript, "COMMANDS", 3)
    assert _eval(town, "while (true) db.runCommand('ping')").code == 252
    assert _eval(town, "1 + 1").stdout == "2\n"


@pytest.mark.parametrize(
    "script", ["db.getSiblingDB('geo-db').x.count() + ' of ' + db.version()", "print(1); db.getUser('app').user"]
)
def test_a_script_that_ran_before_is_not_run_again_and_says_the_same(monkeypatch, town, script):
    first = _eval(town, script)
    town.run(5)
    monkeypatch.setattr(javascript, "_engine", lambda: None)
    assert _eval(town, script) == first
    assert first.code == 0


def test_a_script_that_ran_before_is_run_again_where_it_meets_another_answer(town):
    texts = []
    for number in range(3):
        texts.append(_eval(town, "db.getSiblingDB('geo-db').x.count()").stdout)
        _eval(town, f"db.getSiblingDB('geo-db').x.insertOne({{_id: {number}}})")
    assert texts == ["0\n", "1\n", "2\n"]


@pytest.mark.parametrize("script", ["Date.now()", "new Date()", "Math.random()", "ObjectId()", "UUID()", "__now"])
def test_a_script_that_looks_at_the_clock_or_at_chance_is_run_each_time(town, script):
    first = _eval(town, f"print({script}); 1").stdout
    town.run(5)
    assert _eval(town, f"print({script}); 1").stdout != first


def test_a_script_has_no_way_out(town):
    for name in ("require", "process", "std", "os", "load", "fetch", "__import__"):
        assert _eval(town, f"typeof {name}").stdout == "undefined\n"


@pytest.mark.parametrize(
    "script",
    [
        "JSON = null; db.getUsers()",
        "__output = null",
        "__pending = 'x'",
        "__exit = {}",
        "__frames = 5; nope",
        "quit('a')",
        "1n",
        "'\\ud800'",
        "a\0b",
        "\ud800",
        "throw null",
        "var o = {}; for (var i = 0; i < 3000; i++) o = {a: o}; db.x.insert(o)",
        "db.createUser({user: 5, pwd: 5, roles: 5})",
        "db.getSiblingDB('geo-db').x.find().sort('a').toArray()",
    ],
)
def test_whatever_a_script_does_to_the_shell_the_shell_answers(town, script):
    assert _eval(town, script).code in (0, 252)
    assert _eval(town, "db.getUsers().length").stdout == "1\n"


def test_commands_are_carried_out_once_however_often_the_script_starts_anew(town):
    script = "db = db.getSiblingDB('geo-db'); for (var i = 0; i < 20; i++) db.t.insert({i: i}); db.t.count()"
    assert _eval(town, script).stdout == "20\n"
    assert _eval(town, "db.getSiblingDB('geo-db').t.count()").stdout == "20\n"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
    max_leaves=6,
)
DOCUMENTS = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3)


@given(DOCUMENTS)
def test_a_document_meets_a_filter_of_its_own_fields(document):
    assert query.matches(document, document)


@given(DOCUMENTS, st.sampled_from("abc"), VALUES)
def test_what_is_set_is_found_and_what_was_there_stays_unchanged(document, key, value):
    before = repr(document)
    changed = query.update(document, {"$set": {key: value}})
    assert query.find_values(changed, key) == [value]
    assert repr(document) == before
    assert key not in query.update(changed, {"$unset": {key: ""}})


@given(st.text("{}()'\"\\\n/* ab", max_size=40))
def test_split_never_fails_and_loses_nothing_but_blanks(text):
    joined = "".join("".join(javascript.split(text)).split())
    assert joined == "".join(text.split())


def test_an_unknown_operator_is_refused():
    with pytest.raises(MongoError, match="unknown operator"):
        query.matches({"a": 1}, {"a": {"$near": 1}})
    with pytest.raises(MongoError, match="Unrecognized pipeline stage"):
        pipeline.run([], [{"$lookup": {}}])


def test_a_refused_question_keeps_nobody_alive(town):
    session = Session(Server(town.world, town.db), "127.0.0.1")
    gone = weakref.ref(session)
    gc.disable()
    try:
        with contextlib.suppress(MongoError):
            session.authorize("admin", "find", {"find": "x"})
        del session
        assert gone() is None
    finally:
        gc.enable()


def test_who_has_not_logged_in_is_refused_by_command_and_log(town):
    refused = _eval(town, "db.getSiblingDB('geo-db').x.findOne()", "admin", "--quiet")
    assert "command find requires authentication" in refused.stdout + refused.stderr
    error = '{"code":13,"codeName":"Unauthorized","errmsg":"command find requires authentication"}'
    assert f'"msg":"Checking authorization failed","attr":{{"error":{error}}}' in town.log(town.db)


@pytest.mark.parametrize(("limit", "mib"), [("", 3427), ("3Gi", 1024), ("300Mi", 256)])
def test_the_cache_is_half_of_what_memory_its_container_may_use(tiny, limit, mib):
    resources = {"limits": {"memory": limit}} if limit else {}
    key = tiny.pod("db-1", "mongo:4.4.6", resources=resources)
    tiny.run(10)
    assert f"create,cache_size={mib}M,session_max=33000" in tiny.log(key)
