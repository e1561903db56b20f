"""What a server's tables hold, as SQL can ask: the first start's script, rows that requests have written, system views.

SQLite evaluates a statement over copies that are made for it: no file, no clock, no chance of the host is in its reach,
and its steps are counted.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from math import copysign
from typing import Any, NamedTuple

from aiops_gym.errors import AiopsGymError
from aiops_gym.sim.kernel.times import moment
from aiops_gym.sim.machine.container import Container

STEPS, MOST, LONGEST = 20_000_000, 20_000, 1_000_000
"""Steps of SQLite's machine that a statement may take, rows that it may give, and characters of a value."""

READ, KEPT = 20_000, 200_000
"""Characters of the first start's script that are read, and rows of requests that a table has at most."""

PART = r'(?:\w+|"[^"]+")'
CREATE = re.compile(
    rf"CREATE TABLE (?:IF NOT EXISTS )?({PART}(?:\.{PART})?)\s*\((.*?)\)\s*;", re.IGNORECASE | re.DOTALL
)
INSERT = re.compile(r"INSERT INTO\b.*?;\s*$", re.IGNORECASE | re.DOTALL | re.MULTILINE)
SCHEMA = re.compile(r"CREATE SCHEMA (?:IF NOT EXISTS )?(\w+)", re.IGNORECASE)
CAST = re.compile(r"::\s*\w+(?:\s*\(\s*[\d, ]+\))?")
_FUNCTIONS = """
abs avg cast coalesce count current_database current_user group_concat ifnull instr length like lower ltrim max min now
nullif replace round rtrim substr substring sum total trim upper version
"""
FUNCTIONS = frozenset(_FUNCTIONS.split())
READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
FILLING = {*READING, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_CREATE_TABLE, sqlite3.SQLITE_UPDATE}
"""What a question may do, and what making the tables may do: neither attaches a file."""

BROKEN = (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, MemoryError)
"""What SQLite says of a statement that it cannot evaluate, or that is no text for it."""

COLUMN = re.compile(r'"?(\w+)"?\s+(\w+(?:\(\d+(?:,\d+)?\))?)')
NAMES: Mapping[str, Sequence[str]] = {
    "pg_stat_activity": ("datname", "pid", "usename", "client_addr", "state", "query", "backend_type"),
    "pg_tables": ("schemaname", "tablename", "tableowner"),
    "pg_roles": ("rolname", "rolsuper", "rolcanlogin"),
    "pg_database": ("datname", "datallowconn", "datconnlimit"),
}
"""System views and their columns, those that somebody looks at in an incident."""

BACKGROUND = ("autovacuum launcher", "logical replication launcher", "checkpointer", "background writer", "walwriter")


class Refused(AiopsGymError):
    """What is not carried out.

    Attributes:
        line: what is printed on standard error.
        code: with which `psql -c` ends.
    """

    def __init__(self, text: str, head: str = "ERROR:  ", code: int = 1) -> None:
        super().__init__(text)
        self.line, self.code = f"{head}{text}\n", code


class Table(NamedTuple):
    """One table: schema, name, and its columns with their types."""

    schema: str
    name: str
    columns: Mapping[str, str]


class Answer(NamedTuple):
    """What a query gave: names of the columns, rows, and which columns are numbers."""

    names: Sequence[str]
    rows: Sequence[Sequence[Any]]


def list_tables(script: str) -> list[Table]:
    """The tables that a script creates.

    >>> list_tables('CREATE TABLE shop."order" (id TEXT PRIMARY KEY, n INT);')
    [Table(schema='shop', name='order', columns={'id': 'TEXT', 'n': 'INT'})]
    """
    found = []
    for name, body in CREATE.findall(script[:READ]):
        schema, _, table = name.replace('"', "").rpartition(".")
        parts = (COLUMN.match(each.strip()) for each in re.split(r",(?![^()]*\))", body))
        columns = {each[1]: each[2] for each in parts if each and each[1].upper() not in ("PRIMARY", "FOREIGN")}
        if columns and re.fullmatch(r"[\w.]+", name.replace('"', "")):
            found.append(Table(schema or "public", table, columns))
    return found


def ask(
    c: Container,
    statement: str,
    script: str,
    written: Mapping[str, int],
    who: str,
    clients: Sequence[Sequence[Any]],
    databases: Sequence[str],
) -> Answer:
    """What a SELECT gives. Raises Refused.

    Args:
        c: the server's container.
        statement: one statement.
        script: of the first start.
        written: rows that requests have put into tables, by `schema.name`.
        who: owns all.
        clients: rows of `pg_stat_activity`.
        databases: names.
    """
    tables = list_tables(script)
    schemas = {table.schema for table in tables} | {"public", "pg_catalog", "information_schema"}
    text = _translate(statement, schemas)
    base = sqlite3.connect(":memory:", isolation_level=None)
    try:
        _guard(base, FILLING)
        _fill(base, text, script, tables, written, schemas, c.world.seed)
        _show(
            base,
            text,
            tables,
            who,
            {"pg_stat_activity": clients, "pg_database": [(name, "t", -1) for name in databases]},
        )
        return _run(base, c, text)
    except BROKEN as error:
        raise Refused(_word(str(error), statement)) from None
    finally:
        base.close()


def _translate(statement: str, schemas: Iterable[str]) -> str:
    """Names with a schema as one name each, and what SQLite writes otherwise."""
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, schemas))})\s*\.\s*({PART})", re.IGNORECASE)
    text = pattern.sub(lambda found: _join(found[1].lower(), found[2].strip('"')), statement)
    text = re.sub(r"\bILIKE\b", "LIKE", CAST.sub("", text), flags=re.IGNORECASE)
    return re.sub(r"\b(current_user|session_user)\b(?!\()", "current_user()", text, flags=re.IGNORECASE)


def _join(schema: str, name: str) -> str:
    return f'"{name}"' if schema in ("public", "pg_catalog") else f'"{schema}.{name}"'


def _fill(
    base: sqlite3.Connection,
    text: str,
    script: str,
    tables: Sequence[Table],
    written: Mapping[str, int],
    schemas: Iterable[str],
    seed: int,
) -> None:
    """Make the tables, with the rows of those that are asked for."""
    for table in tables:
        columns = ", ".join(f'"{name}" {kind.replace("NUMERIC", "REAL")}' for name, kind in table.columns.items())
        base.execute(f"CREATE TABLE {_join(table.schema, table.name)} ({columns})")
    for insert in INSERT.findall(script[:READ]):
        with suppress(*BROKEN):  # a script goes on after what fails
            base.execute(_translate(insert, schemas))
    for table in tables:
        number = min(written.get(f"{table.schema}.{table.name}", 0), KEPT)
        if number and table.name in text:
            marks = ", ".join("?" * len(table.columns))
            rows = _make_rows(base, table, tables, number, seed)
            base.executemany(f"INSERT INTO {_join(table.schema, table.name)} VALUES ({marks})", rows)


def _make_rows(
    base: sqlite3.Connection, table: Table, tables: Sequence[Table], number: int, seed: int
) -> Iterator[list[Any]]:
    """Rows that requests have written: the same name in the same row is the same value in all tables.

    A column `product_id` says an `id` of a table `products`, where there is one.
    """
    known = {
        f"{other.name.removesuffix('s')}_id": [row[0] for row in base.execute(f"SELECT id FROM {_join(*other[:2])}")]
        for other in tables
        if "id" in other.columns
    }
    for at in range(number):
        yield [_value(name, kind, f"{seed} {at}", known.get(name, ())) for name, kind in table.columns.items()]


def _value(name: str, kind: str, at: str, known: Sequence[str]) -> Any:
    digest = blake2b(f"{name} {at}".encode(), digest_size=16)
    number = int.from_bytes(digest.digest()[:4])
    if known:
        return known[number % len(known)]
    if not kind.upper().startswith("TEXT"):
        return 1 + number % 5
    text = digest.hexdigest()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _show(
    base: sqlite3.Connection, text: str, tables: Sequence[Table], who: str, told: Mapping[str, Sequence[Sequence[Any]]]
) -> None:
    """The system views that are asked for."""
    rows = {
        **told,
        "pg_stat_activity": [
            *told["pg_stat_activity"],
            *(("", 60 + at, "", "", "", "", name) for at, name in enumerate(BACKGROUND)),
        ],
        "pg_tables": [(table.schema, table.name, who) for table in tables],
        "pg_roles": [(who, "t", "t")],
    }
    for name, columns in NAMES.items():
        if name in text.lower():
            base.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
            base.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", rows[name])
    base.create_function("current_user", 0, lambda: who)


def _run(base: sqlite3.Connection, c: Container, text: str) -> Answer:
    """Evaluate it within the limits. Raises Refused, and `BROKEN`."""
    base.create_function("now", 0, lambda: f"{moment(c.now):%Y-%m-%d %H:%M:%S.%f}+00")
    base.create_function(
        "version", 0, lambda: "PostgreSQL 17.6 (Debian 17.6-2.pgdg13+1) on x86_64-pc-linux-gnu, 64-bit"
    )
    base.create_function("round", 1, lambda number: number if number is None else int(number + copysign(0.5, number)))
    _guard(base, READING)
    cursor = base.execute(text)
    rows = cursor.fetchmany(MOST + 1)
    if len(rows) > MOST:
        raise Refused(f"a result of more than {MOST} rows is not printed in this simulation: ask for fewer")
    return Answer([_name(each[0]) for each in cursor.description or ()], rows)


def _guard(base: sqlite3.Connection, actions: Collection[int]) -> None:
    """From here on only these actions, with so many steps for all of them, and only known functions."""
    left = [STEPS // 1_000]

    def count() -> int:
        left[0] -= 1
        return left[0] < 0

    def allow(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        known = second in FUNCTIONS if action == sqlite3.SQLITE_FUNCTION else action in actions
        return sqlite3.SQLITE_OK if known else sqlite3.SQLITE_DENY

    base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    base.set_progress_handler(count, 1_000)
    base.set_authorizer(allow)


def _name(column: str) -> str:
    """What a column is called that nobody has named: after its function."""
    found = re.fullmatch(r"(?:(\w+)\(.*\)|\w*[^\W\d]\w*|(.*))", column, re.DOTALL)
    return (found[1] or "").lower() or ("?column?" if found[2] is not None else column) if found else column


def _word(error: str, statement: str) -> str:
    """What PostgreSQL says, where SQLite says it in its own words, with the place."""
    for pattern, form in (
        (r"no such table: (\S+)", 'relation "{}" does not exist'),
        (r"no such column: (\S+)", 'column "{}" does not exist'),
        (r'near "([^"]+)": syntax error', 'syntax error at or near "{}"'),
        (r"no such function: (\w+)", "this server has no function {} in the simulation"),
        (r"not authorized to use function: (\w+)", "this server has no function {} in the simulation"),
    ):
        if found := re.search(pattern, error):
            return form.format(found[1]) + _point(statement, found[1])
    if error == "interrupted":
        return "canceling statement due to statement timeout"
    return f"syntax error at end of input{_point(statement, '')}" if error == "incomplete input" else error


def _point(statement: str, word: str) -> str:
    """The line that a word stands in, and a mark below it; the last one for no word."""
    before, found, _ = statement.partition(word.rpartition(".")[0] or word) if word else (statement, "end", "")
    if not found:
        return ""
    number, column = before.count("\n") + 1, len(before) - before.rfind("\n") - 1
    head = f"LINE {number}: "
    return f"\n{head}{statement.splitlines()[number - 1]}\n{' ' * (len(head) + column)}^"
