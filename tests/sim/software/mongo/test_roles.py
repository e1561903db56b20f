"""Roles that somebody makes: what they allow is what they say, and nothing else."""

from __future__ import annotations

import pytest

from aiops_gym.sim.software.mongo import roles
from aiops_gym.sim.software.mongo.server import find_refusal

ADMIN = ("admin", "-u", "app", "-p", "app", "--quiet")
GUEST = {"user": "guest", "password": "guest", "source": "admin"}
KEEPER = (
    "db.createRole({role: 'keeper', roles: [], privileges: [{resource: {db: 'geo-db', collection: ''}, "
    "actions: ['find', 'insert', 'update', 'remove', 'createCollection', 'createIndex', 'listCollections']}]});"
)


@pytest.fixture
def town(tiny):
    tiny.db = tiny.database("--auth")
    tiny.run(10)
    assert _eval(tiny, "db.createUser({user: 'guest', pwd: 'guest', roles: []})").code == 0
    return tiny


def _eval(town, script, *args):
    return town.tool(town.db, "mongo", *(args or ADMIN), "--eval", script)


def _as_guest(town, script):
    return _eval(town, f"db = db.getSiblingDB('geo-db'); {script}", "admin", "-u", "guest", "-pguest", "--quiet")


def _lets_in(town, database="geo-db", **more):
    return not find_refusal(town.world, town.db, GUEST, database, **more)


def test_a_role_of_ones_own_lets_a_service_in(town):
    assert not _lets_in(town)
    out = _eval(town, f"{KEEPER} db.grantRolesToUser('guest', ['keeper']); db.getRole('keeper').isBuiltin")
    assert out.stdout == "false\n"
    assert _lets_in(town) and _lets_in(town, action="insert") and not _lets_in(town, "rate-db")
    assert _as_guest(town, "db.x.insertOne({_id: 1}); db.x.find().count()").stdout == "1\n"
    assert (
        "not authorized on geo-db to execute command { dropDatabase"
        in _as_guest(town, "printjson(db.dropDatabase())").stdout
    )
    assert _eval(town, "db.dropRole('keeper'); db.getUser('guest').roles.length").stdout == "0\n"
    assert not _lets_in(town)


def test_a_privilege_on_one_collection_is_for_that_alone(town):
    privilege = "{resource: {db: 'geo-db', collection: 'a'}, actions: ['find', 'insert']}"
    script = (
        f"db.createRole({{role: 'one', roles: [], privileges: [{privilege}]}}); db.grantRolesToUser('guest', ['one'])"
    )
    assert _eval(town, script).code == 0
    assert _lets_in(town, collection="a") and not _lets_in(town, collection="b") and not _lets_in(town)
    assert _as_guest(town, "db.a.insertOne({}); db.a.count()").stdout == "1\n"
    assert 'not authorized on geo-db to execute command { count: \\"b\\"' in _as_guest(town, "db.b.count()").stdout


def test_what_a_role_inherits_is_its_own(town):
    script = (
        "db.createRole({role: 'inner', privileges: [], roles: [{role: 'readWrite', db: 'geo-db'}]});"
        "db.createRole({role: 'outer', privileges: [], roles: []}); db.grantRolesToRole('outer', ['inner']);"
        "db.updateUser('guest', {roles: ['outer']}); db.changeUserPassword('guest', 'guest');"
        "tojson(db.getRole('outer').inheritedRoles.map((r) => r.role).sort())"
    )
    assert _eval(town, script).stdout == '[ "inner", "readWrite" ]\n'
    assert _lets_in(town, action="update")
    assert _eval(town, "db.revokeRolesFromRole('outer', ['inner'])").code == 0
    assert not _lets_in(town)


def test_privileges_are_granted_revoked_and_replaced(town):
    place = "{db: 'geo-db', collection: ''}"
    grant = f"db.grantPrivilegesToRole('keeper', [{{resource: {place}, actions: ['dropCollection', 'find']}}]);"
    revoke = f"db.revokePrivilegesFromRole('keeper', [{{resource: {place}, actions: ['find']}}]);"
    show = "db.getRole('keeper', {showPrivileges: true}).privileges[0].actions.join()"
    before = "find,insert,update,remove,createCollection,createIndex,listCollections"
    assert _eval(town, f"{KEEPER} {grant} {show}").stdout == f"{before},dropCollection\n"
    assert _eval(town, f"{revoke} {show}").stdout == f"{before.removeprefix('find,')},dropCollection\n"
    whole = "db.updateRole('keeper', {privileges: [{resource: {anyResource: true}, actions: ['anyAction']}]})"
    assert _eval(town, f"{whole}; db.grantRolesToUser('guest', ['keeper'])").code == 0
    assert _lets_in(town, "rate-db", action="dropDatabase")
    assert _eval(town, "db.getRoles().length + ' ' + db.getRoles({showBuiltinRoles: true}).length").stdout == "1 19\n"
    assert _eval(town, "db.dropAllRoles()").stdout == "1\n"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("db.createRole({role: 'read', privileges: [], roles: []})", "Cannot create roles with the same name as a"),
        ("db.createRole({role: 'x', privileges: []})", '"createRole" command requires a "roles" array'),
        ("db.createRole({role: 'x', roles: []})", '"createRole" command requires a "privileges" array'),
        ("db.createRole({role: 'x', privileges: [], roles: ['nobody']})", "Cannot grant nonexistent role nobody@admin"),
        ("db.createRole({role: 'x', privileges: [], roles: ['x']})", "Cannot grant role x@admin to itself."),
        (f"{KEEPER}{KEEPER}", 'Role "keeper@admin" already exists'),
        (f"{KEEPER}db.grantRolesToRole('keeper', ['keeper'])", "Cannot grant role keeper@admin to itself."),
        ("db.updateRole('nobody', {roles: []})", "No role named nobody@admin"),
        ("db.updateRole('root', {roles: []})", "root@admin is a built-in role and cannot be modified."),
        (
            "db.createRole({role: 'x', roles: [], "
            "privileges: [{resource: {db: '', collection: ''}, actions: ['fly']}]})",
            "Unrecognized action privilege strings: fly",
        ),
        (
            "db.getSiblingDB('geo-db').createRole({role: 'x', privileges: [], roles: [{role: 'read', db: 'rate-db'}]})",
            "Roles on the 'geo-db' database cannot be granted roles from other databases",
        ),
        (
            "db.getSiblingDB('geo-db').createRole({role: 'x', roles: [], "
            "privileges: [{resource: {cluster: true}, actions: ['top']}]})",
            "Roles on the 'geo-db' database cannot be granted privileges that target other databases or the cluster",
        ),
    ],
)
def test_what_is_refused(town, script, said):
    out = _eval(town, script)
    assert (out.code, said in out.stdout) == (252, True), out.stdout


def test_a_circle_of_roles_is_none(town):
    script = (
        "db.createRole({role: 'a', privileges: [], roles: []});"
        "db.createRole({role: 'b', privileges: [], roles: ['a']});"
        "db.grantRolesToRole('a', ['b'])"
    )
    assert "would introduce a cycle in the role graph" in _eval(town, script).stdout
    made = [{"role": "a", "db": "x", "roles": [{"role": "a", "db": "x"}], "privileges": []}]
    assert roles.expand([{"role": "a", "db": "x"}], made) == ([], made)


def test_nobody_hands_out_what_is_not_theirs_to_hand_out(town):
    own = "db.createRole({role: 'x', privileges: [], roles: [{role: 'root', db: 'admin'}]})"
    assert (
        "not authorized on admin to execute command"
        in _eval(town, own, "admin", "-u", "guest", "-pguest", "--quiet").stdout
    )
