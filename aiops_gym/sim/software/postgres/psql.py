r"""`psql`: its command line, what begins with a backslash, statements, and tables as it prints them."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, urlsplit

from aiops_gym.sim.kernel.regex import Regex
from aiops_gym.sim.kernel.regex_parser import RegexError
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.software.postgres import settings, tables
from aiops_gym.sim.software.postgres.tables import Answer, Refused
from aiops_gym.types import Output

VALUED = "cdfFhpPRTUvL"
FLAGS = "AtqxwWXelnbaSsEz01"
LONG = {"command": "c", "dbname": "d", "username": "U", "host": "h", "port": "p", "tuples-only": "t", "no-align": "A"}
LONG |= {"expanded": "x", "list": "l", "no-psqlrc": "X", "quiet": "q", "field-separator": "F", "no-password": "w"}
LONG |= {"file": "f", "csv": "csv", "set": "v", "version": "V"}
SHOW = re.compile(r"show\s+(\w+|\"[^\"]+\")$", re.IGNORECASE)
SET = re.compile(r"set\s+(?:session\s+|local\s+)?(\w+)\s*(?:=|to)\s*(.+)$", re.IGNORECASE | re.DOTALL)
CHANGES = re.compile(
    r"(insert|update|delete|truncate|drop|alter|create|grant|revoke|copy|do|call|merge|reindex|cluster)\b",
    re.IGNORECASE,
)
TAGS = re.compile(r"(begin|commit|rollback|vacuum|analyze|checkpoint|reset|discard)\b", re.IGNORECASE)
SOCKET = 'connection to server on socket "/var/run/postgresql/.s.PGSQL.{port}" failed'
HOST = 'connection to server at "{host}", port {port} failed'
LONGEST = 20_000
"""Characters of a command."""

DATABASES = ("postgres", "template0", "template1")


@dataclass
class Line:
    """A command line, read.

    Attributes:
        options: letters with their values.
        commands: in order; none where they come from the input.
        names: of a database and a user, without an option.
        unknown: what is no option.
    """

    options: dict[str, str] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    unknown: str = ""

    def get(self, letter: str, at: int, usual: str) -> str:
        """An option, or a name in its place."""
        return self.options.get(letter) or (self.names[at] if len(self.names) > at else usual)


@dataclass(frozen=True)
class Session:
    """Who is connected to which server, and what it may ask.

    Attributes:
        c: the server's container.
        user, owner, database: names.
        databases: all that there are.
        script: of the first start.
        written: rows that requests have put into tables.
        settings: of the server.
        clients: rows of `pg_stat_activity`.
        users: all roles.
    """

    c: Container
    user: str
    owner: str
    database: str
    databases: Sequence[str]
    script: str
    written: Mapping[str, int]
    settings: settings.Settings
    clients: Sequence[Sequence[Any]]
    users: Sequence[str]


def read_line(words: Sequence[str]) -> Line:
    """Options, commands and names.

    >>> read_line(["-tAc", "SELECT 1", "-U", "root", "shop"])
    Line(options={'t': '', 'A': '', 'U': 'root'}, commands=['SELECT 1'], names=['shop'], unknown='')
    """
    line, left = Line(), list(words)
    while left and not line.unknown:
        word = left.pop(0)
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            letter = LONG.get(name, "")
            if not letter:
                line.unknown = f"unrecognized option '{word}'"
            elif letter in VALUED:
                _take(line, letter, value if equals else left.pop(0) if left else "")
            else:
                line.options[letter] = ""
        elif word.startswith("-") and len(word) > 1:
            letters = word[1:]
            while letters and not line.unknown:
                letter, letters = letters[0], letters[1:]
                if letter in VALUED:
                    _take(line, letter, letters or (left.pop(0) if left else ""))
                    letters = ""
                elif letter in FLAGS or letter == "V":
                    line.options[letter] = ""
                else:
                    line.unknown = f"invalid option -- '{letter}'"
        elif word.startswith(("postgres://", "postgresql://")):
            _take_address(line, urlsplit(word))
        else:
            line.names.append(word)
    return line


def _take_address(line: Line, address: SplitResult) -> None:
    """`postgresql://user:password@host:port/database`."""
    said = {"U": address.username, "password": address.password, "h": address.hostname, "d": address.path[1:]}
    line.options |= {key: value for key, value in said.items() if value}
    if address.netloc.rpartition(":")[2].isdigit():
        line.options["p"] = address.netloc.rpartition(":")[2]


def _take(line: Line, letter: str, value: str) -> None:
    if letter == "c":
        line.commands.append(value)
    else:
        line.options[letter] = value


def run(session: Session, line: Line, stdin: str) -> Output:
    """All commands of a line, or those of the input, one after the other."""
    printed = errors = ""
    code = 0
    if "l" in line.options:
        line.commands.insert(0, r"\l")
    for command in line.commands or [stdin]:
        failed = 0
        if len(command) > LONGEST:
            return Output(printed, f"{errors}psql: error: more than {LONGEST} characters are not read here\n", 1)
        for statement in split(command.replace("\0", "").encode("utf-8", "replace").decode()):
            try:
                printed += _answer(session, line, statement)
            except Refused as refused:
                errors += refused.line
                failed = refused.code
                if line.commands:
                    break  # a command of several statements is one transaction
        code = failed if line.commands else 0
    return Output(printed, errors, code)


def split(text: str) -> Iterator[str]:
    r"""Statements of a text.

    >>> list(split("SELECT ';'; SHOW port;\n\\dt shop.*\nSELECT 1"))
    ["SELECT ';';", 'SHOW port;', '\\dt shop.*', 'SELECT 1']
    """
    gathered = ""
    for piece in re.split(r"(?<=;)|\n", text):
        if not gathered.strip() and piece.strip().startswith("\\"):
            yield piece.strip()
            continue
        gathered += piece + ("" if piece.endswith(";") else "\n")
        if sqlite3.complete_statement(gathered):
            if gathered.strip().strip(";"):
                yield gathered.strip()
            gathered = ""
    if gathered.strip():
        yield gathered.strip()


def _answer(session: Session, line: Line, statement: str) -> str:
    """What is printed of one statement. Raises Refused."""
    if statement.startswith("\\"):
        return _describe(session, line, statement.rstrip(";"))
    bare = statement.rstrip("; \n")
    if asked := SHOW.match(bare):
        name = asked[1].strip('"')
        value = session.settings.show(name)
        if value is None:
            raise Refused(f'unrecognized configuration parameter "{name}"')
        return format_rows(Answer([settings.find_parameter(name) or name], [(value,)]), line)
    if given := SET.match(bare):
        _try_setting(given[1], given[2].strip().strip("'"))
        return "SET\n"
    if tag := TAGS.match(statement):
        return f"{tag[1].upper()}\n"
    if found := CHANGES.match(statement):
        raise Refused(f"{found[1].upper()} is not possible here: psql only reads in this simulation")
    return format_rows(_ask(session, statement), line)


def _ask(session: Session, statement: str) -> Answer:
    roles = (session.owner, session.clients, session.databases)
    return tables.ask(session.c, statement, session.script, session.written, *roles)


def _try_setting(name: str, value: str) -> None:
    """A setting for this session: only that it could be. Raises Refused."""
    try:
        settings.read(["postgres", "-c", f"{name}={value}"], {}, "")
    except settings.Unusable as wrong:
        raise Refused(wrong.lines[0][1]) from None


def _describe(session: Session, line: Line, text: str) -> str:
    r"""A command that begins with a backslash. Raises Refused."""
    command, _, pattern = text.partition(" ")
    known = tables.list_tables(session.script)
    command, pattern = command.rstrip("+"), pattern.strip().replace('"', "")
    if command == r"\dt":
        return _list_tables(session, line, pattern)
    if command == r"\dn":
        names = sorted({table.schema for table in known} | {"public"})
        return _titled(
            "List of schemas", Answer(["Name", "Owner"], [(name, _owner(session, name)) for name in names]), line
        )
    if command in (r"\du", r"\dg"):
        rows = [(name, _attributes(session, name)) for name in sorted(session.users)]
        return _titled("List of roles", Answer(["Role name", "Attributes"], rows), line)
    if command == r"\l":
        there = Answer(["Name", "Owner", "Encoding"], [(name, session.owner, "UTF8") for name in session.databases])
        return _titled("List of databases", there, line)
    if command == r"\d":
        return _list_tables(session, line, pattern) if not pattern else _describe_table(session, line, pattern)
    if command == r"\conninfo":
        where = 'via socket in "/var/run/postgresql" at port'
        port = session.settings.show("port")
        return f'You are connected to database "{session.database}" as user "{session.user}" {where} "{port}".\n'
    if command in (r"\q", r"\x", r"\timing", r"\pset", r"\set"):
        return ""
    raise Refused(f"invalid command {command}", "")


def _owner(session: Session, schema: str) -> str:
    return "pg_database_owner" if schema == "public" else session.owner


def _attributes(session: Session, name: str) -> str:
    return "Superuser, Create role, Create DB, Replication, Bypass RLS" if name == session.owner else ""


def _list_tables(session: Session, line: Line, pattern: str) -> str:
    schema, dot, name = pattern.rpartition(".")
    rows = [
        (table.schema, table.name, "table", session.owner)
        for table in sorted(tables.list_tables(session.script))
        if _fits(table.schema, schema if dot else "public") and _fits(table.name, name or "*")
    ]
    if not rows:
        what = f'Did not find any relation named "{pattern}".' if pattern else "Did not find any relations."
        raise Refused(what, "", 0)
    return _titled("List of relations", Answer(["Schema", "Name", "Type", "Owner"], rows), line)


def _fits(name: str, pattern: str) -> bool:
    try:
        return Regex(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")).matches(name)
    except RegexError as wrong:
        raise Refused(f"invalid regular expression: {wrong}") from None


def _describe_table(session: Session, line: Line, pattern: str) -> str:
    schema, dot, name = pattern.rpartition(".")
    for table in tables.list_tables(session.script):
        if (table.schema, table.name) == (schema if dot else "public", name):
            kinds = {"INT": "integer", "NUMERIC(2,1)": "numeric(2,1)"}
            rows = [(each, kinds.get(kind, kind.lower()), "", "", "") for each, kind in table.columns.items()]
            head = Answer(["Column", "Type", "Collation", "Nullable", "Default"], rows)
            return _titled(f'Table "{table.schema}.{table.name}"', head, line, footer=False)
    raise Refused(f'Did not find any relation named "{pattern}".', "")


def _titled(title: str, answer: Answer, line: Line, footer: bool = True) -> str:
    text = format_rows(answer, line)
    if {"t", "A"} & line.options.keys():
        return text
    if not footer:
        text = text.rpartition("(")[0] + "\n"
    width = len(text.partition("\n")[0])
    return f"{' ' * max(0, (width - len(title)) // 2)}{title}\n{text}"


def format_rows(answer: Answer, line: Line) -> str:
    r"""Rows as psql prints them: aligned, numbers to the right, with how many there are.

    >>> format_rows(Answer(["id", "n"], [("a", 10), ("bc", 2)]), Line()).splitlines()
    [' id | n  ', '----+----', ' a  | 10', ' bc |  2', '(2 rows)', '']
    >>> format_rows(Answer(["n"], [(1,)]), read_line(["-tA"]))
    '1\n'
    """
    rows = [["" if cell is None else str(cell) for cell in row] for row in answer.rows]
    bare = "t" in line.options
    count = "" if bare else f"({len(rows)} row{'' if len(rows) == 1 else 's'})\n"
    if "csv" in line.options:
        return "".join(f"{','.join(row)}\n" for row in [*([] if bare else [list(answer.names)]), *rows])
    if "A" in line.options:
        between = line.options.get("F", "|")
        return "".join(f"{between.join(row)}\n" for row in [*([] if bare else [list(answer.names)]), *rows]) + count
    if "x" in line.options:
        return _format_records(answer.names, rows)
    numbers = [
        bool(answer.rows) and all(isinstance(row[at], int | float | None) for row in answer.rows)
        for at in range(len(answer.names))
    ]
    widths = [max(len(name), *(len(row[at]) for row in rows), 0) for at, name in enumerate(answer.names)]
    text = ""
    if not bare:
        text = " " + " | ".join(f"{name:^{n}}" for name, n in zip(answer.names, widths, strict=True)) + " \n"
        text += "+".join("-" * (n + 2) for n in widths) + "\n"
    for row in rows:
        cells = [
            f"{cell:>{n}}" if right else f"{cell:<{n}}" for cell, n, right in zip(row, widths, numbers, strict=True)
        ]
        last = cells[-1] if numbers[-1] else cells[-1].rstrip()
        text += " " + " | ".join([*cells[:-1], last]) + "\n"
    return f"{text}{count}\n"


def _format_records(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A line for each cell, as `-x` has it."""
    width = max(map(len, names), default=0)
    wide = max((len(cell) for row in rows for cell in row), default=0)
    text = ""
    for number, row in enumerate(rows, 1):
        head = f"-[ RECORD {number} ]"
        head = f"{head:-<{width + 1}}+" if len(head) <= width + 1 else head
        text += f"{head:-<{width + 3 + wide}}\n"
        text += "".join(f"{name:<{width}} | {cell}\n" for name, cell in zip(names, row, strict=True))
    return f"{text}\n" if rows else "(0 rows)\n"
