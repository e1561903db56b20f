"""What the official image does before its first start: create users and run the scripts that are mounted for it.

Of a shell script only its calls of `mongo` with a here-document or `--eval` matter, and those are run.
"""

from __future__ import annotations

import re
import shlex

from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.software.mongo import javascript, shell
from aiops_gym.sim.software.mongo.commands import answer
from aiops_gym.sim.software.mongo.server import Server, Session
from aiops_gym.types import Json

FOLDER = "/docker-entrypoint-initdb.d/"
HEREDOC = re.compile(r"^\s*(mongo\b[^\n<]*)<<-?\s*(['\"]?)(\w+)\2[^\n]*\n(.*?)^\s*\3\s*$", re.MULTILINE | re.DOTALL)
EVAL = re.compile(r"^\s*(mongo\b[^\n<]*--eval[^\n<]*)$", re.MULTILINE)


def scripts(c: Container) -> list[tuple[str, str]]:
    """(path, text) of the scripts, in the order in which they run."""
    return [
        (path, text) for path, text in c.files().items() if path.startswith(FOLDER) and path.endswith((".sh", ".js"))
    ]


def is_wanted(c: Container) -> bool:
    """Whether there is anything to do before the first start."""
    return bool(scripts(c)) or bool(_root(c))


def run(c: Container) -> None:
    """Do it, on a server that asks nobody who they are and that only this container reaches."""
    auth = c.state["auth"]
    c.remember(auth=False)
    session = Session(Server(c.world, c.key), "127.0.0.1")
    if root := _root(c):
        roles = [{"role": "root", "db": "admin"}]
        answer(session, "admin", {"createUser": root[0], "pwd": root[1], "roles": roles, "$db": "admin"})
    database = c.env.get("MONGO_INITDB_DATABASE", "test")
    for path, text in scripts(c):
        c.log(f"/usr/local/bin/docker-entrypoint.sh: running {path}")
        for argv, source in _programs(text, c, database) if path.endswith(".sh") else [([database], text)]:
            _play(c, session, argv, source, typed=path.endswith(".sh"))
        c.log("")
    session.close()
    c.log("MongoDB init process complete; ready for start up.")
    c.remember(auth=auth)


def _root(c: Container) -> tuple[str, str] | None:
    name, password = c.env.get("MONGO_INITDB_ROOT_USERNAME"), c.env.get("MONGO_INITDB_ROOT_PASSWORD")
    return (name, password) if name and password else None


def _programs(text: str, c: Container, database: str) -> list[tuple[list[str], str]]:
    """(arguments of mongo, its input) of each call in a shell script."""
    variables = {**c.env, "MONGO_INITDB_DATABASE": database}
    found = []
    for match in HEREDOC.finditer(text):
        body = match[4] if match[2] else _expanded(match[4], variables)
        found.append((match.start(), _words(_expanded(match[1], variables)), body))
    for match in EVAL.finditer(HEREDOC.sub("", text)):
        words = _words(_expanded(match[1], variables))
        if "--eval" in words[:-1]:
            at = words.index("--eval")
            found.append((match.start(), words[:at] + words[at + 2 :], words[at + 1]))
    return [(words[1:], source) for _, words, source in sorted(found, key=lambda f: f[0])]


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def _expanded(text: str, variables: dict[str, str]) -> str:
    return re.sub(r"(?<!\\)\$(?:\{(\w+)\}|([A-Za-z_]\w*))", lambda m: variables.get(m[1] or m[2], ""), text).replace(
        "\\$", "$"
    )


def _play(c: Container, session: Session, argv: list[str], source: str, typed: bool) -> None:
    try:
        options = shell.read(argv)
    except shell.Usage as error:
        c.log(str(error))
        return
    setting = javascript.Setting(options.database, c.world.now, 1, session.server.version, "127.0.0.1:27017")
    statements = javascript.split(source) if typed else [source]

    def ask(database: str, command: Json) -> Json:
        return answer(session, database, command)

    done = javascript.run(statements, setting, ask, forgiving=typed)
    c.log(*done.output, *([done.error] if done.error else []))
