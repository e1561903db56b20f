"""A database that wants TLS: who still reaches it, what it and they say, and files with which it does not start."""

import pytest
from thrift_town import CERTIFICATE, FILES, PEM, Town

from aiops_gym.sim.software.mongo import tls

REQUIRED = "net:\n  tls:\n    mode: requireTLS\n    certificateKeyFile: /etc/tls/tls.pem\n"
ONLY = "The server is configured to only allow SSL connections"


def with_conf(text, seconds=5.0, **secret):
    """A town whose database was started again with other files."""
    town = Town()
    town.config("db", **({"mongod.conf": text} if text is not None else {}))
    town.config("tls", **({**FILES["tls"], **secret}))
    town.stop("db")
    town.start("db")
    town.run(seconds)
    return town


def shell(town, *options):
    return town.exec("db", "mongo", *options, "--eval", "db.version()")


def test_clients_without_tls_are_turned_away_and_both_sides_say_so():
    town = with_conf(REQUIRED)
    assert town.success() == 0.0
    said = town.log("posts")[-2:]
    assert said[0].endswith("[connection closed calling ismaster on 'db:27017']")
    assert said[1].endswith("(PostsHandler.h:22:Take) Failed to upload the post")
    accepted, refused, ended = town.log("db")[-3:]
    assert '"id":22943' in accepted and '"Connection accepted"' in accepted
    assert '"codeName":"SSLHandshakeFailed"' in refused and ONLY in refused and '"remote":"10.244.1.2:' in refused
    assert '"id":22944' in ended


def test_the_log_of_the_server_does_not_grow_with_the_load():
    few, many = (with_conf(REQUIRED, 20.0) for _ in range(2))
    many = Town(rate=200.0)
    many.config("db", **{"mongod.conf": REQUIRED})
    many.stop("db")
    many.start("db")
    many.run(20)
    counts = [sum(ONLY in line for line in town.log("db")) for town in (few, many)]
    assert 25 <= counts[0] <= counts[1] <= 42


def test_a_service_that_starts_later_waits_for_a_database_that_lets_it_in():
    town = with_conf(REQUIRED)
    town.stop("posts")
    town.start("posts")
    town.run(4)
    assert town.row("posts")["ports"] == []
    assert "connection closed calling ismaster" in town.log("posts")[-2]
    town.config("db", **{"mongod.conf": "net: {tls: {mode: disabled}}"})
    town.stop("db")
    town.start("db")
    town.run(6)
    assert town.row("posts")["ports"] == [9090]
    assert town.success() == 1.0


@pytest.mark.parametrize("mode", ["allowTLS", "preferTLS"])
def test_softer_modes_take_both(mode):
    town = with_conf(REQUIRED.replace("requireTLS", mode))
    assert town.success() == 1.0
    assert shell(town).code == 0
    assert shell(town, "--tls", "--tlsAllowInvalidCertificates").code == 0


def test_the_shell_needs_tls_and_trust():
    town = with_conf(REQUIRED)
    plain = shell(town)
    assert plain.code == 1
    assert "Error: network error while attempting to run command 'isMaster' on host '127.0.0.1:27017'" in plain.stdout
    assert "SSL peer certificate validation failed" in shell(town, "--tls").stdout
    assert shell(town, "--tls", "--tlsAllowInvalidCertificates").stdout.endswith("4.4.6\n")
    assert shell(town, "--tls", "--tlsCAFile", "/etc/tls/ca.crt").code == 0
    assert "InvalidSSLConfiguration" in shell(town, "--tls", "--tlsCAFile", "/nothing").stdout
    assert "stream truncated" in shell(with_conf("net: {tls: {mode: disabled}}"), "--tls").stdout


def test_the_options_it_was_started_with_can_be_looked_up():
    town = with_conf(REQUIRED)
    asked = town.exec(
        "db",
        "mongo",
        "--quiet",
        "--tls",
        "--tlsAllowInvalidCertificates",
        "--eval",
        "db.adminCommand({getCmdLineOpts: 1}).parsed.net.tls.mode",
    )
    assert asked.stdout == "requireTLS\n"
    told = next(line for line in town.log("db") if "Options set by command line" in line)
    options = '"net":{"bindIp":"*","tls":{"certificateKeyFile":"/etc/tls/tls.pem","mode":"requireTLS"}}'
    assert f'"options":{{"config":"/conf/mongod.conf",{options}}}' in told


@pytest.mark.parametrize(
    ("text", "secret", "said", "code"),
    [
        (None, {}, "Error reading config file: No such file or directory", 1),
        ("net: [", {}, "Error parsing YAML config file: yaml-cpp: error at line 1", 2),
        ("net: " + "[" * 50_000, {}, "Error parsing YAML config file: yaml-cpp: error at line 1", 2),
        ("nets: {}", {}, "Unrecognized option: nets", 2),
        ("net: {tls: {mode: always}}", {}, "unsupported value for tlsMode always", 2),
        ("net: {tls: {mode: requireTLS}}", {}, "need tlsCertificateKeyFile", 2),
        ("net: &a {port: 1}\nstorage: *a", {}, "aliases are not supported", 2),
        (REQUIRED.replace("tls.pem", "none.pem"), {}, "Cannot read certificate file", 1),
        (REQUIRED, {"tls.pem": CERTIFICATE}, "Cannot read PEM key file", 1),
        (REQUIRED, {"tls.pem": "nonsense"}, "no start line", 1),
        (REQUIRED + "    CAFile: /etc/tls/none.crt\n", {}, "cannot read certificate authority file", 1),
    ],
)
def test_files_that_make_no_sense_keep_it_from_starting(text, secret, said, code):
    town = with_conf(text, 2.0, **secret)
    assert town.exits[-1] == ("db", code)
    assert any(said in line for line in town.log("db"))
    assert town.success() == 0.0


def test_the_file_says_where_it_listens():
    assert with_conf("net: {port: 27018}").row("db")["ports"] == [27018]
    town = with_conf("net: {bindIp: 127.0.0.1}")
    assert town.success() == 0.0
    assert shell(town).code == 0
    assert '"address":"127.0.0.1"' in "".join(town.log("db"))


def test_values_of_any_kind_are_told_as_text():
    town = with_conf("net: {port: 27017, 7: 2020-01-01, x: .nan}")
    assert '"net":{"7":"2020-01-01","bindIp":"*","port":27017,"x":"nan"}' in "".join(town.log("db"))


def test_certificates_are_looked_at_only_when_they_are_needed():
    assert tls.check({"tls": {"mode": "disabled", "certificateKeyFile": "/none"}}, {}) is None
    assert tls.check({"ssl": {"mode": "requireSSL", "PEMKeyFile": "/a"}}, {"/a": PEM}) is None
