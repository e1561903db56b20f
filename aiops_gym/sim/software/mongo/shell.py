"""The `mongo` command of a container: its command line, the connection over the cluster's network, what it prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from aiops_gym.sim.kernel import draws, work
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.software.mongo import client, commands, javascript
from aiops_gym.sim.software.mongo.errors import MongoError
from aiops_gym.sim.software.mongo.server import Server, Session
from aiops_gym.types import Json, Output

TIMEOUT_MS = 15_000
VALUED = {
    "--host": "host",
    "-h": "help",
    "--port": "port",
    "-u": "user",
    "--username": "user",
    "-p": "password",
    "--password": "password",
    "--authenticationDatabase": "source",
    "--authenticationMechanism": "mechanism",
    "--eval": "script",
    "--tlsCAFile": "authority",
    "--sslCAFile": "authority",
    "--tlsCertificateKeyFile": "certificate",
    "--sslPEMKeyFile": "certificate",
}
FLAGS = {
    "--quiet": "quiet",
    "--norc": "",
    "--shell": "",
    "--nodb": "",
    "--ipv6": "",
    "--verbose": "",
    "--disableJavaScriptJIT": "",
    "--retryWrites": "",
    "--ssl": "tls",
    "--tls": "tls",
    "--tlsAllowInvalidCertificates": "trusting",
    "--sslAllowInvalidCertificates": "trusting",
    "--tlsAllowInvalidHostnames": "",
    "--sslAllowInvalidHostnames": "",
}
"""Options without a value, and what they switch on."""

COMPRESSORS = "compressors=disabled&gssapiServiceName=mongodb"


class Options(NamedTuple):
    """A command line of the shell, read."""

    host: str = "127.0.0.1"
    port: int = 27017
    database: str = "test"
    user: str = ""
    password: str | None = None
    source: str = ""
    script: str | None = None
    quiet: bool = False
    tls: bool = False
    trusting: bool = False
    authority: str = ""
    certificate: str = ""
    files: tuple[str, ...] = ()


class Usage(ValueError):
    """A command line that the shell does not understand."""


STOPPED = 300_000
"""Units of the container's work that a script without an end takes; see `sim.kernel.work`."""


def mongo(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """Run the shell: `--eval`, script files, or statements from stdin."""
    if "--help" in argv or "-h" in argv:
        return Output(
            "MongoDB shell version v4.4.6\nusage: mongo [options] [db address] [file names (ending in .js)]\n"
        )
    if "--version" in argv:
        return Output(f"MongoDB shell version v{c.params.get('version', '4.4.6')}\n")
    try:
        options = read(argv[1:])
    except Usage as error:
        return Output("", f"{error}\ntry 'mongo --help' for more information\n", 1)
    if options.password is None and options.user:
        first, _, stdin = stdin.partition("\n")
        options = options._replace(password=first)
    return _run(c, options, stdin)


def _run(c: Container, options: Options, stdin: str) -> Output:
    version = str(c.params.get("version", "4.4.6"))
    head = [] if options.quiet else [f"MongoDB shell version v{version}", f"connecting to: {_address(options)}"]
    try:
        session = _connect(c, options)
    except MongoError as error:
        trace = [
            "connect@src/mongo/shell/mongo.js:374:17",
            "@(connect):2:6",
            "exception: connect failed",
            "exiting with code 1",
        ]
        return Output("\n".join([*head, error.message, *trace]) + "\n", "", 1)
    if not options.quiet:
        unique = draws.uuid(c.world.seed, "mongo/session", session.server.container.key, session.number)
        head += [
            f'Implicit session: session {{ "id" : UUID("{unique}") }}',
            f"MongoDB server version: {session.server.version}",
        ]
    try:
        return _scripts(c, options, session, head, stdin)
    finally:
        session.close()


def _scripts(c: Container, options: Options, session: Session, head: list[str], stdin: str) -> Output:
    """Run what was given, in the order of the real shell: --eval, then files; typed input only without either."""
    output = list(head)
    files = c.files()
    batches = [] if options.script is None else [options.script]
    for path in options.files:
        text = files.get(path, files.get(f"/{path}"))
        if text is None:
            missing = [f"file [{path}] doesn't exist", f"failed to load: {path}", "exiting with code -3"]
            return Output("\n".join([*output, *missing]) + "\n", "", 253)
        batches.append(text)
    for number, text in enumerate(batches):
        printing = number == 0 and options.script is not None
        done = _evaluate(c, options, session, [text], forgiving=False, printing=printing)
        output += done.output
        if done.error:
            last = (
                ["exiting with code -4"]
                if printing
                else [f"failed to load: {options.files[0]}", "exiting with code -3"]
            )
            return Output("\n".join([*output, done.error, *last]) + "\n", "", 252 if printing else 253)
        if done.code is not None:
            return _output(output, done.code & 255)
    if batches:
        return _output(output, 0)
    done = _evaluate(c, options, session, javascript.split(stdin), forgiving=True, printing=True)
    output += done.output + ([done.error] if done.error else [])
    return _output([*output, *([] if options.quiet else ["bye"])], (done.code or 0) & 255)


def _output(lines: Sequence[str], code: int) -> Output:
    return Output("\n".join(lines) + "\n" if lines else "", "", code)


def _evaluate(
    c: Container, options: Options, session: Session, statements: Sequence[str], forgiving: bool, printing: bool
) -> javascript.Done:
    entropy = 1 + draws.pick(2_147_483_000, c.world.seed, "mongo/entropy", session.server.container.key, session.number)
    address = f"{options.host}:{options.port}"
    setting = javascript.Setting(options.database, c.world.now, entropy, session.server.version, address)
    done = javascript.run(statements, setting, lambda db, command: _ask(session, db, command), forgiving, printing)
    if c.world.moving and javascript.was_stopped(done):
        work.charge(c.world, c.key, STOPPED)
    return done


def _ask(session: Session, database: str, command: Json) -> Json:
    if not isinstance(command, dict) or not command:
        return {"ok": 0, "errmsg": "no command given", "code": 59, "codeName": "CommandNotFound"}
    if not session.server.container.process["running"]:
        return {
            "ok": 0,
            "errmsg": "network error while attempting to run command",
            "code": 6,
            "codeName": "HostUnreachable",
        }
    try:
        return commands.answer(session, database, command)
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError) as error:
        # whatever shape a document that somebody typed may have, the server only refuses it
        detail = f"Failed to parse: {type(error).__name__}"
        return {"ok": 0, "errmsg": detail, "code": 9, "codeName": "FailedToParse"}


def _connect(c: Container, options: Options) -> Session:
    """A connection as the options ask for it. Raises MongoError with the shell's own words."""
    at = f"{options.host}:{options.port}"
    route = c.dial(options.host, options.port)
    if route.outcome in ("no_host", "no_answer"):
        found = "(authoritative)" if route.outcome == "no_host" else "(non-authoritative), try again later"
        why = f"HostNotFound: Could not find address for {at}: SocketException: Host not found {found}"
        raise MongoError(6, f"{_failing(at)} {why} :")
    _check_files(c, options)
    outcome, target = client.knock(c, options.host, options.port, TIMEOUT_MS, options.tls)
    if target is None:
        raise MongoError(6, _failed(options, outcome, route.address))
    if options.tls and not (options.trusting or options.authority):
        detail = "SSL peer certificate validation failed: self signed certificate in certificate chain"
        raise MongoError(6, f"{_failing(at)} SSLHandshakeFailed: {detail} :")
    local = options.host in ("127.0.0.1", "localhost")
    session = Session(Server(c.world, target.process), "127.0.0.1" if local else c.process["ip"])
    if options.user:
        default = options.database if options.database != "test" else "admin"
        try:
            session.authenticate(options.user, options.password or "", options.source or default)
        except MongoError as error:
            session.close()
            raise MongoError(18, f"Error: {error.message} :") from error
    return session


def _check_files(c: Container, options: Options) -> None:
    """A shell that cannot read its certificates does not start. Raises MongoError."""
    for path in (options.certificate, options.authority):
        if path and "BEGIN CERTIFICATE" not in (c.read(path) or ""):
            what = "Can not set up PEM key file." if path == options.certificate else f"cannot read CA file: {path}"
            raise MongoError(140, f"{_failing(f'{options.host}:{options.port}')} InvalidSSLConfiguration: {what} :")


def _failing(at: str) -> str:
    return f"Error: couldn't connect to server {at}, connection attempt failed:"


def _failed(options: Options, outcome: str, address: str) -> str:
    """The shell's words for a connection that is not had."""
    at = f"{options.host}:{options.port}"
    if outcome == "closed" and options.tls:
        return f"{_failing(at)} SocketException: stream truncated :"
    if outcome == "closed":
        return f"Error: network error while attempting to run command 'isMaster' on host '{at}'  :"
    cause = "Connection refused" if outcome == "refused" else "Connection timed out"
    where = f"{at} ({address or options.host}:{options.port})"
    kind = "" if outcome == "refused" else "NetworkTimeout: "
    return f"{_failing(at)} {kind}SocketException: Error connecting to {where} :: caused by :: {cause} :"


def read(argv: Sequence[str]) -> Options:
    """Options of a command line. Raises Usage.

    >>> read(["--host", "db", "-u", "a", "-pb", "geo-db", "--quiet"])[:5]
    ('db', 27017, 'geo-db', 'a', 'b')
    >>> read(["mongodb://a:b@db:27018/geo?authSource=admin"])[:6]
    ('db', 27018, 'geo', 'a', 'b', 'admin')
    """
    found: dict[str, Any] = {}
    positional: list[str] = []
    words = list(argv)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if word == "--":
            positional += words
            break
        if name in VALUED and equals and word.startswith("--"):
            found[VALUED[name]] = value
        elif word in VALUED:
            if word in ("-p", "--password") and (not words or words[0].startswith("-")):
                continue
            if not words:
                raise Usage(f"Error parsing command line: required argument is missing in option '{word}'")
            found[VALUED[word]] = words.pop(0)
        elif word[:2] in ("-p", "-u") and len(word) > 2 and word[1] != "-":
            found[VALUED[word[:2]]] = word[2:]
        elif word in FLAGS:
            found |= {FLAGS[word]: True} if FLAGS[word] else {}
        elif word.startswith("-") and len(word) > 1:
            raise Usage(f"Error parsing command line: unrecognised option '{word}'")
        else:
            positional.append(word)
    return _placed(found, positional)


def _placed(found: dict[str, Any], positional: list[str]) -> Options:
    files = tuple(p for p in positional if p.endswith(".js"))
    address = next((p for p in positional if not p.endswith(".js")), "")
    if address.startswith("mongodb://"):
        found = {**_uri(address), **found}
    elif address:
        host, slash, database = address.rpartition("/")
        found["database"] = database or "test"
        if slash and host:
            found["host"] = host
        elif ":" in address:
            found |= {"host": address, "database": "test"}
    host, _, port = str(found.get("host", "127.0.0.1")).rpartition(":")
    if host and is_natural(port):
        found |= {"host": host, "port": port}
    number = str(found.get("port", 27017))
    if not is_natural(number) or not 0 < int(number) < 65_536:
        raise Usage(f"Error: bad port {number}")
    fields = {k: v for k, v in found.items() if k in Options._fields and k != "port"}
    return Options(**fields, port=int(number), files=files)


def _uri(address: str) -> dict[str, Any]:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "127.0.0.1", parts.port or 27017
    except ValueError as error:
        raise Usage(f"FailedToParse: {error}") from error
    found: dict[str, Any] = {"host": host, "port": port, "database": parts.path.strip("/") or "test"}
    if parts.username:
        found |= {"user": unquote(parts.username), "password": unquote(parts.password or "")}
    query = parse_qs(parts.query)
    if source := query.get("authSource"):
        found["source"] = source[0]
    if "true" in (*query.get("tls", ()), *query.get("ssl", ())):
        found["tls"] = True
    return found


def _address(options: Options) -> str:
    source = f"authSource={options.source}&" if options.source else ""
    database = options.database if options.database != "test" else ""
    return f"mongodb://{options.host}:{options.port}/{database}?{source}{COMPRESSORS}"
